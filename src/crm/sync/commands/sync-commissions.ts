import { z } from 'zod';
import { fields } from '../../../api/resource-fields.js';
import { Failure } from '../../../kernel/failure.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { timeLimit } from '../../../kernel/time-limit.js';
import { mapInParallel } from '../../../kernel/waiting.js';
import { type CalculationJob } from '../../../ledger/requests/calculation-jobs.js';
import { type Transaction, UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation, Reply } from '../../../platform/operations/operation.js';
import { type CrmProvider, crmProviders } from '../../adapters/port.js';
import { connectedCrm, connectedCrms } from '../../connections/crm-connection-views.js';
import { crmFailures } from '../../connections/crm-failures.js';
import { CrmSync } from '../crm-sync.js';

const body = z.strictObject({
  recalculate: z
    .boolean()
    .default(false)
    .describe('true: also recalculate every rep, not only those whose deals changed'),
  reconcile: z.boolean().default(false).describe('true: also delete deals that the CRM no longer has'),
  async: z.boolean().default(false).describe('true: respond with the job at once; false: wait until it is complete'),
  provider: z.enum(crmProviders).optional().describe('Only this CRM; default: every connected one'),
});

/** The result of the sync of one CRM. */
const providerResult = z
  .object({
    jobId: fields.jobId,
    status: fields.jobStatus,
    totalDeals: z.int().describe('Number of deals that were read'),
    counts: z
      .record(z.string(), z.number())
      .optional()
      .describe('Number of deals that were created, changed, unchanged and deleted; the same for people'),
    error: z
      .object({ code: z.string().describe('Error code'), message: z.string().describe('What is wrong and what to do') })
      .optional()
      .describe('Why the sync failed'),
  })
  .describe('The sync of one CRM');

const response = z.object({
  synced: z.boolean().describe('Whether the sync of every CRM is complete'),
  totalDeals: z.int().describe('Number of deals that were read'),
  triggered: z.boolean().describe('Whether a calculation was started'),
  message: z.string().describe('Summary of the sync for a person'),
  provider: z.enum(crmProviders).describe('The CRM; of several the first, see `results`'),
  jobId: z.string().describe('The job of that CRM'),
  status: z.enum(['running', 'completed']).describe('Status of the job'),
  async: z.literal(true).optional().describe('Present when the job runs in the background'),
  startedAt: fields.startedAt.optional(),
  counts: z.record(z.string(), z.number()).optional().describe('Sums over all CRMs'),
  results: z.partialRecord(z.enum(crmProviders), providerResult).describe('The result of each CRM'),
});
type SyncResponse = z.input<typeof response>;
type ProviderResult = z.input<typeof providerResult>;

interface Started {
  readonly provider: CrmProvider;
  readonly jobId: string;
  readonly startedAt: Date;
}

/** A sync that ended, or whose job still runs. */
interface Ended extends Started {
  readonly job: CalculationJob | null;
  readonly failure: Failure | null;
}

const maxWaitMs = timeLimit(25_000);

async function resolveProviders(tx: Transaction, requested: CrmProvider | undefined): Promise<readonly CrmProvider[]> {
  const connected = requested === undefined ? await connectedCrms(tx) : [];
  return connected.length > 0 ? connected : [await connectedCrm(tx, requested)];
}

function toProviderResult({ jobId, job, failure }: Ended): ProviderResult {
  const counts = readCounts(job);
  return {
    jobId,
    status: job === null ? 'running' : failure === null ? 'completed' : 'failed',
    totalDeals: counts['totalDeals'] ?? 0,
    ...(job === null ? {} : { counts }),
    ...(failure === null ? {} : { error: { code: failure.code, message: failure.message } }),
  };
}

function toResults(syncs: readonly Ended[]): SyncResponse['results'] {
  return Object.fromEntries(syncs.map((sync) => [sync.provider, toProviderResult(sync)]));
}

function toRunningResponse(syncs: readonly Ended[]): SyncResponse {
  const [first] = syncs as readonly [Ended, ...Ended[]];
  return {
    synced: false,
    totalDeals: 0,
    triggered: true,
    async: true,
    message: `Deals are being read from ${syncs.map(({ provider }) => provider).join(', ')}.`,
    provider: first.provider,
    jobId: first.jobId,
    status: 'running',
    startedAt: first.startedAt.toISOString(),
    results: toResults(syncs),
  };
}

function toFinishedResponse(syncs: readonly Ended[], recalculated: boolean): SyncResponse {
  const [first] = syncs as readonly [Ended, ...Ended[]];
  const sums: Record<string, number> = {};
  for (const { job } of syncs)
    for (const [name, count] of Object.entries(readCounts(job))) sums[name] = (sums[name] ?? 0) + count;
  const { totalDeals = 0, created = 0, changed = 0, deleted = 0 } = sums;
  return {
    synced: syncs.every(({ failure }) => failure === null),
    totalDeals,
    triggered: recalculated || created + changed + deleted > 0,
    message: syncs.map(formatMessage).join(' '),
    provider: first.provider,
    jobId: first.jobId,
    status: 'completed',
    counts: sums,
    results: toResults(syncs),
  };
}

function formatMessage({ provider, job, failure }: Ended): string {
  if (failure !== null) return failure.message;
  const { totalDeals = 0, created = 0, changed = 0, deleted = 0 } = readCounts(job);
  return `${totalDeals} deals were read from ${provider}: ${created} new, ${changed} changed, ${deleted} deleted.`;
}

function readCounts(job: CalculationJob | null): Record<string, number> {
  const entries = Object.entries(job?.result ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
}

/** The failure of a job. Recorded deals stay; the details hold the counts. */
function toFailure({ jobId, error, result }: CalculationJob, provider: CrmProvider): Failure {
  const details = { jobId, provider, ...result };
  switch (result?.['failure']) {
    case 'reconcile_refused':
      return new Failure('reconcile_refused', `${error}.`, details);
    case 'disconnected':
      return new Failure('crm_refused', `${error}.`, details);
    case 'crm_unavailable':
      return new Failure('crm_unavailable', `${provider} is unavailable: ${error}. Try again later.`, details);
    default:
      return new Failure('crm_refused', `${provider} rejected the request: ${error}.`, details);
  }
}

export const syncCommissions = operation({
  id: 'syncCommissions',
  summary: 'Read people and deals of every connected CRM; with reconcile, deals that a CRM no longer has are deleted',
  method: 'post',
  path: '/v1/commissions/sync',
  access: 'admin',
  body,
  response,
  otherStatus: 202,
  failures: { no_crm_configured: 400, reconcile_refused: 409, ...crmFailures },
  example: {
    body: { recalculate: true, reconcile: false },
    response: {
      synced: true,
      totalDeals: 240,
      triggered: true,
      message: '240 deals were read from crma: 2 new, 5 changed, 1 deleted.',
      provider: 'crma',
      jobId: sampleIds.jobId,
      status: 'completed',
      counts: { totalDeals: 240, created: 2, changed: 5, unchanged: 233, deleted: 1, reps: 12 },
      results: { crma: { jobId: sampleIds.jobId, status: 'completed', totalDeals: 240 } },
    },
  },
  uses: { unitOfWork: UnitOfWork, sync: CrmSync },
  /**
   * Always runs through the queue. The synchronous form waits up to 25 seconds for its jobs, which continue after
   * that.
   */
  async execute(
    { body: { async, provider: requested, ...options } },
    caller,
    { unitOfWork, sync },
  ): Promise<SyncResponse | Reply<SyncResponse>> {
    const providers = await unitOfWork.write(caller, (tx) => resolveProviders(tx, requested));
    const started: Started[] = [];
    for (const provider of providers)
      started.push({ provider, ...(await sync.start(caller, provider, { ...options, awaited: !async })) });
    if (async) return toRunningResponse(started.map((startedSync) => ({ ...startedSync, job: null, failure: null })));
    const deadline = performance.now() + maxWaitMs;
    const ended = await mapInParallel(started, async (startedSync): Promise<Ended> => {
      const job = await sync.wait(caller, startedSync.jobId, deadline - performance.now());
      const isFailed = job?.status === 'failed' && job.result?.['failure'] !== undefined;
      return { ...startedSync, job, failure: isFailed ? toFailure(job, startedSync.provider) : null };
    });
    const [first] = ended;
    if (first?.failure && ended.every(({ failure }) => failure !== null)) throw first.failure;
    if (ended.some(({ job }) => job === null)) return new Reply(202, toRunningResponse(ended));
    return toFinishedResponse(ended, options.recalculate);
  },
});
