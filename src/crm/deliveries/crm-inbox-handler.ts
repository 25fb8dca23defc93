import { recordAuditEntry } from '../../audit/audit-entry.js';
import {
  auditSkippedDeals,
  changedDeals,
  type RecordedReport,
  type ReportedDeal,
  recordReportedDeals,
} from '../../deals/record-reported-deals.js';
import { followReportedDeals } from '../../deals/refunds/crm-refunds.js';
import { type CalculationRequest } from '../../ledger/requests/calculation-requests.js';
import { type CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { readDatabaseTime } from '../../platform/database/database-time.js';
import { type Transaction, type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import {
  type InboxBatch,
  type InboxHandler,
  markProcessed,
  type PendingMessage,
  RetryLater,
} from '../../platform/inbox/inbox-runner.js';
import { type CrmAccount, CrmFailure, type CrmProvider, crmProviders } from '../adapters/port.js';
import { type CrmAccounts } from '../connections/crm-accounts.js';
import { findConnection } from '../connections/crm-connection-views.js';
import { writtenProperties } from '../write-back/write-back-views.js';
import { deliveredDeals, deliveredOutcome, selfContainedMessages } from './delivered-deals.js';
import { readHint } from './delivery.js';

const hiddenReason =
  'the CRM neither returns the deal nor reports it as deleted: the connected user may not see it. Its commission stays';
/** While the connection is broken, messages that need the CRM wait. */
const brokenPauseMs = 300_000;

/**
 * Processes deliveries of CRMs. A delivery is a hint: the present state of the deals is read from the CRM, so order,
 * repetition and forged content do not matter. Idempotent: equal deals change nothing.
 */
export class CrmInboxHandler implements InboxHandler {
  readonly sources = crmProviders;

  constructor(
    private readonly accounts: CrmAccounts,
    private readonly unitOfWork: UnitOfWork,
    private readonly changes: CommissionChanges,
  ) {}

  async handle(received: InboxBatch): Promise<void> {
    const { workspaceId } = received;
    const provider = received.source as CrmProvider;
    const { connection, written } = await this.unitOfWork.read(received, async (tx) => ({
      connection: await findConnection(tx, provider),
      written: await writtenProperties(tx, provider),
    }));
    if (connection === null) return this.ignore(received);
    const batch = await this.withoutOwnWrites(received, written);
    if (batch.messages.length === 0) return;
    const account = connection.broken ? null : await this.accounts.open(workspaceId, provider);
    if (account === null) return this.applyDelivered(batch);
    const fetchedAt = await this.unitOfWork.read(batch, readDatabaseTime);
    const subjects = [...new Set(batch.messages.map((message) => message.subject))];
    const deals = await fetchDeals(account, subjects);
    await failpoint('inbox.afterFetch');
    const found = new Set(deals.map((deal) => deal.id));
    await this.record(
      batch,
      deals,
      fetchedAt,
      'fetched',
      subjects.filter((dealId) => !found.has(dealId)),
    );
  }

  async deadLetter(tx: Transaction, { source, messages }: Parameters<InboxHandler['deadLetter']>[1], reason: string) {
    for (const dealId of new Set(messages.map((message) => message.subject)))
      await recordAuditEntry(
        tx,
        { actor: 'orchestrator' },
        {
          trigger: 'deal_change',
          scope: 'deal',
          dealId,
          outcome: 'failed',
          error: reason,
          details: { provider: source },
        },
      );
  }

  /** Changes of fields that only this service writes are ignored: a write must not lead to the next one. */
  private async withoutOwnWrites(batch: InboxBatch, written: ReadonlySet<string>): Promise<InboxBatch> {
    if (written.size === 0) return batch;
    const isOwn = ({ payload }: PendingMessage) => written.has(readHint(payload).property ?? '');
    const messages = batch.messages.filter((message) => !isOwn(message));
    if (messages.length < batch.messages.length)
      await this.ignore({ ...batch, messages: batch.messages.filter(isOwn) });
    return { ...batch, messages };
  }

  /** Marks messages that need no processing as done. */
  private async ignore(batch: InboxBatch): Promise<void> {
    await this.unitOfWork.write(batch, (tx) => markProcessed(tx, batch, batch.messages, 'ignored'));
  }

  /** Without valid credentials the delivered values apply; deliveries without values wait. */
  private async applyDelivered(batch: InboxBatch): Promise<void> {
    const selfContained: InboxBatch = { ...batch, messages: selfContainedMessages(batch.messages) };
    if (selfContained.messages.length === 0)
      throw new RetryLater(
        `the connection to ${batch.source} is broken: an admin must connect it again`,
        brokenPauseMs,
      );
    const deals = await this.unitOfWork.write(batch, (tx) => deliveredDeals(tx, selfContained));
    await this.record(selfContained, deals, null, deliveredOutcome);
  }

  private async record(
    batch: InboxBatch,
    deals: readonly ReportedDeal[],
    fetchedAt: Date | null,
    outcome: string,
    hidden: readonly string[] = [],
  ): Promise<void> {
    const { source: provider, messages, lease } = batch;
    await this.changes.run(batch, 'shared', async (tx, recalculate) => {
      await lease.assertHeld(tx);
      const recorded = await recordReportedDeals(tx, { provider, deals, fetchedAt, keepStale: true });
      await failpoint('inbox.afterRecord');
      const refunds = await followReportedDeals(tx, changedDeals(recorded));
      await recalculate([
        ...requestsFor(recorded),
        ...refunds.affected.map((refunded) => ({ ...refunded, trigger: 'refund' as const })),
      ]);
      const skipped = [
        ...recorded.skipped,
        ...refunds.skipped,
        ...hidden.map((dealId) => ({ dealId, reason: hiddenReason })),
      ];
      await auditSkippedDeals(tx, { trigger: 'deal_change', provider }, { skipped });
      await markProcessed(tx, batch, messages, outcome);
      await failpoint('inbox.afterMark');
    });
  }
}

/** One request per deal, so that the audit log shows what happened to each. */
function requestsFor({ outcomes, affected }: RecordedReport): CalculationRequest[] {
  return [...affected].flatMap(([dealId, reps]) =>
    [...reps].map(([repId, days]) => ({
      repId,
      days,
      dealId,
      trigger: outcomes.get(dealId) === 'deleted' ? ('deal_deletion' as const) : ('deal_change' as const),
    })),
  );
}

/** A request that the CRM rejects counts as a failed attempt, so that one such deal does not block the others. */
async function fetchDeals(account: CrmAccount, dealIds: readonly string[]) {
  try {
    return await account.getDeals(dealIds);
  } catch (error) {
    if (error instanceof CrmFailure && error.kind !== 'rejected' && error.kind !== 'oversized')
      throw new RetryLater(error.message, error.retryAfterMs, { cause: error });
    throw error;
  }
}
