import { sql } from 'kysely';
import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { groupBy } from '../kernel/group-by.js';
import { type Period } from '../kernel/period.js';
import { loadRange } from '../ledger/input/calendar.js';
import { type Transaction } from '../platform/database/unit-of-work.js';

/** So many deals of one operation are named. */
const maxDeals = 20;

export const ownChanges = z
  .array(
    z
      .object({
        operation: z.string().describe('Id of the operation with which it was changed, as in the audit log'),
        deals: z.int().describe('Number of deals that were changed; 0 for a change of no single deal'),
        dealIds: z.array(fields.dealId).describe('The deals, those that were changed last first, at most 20'),
        actor: z.string().describe('Who changed it at last, as the audit log names them'),
        changedAt: z.string().describe('When it was changed at last, instant in ISO 8601'),
      })
      .describe('Changes with one operation'),
  )
  .describe(
    'What the person changed themself that decides this pay: with a session, with a key that they created, or by approving an agent. Changes that the approver of an earlier period with these days has seen are left out',
  );
export type OwnChange = z.input<typeof ownChanges>[number];

/**
 * By rep, what they changed themselves on the days of the period, except what an earlier period with some of these days was approved
 * after: its approver has seen it. The latest change is first.
 */
export async function listOwnChanges(
  tx: Transaction,
  period: Period,
  repIds: readonly string[] | null,
): Promise<ReadonlyMap<string, OwnChange[]>> {
  if (tx.asOf !== null) return new Map();
  const { from, to } = await loadRange(tx, period);
  const { rows } = await sql<Omit<OwnChange, 'changedAt'> & { readonly repId: string; readonly changedAt: Date }>`
    select o.rep_id as "repId", o.operation, count(nullif(o.deal_id, ''))::int as deals,
      coalesce((array_agg(o.deal_id order by o.changed_at desc, o.deal_id) filter (where o.deal_id <> ''))[1:${sql.lit(maxDeals)}], '{}') as "dealIds",
      (array_agg(o.actor order by o.changed_at desc, o.deal_id))[1] as actor, max(o.changed_at) as "changedAt"
    from own_changes o
    where o.workspace_id = ${tx.workspaceId} and o.from_day <= ${to}::date and o.to_day >= ${from}::date
      ${repIds === null ? sql`` : sql`and o.rep_id = any(${repIds}::uuid[])`}
      and not exists (
        select from statement_periods s
        where s.workspace_id = o.workspace_id and s.rep_id = o.rep_id and s.status = 'approved'
          and s.from_day < ${from}::date and s.from_day <= o.to_day and s.to_day >= o.from_day
          and s.approved_at >= o.changed_at)
    group by o.rep_id, o.operation
    order by max(o.changed_at) desc, o.operation`.execute(tx.db);
  const changes = rows.map(({ changedAt, ...row }) => ({ ...row, changedAt: changedAt.toISOString() }));
  return new Map(
    [...groupBy(changes, ({ repId }) => repId)].map(([repId, own]) => [
      repId,
      own.map(({ repId: _, ...change }) => change),
    ]),
  );
}
