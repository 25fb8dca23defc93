import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/**
 * Everything that is counted, by name, for `/metrics`. One of it a process, like the process's own memory and
 * processor time that stand beside it, so that whoever counts needs a line and no wiring. Labels have few values:
 * never an id, an address or a path that somebody typed.
 */
export const registry = new Registry();

const registers = [registry];
const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export const metrics = {
  httpRequests: new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the first byte of a request to the last of its answer',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: seconds,
    registers,
  }),
  rateLimited: new Counter({ name: 'rate_limited_total', help: 'Requests refused with 429', registers }),
  engineRuns: new Histogram({
    name: 'engine_run_duration_seconds',
    help: 'Calculation of one rep: lock, load, engine, write',
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
    help: 'Requests for calculation that nobody has taken up yet',
    registers,
  }),
  calculationRequestAge: new Gauge({
    name: 'calculation_request_age_seconds',
    help: 'How long the oldest of them has waited, parked lanes left out; what to alert on',
    registers,
  }),
  parkedLanes: new Gauge({
    name: 'parked_lanes',
    help: 'Reps whose calculation failed too often and waits for a change or a recalculation',
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
    help: 'From adding a job to starting it',
    labelNames: ['job'] as const,
    buckets: seconds,
    registers,
  }),
  jobs: new Counter({
    name: 'jobs_total',
    help: 'Jobs worked off',
    labelNames: ['job', 'outcome'] as const,
    registers,
  }),
  crmRequests: new Counter({
    name: 'crm_requests_total',
    help: 'Requests to CRMs',
    labelNames: ['crm', 'outcome'] as const,
    registers,
  }),
  webhookDeliveries: new Counter({
    name: 'webhook_deliveries_total',
    help: 'Deliveries that CRMs sent us',
    labelNames: ['crm', 'result'] as const,
    registers,
  }),
  pdfRenders: new Histogram({
    name: 'pdf_render_seconds',
    help: 'Printing of one PDF, waiting for a turn included',
    labelNames: ['outcome'] as const,
    buckets: seconds,
    registers,
  }),
} as const;

collectDefaultMetrics({ register: registry });
