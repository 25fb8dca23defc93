import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Period } from '../../kernel/period.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

export const statementPayouts = z
  .array(
    z
      .object({
        batchId: z.string().describe('Id of the payout batch (UUID)'),
        status: z.enum(['open', 'paid']).describe('open: waits to be paid; paid: paid'),
        currency: fields.currency,
        amount: z.number().describe('What the batch pays of the statement, in `currency`'),
        paidOn: z.string().nullable().describe('Day of the payment, YYYY-MM-DD; null while it is open'),
      })
      .describe('The part of a payout batch that pays the statement'),
  )
  .describe('Payout batches that contain the statement, without those that were cancelled, oldest first');
export type StatementPayouts = z.input<typeof statementPayouts>;

/** The lines `l` of the batches `b` that are not cancelled. */
export const batchedLines = sql`payout_batch_lines l
    join payout_batches b on b.workspace_id = l.workspace_id and b.batch_id = l.batch_id and b.status <> 'cancelled'`;

/** The payout batches that contain the statements of the period, by rep; of those reps where ids are given. */
export async function loadStatementPayouts(
  tx: Transaction,
  period: Period,
  repIds: readonly string[] | null,
): Promise<ReadonlyMap<string, StatementPayouts>> {
  const rows = await loadParts(
    tx,
    sql`and l.period = ${period} ${repIds === null ? sql`` : sql`and l.rep_id = any(${repIds}::uuid[])`}`,
  );
  return withoutKeys(groupBy(rows, ({ repId }) => repId));
}

/** The payout batches that contain statements of the rep, by period. */
export async function loadPayoutsOfRep(tx: Transaction, repId: string): Promise<ReadonlyMap<Period, StatementPayouts>> {
  const rows = await loadParts(tx, sql`and l.rep_id = ${repId}`);
  return withoutKeys(groupBy(rows, ({ period }) => period));
}

type Part = StatementPayouts[number] & { readonly repId: string; readonly period: Period };

function withoutKeys(parts: ReadonlyMap<string, readonly Part[]>): ReadonlyMap<string, StatementPayouts> {
  return new Map([...parts].map(([key, ofKey]) => [key, ofKey.map(({ repId: _, period: __, ...payout }) => payout)]));
}

async function loadParts(tx: Transaction, isSelected: RawBuilder<unknown>): Promise<Part[]> {
  const { rows } = await sql<Part>`
    select l.rep_id as "repId", l.period, b.batch_id as "batchId", l.currency,
      case when b.status = 'paid' and b.decided_at <= ${tx.until}::timestamptz then 'paid' else 'open' end as status, l.amount::float8 as amount,
      case when b.decided_at <= ${tx.until}::timestamptz then b.paid_on end as "paidOn"
    from ${batchedLines}
    where l.workspace_id = ${tx.workspaceId} and b.created_at <= ${tx.until}::timestamptz
      ${isSelected}
    order by b.created_at, l.currency`.execute(tx.db);
  return rows;
}
