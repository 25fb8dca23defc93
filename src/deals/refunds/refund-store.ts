import { sql } from 'kysely';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type RefundKey, type RefundTerms, type StoredRefund, toLineFacts, type WaiverTerms } from './refund.js';

type Waiver = Pick<StoredRefund['waivers'][number], 'repId' | 'percent' | 'reason'>;

/** Stores the refund in place of the present one, whose waivers stay. */
export async function replaceRefund(tx: Transaction, key: RefundKey, terms: RefundTerms): Promise<void> {
  const { lines, ...rest } = terms;
  const stored = lines === undefined ? null : JSON.stringify(toLineFacts(lines));
  const columns = { ...rest, lines: stored, updated_at: sql<Date>`now()` };
  await tx.db
    .insertInto('deal_refunds')
    .values({ ...keyColumns(tx, key), ...columns })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'deal_id', 'refund_id']).doUpdateSet(columns))
    .execute();
  await recordRefund(tx, key);
}

export async function removeRefund(tx: Transaction, key: RefundKey): Promise<void> {
  const { workspace_id, deal_id, refund_id } = keyColumns(tx, key);
  await tx.db
    .deleteFrom('deal_refunds')
    .where('workspace_id', '=', workspace_id)
    .where('deal_id', '=', deal_id)
    .where('refund_id', '=', refund_id)
    .execute();
  await recordRefund(tx, key);
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
  const { workspace_id, deal_id, refund_id } = keyColumns(tx, key);
  await tx.db
    .updateTable('deal_refunds')
    .set({ waivers: JSON.stringify(all.map(toStored)), updated_at: sql<Date>`now()` })
    .where('workspace_id', '=', workspace_id)
    .where('deal_id', '=', deal_id)
    .where('refund_id', '=', refund_id)
    .execute();
  await recordRefund(tx, key);
}

/** Percentages are decimal text, as the engine reads them. */
function toStored({ repId, percent, reason }: Waiver) {
  return { repId, percent: String(percent), reason };
}

function keyColumns(tx: Transaction, { dealId, refundId }: RefundKey) {
  return { workspace_id: tx.workspaceId, deal_id: dealId, refund_id: refundId };
}

async function recordRefund(tx: Transaction, key: RefundKey): Promise<void> {
  const { workspace_id: workspaceId, deal_id: dealId, refund_id: refundId } = keyColumns(tx, key);
  await sql`
    insert into deal_refund_history (workspace_id, deal_id, refund_id, content)
    select ${workspaceId}::uuid, ${dealId}, ${refundId}, (
      select jsonb_build_object('day', r.day, 'cause', r.cause, 'amount', r.amount::float8, 'reason', r.reason,
        'waivers', r.waivers) || case when r.lines is null then '{}' else jsonb_build_object('lines', r.lines) end
      from deal_refunds r
      where r.workspace_id = ${workspaceId} and r.deal_id = ${dealId} and r.refund_id = ${refundId})`.execute(tx.db);
}
