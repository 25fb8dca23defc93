import { sql } from 'kysely';
import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { groupBy } from '../kernel/group-by.js';
import { type Period } from '../kernel/period.js';
import { type Transaction } from '../platform/database/unit-of-work.js';

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
type StatementPayouts = z.input<typeof statementPayouts>;

/** The payout batches that contain the statements of the period, by rep; of those reps where ids are given. */
export async function loadStatementPayouts(
  tx: Transaction,
  period: Period,
  repIds: readonly string[] | null,
): Promise<ReadonlyMap<string, StatementPayouts>> {
  const { rows } = await sql<{ repId: string } & StatementPayouts[number]>`
    select l.rep_id as "repId", b.batch_id as "batchId", b.status, l.currency, l.amount::float8 as amount,
      b.paid_on as "paidOn"
    from payout_batch_lines l
    join payout_batches b on b.workspace_id = l.workspace_id and b.batch_id = l.batch_id and b.status <> 'cancelled'
    where l.workspace_id = ${tx.workspaceId} and l.period = ${period}
      and b.created_at <= coalesce(${tx.asOf}::timestamptz, 'infinity')
      ${repIds === null ? sql`` : sql`and l.rep_id = any(${repIds}::uuid[])`}
    order by b.created_at, l.currency`.execute(tx.db);
  const byRep = groupBy(rows, ({ repId }) => repId);
  return new Map([...byRep].map(([repId, ofRep]) => [repId, ofRep.map(({ repId: _, ...payout }) => payout)]));
}
