import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/**
 * The metrics of `/metrics`, by name. They are global in the process, as the default metrics of memory and CPU are,
 * so that counting needs no injection. Labels have few values: never an id, an address or a path from a request.
 */
export const registry = new Registry();

const registers = [registry];
const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export const metrics = {
  httpRequests: new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration from the first byte of a request to the last byte of its response',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: seconds,
    registers,
  }),
  rateLimited: new Counter({ name: 'rate_limited_total', help: 'Requests rejected with 429', registers }),
  engineRuns: new Histogram({
    name: 'engine_run_duration_seconds',
    help: 'Duration of the calculation of one rep: lock, load, engine, write',
    labelNames: ['outcome'] as const,
    buckets: seconds,
    registers,
  }),
  engineEvents: new Counter({
    name: 'engine_events_total',
    help: 'Commission events that calculations wrote or reversed',
    labelNames: ['outcome'] as const,
    registers,
  }),
  calculationRequests: new Gauge({
    name: 'calculation_requests',
    help: 'Calculation requests that no worker has started yet',
    registers,
  }),
  calculationRequestAge: new Gauge({
    name: 'calculation_request_age_seconds',
    help: 'Age of the oldest calculation request without those of parked lanes and of running syncs; alert on this',
    registers,
  }),
  parkedLanes: new Gauge({
    name: 'parked_lanes',
    help: 'Reps whose calculation failed repeatedly and is not retried before a change or a recalculation',
    registers,
  }),
  queueJobs: new Gauge({
    name: 'queue_jobs',
    help: 'Jobs in the queue',
    labelNames: ['queue', 'state'] as const,
    registers,
  }),
  queueWait: new Histogram({
    name: 'queue_wait_seconds',
    help: 'Duration from adding a job to starting it',
    labelNames: ['job'] as const,
    buckets: seconds,
    registers,
  }),
  jobs: new Counter({
    name: 'jobs_total',
    help: 'Jobs that have ended',
    labelNames: ['job', 'outcome'] as const,
    registers,
  }),
  jobStatusReads: new Counter({
    name: 'job_status_reads_total',
    help: 'Requests for the status of a job, by what answered them: redis, or the database if Redis had no valid copy',
    labelNames: ['source'] as const,
    registers,
  }),
  replicaLag: new Gauge({
    name: 'replica_lag_seconds',
    help: 'Age of the newest state of the primary that the replica of DATABASE_READ_URL has reached',
    labelNames: ['server'] as const,
    registers,
  }),
  replicaInUse: new Gauge({
    name: 'replica_in_use',
    help: '1 while the replica of DATABASE_READ_URL serves reads, 0 while the primary does; alert on this',
    labelNames: ['server'] as const,
    registers,
  }),
  databaseServing: new Gauge({
    name: 'database_serving',
    help: '1 while a database of a service with several responds, 0 while it does not; alert on this',
    labelNames: ['database'] as const,
    registers,
  }),
  rateLimitUnenforced: new Counter({
    name: 'rate_limit_unenforced_total',
    help: 'Requests that were not counted because the store of the rate limit was unavailable; alert on this',
    registers,
  }),
  processRestarts: new Counter({
    name: 'process_restarts_total',
    help: 'How often the supervisor has restarted the process since `serve` was started; alert on this',
    registers,
  }),
  unhandledRejections: new Counter({
    name: 'unhandled_rejections_total',
    help: 'Rejected promises that no code handled, each of which is an error in the code; alert on this',
    registers,
  }),
  unmatchedPayments: new Counter({
    name: 'billing_unmatched_payments_total',
    help: 'Completed checkouts that name no workspace; alert on this',
    registers,
  }),
  pdfRenders: new Histogram({
    name: 'pdf_render_seconds',
    help: 'Duration of printing one PDF, including the wait for a free slot',
    labelNames: ['outcome'] as const,
    buckets: seconds,
    registers,
  }),
} as const;

collectDefaultMetrics({ register: registry });

/** Adds a counter of a slice. */
export function createCounter<Label extends string>(
  name: string,
  help: string,
  labelNames: readonly Label[],
): Counter<Label> {
  return new Counter({ name, help, labelNames, registers });
}
