import { type BenchService, type BenchWorkspace, startBenchService } from './bench-service.js';
import { count, duration, type Table } from './measure.js';
import { type Measurement, type Request, RequestMeter } from './request-meter.js';
import { insertDeals, makeSalesYear, untilCalculated } from './sales-year.js';
import { type Size } from './size.js';

const sizes: Readonly<Record<Size, number>> = { quick: 200, small: 1000, usual: 5000, large: 50_000 };
const period = '2026-Q1';
const page = 'limit=100&offset=0';

/** The requests of the web app, of a payroll team and of agents, in one workspace. PEOPLE=50000 measures another number. */
export async function* people(size: Size): AsyncGenerator<Table> {
  const reps = Number(process.env['PEOPLE'] ?? sizes[size]);
  const deals = 2 * reps;
  await using service = await startBenchService();
  const workspace = await makeWorkspace(service, reps, deals);
  await using meter = new RequestMeter(service.url, workspace.apiKey);
  const idle = await meter.idle(2000);
  const requests = selected(await requestsOf(service, workspace));
  const measured: Measurement[] = [];
  for (const request of requests) {
    measured.push(await meter.measure(request));
    // As autovacuum does within a minute after a table has grown.
    if (request.method === 'POST') await service.owner.query('analyze');
  }
  yield {
    title: `One workspace with ${count(reps)} people and ${count(deals)} deals`,
    columns: ['request', 'time', 'size', '/livez', 'job'],
    rows: measured.map(({ request, ms, bytes, livezMs, jobMs }) => [
      request.name ?? `${request.method} ${request.path}`,
      duration(ms),
      `${(bytes / 1000).toFixed(bytes < 100_000 ? 1 : 0)} kB`,
      `${livezMs.toFixed(0)} ms`,
      jobMs === null ? '' : duration(jobMs),
    ]),
    notes: [
      `The column /livez is the longest wait for that request meanwhile; ${idle.toFixed(0)} ms when idle. The API, the worker and PostgreSQL share the machine. A job is measured from the request to its end.`,
    ],
  };
}

/**
 * Everyone has a plan, two quotas of the quarter and two deals. The people are inserted as rows, since a request for each
 * five hundred of them would take longer than everything that is measured.
 */
async function makeWorkspace(service: BenchService, reps: number, deals: number): Promise<BenchWorkspace> {
  const { workspace, planId } = await makeSalesYear(service, 1, 1);
  const { workspaceId } = workspace;
  const { owner } = service;
  await owner.query(
    `insert into reps (workspace_id, rep_id, email, name, role)
     select $1, gen_random_uuid(), 'seller' || n || '@acme.test', 'Seller ' || n, 'rep' from generate_series(2, $2::int) n`,
    [workspaceId, reps],
  );
  await owner.query(
    `insert into lanes (workspace_id, rep_id) select workspace_id, rep_id from reps r
     where workspace_id = $1 and not exists (select from lanes l where l.workspace_id = $1 and l.rep_id = r.rep_id)`,
    [workspaceId],
  );
  const isNew =
    'r.workspace_id = $1 and not exists (select from assignments a where a.workspace_id = $1 and a.rep_id = r.rep_id)';
  await owner.query(
    `insert into quotas (workspace_id, quota_id, rep_id, plan_id, plan_rule_id, attainment_key, period, target)
     select $1, gen_random_uuid(), r.rep_id, q.plan_id, q.plan_rule_id, q.attainment_key, q.period, q.target
     from reps r cross join quotas q
     where ${isNew} and q.workspace_id = $1 and q.period = $2`,
    [workspaceId, period],
  );
  await owner.query(
    `insert into assignments (workspace_id, assignment_id, rep_id, plan_id)
     select $1, gen_random_uuid(), r.rep_id, $2 from reps r where ${isNew}`,
    [workspaceId, planId],
  );
  await insertDeals(service, workspace, deals, reps);
  await owner.query(
    "update deals set close_date = date '2026-01-01' + (substr(deal_id, 2)::int % 90) where workspace_id = $1",
    [workspaceId],
  );
  await owner.query('vacuum analyze');
  await workspace.call('POST', '/v1/commissions/recalculate', { async: true });
  await untilCalculated(service, workspaceId, 50);
  // Drafts are compared with the ledger line by line if events changed in the five minutes before they were generated.
  await owner.query('alter table commission_events disable trigger user');
  await owner.query(
    "update commission_events set updated_at = updated_at - interval '1 hour' where workspace_id = $1",
    [workspaceId],
  );
  await owner.query('alter table commission_events enable trigger user');
  await owner.query('vacuum analyze');
  return workspace;
}

/** Only those whose path matches the expression REQUESTS, if it is set. */
function selected(requests: readonly Request[]): readonly Request[] {
  const pattern = new RegExp(process.env['REQUESTS'] ?? '');
  return requests.filter(({ path }) => pattern.test(path));
}

async function requestsOf(service: BenchService, workspace: BenchWorkspace): Promise<Request[]> {
  const { rows } = await service.owner.query<{ repId: string }>(
    'select rep_id as "repId" from reps where workspace_id = $1 order by rep_id limit 1',
    [workspace.workspaceId],
  );
  const repId = rows[0]?.repId ?? '';
  const get = (path: string, name?: string): Request => ({ method: 'GET', path, ...(name ? { name } : {}) });
  const post = (path: string, body: unknown): Request => ({ method: 'POST', path, body });
  return [
    get(`/v1/commissions?period=${period}&${page}`),
    get(`/v1/commissions?period=${period}`),
    get(`/v1/commissions?period=${period}&repId=${repId}`, 'GET /v1/commissions of one person'),
    get(`/v1/commissions/exceptions?period=${period}`),
    get('/v1/commissions/periods'),
    get('/v1/commission-events'),
    get(`/v1/deals?${page}`),
    get(`/v1/reps?${page}`),
    get(`/v1/reps?query=seller1&${page}`),
    get('/v1/reps'),
    get('/v1/plans?assigned=100'),
    get('/v1/plans'),
    get('/v1/workspaces?assigned=0'),
    get(`/v1/assignments?${page}`),
    get(`/v1/quotas?${page}`),
    get('/v1/balances'),
    get('/v1/audit?limit=50'),
    get(`/v1/workspaces/audit-logs?${page}`),
    get(`/v1/statements?period=${period}&${page}`, 'page of GET /v1/statements before they are generated'),
    post('/v1/statements/generate', { period }),
    get(`/v1/statements?period=${period}&${page}`),
    get(`/v1/statements?period=${period}`),
    get(`/v1/statements/export.csv?period=${period}`),
    post('/v1/payroll-handovers', { period, layout: 'generic' }),
  ];
}
