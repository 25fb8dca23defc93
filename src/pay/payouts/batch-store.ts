import { sql } from 'kysely';
import { type Caller } from '../../kernel/caller.js';
import { type Day } from '../../kernel/day.js';
import { newId } from '../../kernel/ids.js';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type BatchFile, type BatchLine, sumLines } from './collect-lines.js';

interface NewBatch {
  readonly period: string;
  readonly layout: string;
  /** Null: the batch contains every currency. */
  readonly currency: string | null;
  readonly file: BatchFile;
}

export async function insertBatch(
  tx: Transaction,
  { actor, repId }: Caller,
  { period, layout, currency, file }: NewBatch,
  lines: readonly BatchLine[],
): Promise<string> {
  const batchId = newId();
  await tx.db
    .insertInto('payout_batches')
    .values({
      workspace_id: tx.workspaceId,
      batch_id: batchId,
      period,
      layout,
      currency,
      filename: file.filename,
      sha256: file.sha256,
      content: file.content,
      row_count: file.rowCount,
      totals: JSON.stringify(sumLines(lines)),
      actor,
      author_id: repId,
    })
    .execute();
  await sql`
    insert into payout_batch_lines (workspace_id, batch_id, rep_id, currency, period, version, commission, bonus,
      adjustment, amount)
    select ${tx.workspaceId}::uuid, ${batchId}::uuid, rep_id, currency, ${period}, version, commission, bonus, adjustment,
      amount
    from ${unnestRows(lines, [
      ['rep_id', 'uuid', ({ member }) => member.repId],
      ['currency', 'text', ({ currency }) => currency],
      ['version', 'integer', ({ member }) => member.version],
      ['commission', 'numeric', ({ commission }) => commission.toString()],
      ['bonus', 'numeric', ({ bonus }) => bonus.toString()],
      ['adjustment', 'numeric', ({ adjustment }) => adjustment.toString()],
      ['amount', 'numeric', ({ amount }) => amount.toString()],
    ])}`.execute(tx.db);
  return batchId;
}

/** Ends an open batch. A batch that is paid or cancelled never changes. */
export async function decideBatch(
  tx: Transaction,
  batchId: string,
  decision: {
    readonly status: 'paid' | 'cancelled';
    readonly paidOn: Day | null;
    readonly reference: string | null;
    readonly at: Date;
  },
): Promise<void> {
  await tx.db
    .updateTable('payout_batches')
    .set({
      status: decision.status,
      paid_on: decision.paidOn,
      reference: decision.reference,
      decided_at: decision.at,
    })
    .where('workspace_id', '=', tx.workspaceId)
    .where('batch_id', '=', batchId)
    .execute();
}
