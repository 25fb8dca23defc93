import { sql } from 'kysely';
import { type ReportedDeal } from '../deals/record-reported-deals.js';
import { type Fields } from '../engine/field-value.js';
import { groupBy } from '../kernel/group-by.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type InboxBatch, type PendingMessage } from '../platform/inbox/inbox-runner.js';
import { readHint, type StoredHint } from './delivery.js';

/** Outcome of messages that were applied without the CRM. */
export const deliveredOutcome = 'delivered';

interface Told extends StoredHint {
  readonly dealId: string;
}

/** Messages that carry values, with all others of the same deals. */
export function selfContainedMessages(news: readonly PendingMessage[]): PendingMessage[] {
  const telling = new Set(news.filter((one) => saysSomething(readHint(one.payload))).map((one) => one.subject));
  return news.filter((one) => telling.has(one.subject));
}

function saysSomething({ change, values }: StoredHint): boolean {
  return change === 'deleted' || Object.keys(values).length > 0;
}

/**
 * The deals according to deliveries alone: the stored state with the latest delivered value of each field.
 * Deliveries carry one field each and arrive in any order, so those applied since the connection broke are read
 * again together with the new ones.
 */
export async function deliveredDeals(trx: Work, batch: InboxBatch): Promise<ReportedDeal[]> {
  const dealIds = [...new Set(batch.messages.map((one) => one.subject))];
  const fresh = batch.messages.map((one): Told => ({ dealId: one.subject, ...readHint(one.payload) }));
  const before = groupBy(await appliedBefore(trx, batch, dealIds), (one) => one.dealId);
  const standing = await standingDeals(trx, batch.workspaceId, dealIds);
  return [...groupBy(fresh, (one) => one.dealId)].map(([dealId, news]) => {
    const stands = standing.get(dealId) ?? { fields: {}, knownAt: null };
    return foldNews(dealId, stands, before.get(dealId) ?? [], news);
  });
}

interface Standing {
  readonly fields: Fields;
  readonly knownAt: Date | null;
}

/** Messages older than the last response of the CRM do not change its fields. */
function foldNews(
  dealId: string,
  { fields, knownAt }: Standing,
  before: readonly Told[],
  fresh: readonly Told[],
): ReportedDeal {
  const since = before.length > 0 ? 0 : (knownAt?.getTime() ?? 0);
  const ordered = [...before, ...fresh].sort((a, b) => timeOf(a) - timeOf(b));
  const last = ordered.at(-1) as Told;
  const values = ordered.filter((one) => timeOf(one) >= since).map((one) => one.values);
  return {
    id: dealId,
    fields: Object.assign({}, fields, ...values) as Fields,
    modifiedAt: last.occurredAt,
    deleted: last.change === 'deleted',
  };
}

function timeOf({ occurredAt }: Told): number {
  return occurredAt?.getTime() ?? 0;
}

async function appliedBefore(
  trx: Work,
  { workspaceId, source }: InboxBatch,
  dealIds: readonly string[],
): Promise<Told[]> {
  const { rows } = await sql<{ subject: string; payload: unknown }>`
    select subject, payload from inbox
    where workspace_id = ${workspaceId} and source = ${source} and subject = any(${dealIds}::text[])
      and outcome = ${deliveredOutcome} and settled_at >= (select c.broken_at from crm_connections c
        where c.workspace_id = inbox.workspace_id and c.provider = inbox.source)`.execute(trx);
  return rows.map(({ subject, payload }) => ({ dealId: subject, ...readHint(payload) }));
}

async function standingDeals(
  trx: Work,
  workspaceId: string,
  dealIds: readonly string[],
): Promise<ReadonlyMap<string, Standing>> {
  const rows = await trx
    .selectFrom('deals')
    .select(['deal_id', 'fields', 'source_updated_at'])
    .where('workspace_id', '=', workspaceId)
    .where('deal_id', 'in', dealIds)
    .execute();
  return new Map(rows.map((row) => [row.deal_id, { fields: row.fields as Fields, knownAt: row.source_updated_at }]));
}
