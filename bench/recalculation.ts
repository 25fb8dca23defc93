import { type BenchService, startBenchService, until } from './bench-service.js';
import { readValue } from './effects.js';
import {
  alternating,
  type Contender,
  count,
  duration,
  type Measured,
  measureOnce,
  ratio,
  type Table,
  timed,
} from './measure.js';
import { naiveWay } from './naive-way.js';
import {
  changeAmount,
  emptyLedger,
  firstDealOn,
  makeSalesYear,
  otherRates,
  planConfig,
  type Rates,
  rates,
  rulesPerDeal,
  type SalesYear,
  untilCalculated,
  withNewAmounts,
} from './sales-year.js';
import { type Size } from './size.js';
import { SqlFloor } from './sql-floor.js';
import {
  eventsWritten,
  expectRowsOfYear,
  listChangedDealEffects,
  listFirstCalculationEffects,
} from './year-effects.js';

const sizes: Readonly<Record<Size, readonly number[]>> = {
  quick: [1000],
  small: [10_000],
  usual: [10_000, 100_000],
  large: [10_000, 100_000, 1_000_000],
};

/** Recalculation through the service against one SQL statement and against the naive implementation. */
export async function* recalculation(size: Size): AsyncGenerator<Table> {
  const perDeal: { readonly deals: number; readonly us: number }[] = [];
  for (const deals of sizes[size]) {
    await using service = await startBenchService();
    const { table, full } = await measureRecalculation(service, deals, size);
    yield table;
    perDeal.push({ deals, us: (full / deals) * 1000 });
  }
  yield {
    title: 'Full recalculation, cost of one deal',
    columns: ['deals', 'µs a deal', 'ratio'],
    rows: perDeal.map(({ deals, us }) => [count(deals), us.toFixed(1), ratio(us / (perDeal[0]?.us ?? us))]),
  };
}

async function measureRecalculation(
  service: BenchService,
  deals: number,
  size: Size,
): Promise<{ table: Table; full: number }> {
  const year = await makeSalesYear(service, deals);
  const floor = await SqlFloor.create(year);
  const rounds = size === 'quick' || deals > 100_000 ? 1 : 5;
  const full = await alternating(fullCalculations(year, floor), rounds);
  await assertSameEvents(year);
  const rest = await alternating(await smallerCalculations(year), rounds);
  const naive = await alternating([naiveCalculation(year, floor, size === 'quick' ? 20 : 1000)], Math.min(rounds, 3));
  const fullMs = findMedian(full, 'full');
  const floorMs = findMedian(full, 'SQL floor, two backends');
  return {
    full: fullMs,
    table: {
      title: `Recalculation, ${count(deals)} deals, ${count(year.repIds.length)} reps, ${count(deals * rulesPerDeal)} events`,
      columns: ['', 'median', 'against the floor', 'against full'],
      rows: [...full, ...rest, ...naive].map((row) => [
        row.name,
        duration(row.median),
        row.name.startsWith('one ') ? '' : ratio(row.median / floorMs),
        row.name.startsWith('one ') ? '' : ratio(row.median / fullMs),
      ]),
      notes: [
        `Ratios are against the floor on two backends.${rounds === 1 ? ' One run each, after one to warm up.' : ''}`,
      ],
    },
  };
}

/** Calculates all events from an empty ledger. */
function fullCalculations(year: SalesYear, floor: SqlFloor): readonly Contender[] {
  const byFloor = (name: string, backends: 1 | 2): Contender => ({
    name,
    effects: listFirstCalculationEffects(year, 'floor_'),
    prepare: () => floor.empty(),
    run: () => floor.run(backends, rates),
  });
  return [
    byFloor('SQL floor, one backend', 1),
    byFloor('SQL floor, two backends', 2),
    {
      name: 'full',
      effects: listFirstCalculationEffects(year),
      prepare: () => emptyLedger(year),
      run: () => recalculate(year, {}),
    },
  ];
}

/** Fails if the SQL and the service computed different amounts: their times could not be compared. */
async function assertSameEvents({ service, workspace }: SalesYear): Promise<void> {
  const columns = 'rep_id, deal_key, rule_name, amount, credit, earned_on';
  const different = await readValue<number>(
    service.owner,
    `select count(*)::int as value from (
       (select ${columns} from commission_events where workspace_id = $1 except select ${columns} from floor_commission_events)
       union all
       (select ${columns} from floor_commission_events except select ${columns} from commission_events where workspace_id = $1)
     ) different`,
    [workspace.workspaceId],
  );
  if (different > 0) throw new Error(`${different} events of the SQL floor and the service are different`);
}

async function smallerCalculations(year: SalesYear): Promise<readonly Contender[]> {
  const [repId] = year.repIds;
  const deal = await firstDealOn(year, '2026-12-30');
  return [
    { name: 'all changed', effects: eventsWritten(year, year.deals * rulesPerDeal), run: alternately(year) },
    {
      name: 'unchanged',
      effects: [...eventsWritten(year, 0), expectRowsOfYear(year, 'audit_runs', 1)],
      run: () => recalculate(year, {}),
    },
    {
      name: 'one rep, unchanged',
      effects: [...eventsWritten(year, 0), expectRowsOfYear(year, 'audit_runs', 1)],
      run: () => recalculate(year, { repId }),
    },
    {
      name: 'one deal changed',
      effects: listChangedDealEffects(year, deal),
      run: withNewAmounts((amount) => changeAmount(year, deal, amount)),
    },
  ];
}

/** Its figure is the time for all deals, extrapolated from a part of them. */
function naiveCalculation(year: SalesYear, floor: SqlFloor, deals: number): Contender {
  return {
    name: `naive, by ${count(deals)} deals`,
    effects: eventsWritten(year, deals * rulesPerDeal, 'floor_'),
    prepare: () => floor.empty(),
    run: async () => ((await timed(() => naiveWay(year, deals))) * year.deals) / deals,
  };
}

function findMedian(measured: readonly Measured[], name: string): number {
  return measured.find((measurement) => measurement.name === name)?.median ?? Number.NaN;
}

/** Starts a recalculation job and polls its row every 4 ms, since the synchronous form responds later. */
export async function recalculate({ service, workspace }: SalesYear, scope: object): Promise<void> {
  const { jobId } = await workspace.call<{ jobId: string }>('POST', '/v1/commissions/recalculate', {
    ...scope,
    async: true,
  });
  const isDone = async () => {
    const { rows } = await service.owner.query<{ status: string; error: string | null }>(
      'select status, error from jobs where workspace_id = $1 and job_id = $2',
      [workspace.workspaceId, jobId],
    );
    if (rows[0]?.status === 'failed') throw new Error(rows[0].error ?? 'the job failed');
    return rows[0]?.status === 'completed';
  };
  await until('the recalculation', isDone, 4);
}

/** Calculates the years from an empty ledger. Fails if a deal is not paid by every rule. */
export async function calculateFirst(years: readonly SalesYear[]): Promise<void> {
  for (const year of years) await emptyLedger(year);
  for (const year of years)
    await measureOnce({
      name: 'the first calculation',
      effects: listFirstCalculationEffects(year),
      run: () => recalculate(year, {}),
    });
}

async function setRates({ service, workspace, planId }: SalesYear, to: Rates): Promise<void> {
  await workspace.call('PATCH', `/v1/plans/${planId}`, { config: planConfig(to) });
  await untilCalculated(service, workspace.workspaceId);
}

/** Switches the plan between two sets of rates, which changes every event. */
function alternately(year: SalesYear): Contender['run'] {
  let round = 0;
  return () => setRates(year, round++ % 2 === 0 ? otherRates : rates);
}
