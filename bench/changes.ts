import { startBenchService } from './bench-service.js';
import { alternating, type Contender, duration, ratio, type Table } from './measure.js';
import { recalculate } from './recalculation.js';
import { assertAllPaid, emptyLedger, makeSalesYear, rates, type SalesYear, untilCalculated } from './sales-year.js';
import { SqlFloor } from './sql-floor.js';

/** One rep with this number of deals in the year, a quarter of them in each attainment period. */
const deals = 20_000;
const quarter = { from: '2026-01-01', to: '2026-03-31' };
const days = ['2026-03-31', '2026-02-15', '2026-01-01'];
const rounds = 15;

/** One changed deal of a large rep: through the API until no request is left, against the SQL of the same change. */
export async function changes(): Promise<Table[]> {
  await using service = await startBenchService();
  const year = await makeSalesYear(service, deals, 1);
  const managed = await makeSalesYear(service, deals, 1);
  await addManager(managed);
  await emptyLedger(year);
  for (const one of [year, managed]) await recalculate(one, {});
  await assertAllPaid(year);
  const floor = await SqlFloor.create(year);
  await floor.run(1, rates);
  await service.owner.query('vacuum analyze');
  const tables: Table[] = [];
  for (const day of days) tables.push(await changesOn(day, { year, managed, floor }));
  return tables;
}

interface Candidates {
  readonly year: SalesYear;
  readonly managed: SalesYear;
  readonly floor: SqlFloor;
}

async function changesOn(day: string, { year, managed, floor }: Candidates): Promise<Table> {
  const [dealId, ofManaged] = [await dealOn(year, day), await dealOn(managed, day)];
  const repId = year.repIds[0] as string;
  const measured = await alternating(
    [
      { name: 'SQL', run: withAmounts((amount) => floor.change({ repId, dealId, amount, days: quarter })) },
      { name: 'change until its commission', run: withAmounts((amount) => change(year, { dealId, day, amount })) },
      {
        name: 'the same, with a manager',
        run: withAmounts((amount) => change(managed, { dealId: ofManaged, day, amount })),
      },
    ],
    rounds,
  );
  const bound = measured[0]?.median ?? Number.NaN;
  return {
    title: `One deal of ${day} changes; the rep has ${deals / 4} deals in the quarter`,
    columns: ['', 'median', 'against SQL'],
    rows: measured.map(({ name, median }) => [name, duration(median), ratio(median / bound)]),
    notes: ['The change rewrites the events of every later deal of the quarter, because their attainment changes.'],
  };
}

function withAmounts(run: (amount: number) => Promise<void>): Contender['run'] {
  let amount = 1000;
  return () => {
    amount += 1;
    return run(amount);
  };
}

async function change(
  { service, workspace, repIds }: SalesYear,
  { dealId, day, amount }: { readonly dealId: string; readonly day: string; readonly amount: number },
): Promise<void> {
  await workspace.call('PUT', `/v1/deals/${dealId}`, {
    repId: repIds[0],
    closeDate: day,
    fields: { amount, stage: 'Won', segment: 'smb' },
  });
  await untilCalculated(service, workspace.workspaceId, 1);
}

async function dealOn({ service, workspace }: SalesYear, day: string): Promise<string> {
  const { rows } = await service.owner.query<{ deal_id: string }>(
    'select deal_id from deals where workspace_id = $1 and close_date = $2 order by deal_id limit 1',
    [workspace.workspaceId, day],
  );
  return (rows[0] as { deal_id: string }).deal_id;
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
