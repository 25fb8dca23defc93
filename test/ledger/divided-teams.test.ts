import { expect } from 'chai';
import { resetCommissions } from '#src/commissions/commands/reset-commissions.js';
import { describeDividedHistories } from './divided-histories.js';
import { TwoLevels } from './divided-teams.js';

const dayOf = (place: number) => `2026-01-${String(place + 1).padStart(2, '0')}`;
const maxDeals = 6;

describe('a manager above more deals than one transaction calculates', () => {
  let levels: TwoLevels;

  /** Two deals on each of 15 days. */
  async function create(options = {}): Promise<void> {
    levels = await TwoLevels.create(options);
    for (let day = 0; day < 15; day += 1)
      for (const rep of [0, 1]) await levels.put(`d${day}-${rep}`, rep, dayOf(day), 100, 1);
  }

  beforeEach(() => create());

  const runsOfManager = async () =>
    (await levels.workspace.db.sql('select from audit_runs where rep_id = $1', levels.manager)).length;

  const requestsOf = async (repId: string) =>
    (await levels.workspace.requests()).filter((one) => one.rep_id === repId).map((one) => one.from_day);

  const calculate = (repId: string) => levels.workspace.calculate([repId], { maxDeals });

  it('is calculated in parts, which together are the whole', async () => {
    await levels.complete(maxDeals);
    await levels.expectCalculated();
    await levels.expectSameFromNothing(maxDeals);
  });

  it('is calculated by attainment periods under a cap, which reads more than sums of the earlier deals', async () => {
    await create({ isCapped: true });
    await levels.complete(maxDeals);
    await levels.expectCalculated();
    await levels.put('d0-0', 0, dayOf(0), 100, 2);
    await calculate(levels.reps[0] as string);
    await calculate(levels.manager);
    expect(await requestsOf(levels.manager)).to.deep.equal([]);
    await levels.complete(maxDeals);
    await levels.expectCalculated();
  });

  it('recalculates only the days of deals that move no sum, in one part', async () => {
    await levels.complete(maxDeals);
    const runs = await runsOfManager();
    for (const [dealId, day] of [
      ['d2-1', dayOf(2)],
      ['d14-1', dayOf(14)],
    ] as const) {
      await levels.put(dealId, 1, day, 100.5, 1);
      await levels.complete(maxDeals);
    }
    expect((await runsOfManager()) - runs).to.equal(2);
    await levels.expectCalculated();
  });

  it('continues with later days when a sum has moved, and in turn with further changes', async () => {
    await levels.complete(maxDeals);
    await levels.put('d0-0', 0, dayOf(0), 100, 2);
    await calculate(levels.reps[0] as string);
    await calculate(levels.manager);
    const [rest] = (await requestsOf(levels.manager)) as [string];
    expect(rest > dayOf(0)).to.equal(true);
    await levels.put('d0-1', 1, dayOf(0), 100, 3);
    await calculate(levels.reps[1] as string);
    expect(await requestsOf(levels.manager)).to.deep.equal([rest, dayOf(0)]);
    await calculate(levels.manager);
    const [changed, further] = (await requestsOf(levels.manager)) as [string, string];
    expect(changed).to.equal(dayOf(0));
    expect(further > rest).to.equal(true);
    await levels.complete(maxDeals);
    await levels.expectCalculated();
  });

  it('calculates the later days about twice for many changes, not once for each', async () => {
    const eachDay = { maxDeals: 2 };
    await levels.complete(eachDay.maxDeals);
    for (let units = 2; units <= 17; units += 1) {
      await levels.put('d0-0', 0, dayOf(0), 100, units);
      await calculate(levels.reps[0] as string);
      await levels.workspace.calculate([levels.manager], eachDay);
    }
    const runs = await runsOfManager();
    await levels.complete(eachDay.maxDeals);
    expect((await runsOfManager()) - runs).to.be.below(3 * 15);
    await levels.expectCalculated();
  });

  /** The calculation of a moved sum, of which the first part is done. */
  async function beginPart(units: number): Promise<void> {
    await levels.complete(maxDeals);
    await levels.put('d0-0', 0, dayOf(0), 100, units);
    await calculate(levels.reps[0] as string);
    await calculate(levels.manager);
    expect(await requestsOf(levels.manager)).not.to.deep.equal([]);
  }

  it('calculates the later days when a deal has moved to an earlier period, and its former row with it', async () => {
    await levels.complete(maxDeals);
    await levels.put('d10-0', 0, '2025-12-31', 100, 1);
    await levels.complete(1);
    await levels.expectCalculated();
  });

  it('begins again when its quota changes meanwhile', async () => {
    await beginPart(2);
    await levels.setQuota(levels.manager, 'Team', 5);
    await calculate(levels.manager);
    await levels.complete(maxDeals);
    await levels.expectCalculated();
  });

  it('begins again when all events are deleted meanwhile', async () => {
    await beginPart(2);
    await levels.workspace.run(resetCommissions, { body: {} });
    await levels.workspace.request(levels.everyone);
    await levels.complete(maxDeals);
    await levels.expectCalculated();
  });

  it('is not divided between deals of an approved period', async () => {
    await levels.complete(maxDeals);
    await levels.workspace.insert.statement(levels.manager, '2026-01', 'approved');
    const runs = await runsOfManager();
    await levels.workspace.request([levels.manager]);
    await levels.complete(maxDeals);
    expect((await runsOfManager()) - runs).to.equal(1);
    await levels.expectCalculated();
  });
});

describeDividedHistories(2, 1);
