import { setTimeout as sleep } from 'node:timers/promises';
import { type Caller } from '../../kernel/caller.js';
import { pollUntil } from '../../kernel/waiting.js';
import { type CalculationJob, createJob, findJobs } from '../../ledger/requests/calculation-jobs.js';
import { type Transaction, type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type JobQueue } from '../../platform/jobs/job-queue.js';
import { revokeLease } from '../../platform/jobs/leases.js';
import { type CrmProvider } from '../adapters/port.js';
import { syncRunJob, syncRunLease } from './sync-run.js';
import { deleteSyncRun, insertSync, joinSync, listSyncs } from './sync-run-store.js';

interface SyncOptions {
  readonly reconcile: boolean;
  readonly recalculate: boolean;
  /** The stored deals are of another account: those that the account does not have are removed. */
  readonly replaces?: boolean;
  /** The caller waits for the result, so a CRM that is unavailable at the start ends the sync. */
  readonly awaited?: boolean;
}

interface StartedSync {
  readonly jobId: string;
  readonly startedAt: Date;
  readonly joined: boolean;
}

const retryPauseMs = 100;
const maxTries = 100;

/** Starts syncs, one at a time per workspace and CRM, and waits for them. */
export class CrmSync {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly queue: JobQueue,
  ) {}

  /** A second request joins the first one and adds its options. */
  async start(caller: Caller, provider: CrmProvider, options: SyncOptions): Promise<StartedSync> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const started = await this.unitOfWork.write(caller, (tx) => startSync(tx, caller, provider, options));
      if (started !== null) {
        await this.queue.add(syncRunJob, { workspaceId: caller.workspaceId, syncRunId: started.jobId });
        return started;
      }
      // The running sync is too far to accept more options; it ends soon.
      await sleep(retryPauseMs);
    }
    throw new Error('a sync neither completed nor accepted another request');
  }

  /** The job if it completes within the time, otherwise null; the job continues. */
  async wait(caller: Caller, jobId: string, maxWaitMs: number): Promise<CalculationJob | null> {
    const [job] = await pollUntil(
      () => this.unitOfWork.read(caller, (tx) => findJobs(tx, jobId)),
      ([found]) => found !== undefined && found.status !== 'running',
      { maxWaitMs, pauseMs: 10, maxPauseMs: 200 },
    );
    return job === undefined || job.status === 'running' ? null : job;
  }
}

export async function startSync(
  tx: Transaction,
  { actor }: Pick<Caller, 'actor'>,
  provider: CrmProvider,
  { replaces = false, awaited = false, ...wishes }: SyncOptions,
): Promise<StartedSync | null> {
  const options = { ...wishes, replaces, awaited };
  const job = await createJob(tx, {
    kind: 'sync',
    scope: { scope: 'workspace' },
    scopeKey: `sync:${provider}`,
    actor,
    total: 0,
    deals: 0,
    syncing: true,
  });
  if (job.joined) return (await joinSync(tx, job.jobId, options)) ? job : null;
  await insertSync(tx, { syncRunId: job.jobId, provider, actor, ...options });
  return job;
}

/**
 * Restarts running syncs, because the deals they imported were removed and a new request would join them. Their
 * workers lose the lease and write nothing more; the sweep finds the restarted syncs.
 */
export async function restartSyncs(tx: Transaction, provider?: CrmProvider): Promise<void> {
  for (const sync of await listSyncs(tx)) {
    if (provider !== undefined && sync.provider !== provider) continue;
    await revokeLease(tx, syncRunLease(sync.syncRunId));
    await deleteSyncRun(tx, sync.syncRunId);
    await insertSync(tx, sync);
  }
}
