import { sql } from 'kysely';
import { type Fields } from '../engine/field-value.js';
import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { loadReadFields } from '../ledger/read-fields.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type DealWrite } from './deal-store.js';

/** What a calculation reads of a stored deal, besides its owner and its close date. */
interface ReadValues {
  readonly dealId: string;
  readonly provider: string | null;
  readonly amount: string | null;
  readonly name: string | null;
  readonly stage: string | null;
  readonly ownerId: string | null;
  readonly currency: string | null;
  readonly createdDate: Day | null;
  /** Only fields that a plan may read. */
  readonly fields: Fields;
}

/**
 * Those of the stored deals of which the writes change no value that a calculation reads: a CRM reports every edit, and
 * most fields are in no plan. The deals are locked, and their owners and close dates stay.
 */
export async function unreadChanges(
  trx: Work,
  workspaceId: string,
  writes: readonly DealWrite[],
): Promise<ReadonlySet<string>> {
  if (writes.length === 0) return new Set();
  const read = await loadReadFields(trx, workspaceId);
  const { rows } = await sql<ReadValues>`
    select d.deal_id as "dealId", d.provider, d.amount, d.name, d.stage, d.owner_id as "ownerId", d.currency,
      d.created_date as "createdDate", (
        select coalesce(jsonb_object_agg(f.key, f.value), '{}') from jsonb_each(d.fields) f
        where f.key = any(${[...read]}::text[])
      ) as fields
    from deals d
    where d.workspace_id = ${workspaceId} and d.deal_id = any(${writes.map(({ dealId }) => dealId)}::text[])`.execute(
    trx,
  );
  const stored = new Map(rows.map((row) => [row.dealId, row]));
  const unread = writes.filter((write) => {
    const before = stored.get(write.dealId);
    return before !== undefined && isReadAlike(before, write, read);
  });
  return new Set(unread.map(({ dealId }) => dealId));
}

const compared = ['name', 'stage', 'ownerId', 'currency', 'createdDate'] as const;

function isReadAlike(before: ReadValues, { provider, projection, content }: DealWrite, read: ReadonlySet<string>) {
  if (before.provider !== provider || !isSameAmount(before.amount, projection.amount)) return false;
  if (compared.some((name) => before[name] !== projection[name])) return false;
  const after = JSON.parse(content.fields) as Fields;
  const names = new Set([...Object.keys(before.fields), ...Object.keys(after).filter((name) => read.has(name))]);
  return [...names].every((name) => JSON.stringify(before.fields[name]) === JSON.stringify(after[name]));
}

function isSameAmount(before: string | null, after: string | null): boolean {
  if (before === null || after === null) return before === after;
  return Decimal.of(before).equals(Decimal.of(after));
}
