import { sql } from 'kysely';
import { type Fields } from '../engine/field-value.js';
import { foldedSlug } from '../engine/folded-slug.js';
import { Decimal } from '../kernel/decimal.js';
import { loadReadFields } from '../ledger/input/read-fields.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type DealWrite, type StoredDeal } from './deal-store.js';

const standardValues = ['name', 'stage', 'closeDate', 'createdDate', 'ownerId', 'currency'] as const;

/** Whether a write keeps the owner, the CRM and the standard values of a stored deal. */
export function keepsStandardValues(stored: StoredDeal, { repId, provider, projection }: DealWrite): boolean {
  if (stored.repId !== repId || stored.provider !== provider) return false;
  return (
    isSameAmount(stored.amount, projection.amount) && standardValues.every((name) => stored[name] === projection[name])
  );
}

function isSameAmount(before: string | null, after: string | null): boolean {
  if (before === null || after === null) return before === after;
  return Decimal.of(before).equals(Decimal.of(after));
}

interface StoredFields {
  readonly dealId: string;
  /** Only fields that a plan may read. */
  readonly fields: Fields;
}

/**
 * Those of the stored deals of which the writes change no field that a calculation reads: a CRM reports every edit, and
 * most fields are in no plan. The deals are locked and {@link keepsStandardValues} is true for each write.
 */
export async function unreadChanges(tx: Transaction, writes: readonly DealWrite[]): Promise<ReadonlySet<string>> {
  if (writes.length === 0) return new Set();
  const read = await loadReadFields(tx);
  const { rows } = await sql<StoredFields>`
    select d.deal_id as "dealId", (
        select coalesce(jsonb_object_agg(f.key, f.value), '{}') from jsonb_each(d.fields) f
        where lower(f.key collate "C") = any(${[...read]}::text[])
      ) as fields
    from deals d
    where d.workspace_id = ${tx.workspaceId} and d.deal_id = any(${writes.map(({ dealId }) => dealId)}::text[])`.execute(
    tx.db,
  );
  const stored = new Map(rows.map(({ dealId, fields }) => [dealId, fields]));
  const unread = writes.filter(({ dealId, content }) => {
    const before = stored.get(dealId);
    return before !== undefined && isReadAlike(before, JSON.parse(content.fields) as Fields, read);
  });
  return new Set(unread.map(({ dealId }) => dealId));
}

function isReadAlike(before: Fields, after: Fields, read: ReadonlySet<string>): boolean {
  const names = new Set([...Object.keys(before), ...Object.keys(after).filter((name) => read.has(foldedSlug(name)))]);
  return [...names].every((name) => JSON.stringify(before[name]) === JSON.stringify(after[name]));
}
