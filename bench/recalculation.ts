import { type BenchService, startBenchService } from './bench-service.js';
import { alternating, type Contender, count, duration, type Measured, median, ratio, type Table } from './measure.js';
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
  untilSettled,
} from './sales-year.js';
import { SqlFloor } from './sql-floor.js';

export interface Sizes {
  /** 10,000 deals alone: for a quick look. */
  readonly small: boolean;
  /** A million deals too: for an evening. */
  readonly large: boolean;
}

const sizes = [10_000, 100_000, 1_000_000];

/** Recalculation through the service against what PostgreSQL can do at best and what is done at worst. */
export async function recalculation({ small, large }: Sizes): Promise<Table[]> {
  const tables: Table[] = [];
  const perDeal: { readonly deals: number; readonly us: number }[] = [];
  for (const deals of sizes.slice(0, small ? 1 : large ? 3 : 2)) {
    const service = await startBenchService();
    try {
      const { table, full } = await recalculationOf(service, deals);
      tables.push(table);
      perDeal.push({ deals, us: (full / deals) * 1000 });
    } finally {
      await service.stop();
    }
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
      {
        name: 'SQL floor, one backend',
        prepare: () => floor.empty(),
        run: () => floor.run(1, rates),
      },
      {
        name: 'SQL floor, two backends',
        prepare: () => floor.empty(),
        run: () => floor.run(2, rates),
      },
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
        `The floor that counts is the one on two backends.${rounds === 1 ? ' One run each, after one to warm up.' : ''}`,
      ],
    },
  };
}

function medianOf(measured: readonly Measured[], name: string): number {
  return measured.find((one) => one.name === name)?.median ?? Number.NaN;
}

/** Asks for a recalculation as a job and looks for its end closely, since the answer of the waiting form is rounded up. */
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
  await untilSettled(service, workspace.workspaceId);
}

/** Changes the rates of the plan, which changes every event, back and forth. */
function alternately(year: SalesYear): Contender['run'] {
  let turn = 0;
  return () => setRates(year, turn++ % 2 === 0 ? otherRates : rates);
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
    await untilSettled(year.service, year.workspace.workspaceId);
  };
}

/** The time that the naive way would take for all, taken from a part of the deals. */
async function measureNaive(year: SalesYear, floor: SqlFloor): Promise<number> {
  const runs: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    await floor.empty();
    const start = performance.now();
    await naiveWay(year, naiveDeals);
    runs.push(((performance.now() - start) * year.deals) / naiveDeals);
  }
  return median(runs);
}
