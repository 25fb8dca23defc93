import { sql } from 'kysely';
import { type ReportedDeal } from '../../deals/record-reported-deals.js';
import { type Fields } from '../../engine/field-value.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type InboxBatch, type PendingMessage } from '../../platform/inbox/inbox-runner.js';
import { readHint, type StoredHint } from './delivery.js';

/** Outcome of messages that were applied without the CRM. */
export const deliveredOutcome = 'delivered';

interface DeliveredHint extends StoredHint {
  readonly dealId: string;
}

/** Messages that carry values, with all others of the same deals. */
export function selfContainedMessages(messages: readonly PendingMessage[]): PendingMessage[] {
  const subjects = new Set(
    messages.filter((message) => hasContent(readHint(message.payload))).map((message) => message.subject),
  );
  return messages.filter((message) => subjects.has(message.subject));
}

function hasContent({ change, values }: StoredHint): boolean {
  return change === 'deleted' || Object.keys(values).length > 0;
}

/**
 * The deals according to deliveries alone: the stored state with the latest delivered value of each field.
 * Deliveries carry one field each and arrive in any order, so those applied since the connection broke are read
 * again together with the new ones.
 */
export async function deliveredDeals(tx: Transaction, batch: InboxBatch): Promise<ReportedDeal[]> {
  const dealIds = [...new Set(batch.messages.map((message) => message.subject))];
  const fresh = batch.messages.map(
    (message): DeliveredHint => ({ dealId: message.subject, ...readHint(message.payload) }),
  );
  const before = groupBy(await appliedBefore(tx, batch, dealIds), (deal) => deal.dealId);
  const stored = await storedDeals(tx, dealIds);
  return [...groupBy(fresh, (hint) => hint.dealId)].map(([dealId, hints]) => {
    const deal = stored.get(dealId) ?? { fields: {}, knownAt: null };
    return applyHints(dealId, deal, before.get(dealId) ?? [], hints);
  });
}

interface StoredDeal {
  readonly fields: Fields;
  readonly knownAt: Date | null;
}

/** Messages older than the last response of the CRM do not change its fields. */
function applyHints(
  dealId: string,
  { fields, knownAt }: StoredDeal,
  before: readonly DeliveredHint[],
  fresh: readonly DeliveredHint[],
): ReportedDeal {
  const since = before.length > 0 ? 0 : (knownAt?.getTime() ?? 0);
  const ordered = [...before, ...fresh].sort((a, b) => occurredMs(a) - occurredMs(b));
  const last = ordered.at(-1) as DeliveredHint;
  const values = ordered.filter((hint) => occurredMs(hint) >= since).map((hint) => hint.values);
  return {
    id: dealId,
    fields: Object.assign({}, fields, ...values) as Fields,
    modifiedAt: last.occurredAt,
    deleted: last.change === 'deleted',
  };
}

function occurredMs({ occurredAt }: DeliveredHint): number {
  return occurredAt?.getTime() ?? 0;
}

async function appliedBefore(
  tx: Transaction,
  { source }: InboxBatch,
  dealIds: readonly string[],
): Promise<DeliveredHint[]> {
  const { rows } = await sql<{ subject: string; payload: unknown }>`
    select subject, payload from inbox
    where workspace_id = ${tx.workspaceId} and source = ${source} and subject = any(${dealIds}::text[])
      and outcome = ${deliveredOutcome} and processed_at >= (select c.broken_at from crm_connections c
        where c.workspace_id = inbox.workspace_id and c.provider = inbox.source)`.execute(tx.db);
  return rows.map(({ subject, payload }) => ({ dealId: subject, ...readHint(payload) }));
}

async function storedDeals(tx: Transaction, dealIds: readonly string[]): Promise<ReadonlyMap<string, StoredDeal>> {
  const rows = await tx.db
    .selectFrom('deals')
    .select(['deal_id', 'fields', 'source_updated_at'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('deal_id', 'in', dealIds)
    .execute();
  return new Map(rows.map((row) => [row.deal_id, { fields: row.fields as Fields, knownAt: row.source_updated_at }]));
}
