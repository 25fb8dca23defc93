import { type BenchService, startBenchService, untilDone } from './bench-service.js';
import { count, duration, type Table } from './measure.js';
import { makeSalesYear, untilCalculated } from './sales-year.js';
import { type Size } from './size.js';

const sizes: Readonly<Record<Size, readonly number[]>> = {
  quick: [1000],
  small: [10_000],
  usual: [10_000, 50_000, 200_000],
  large: [10_000, 50_000, 200_000, 600_000],
};

/** Two levels of managers above all deals of one quarter. TEAMS=10000,50000 measures other numbers of deals. */
export async function* teams(size: Size): AsyncGenerator<Table> {
  const chosen = process.env['TEAMS']?.split(',').map(Number) ?? sizes[size];
  const rows: string[][] = [];
  for (const deals of chosen) {
    await using service = await startBenchService();
    rows.push([count(deals), ...(await measure(await makeTeam(service, deals)))]);
  }
  yield {
    title: 'A manager and a director above the deals of one quarter',
    columns: [
      'deals',
      'first calculation',
      'deal of the last day',
      'deal of the first day',
      'and all later ones',
      'memory',
    ],
    rows,
  };
}

interface Team {
  readonly service: BenchService;
  readonly workspaceId: string;
  readonly call: <Body>(method: string, path: string, body?: unknown) => Promise<Body>;
  readonly managers: readonly string[];
}

async function makeTeam(service: BenchService, deals: number): Promise<Team> {
  const { workspace, repIds } = await makeSalesYear(service, deals, Math.min(200, deals / 10));
  const { workspaceId } = workspace;
  const call: Team['call'] = (method, path, body) => workspace.call(method, path, body);
  await service.owner.query("update deals set close_date = date '2026-01-01' + (substr(deal_id, 2)::int % 90)");
  const { reps } = await call<{ reps: { id: string }[] }>('PUT', '/v1/reps', {
    reps: [
      { email: 'director@acme.test', name: 'Director', role: 'manager' },
      { email: 'manager@acme.test', name: 'Manager', role: 'manager', managerEmail: 'director@acme.test' },
    ],
  });
  const [director, manager] = reps.map(({ id }) => id) as [string, string];
  await service.owner.query(
    `insert into reporting_lines (workspace_id, rep_id, manager_id, from_day)
     select $1, id, $2, '1900-01-01' from unnest($3::uuid[]) id`,
    [workspaceId, manager, repIds],
  );
  for (const [repId, name, dependsOn] of [
    [manager, 'Team', 'Flat'],
    [director, 'Over', 'Team'],
  ] as const) {
    const tiers = [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }];
    const rules = [{ name, measure: 'amount', executionPhase: 'cascade', dependsOn, tiers }];
    const { planId } = await call<{ planId: string }>('POST', '/v1/plans', { name, config: { rules } });
    await call('POST', '/v1/assignments', { repIds: [repId], planId });
  }
  await service.owner.query('vacuum analyze deals');
  return { service, workspaceId, call, managers: [manager, director] };
}

async function measure(team: Team): Promise<string[]> {
  let memory = 0;
  const sampling = setInterval(() => {
    memory = Math.max(memory, process.memoryUsage.rss());
  }, 50);
  const { service, workspaceId } = team;
  const first = await timed(async () => {
    await team.call('POST', '/v1/commissions/recalculate', { async: true });
    await untilCalculated(service, workspaceId, 20);
  });
  memory = 0;
  const last = await changed(team, 'D89', 12_345);
  const early = await changed(team, 'D90', 23_456);
  clearInterval(sampling);
  return [
    duration(first),
    duration(last.direct),
    duration(early.direct),
    duration(early.all),
    `${count(Math.round(memory / 1e6))} MB`,
  ];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** How long it takes until both managers are paid the new amount of the deal, and until every later deal is right. */
async function changed(
  { service, workspaceId, call, managers }: Team,
  dealId: string,
  amount: number,
): Promise<{ readonly direct: number; readonly all: number }> {
  const { rows } = await service.owner.query<{ now: string; day: string; repId: string }>(
    `select clock_timestamp()::text as now, close_date::text as day, rep_id as "repId" from deals
     where workspace_id = $1 and deal_id = $2`,
    [workspaceId, dealId],
  );
  const { now, day, repId } = rows[0] as { now: string; day: string; repId: string };
  const direct = await timed(async () => {
    const fields = { segment: 'smb', stage: 'Won', amount };
    await call('PUT', `/v1/deals/${dealId}`, { repId, amount, stage: 'Won', closeDate: day, fields });
    await untilDone(
      service.owner,
      `select count(*) = 2 as done from commission_events where workspace_id = $1 and deal_key = $2
       and rep_id = any($3) and updated_at > $4::timestamptz`,
      [workspaceId, dealId, managers, now],
      4,
    );
  });
  return { direct, all: direct + (await timed(() => untilCalculated(service, workspaceId, 4))) };
}
