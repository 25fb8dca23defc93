import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type CrmProvider, crmProviders } from '../../crm/port.js';
import { type Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { type CalculationJob } from '../../ledger/calculation-jobs.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type Input, operation, Reply } from '../../platform/operation.js';
import { connectedCrm } from '../crm-connection-views.js';
import { crmFailures } from '../crm-failures.js';
import { CrmSync } from '../crm-sync.js';

const body = z.strictObject({
  recalculate: z.boolean().default(false),
  reconcile: z.boolean().default(false),
  async: z.boolean().default(false),
  /** Of several connected CRMs this one, else the first. */
  provider: z.enum(crmProviders).optional(),
});

const response = z.object({
  synced: z.boolean(),
  totalDeals: z.int(),
  triggered: z.boolean(),
  message: z.string(),
  provider: z.enum(crmProviders),
  jobId: z.string(),
  status: z.enum(['running', 'completed']),
  async: z.literal(true).optional(),
  startedAt: z.string().optional(),
  /** How many deals were created, changed, unchanged, deleted, …; people likewise. */
  counts: z.record(z.string(), z.number()).optional(),
});
type Answer = z.input<typeof response>;

const longestWaitMs = 25_000;

@injectable()
export class SyncCommissions {
  constructor(
    @inject(UnitOfWork) private readonly unitOfWork: UnitOfWork,
    @inject(CrmSync) private readonly sync: CrmSync,
  ) {}

  /** Always through the queue. The synchronous form waits for its job; past 25 seconds the work goes on without it. */
  async execute(
    { body: { async, provider: asked, ...options } }: Input<unknown, unknown, z.infer<typeof body>>,
    caller: Caller,
  ): Promise<Answer | Reply<Answer>> {
    const provider = await this.unitOfWork.run(caller, 'reads', (trx) => connectedCrm(trx, caller.workspaceId, asked));
    const started = await this.sync.start(caller, provider, options);
    const running: Answer = {
      synced: false,
      totalDeals: 0,
      triggered: true,
      async: true,
      message: `Deals are being pulled from ${provider}.`,
      provider,
      jobId: started.jobId,
      status: 'running',
      startedAt: started.startedAt.toISOString(),
    };
    if (async) return running;
    const job = await this.sync.wait(caller, started.jobId, longestWaitMs);
    if (job === null) return new Reply(202, running);
    return finished(job, provider, options.recalculate);
  }
}

function finished(job: CalculationJob, provider: CrmProvider, recalculated: boolean): Answer {
  const { result, jobId } = job;
  if (job.status === 'failed' && result?.['failure'] !== undefined) throw failureOf(job, provider);
  const counts = Object.fromEntries(
    Object.entries(result ?? {}).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
  const { totalDeals = 0, created = 0, changed = 0, deleted = 0 } = counts;
  return {
    synced: true,
    totalDeals,
    triggered: recalculated || created + changed + deleted > 0,
    message: `${totalDeals} deals were pulled from ${provider}: ${created} new, ${changed} changed, ${deleted} deleted.`,
    provider,
    jobId,
    status: 'completed',
    counts,
  };
}

/** Nothing that was recorded is taken back; what became of it stands with the job. */
function failureOf({ jobId, error, result }: CalculationJob, provider: CrmProvider): Failure {
  const details = { jobId, provider, ...result };
  switch (result?.['failure']) {
    case 'reconcile_refused':
      return new Failure('reconcile_refused', `${error}.`, details);
    case 'crm_unavailable':
      return new Failure('crm_unavailable', `${provider} could not be asked: ${error}. Try again later.`, details);
    default:
      return new Failure('crm_refused', `${provider} did not let us in: ${error}. Connect it again.`, details);
  }
}

export const syncCommissions = operation({
  id: 'syncCommissions',
  summary: 'Pull people and deals from the connected CRM; with reconcile, deals that it no longer has are deleted',
  method: 'post',
  path: '/v1/commissions/sync',
  access: 'admin',
  body,
  response,
  otherStatus: 202,
  failures: { no_crm_configured: 400, reconcile_refused: 409, ...crmFailures },
  handler: SyncCommissions,
});
