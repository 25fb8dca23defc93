import { type BenchService, type BenchWorkspace, startBenchService } from './bench-service.js';
import { count, duration, type Table } from './measure.js';
import { type Measurement, type Request, RequestMeter } from './request-meter.js';
import { makeSalesYear } from './sales-year.js';
import { type Size } from './size.js';

const sizes: Readonly<Record<Size, number>> = { quick: 200, small: 1000, usual: 5000, large: 50_000 };
const period = '2026-Q1';
const page = 'limit=100&offset=0';

/** The requests of the web app, of a payroll team and of agents, in one workspace. PEOPLE=50000 measures another number. */
export async function* people(size: Size): AsyncGenerator<Table> {
  const reps = Number(process.env['PEOPLE'] ?? sizes[size]);
  const deals = 2 * reps;
  await using service = await startBenchService();
  const { workspace } = await makeSalesYear(service, deals, reps);
  await service.owner.query('vacuum analyze');
  await using meter = new RequestMeter(service.url, workspace.apiKey);
  const idle = await meter.idle(2000);
  const requests = selected(await requestsOf(service, workspace));
  const measured: Measurement[] = [];
  for (const request of requests) measured.push(await meter.measure(request));
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

/** Only those whose path contains REQUESTS, if it is set. */
function selected(requests: readonly Request[]): readonly Request[] {
  const part = process.env['REQUESTS'] ?? '';
  return requests.filter(({ path }) => path.includes(part));
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
    get(`/v1/commissions?period=${period}`),
    get(`/v1/commissions?period=${period}&repId=${repId}`, 'GET /v1/commissions of one person'),
    get(`/v1/commissions/dashboard?period=${period}`),
    get(`/v1/commissions/exceptions?period=${period}`),
    get('/v1/commission-events'),
    get('/v1/commissions/periods'),
    get(`/v1/deals?${page}`),
    get(`/v1/reps?${page}`),
    get('/v1/reps'),
    get('/v1/plans'),
    get('/v1/workspaces'),
    get(`/v1/assignments?${page}`),
    get(`/v1/quotas?${page}`),
    get('/v1/balances'),
    get('/v1/audit?limit=50'),
    get(`/v1/workspaces/audit-logs?${page}`),
    get(`/v1/statements?period=${period}`, 'GET /v1/statements before they are generated'),
    post('/v1/statements/generate', { period }),
    get(`/v1/statements?period=${period}`),
    get(`/v1/statements/export.csv?period=${period}`),
    get(`/v1/statements/export.xlsx?period=${period}&async=true`),
    post('/v1/payroll-handovers', { period, layout: 'generic' }),
  ];
}
