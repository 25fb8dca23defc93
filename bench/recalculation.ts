import { type BenchService, startBenchService } from './bench-service.js';
import {
  alternating,
  type Contender,
  count,
  duration,
  type Measured,
  median,
  ratio,
  type Table,
  timed,
} from './measure.js';
import { naiveWay } from './naive-way.js';
import {
  emptyLedger,
  makeSalesYear,
  otherRates,
  planConfig,
  type Rates,
  rates,
  rulesPerDeal,
  type SalesYear,
  untilCalculated,
} from './sales-year.js';
import { SqlFloor } from './sql-floor.js';

export interface Sizes {
  /** 10,000 deals only, for a quick check. */
  readonly small: boolean;
  /** One million deals as well; takes hours. */
  readonly large: boolean;
}

const sizes = [10_000, 100_000, 1_000_000];

/** Recalculation through the service against one SQL statement and against the naive implementation. */
export async function recalculation({ small, large }: Sizes): Promise<Table[]> {
  const tables: Table[] = [];
  const perDeal: { readonly deals: number; readonly us: number }[] = [];
  for (const deals of sizes.slice(0, small ? 1 : large ? 3 : 2)) {
    await using service = await startBenchService();
    const { table, full } = await recalculationOf(service, deals);
    tables.push(table);
    perDeal.push({ deals, us: (full / deals) * 1000 });
  }
  tables.push({
    title: 'Full recalculation, cost of one deal',
    columns: ['deals', 'µs a deal', 'ratio'],
    rows: perDeal.map(({ deals, us }) => [count(deals), us.toFixed(1), ratio(us / (perDeal[0]?.us ?? us))]),
  });
  return tables;
}

const naiveDeals = 1000;

async function recalculationOf(service: BenchService, deals: number): Promise<{ table: Table; full: number }> {
  const year = await makeSalesYear(service, deals);
  const floor = await SqlFloor.create(year);
  const rounds = deals > 100_000 ? 1 : 5;
  const full = await alternating(
    [
      { name: 'SQL floor, one backend', prepare: () => floor.empty(), run: () => floor.run(1, rates) },
      { name: 'SQL floor, two backends', prepare: () => floor.empty(), run: () => floor.run(2, rates) },
      {
        name: 'full',
        prepare: async () => {
          await setRates(year, rates);
          await emptyLedger(year);
        },
        run: () => recalculate(year, {}),
      },
    ],
    rounds,
  );
  const [repId] = year.repIds;
  const rest = await alternating(
    [
      { name: 'all changed', run: alternately(year) },
      { name: 'unchanged', run: () => recalculate(year, {}) },
      { name: 'one rep, unchanged', run: () => recalculate(year, { repId }) },
      { name: 'one deal changed', run: changingOneDeal(year) },
    ],
    rounds,
  );
  const naive = await measureNaive(year, floor);
  const fullMs = medianOf(full, 'full');
  const floorMs = medianOf(full, 'SQL floor, two backends');
  const rows = [...full, ...rest, { name: `naive, by ${count(naiveDeals)} deals`, median: naive, runs: [naive] }];
  return {
    full: fullMs,
    table: {
      title: `Recalculation, ${count(deals)} deals, ${count(year.repIds.length)} reps, ${count(deals * rulesPerDeal)} events`,
      columns: ['', 'median', 'against the floor', 'against full'],
      rows: rows.map((row) => [
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

function medianOf(measured: readonly Measured[], name: string): number {
  return measured.find((one) => one.name === name)?.median ?? Number.NaN;
}

/** Starts a recalculation job and polls its row every 4 ms, since the synchronous form responds later. */
export async function recalculate({ service, workspace }: SalesYear, scope: object): Promise<void> {
  const { jobId } = await workspace.call<{ jobId: string }>('POST', '/v1/commissions/recalculate', {
    ...scope,
    async: true,
  });
  for (;;) {
    const { rows } = await service.owner.query<{ status: string; error: string | null }>(
      'select status, error from jobs where workspace_id = $1 and job_id = $2',
      [workspace.workspaceId, jobId],
    );
    if (rows[0]?.status === 'completed') return;
    if (rows[0]?.status === 'failed') throw new Error(rows[0].error ?? 'the job failed');
    await new Promise((resolve) => setTimeout(resolve, 4));
  }
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

function changingOneDeal(year: SalesYear): Contender['run'] {
  let amount = 1000;
  return async () => {
    amount += 1;
    await year.workspace.call('PUT', '/v1/deals/D17', {
      repId: year.repIds[0],
      closeDate: '2026-12-30',
      fields: { amount, stage: 'Won', segment: 'smb' },
    });
    await untilCalculated(year.service, year.workspace.workspaceId);
  };
}

/** The time of the naive implementation for all deals, extrapolated from a part of them. */
async function measureNaive(year: SalesYear, floor: SqlFloor): Promise<number> {
  const runs: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    await floor.empty();
    runs.push(((await timed(() => naiveWay(year, naiveDeals))) * year.deals) / naiveDeals);
  }
  return median(runs);
}
