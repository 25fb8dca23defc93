import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { type Workspace } from '#test/support/workspace.js';
import { newBusiness, override, saveTeam } from './clawback-terms.js';

const rules = [newBusiness, override];
const within180 = { window: { days: 180 } };

interface PersonMovement {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  readonly delta: number;
}

describe('the preview of a clawback policy', () => {
  const service = Service.duringSuite();
  let workspace: Workspace;
  let people: Record<'mia' | 'ann' | 'bob', string>;
  let planId: string;
  afterEach(() => workspace.expectSoundLedger());

  /** Mia is the manager of Ann and Bob, who share 100,000 of February, of which 50,000 were refunded in April. */
  beforeEach(async () => {
    workspace = await service.workspace({ currency: 'USD' });
    const { api } = workspace;
    people = await saveTeam(api);
    ({ planId } = await api.createPlan({ name: 'AE', config: { rules } }, Object.values(people)));
    for (const period of ['2026-Q1', '2026-Q2'])
      await api.setQuota(Object.values(people), 'New business', period, 100_000);
    await api.putDeal('a', { amount: 50_000, closeDate: '2026-01-05', ownerId: 'ann' });
    await api.putDeal('d', { amount: 100_000, closeDate: '2026-02-10', ownerId: 'ann', name: 'Acme' });
    await api.expect(200, 'PUT', '/v1/deals/d/credits', {
      credits: [
        { email: 'ann@x.io', percent: 70 },
        { email: 'bob@x.io', percent: 30 },
      ],
    });
    await refund('2026-04-20', 50_000);
    await workspace.calculated();
  });

  const refund = (day: string, amount: number) =>
    workspace.api.expect(200, 'PUT', '/v1/deals/d/refunds/r', { day, cause: 'refund', amount });
  const preview = (change: object) => workspace.api.expect(200, 'POST', `/v1/plans/${planId}/preview`, change);
  const withPolicy = (clawback: object) => ({ config: { clawback, rules } });

  const takenBack = ({ refunds = [] }: { refunds?: PersonMovement[] }) =>
    Object.fromEntries(refunds.map(({ name, before, after }) => [name, [before, after]]));

  /** What the ledger takes back. */
  async function stored(): Promise<Record<string, number>> {
    await workspace.calculated();
    const rows = await workspace.sql(
      `select r.name, sum(e.amount)::float8 as amount
       from commission_events e join reps r on r.workspace_id = e.workspace_id and r.rep_id = e.rep_id
       where e.workspace_id = $1 and e.status = 'earned' and e.deal_key like 'refund:%' group by r.name`,
    );
    return Object.fromEntries(rows.map(({ name, amount }) => [name, amount]));
  }

  it('says what it would take back from each person, which is what it then takes back', async () => {
    const change = withPolicy(within180);
    const previewed = await preview({ ...change, period: '2026-Q2' });
    const expected = { Ann: -4200, Bob: -1200, Mia: -1080 };
    expect(takenBack(previewed)).to.deep.equal({ Ann: [0, -4200], Bob: [0, -1200], Mia: [0, -1080] });
    expect(previewed).to.include({ before: 0, after: -6480, delta: -6480, count: 3 });
    expect(previewed.byDeal[0]).to.include({ dealId: 'd', refundId: 'r', name: 'Acme', delta: -4200 });
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${planId}`, change);
    expect(await stored()).to.deep.equal(expected);
  });

  it('compares with what the present policy takes back, and shows approved periods apart', async () => {
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${planId}`, withPolicy(within180));
    await workspace.calculated();
    const declining = withPolicy({ ...within180, declining: true });
    const before = await preview({ ...declining, period: '2026' });
    expect(takenBack(before)).to.deep.equal({ Ann: [-4200, -2590], Bob: [-1200, -740], Mia: [-1080, -666] });
    const none = await preview({ config: { rules }, period: '2026' });
    expect(takenBack(none)).to.deep.equal({ Ann: [-4200, 0], Bob: [-1200, 0], Mia: [-1080, 0] });
    await workspace.api.generate(people.ann, '2026-04');
    await workspace.api.approve(people.ann, '2026-04');
    await workspace.calculated();
    const after = await preview({ ...declining, period: '2026' });
    // The manager follows what Ann gave back in the approved month: 20 % of 4,200 and 740.
    expect(takenBack(after)).to.deep.equal({ Bob: [-1200, -740], Mia: [-1080, -988] });
    expect(after.locked.map(({ name, period, delta }: Record<string, unknown>) => [name, period, delta])).to.deep.equal(
      [['Ann', '2026-04', 1610]],
    );
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${planId}`, declining);
    expect(await stored()).to.deep.equal({ Ann: -4200, Bob: -740, Mia: -988 });
    await workspace.checked();
    const { discrepancies } = await workspace.api.expect(200, 'GET', '/v1/discrepancies?status=open');
    expect(discrepancies.map(({ period, delta }: Record<string, unknown>) => [period, delta])).to.deep.equal([
      ['2026-04', 1610],
    ]);
  });

  it('follows refunds beyond the days of the change, and not those of other deals', async () => {
    const ofFirstQuarter = { ...withPolicy(within180), effectiveStart: '2026-01-01', effectiveEnd: '2026-03-31' };
    expect(Object.keys(takenBack(await preview({ ...ofFirstQuarter, period: '2026-Q2' })))).to.have.members([
      'Ann',
      'Bob',
      'Mia',
    ]);
    const fromApril = { ...withPolicy(within180), effectiveStart: '2026-04-01' };
    expect(takenBack(await preview({ ...fromApril, period: '2026-Q2' }))).to.deep.equal({});
  });

  it('is part of the effect of an import of deals that changes a refunded deal', async () => {
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${planId}`, withPolicy(within180));
    await workspace.calculated();
    const csv = ['dealId,amount,closeDate,ownerId', 'd,80000,2026-02-10,ann'].join('\n');
    const upload = (query: string) =>
      workspace.api.expect(200, 'POST', `/v1/deals/import${query}`, csv, { 'Content-Type': 'text/csv' });
    const { effect } = await upload('?dryRun=true&effect=true');
    const earned = async () => {
      await workspace.calculated();
      const [row] = await workspace.sql(
        `select sum(amount)::float8 as total from commission_events where workspace_id = $1 and status = 'earned'`,
      );
      return row.total as number;
    };
    const before = await earned();
    await upload('');
    expect(effect.totals).to.deep.equal([{ currency: 'USD', delta: (await earned()) - before }]);
  });
});
