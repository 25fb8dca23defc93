import { startBenchService } from './bench-service.js';
import { alternating, count, duration, ratio, type Table } from './measure.js';
import { calculateFirst, recalculate } from './recalculation.js';
import {
  changeAmount,
  firstDealOn,
  makeSalesYear,
  rates,
  rulesPerDeal,
  type SalesYear,
  withNewAmounts,
} from './sales-year.js';
import { type Size } from './size.js';
import { SqlFloor } from './sql-floor.js';
import { listChangedDealEffects } from './year-effects.js';

/** One rep with this number of deals in the year, a quarter of them in each attainment period. */
const deals: Readonly<Record<Size, number>> = { quick: 2000, small: 10_000, usual: 20_000, large: 20_000 };
const rounds: Readonly<Record<Size, number>> = { quick: 1, small: 5, usual: 15, large: 15 };
const quarter = { from: '2026-01-01', to: '2026-03-31' };
const days = ['2026-03-31', '2026-02-15', '2026-01-01'];

/** One changed deal of a large rep: through the API until no request is left, against the SQL of the same change. */
export async function* changes(size: Size): AsyncGenerator<Table> {
  await using service = await startBenchService();
  const year = await makeSalesYear(service, deals[size], 1);
  const managed = await makeSalesYear(service, deals[size], 1);
  await addManager(managed);
  await calculateFirst([year]);
  await recalculate(managed, {});
  const floor = await SqlFloor.create(year);
  await floor.run(1, rates);
  await service.owner.query('vacuum analyze');
  for (const day of days) yield await changesOn(day, { year, managed, floor }, size);
}

interface Candidates {
  readonly year: SalesYear;
  readonly managed: SalesYear;
  readonly floor: SqlFloor;
}

async function changesOn(day: string, { year, managed, floor }: Candidates, size: Size): Promise<Table> {
  const [deal, managedDeal] = [await firstDealOn(year, day), await firstDealOn(managed, day)];
  const measured = await alternating(
    [
      {
        name: 'SQL',
        effects: listChangedDealEffects(year, deal, { prefix: 'floor_' }),
        run: withNewAmounts((amount) => floor.change({ ...deal, amount, days: quarter })),
      },
      {
        name: 'change until its commission',
        effects: listChangedDealEffects(year, deal),
        run: withNewAmounts((amount) => changeAmount(year, deal, amount)),
      },
      {
        name: 'the same, with a manager',
        // The manager's plan has one rule.
        effects: listChangedDealEffects(managed, managedDeal, { eventsPerDeal: rulesPerDeal + 1 }),
        run: withNewAmounts((amount) => changeAmount(managed, managedDeal, amount)),
      },
    ],
    rounds[size],
  );
  const bound = measured[0]?.median ?? Number.NaN;
  return {
    title: `One deal of ${day} changes; the rep has ${count(deals[size] / 4)} deals in the quarter`,
    columns: ['', 'median', 'against SQL'],
    rows: measured.map(({ name, median }) => [name, duration(median), ratio(median / bound)]),
    notes: ['The change rewrites the events of every later deal of the quarter, because their attainment changes.'],
  };
}

/** A manager who is paid on the commission of the rep. */
async function addManager({ workspace, repIds }: SalesYear): Promise<void> {
  const { reps } = await workspace.call<{ reps: readonly { id: string }[] }>('PUT', '/v1/reps', {
    reps: [{ email: 'manager@acme.test', name: 'Manager' }],
  });
  const managerId = (reps[0] as { id: string }).id;
  await workspace.call('PATCH', `/v1/reps/${repIds[0]}`, { managerId });
  const rule = { name: 'Override', executionPhase: 'cascade', measure: 'amount' };
  const { planId } = await workspace.call<{ planId: string }>('POST', '/v1/plans', {
    name: 'Managers',
    config: { rules: [{ ...rule, tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] }] },
  });
  await workspace.call('POST', '/v1/assignments', { repIds: [managerId], planId });
}
