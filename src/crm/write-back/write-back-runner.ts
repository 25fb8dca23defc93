import { isOutage } from '../../platform/database/database-errors.js';
import { type Transaction, type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import { type JobQueue } from '../../platform/jobs/job-queue.js';
import { type Lease, LeaseLost, type Leases } from '../../platform/jobs/leases.js';
import { type Log } from '../../platform/log.js';
import { type CrmAccount, CrmFailure, type CrmProvider, type WrittenBatch } from '../adapters/port.js';
import { type WriteCheck } from '../adapters/write-back.js';
import { type CrmAccounts } from '../connections/crm-accounts.js';
import { loadDesiredValues } from './deal-values.js';
import { writeBackJob, writeBackLease } from './write-back.js';
import {
  type ClaimedDeal,
  claimDeals,
  dealsToCompare,
  finishComparison,
  firstDays,
  nextComparison,
  pauseWriteBack,
  recordCheck,
  recordRejected,
  recordWritten,
  releaseDeals,
  saveDesiredValues,
} from './write-back-store.js';
import { type DueWriteBack, listActiveWriteBacks, listDueWriteBacks } from './write-back-views.js';

const sliceMs = 10_000;
/** Reps that are compared between two requests to a CRM. */
const comparisonsPerRound = 20;
const maxPauseMs = 15 * 60_000;

interface Run {
  readonly workspaceId: string;
  readonly lease: Lease;
  readonly accounts: Map<CrmProvider, CrmAccount | null>;
}

/**
 * Writes commission to the deals of CRMs. Changes of commission are requests in the database; for each of them the
 * values of the deals are compared with what the CRM accepted last, and only those that differ are sent, in batches. A
 * deal is recorded after the CRM has accepted it: after a crash it may be sent twice, but it is never lost.
 */
export class WriteBackRunner {
  constructor(
    private readonly accounts: CrmAccounts,
    private readonly unitOfWork: UnitOfWork,
    private readonly leases: Leases,
    private readonly queue: JobQueue,
    private readonly retryMs: number,
    private readonly log: Log,
  ) {}

  /** Runs until nothing is due. Returns at once if another worker holds the lease. */
  async run(workspaceId: string): Promise<void> {
    // The lease is lost when the settings or the connection change: the sweep begins again with the new ones.
    const outcome = await this.leases.hold(workspaceId, writeBackLease, (lease) =>
      this.work({ workspaceId, lease, accounts: new Map() }),
    );
    if (outcome === 'yielded') await this.queue.add(writeBackJob, { workspaceId });
  }

  private async work(run: Run): Promise<'stopped' | 'yielded'> {
    const sliceEnd = performance.now() + sliceMs;
    while (performance.now() < sliceEnd) {
      const compared = await this.compareSome(run);
      const due = await this.unitOfWork.read(run, (tx) => listDueWriteBacks(tx));
      for (const writeBack of due) await this.checkOrWrite(run, writeBack);
      if (!compared && due.length === 0) return 'stopped';
    }
    return 'yielded';
  }

  private async compareSome(run: Run): Promise<boolean> {
    for (let done = 0; done < comparisonsPerRound; done += 1) if (!(await this.compareNext(run))) return done > 0;
    return true;
  }

  /** Compares deals of one rep; false if there is no request. */
  private compareNext(run: Run): Promise<boolean> {
    return this.inTransaction(run, async (tx) => {
      const next = await nextComparison(tx);
      if (next === null) return false;
      const { repId, days } = next;
      const step = await firstDays(tx, repId, days);
      const dealIds = await dealsToCompare(tx, repId, step);
      const active = await listActiveWriteBacks(tx);
      await saveDesiredValues(tx, await loadDesiredValues(tx, active, dealIds));
      await finishComparison(tx, next, step.to);
      return true;
    });
  }

  /** Checks the connection or writes one batch. A failure pauses this CRM and no other. */
  private async checkOrWrite(run: Run, due: DueWriteBack): Promise<void> {
    const { provider, needsCheck } = due;
    try {
      const account = await this.openAccount(run, provider);
      if (account === null) throw new CrmFailure('unavailable', `${provider} has no credentials`);
      if (needsCheck) await this.check(run, due, account);
      else await this.writeBatch(run, due, account);
    } catch (error) {
      // An outage of the database is not a failure of the CRM: the sweep resumes.
      if (error instanceof LeaseLost || isOutage(error)) throw error;
      const failure = error instanceof CrmFailure ? error : new CrmFailure('unavailable', 'an internal error occurred');
      this.log.warn({ err: error, workspaceId: run.workspaceId, provider }, 'writing to a CRM failed');
      await this.inTransaction(run, (tx) => this.pause(tx, due, failure));
    }
  }

  private async openAccount({ workspaceId, accounts }: Run, provider: CrmProvider): Promise<CrmAccount | null> {
    const open = accounts.get(provider);
    if (open !== undefined) return open;
    const account = await this.accounts.open(workspaceId, provider);
    accounts.set(provider, account);
    return account;
  }

  private async check(run: Run, { provider, targets }: DueWriteBack, account: CrmAccount): Promise<void> {
    const check: WriteCheck = await account.checkWrites(targets);
    await this.inTransaction(run, (tx) => recordCheck(tx, provider, check));
  }

  private async writeBatch(run: Run, due: DueWriteBack, account: CrmAccount): Promise<void> {
    const { workspaceId } = run;
    const claimed = await this.inTransaction(run, (tx) => claimDeals(tx, due.provider, account.maxWrites));
    if (claimed.length === 0) return;
    const batch = await account.writeDeals(due.targets, claimed);
    await failpoint('writeBack.afterSend');
    await this.inTransaction(run, async (tx) => {
      await record(tx, due.provider, claimed, batch);
      if (batch.failure !== null) await this.pause(tx, due, batch.failure);
    });
    if (batch.failure !== null)
      this.log.warn({ err: batch.failure, workspaceId, provider: due.provider }, 'writing to a CRM failed');
  }

  private async pause(
    tx: Transaction,
    { provider, attempts }: DueWriteBack,
    { kind, message, retryAfterMs }: CrmFailure,
  ): Promise<void> {
    const backoffMs = Math.min(maxPauseMs, 2 * this.retryMs * 2 ** Math.min(attempts, 20));
    const checkAgain = kind === 'rejected' || kind === 'oversized' || kind === 'misconfigured';
    const pauseMs = Math.max(backoffMs, retryAfterMs ?? 0);
    await pauseWriteBack(tx, provider, { pauseMs, error: message, checkAgain });
  }

  private inTransaction<T>({ workspaceId, lease }: Run, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.unitOfWork.write({ workspaceId }, async (tx) => {
      await lease.assertHeld(tx);
      return work(tx);
    });
  }
}

async function record(
  tx: Transaction,
  provider: CrmProvider,
  claimed: readonly ClaimedDeal[],
  { results, failure }: WrittenBatch,
): Promise<void> {
  const byId = new Map(results.map((result) => [result.dealId, result]));
  await recordWritten(
    tx,
    provider,
    claimed.filter(({ dealId }) => byId.get(dealId)?.problem === null),
  );
  await recordRejected(
    tx,
    results.filter(({ problem }) => problem !== null),
  );
  // After `unavailable` it is unknown what the CRM wrote, so these deals stay marked as sent. Other failures wrote nothing.
  if (failure?.kind !== 'unavailable')
    await releaseDeals(
      tx,
      claimed.filter(({ dealId }) => !byId.has(dealId)),
    );
}
