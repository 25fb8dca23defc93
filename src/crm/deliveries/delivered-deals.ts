import { sql } from 'kysely';
import { type ReportedDeal } from '../../deals/record-reported-deals.js';
import { fieldTypes } from '../../engine/condition.js';
import { type Fields } from '../../engine/field-value.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type InboxBatch, type PendingMessage } from '../../platform/inbox/inbox-runner.js';
import { type CrmDeal, type CrmFieldType, type CrmProvider, type CrmValue } from '../adapters/port.js';
import { toDay, toTyped } from '../adapters/values.js';
import { configuredChange, isExcludedAfter } from '../connections/configured-account.js';
import { workspaceSettings } from '../connections/crm-connection-views.js';
import { type CrmSettings } from '../connections/crm-settings.js';
import { findSettings } from '../connections/crm-settings-views.js';
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
 * The deals according to deliveries alone: the stored state with the latest delivered value of each field, under the
 * settings of the connection. Deliveries carry one field each and arrive in any order, so those applied since the
 * connection broke are read again together with the new ones.
 */
export async function deliveredDeals(tx: Transaction, batch: InboxBatch): Promise<ReportedDeal[]> {
  const dealIds = [...new Set(batch.messages.map((message) => message.subject))];
  const fresh = batch.messages.map(
    (message): DeliveredHint => ({ dealId: message.subject, ...readHint(message.payload) }),
  );
  const before = groupBy(await appliedBefore(tx, batch, dealIds), (deal) => deal.dealId);
  const stored = await storedDeals(tx, batch, dealIds);
  const provider = batch.source as CrmProvider;
  const reading: Reading = {
    settings: await findSettings(tx, provider),
    types: await listTypes(tx, provider),
    // The CRM does not say the time zone of its account while the connection is broken.
    timeZone: (await workspaceSettings(tx)).timeZone,
  };
  return [...groupBy(fresh, (hint) => hint.dealId)].map(([dealId, hints]) => {
    const deal = stored.get(dealId) ?? { fields: {}, deleted: false, knownAt: null };
    return applyHints(dealId, deal, [...(before.get(dealId) ?? []), ...hints], reading);
  });
}

interface StoredDeal {
  readonly fields: Fields;
  readonly deleted: boolean;
  /** The latest time that a response of the CRM stated. */
  readonly knownAt: Date | null;
}

interface Reading {
  readonly settings: CrmSettings;
  readonly types: ReadonlyMap<string, CrmFieldType>;
  readonly timeZone: string;
}

/** Messages older than the last response of the CRM do not change its fields. */
function applyHints(
  dealId: string,
  stored: StoredDeal,
  hints: readonly DeliveredHint[],
  reading: Reading,
): ReportedDeal {
  const since = stored.knownAt?.getTime() ?? 0;
  const ordered = [...hints].sort((a, b) => occurredMs(a) - occurredMs(b));
  const last = ordered.at(-1) as DeliveredHint;
  const values = ordered
    .filter((hint) => occurredMs(hint) >= since)
    .map((hint) => configuredChange(readValues(hint, reading), reading.settings));
  const change: CrmDeal['fields'] = Object.assign({}, ...values);
  return {
    id: dealId,
    fields: { ...stored.fields, ...change },
    modifiedAt: last.occurredAt,
    deleted: last.change === 'deleted' || isExcludedAfter(change, stored, reading.settings),
  };
}

/** The values as a sync reads them. A slug of every CRM, such as `close_date`, has no type. */
function readValues({ values }: DeliveredHint, { types, timeZone }: Reading): CrmDeal['fields'] {
  const read = (slug: string, value: CrmValue) => {
    const type = types.get(slug);
    if (type !== undefined) return typeof value === 'string' ? toTyped(value, type) : value;
    return slug === 'close_date' ? toDay(value, timeZone) : value;
  };
  return Object.fromEntries(Object.entries(values).map(([slug, value]) => [slug, read(slug, value)]));
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

/** The types of the fields as of the last sync. */
async function listTypes(tx: Transaction, provider: CrmProvider): Promise<ReadonlyMap<string, CrmFieldType>> {
  const rows = await tx.db
    .selectFrom('crm_fields')
    .select(['slug', 'type'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('provider', '=', provider)
    .execute();
  return new Map(rows.map(({ slug, type }) => [slug, fieldTypes.find((known) => known === type) ?? 'text']));
}

/** A version that was stored after the connection broke has the time of a delivery. */
async function storedDeals(
  tx: Transaction,
  { source }: InboxBatch,
  dealIds: readonly string[],
): Promise<ReadonlyMap<string, StoredDeal>> {
  const { rows } = await sql<StoredDeal & { readonly dealId: string }>`
    select d.deal_id as "dealId", d.fields, d.deleted_at is not null as deleted, (
        select max(v.source_updated_at) from deal_versions v
        where v.workspace_id = d.workspace_id and v.deal_id = d.deal_id
          and (c.broken_at is null or v.taken_at < c.broken_at)
      ) as "knownAt"
    from deals d left join crm_connections c on c.workspace_id = d.workspace_id and c.provider = ${source}
    where d.workspace_id = ${tx.workspaceId} and d.deal_id = any(${dealIds}::text[])`.execute(tx.db);
  return new Map(rows.map(({ dealId, ...deal }) => [dealId, deal]));
}
