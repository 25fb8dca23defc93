import { sql } from 'kysely';
import { unnestRows } from '../../platform/database/columns.js';
import { storeKeyed } from '../../platform/database/store-keyed.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type RefundKey, type RefundTerms, type StoredRefund, toLineFacts, type WaiverTerms } from './refund.js';

type Waiver = Pick<StoredRefund['waivers'][number], 'repId' | 'percent' | 'reason'>;

/** A refund. Null for none. */
type KeyedRefund = RefundKey & { readonly terms: RefundTerms | null };

const keyColumns = [
  ['deal_id', 'text', ({ dealId }: RefundKey) => dealId],
  ['refund_id', 'text', ({ refundId }: RefundKey) => refundId],
] as const;

/** Stores each refund in place of the present one, whose waivers stay. */
export function storeRefunds(tx: Transaction, refunds: readonly KeyedRefund[]): Promise<void> {
  return storeKeyed<RefundKey, RefundTerms>(refunds, {
    remove: (keys) => removeRefunds(tx, keys),
    replace: (replaced) => replaceRefunds(tx, replaced),
    record: (stored) => recordRefunds(tx, stored),
  });
}

async function removeRefunds(tx: Transaction, keys: readonly RefundKey[]): Promise<void> {
  await sql`
    delete from deal_refunds r using ${unnestRows(keys, keyColumns)}
    where r.workspace_id = ${tx.workspaceId} and r.deal_id = input.deal_id and r.refund_id = input.refund_id`.execute(
    tx.db,
  );
}

async function replaceRefunds(
  tx: Transaction,
  refunds: readonly (RefundKey & { readonly terms: RefundTerms })[],
): Promise<void> {
  await sql`
    insert into deal_refunds (workspace_id, deal_id, refund_id, day, cause, amount, lines, reason)
    select ${tx.workspaceId}::uuid, deal_id, refund_id, day, cause, amount, lines, reason
    from ${unnestRows(refunds, [
      ...keyColumns,
      ['day', 'date', ({ terms }) => terms.day],
      ['cause', 'text', ({ terms }) => terms.cause],
      ['amount', 'numeric', ({ terms: { amount } }) => (amount === null ? null : String(amount))],
      ['lines', 'jsonb', ({ terms: { lines } }) => (lines === undefined ? null : JSON.stringify(toLineFacts(lines)))],
      ['reason', 'text', ({ terms }) => terms.reason],
    ])}
    on conflict (workspace_id, deal_id, refund_id) do update set day = excluded.day, cause = excluded.cause,
      amount = excluded.amount, lines = excluded.lines, reason = excluded.reason, updated_at = now()`.execute(tx.db);
}

/** Stores the waiver in place of the one of the same person; null removes it. */
export async function replaceWaiver(
  tx: Transaction,
  { waivers, ...key }: Pick<StoredRefund, 'dealId' | 'refundId' | 'waivers'>,
  { repId, percent, reason }: WaiverTerms,
): Promise<void> {
  const others = waivers.filter((waiver) => waiver.repId !== repId);
  const isNone = percent === null || (percent === 0 && repId === null);
  const all: Waiver[] = isNone ? others : [...others, { repId, percent, reason }];
  await tx.db
    .updateTable('deal_refunds')
    .set({ waivers: JSON.stringify(all.map(toStored)), updated_at: sql<Date>`now()` })
    .where('workspace_id', '=', tx.workspaceId)
    .where('deal_id', '=', key.dealId)
    .where('refund_id', '=', key.refundId)
    .execute();
  await recordRefunds(tx, [key]);
}

/** Percentages are decimal text, as the engine reads them. */
function toStored({ repId, percent, reason }: Waiver) {
  return { repId, percent: String(percent), reason };
}

/** Records in the history what is stored of the refunds. */
async function recordRefunds(tx: Transaction, keys: readonly RefundKey[]): Promise<void> {
  await sql`
    insert into deal_refund_history (workspace_id, deal_id, refund_id, content)
    select ${tx.workspaceId}::uuid, input.deal_id, input.refund_id, case when r.day is null then null else
      jsonb_build_object('day', r.day, 'cause', r.cause, 'amount', r.amount::float8, 'reason', r.reason,
        'waivers', r.waivers) || case when r.lines is null then '{}' else jsonb_build_object('lines', r.lines) end end
    from ${unnestRows(keys, keyColumns)}
    left join deal_refunds r on r.workspace_id = ${tx.workspaceId} and r.deal_id = input.deal_id
      and r.refund_id = input.refund_id`.execute(tx.db);
}
