import { recordAuditEntry } from '../../audit/audit-entry.js';
import { type AffectedReps, merge } from '../../deals/affected-reps.js';
import {
  auditSkippedDeals,
  changedDeals,
  type RecordedReport,
  recordReportedDeals,
} from '../../deals/record-reported-deals.js';
import { followReportedDeals } from '../../deals/refunds/crm-refunds.js';
import { chunk } from '../../kernel/chunk.js';
import { advanceSync, endSync, failSync } from '../../ledger/requests/calculation-jobs.js';
import { type CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { type Recalculate } from '../../ledger/requests/recalculate.js';
import { importCrmMembers } from '../../people/reps/import-crm-members.js';
import { isOutage } from '../../platform/database/database-errors.js';
import { readDatabaseTime } from '../../platform/database/database-time.js';
import { type Transaction, type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import { type Lease, LeaseLost, type Leases } from '../../platform/jobs/leases.js';
import { type Log } from '../../platform/log.js';
import {
  type CrmAccount,
  type CrmDeal,
  type CrmDealPage,
  CrmFailure,
  type CrmProvider,
  unlessRejected,
} from '../adapters/port.js';
import { goneDeal } from '../adapters/values.js';
import { type CrmAccounts } from '../connections/crm-accounts.js';
import { saveDealUrl } from '../connections/crm-connection-store.js';
import { maxSkippedListed, recordSkippedDeals, storeSyncEnd } from './crm-sync-history.js';
import { findMembersHash, hashMembers, saveMembersHash } from './members-hash.js';
import {
  addCounts,
  confirmMinutes,
  maxMissingShare,
  type SyncRun,
  type SyncRunPayload,
  syncRunLease,
} from './sync-run.js';
import { type CountChanges, countSyncedDeals, type SyncedDeal } from './sync-run-deals.js';
import {
  countMissing,
  delaySyncRun,
  deleteSyncRun,
  findMissing,
  lockSyncRun,
  pollInterval,
  recordSync,
  rejectReconcile,
  replaceFields,
  restartListing,
  type SyncRunStep,
  saveDeletionsThrough,
  saveSyncRunStep,
  schedulePoll,
} from './sync-run-store.js';

/** Why a sync run failed; reported with the job. */
type SyncFailure = 'crm_unavailable' | 'crm_refused' | 'reconcile_refused' | 'disconnected';

const sliceMs = 10_000;
/** A poll that fails more often ends, and the next one starts at its time. */
const maxPollFailures = 10;
const maxRestarts = 3;
const maxPauseMs = 15 * 60_000;
const checkBatchSize = 100;
/** Deals that are compared with the listing in one query. */
const dealsPerComparison = 1000;
/** Changes in flight when the CRM responded may carry an earlier time. */
const visibilityDelayMs = 5_000;

export interface SyncSettings {
  readonly pollSeconds: number;
  readonly retryMs: number;
  /** Called when a sync run begins. */
  readonly repairWebhook: (workspaceId: string, provider: CrmProvider) => Promise<void>;
  /** Called in the transaction that gives a sync up. */
  readonly onGivenUp: (tx: Transaction, provider: CrmProvider, reason: string) => Promise<void>;
}

interface Run {
  readonly workspaceId: string;
  readonly syncRun: SyncRun;
  readonly account: CrmAccount;
  readonly lease: Lease;
  /** End of the time slice, after which the worker does other work. */
  readonly sliceEnd: number;
}

/**
 * Reads people, fields and deals from a CRM step by step. Each step is stored together with the position of the next
 * one, so a sync run resumes where it stopped.
 */
export class CrmSyncRunner {
  constructor(
    private readonly accounts: CrmAccounts,
    private readonly unitOfWork: UnitOfWork,
    private readonly changes: CommissionChanges,
    private readonly leases: Leases,
    private readonly settings: SyncSettings,
    private readonly wake: (work: SyncRunPayload) => Promise<void>,
    private readonly log: Log,
  ) {}

  /** Runs until the sync run completes or must wait. Returns at once if another worker holds the lease. */
  async run(workspaceId: string, syncRunId: string): Promise<void> {
    const outcome = await this.leases.hold(workspaceId, syncRunLease(syncRunId), async (lease) => {
      try {
        return await this.resume(workspaceId, syncRunId, lease);
      } catch (error) {
        // An outage of the database is not a failure of the sync run: the sweep resumes it.
        if (error instanceof LeaseLost || isOutage(error)) throw error;
        await this.handleFailure(workspaceId, syncRunId, error);
        return 'stopped';
      }
    });
    if (outcome === 'yielded') await this.wake({ workspaceId, syncRunId });
  }

  private async resume(workspaceId: string, syncRunId: string, lease: Lease): Promise<'stopped' | 'yielded'> {
    const sliceEnd = performance.now() + sliceMs;
    let account: CrmAccount | null = null;
    while (performance.now() < sliceEnd) {
      const syncRun = await this.unitOfWork.write({ workspaceId }, (tx) => lockSyncRun(tx, syncRunId));
      if (syncRun === null) return 'stopped';
      account ??= await this.accounts.open(workspaceId, syncRun.provider);
      if (account === null) {
        await this.fail(workspaceId, syncRun, 'disconnected', 'the CRM is no longer connected');
        return 'stopped';
      }
      const ended = await this.step({ workspaceId, syncRun, account, lease, sliceEnd });
      if (ended) return 'stopped';
    }
    return 'yielded';
  }

  private async step(run: Run): Promise<boolean> {
    switch (run.syncRun.phase) {
      case 'people':
        await this.syncPeople(run);
        return false;
      case 'fields':
        await this.syncFields(run);
        return false;
      case 'deals':
        await this.syncDeals(run);
        return false;
      case 'missing':
        return this.removeMissing(run);
      case 'finish':
        await this.finish(run);
        return true;
    }
  }

  /** People first, so that deals have owners when they arrive. A poll imports them only if they have changed. */
  private async syncPeople({ workspaceId, syncRun, account, lease }: Run): Promise<void> {
    await this.repairWebhook(workspaceId, syncRun.provider);
    const members = await account.listMembers();
    const hash = hashMembers(members);
    if (syncRun.kind === 'poll' && (await this.skipPeople({ workspaceId, syncRun, lease }, hash))) return;
    await this.changes.run({ workspaceId }, 'exclusive', async (tx, recalculate) => {
      await lease.assertHeld(tx);
      const { repIds, created, unusable, withoutSeat } = await importCrmMembers(
        tx,
        recalculate,
        syncRun.provider,
        members,
      );
      const counts = { reps: repIds.length, newReps: created, unusableReps: unusable, repsWithoutSeat: withoutSeat };
      const phase = syncRun.kind === 'poll' ? 'deals' : 'fields';
      await saveMembersHash(tx, syncRun.provider, hash);
      await saveSyncRunStep(tx, syncRun.syncRunId, { phase, counts: addCounts(syncRun.counts, counts) });
    });
  }

  /** Without the webhook, changes arrive with polls, so a failure does not stop the sync run. */
  private async repairWebhook(workspaceId: string, provider: CrmProvider): Promise<void> {
    await this.settings.repairWebhook(workspaceId, provider).catch((error: unknown) => {
      if (isOutage(error)) throw error;
      this.log.warn({ err: error, workspaceId, provider }, 'the webhook could not be checked');
    });
  }

  /** Whether the people are as they were at the last import; then the sync run goes to the deals. */
  private skipPeople(
    { workspaceId, syncRun, lease }: Pick<Run, 'workspaceId' | 'syncRun' | 'lease'>,
    hash: string,
  ): Promise<boolean> {
    return this.unitOfWork.write({ workspaceId }, async (tx) => {
      await lease.assertHeld(tx);
      if ((await findMembersHash(tx, syncRun.provider)) !== hash) return false;
      await saveSyncRunStep(tx, syncRun.syncRunId, { phase: 'deals' });
      return true;
    });
  }

  private async syncFields({ workspaceId, syncRun, account, lease }: Run): Promise<void> {
    const fields = await account.listFields();
    const dealUrl = await unlessRejected(() => account.dealUrl(), null);
    await this.unitOfWork.write({ workspaceId }, async (tx) => {
      await lease.assertHeld(tx);
      await replaceFields(tx, syncRun.provider, fields);
      await saveDealUrl(tx, syncRun.provider, dealUrl);
      await saveSyncRunStep(tx, syncRun.syncRunId, { phase: 'deals' });
    });
  }

  private async syncDeals(run: Run): Promise<void> {
    const { modifiedFrom, deletedFrom, cursor } = run.syncRun;
    const pages = run.account
      .listDeals({
        ...(modifiedFrom === null ? {} : { modifiedFrom }),
        ...(deletedFrom === null ? {} : { deletedFrom }),
        ...(cursor === null ? {} : { cursor }),
      })
      [Symbol.asyncIterator]();
    let { syncRun } = run;
    for (;;) {
      const fetchedAt = await this.databaseTime(run.workspaceId);
      const { done = false, value } = await pages.next();
      const page: CrmDealPage | null = done ? null : value;
      syncRun = await this.recordPage({ ...run, syncRun }, page, fetchedAt);
      if (page === null || page.next === null || performance.now() > run.sliceEnd) return;
    }
  }

  private async recordPage(run: Run, page: CrmDealPage | null, fetchedAt: Date): Promise<SyncRun> {
    const { workspaceId, syncRun } = run;
    const deals = page?.deals ?? [];
    const isLast = page === null || page.next === null;
    await failpoint('sync.afterFetch');
    return this.changes.run({ workspaceId }, 'shared', async (tx, recalculate) => {
      const recorded = await this.record(tx, recalculate, run, deals, fetchedAt);
      await failpoint('sync.afterRecord');
      const joined = await lockSyncRun(tx, syncRun.syncRunId);
      const step: Required<SyncRunStep> = {
        cursor: page?.next ?? null,
        deals: syncRun.deals + recorded.deals,
        total: page?.total ?? syncRun.total,
        counts: addCounts(syncRun.counts, recorded.counts),
        coveredUntil: coveredBy(syncRun, page),
        // A reconcile may have been requested only now.
        phase: !isLast ? 'deals' : joined?.reconcile === true ? 'missing' : 'finish',
      };
      const next = { ...syncRun, ...step };
      await saveSyncRunStep(tx, syncRun.syncRunId, step);
      if (syncRun.kind === 'sync') await advanceSync(tx, syncRun.syncRunId, next);
      await failpoint('sync.afterStep');
      return next;
    });
  }

  /** Records deals in a transaction that fails if the lease was lost. */
  private async record(
    tx: Transaction,
    recalculate: Recalculate,
    { syncRun, lease }: Run,
    deals: readonly CrmDeal[],
    fetchedAt: Date,
    /** Ids that were requested and are not among the deals. */
    hidden: readonly string[] = [],
  ): Promise<CountChanges> {
    await lease.assertHeld(tx);
    const { provider } = syncRun;
    const recorded = await recordReportedDeals(tx, { provider, deals, fetchedAt, keepStale: false });
    const affected = [...recorded.affected.values()].reduce<AffectedReps>(merge, new Map());
    const refunds = await followReportedDeals(tx, changedDeals(recorded));
    await recalculate(
      [...affected].map(([repId, days]) => ({
        repId,
        days,
        trigger: 'sync',
        jobId: syncRun.kind === 'sync' ? syncRun.syncRunId : undefined,
        syncRunId: syncRun.syncRunId,
      })),
    );
    await recalculate(
      refunds.affected.map((refunded) => ({
        ...refunded,
        trigger: 'refund',
        jobId: syncRun.kind === 'sync' ? syncRun.syncRunId : undefined,
        syncRunId: syncRun.syncRunId,
      })),
    );
    const skipped = [...recorded.skipped, ...refunds.skipped];
    await recordSkippedDeals(tx, syncRun.syncRunId, skipped);
    await auditSkipped(tx, syncRun, { ...recorded, skipped });
    return countSyncedDeals(tx, syncRun, [
      ...toSyncedDeals(recorded),
      ...hidden.map((dealId) => ({ dealId, outcome: 'hidden', isSkipped: false })),
    ]);
  }

  /**
   * Deals missing from the listing are read by their ids before they are deleted: pages shift while deals come and
   * go, so a listing may miss a deal that exists. True if the sync run ended here.
   */
  private async removeMissing(run: Run): Promise<boolean> {
    const { workspaceId, syncRun } = run;
    const { live, missing, rejected } = await this.unitOfWork.write({ workspaceId }, async (tx) => {
      const counted = await countMissing(tx, syncRun);
      const tooMany = counted.missing > counted.live * maxMissingShare && !syncRun.replaces;
      const confirmable = syncRun.kind === 'sync';
      return {
        ...counted,
        rejected: tooMany && (!confirmable || (await rejectReconcile(tx, syncRun))),
      };
    });
    if (rejected) {
      const reason = `${missing} of ${live} deals are no longer in the CRM, and nothing was deleted. To confirm the deletion, repeat the request within ${confirmMinutes} minutes`;
      await this.fail(workspaceId, syncRun, 'reconcile_refused', reason, { missing, live });
      return true;
    }
    let { counts } = syncRun;
    for (let after: string | null = missing === 0 ? null : ''; after !== null; ) {
      const range = { after, atMost: dealsPerComparison };
      const found = await this.unitOfWork.read({ workspaceId }, (tx) => findMissing(tx, syncRun, range));
      for (const ids of chunk(found.missing, checkBatchSize)) counts = await this.checkMissing(run, ids, counts);
      after = found.last;
    }
    await this.unitOfWork.write({ workspaceId }, async (tx) => {
      await run.lease.assertHeld(tx);
      await saveSyncRunStep(tx, syncRun.syncRunId, { phase: 'finish' });
    });
    return false;
  }

  /** Reads missing deals and records those that are gone; the counts of the sync run with them. */
  private async checkMissing(run: Run, ids: readonly string[], counts: SyncRun['counts']): Promise<SyncRun['counts']> {
    const { workspaceId, syncRun, account } = run;
    const fetchedAt = await this.databaseTime(workspaceId);
    const deals = syncRun.replaces ? ids.map(goneDeal) : await account.getDeals(ids);
    const found = new Set(deals.map((deal) => deal.id));
    // The CRM neither returns these nor reports them as deleted.
    const hidden = ids.filter((dealId) => !found.has(dealId));
    return this.changes.run({ workspaceId }, 'shared', async (tx, recalculate) => {
      const recorded = await this.record(tx, recalculate, run, deals, fetchedAt, hidden);
      const sum = addCounts(counts, recorded.counts);
      await saveSyncRunStep(tx, syncRun.syncRunId, { counts: sum });
      return sum;
    });
  }

  private async finish({ workspaceId, lease, syncRun: { syncRunId } }: Run): Promise<void> {
    await this.changes.run({ workspaceId }, 'shared', async (tx, recalculate) => {
      await lease.assertHeld(tx);
      const syncRun = await lockSyncRun(tx, syncRunId);
      if (syncRun === null) return;
      const { provider, kind, counts, deals: totalDeals } = syncRun;
      await schedulePoll(tx, provider, this.pollIntervalSeconds(provider), syncRun.coveredUntil);
      if (syncRun.deletedFrom !== null) await saveDeletionsThrough(tx, provider, syncRun.coveredUntil);
      await recalculate.afterSync(syncRunId);
      if (kind === 'sync') {
        await recordSync(tx, provider);
        if (syncRun.recalculate) await recalculate.workspace('recalculation', syncRunId);
        const details = { provider, totalDeals, ...counts };
        await recordAuditEntry(tx, { actor: syncRun.actor }, { trigger: 'crm_synced', scope: 'workspace', details });
        await endSync(tx, syncRunId, details);
      }
      await storeSyncEnd(tx, syncRunId, { status: 'completed' });
      await deleteSyncRun(tx, syncRunId);
      await failpoint('sync.beforeFinish');
    });
  }

  /** Temporary failures are retried later; others end the sync run. Recorded deals stay. */
  private async handleFailure(workspaceId: string, syncRunId: string, error: unknown): Promise<void> {
    const syncRun = await this.unitOfWork.write({ workspaceId }, (tx) => lockSyncRun(tx, syncRunId));
    if (syncRun === null) return;
    this.log.warn(
      { err: error, workspaceId, syncRunId, phase: syncRun.phase, attempts: syncRun.attempts },
      'sync run failed',
    );
    const { kind, message } =
      error instanceof CrmFailure ? error : { kind: 'unavailable' as const, message: 'an internal error occurred' };
    if (kind === 'unauthorized' || kind === 'rejected' || kind === 'oversized')
      return this.fail(
        workspaceId,
        syncRun,
        'crm_refused',
        kind === 'unauthorized' ? `${message}. Connect it again` : message,
      );
    if (kind === 'cursor_expired' && syncRun.restarts < maxRestarts)
      return this.unitOfWork.write({ workspaceId }, (tx) => restartListing(tx, syncRunId));
    if (mustEnd(syncRun, error)) return this.fail(workspaceId, syncRun, 'crm_unavailable', message);
    const pauseMs = Math.min(maxPauseMs, 2 * this.settings.retryMs * 2 ** syncRun.attempts);
    const requestedMs = error instanceof CrmFailure ? (error.retryAfterMs ?? 0) : 0;
    await this.unitOfWork.write({ workspaceId }, (tx) => delaySyncRun(tx, syncRunId, Math.max(pauseMs, requestedMs)));
  }

  private async fail(
    workspaceId: string,
    syncRun: SyncRun,
    failure: SyncFailure,
    reason: string,
    extraDetails: Readonly<Record<string, number>> = {},
  ): Promise<void> {
    const { syncRunId, provider, kind, counts, deals: totalDeals } = syncRun;
    const details = { provider, failure, totalDeals, ...counts, ...extraDetails };
    await this.changes.run({ workspaceId }, 'none', async (tx, recalculate) => {
      await recalculate.afterSync(syncRunId);
      if (kind === 'poll') await schedulePoll(tx, provider, this.pollIntervalSeconds(provider), null);
      else await failSync(tx, syncRunId, reason, details);
      if (syncRun.isGivenUp) await this.settings.onGivenUp(tx, provider, reason);
      await storeSyncEnd(tx, syncRunId, { status: 'failed', failure, error: reason });
      await deleteSyncRun(tx, syncRunId);
      await recordAuditEntry(
        tx,
        { actor: syncRun.actor },
        { trigger: `crm_${kind}`, scope: 'workspace', outcome: 'failed', error: reason, details },
      );
    });
  }

  private pollIntervalSeconds(provider: CrmProvider): number {
    return pollInterval(provider, this.settings.pollSeconds);
  }

  private databaseTime(workspaceId: string): Promise<Date> {
    return this.unitOfWork.read({ workspaceId }, readDatabaseTime);
  }
}

/**
 * The instant up to which the sync run is complete, by the CRM's clock: as stated by the last page, otherwise shortly
 * before the first response.
 */
function coveredBy(syncRun: SyncRun, page: CrmDealPage | null): Date | null {
  if (page === null) return syncRun.coveredUntil;
  return page.coveredUntil ?? syncRun.coveredUntil ?? new Date(page.serverTime.getTime() - visibilityDelayMs);
}

/** Whether a sync run that failed for a temporary reason is not retried any more. */
function mustEnd({ kind, phase, attempts, awaited, isGivenUp }: SyncRun, error: unknown): boolean {
  // The adapter has already retried.
  if (phase === 'people' && awaited && error instanceof CrmFailure) return true;
  return kind === 'poll' ? attempts >= maxPollFailures : isGivenUp;
}

function toSyncedDeals({ outcomes, skipped }: RecordedReport): SyncedDeal[] {
  const without = new Set(skipped.map(({ dealId }) => dealId));
  return [...outcomes].map(([dealId, outcome]) => ({ dealId, outcome, isSkipped: without.has(dealId) }));
}

/**
 * A sync may read every deal of the CRM, so it writes one audit entry for all skipped deals. A poll reads few and
 * writes one per deal.
 */
async function auditSkipped(tx: Transaction, { provider, kind }: SyncRun, recorded: RecordedReport) {
  const trigger = `crm_${kind}`;
  if (kind === 'poll') return auditSkippedDeals(tx, { trigger, provider }, recorded);
  const { skipped } = recorded;
  if (skipped.length === 0) return;
  const details = { provider, skipped: skipped.length, deals: skipped.slice(0, maxSkippedListed) };
  await recordAuditEntry(tx, { actor: 'orchestrator' }, { trigger, scope: 'workspace', outcome: 'skipped', details });
}
