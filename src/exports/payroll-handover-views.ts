import { sql } from 'kysely';
import { toAuthor } from '../people/reps/author.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type PayrollHandover } from './payroll-handover.js';

const maxHandovers = 500;

/** Hand-overs, latest first. Filters by period, id and author if they are given. */
export async function listHandovers(
  tx: Transaction,
  filter: { readonly period?: string | undefined; readonly handoverId?: string; readonly authorId?: string | null },
): Promise<PayrollHandover[]> {
  const { period, handoverId, authorId = null } = filter;
  const { rows } = await sql<
    Omit<PayrollHandover, 'actor' | 'createdAt'> & {
      authorId: string | null;
      authorName: string | null;
      createdAt: Date;
    }
  >`
    select h.handover_id as "handoverId", h.period, h.layout, h.scope, h.note, h.filename, h.sha256, h.bytes,
      h.row_count as "rowCount", h.totals, h.missing_payroll_ids as "missingPayrollIds",
      h.changed_payroll_ids as "changedPayrollIds", h.author_id as "authorId",
      r.name as "authorName", h.created_at as "createdAt"
    from payroll_handovers h
    left join reps r on r.workspace_id = h.workspace_id and r.rep_id = h.author_id
    where h.workspace_id = ${tx.workspaceId}
      ${period === undefined ? sql`` : sql`and h.period = ${period}`}
      ${handoverId === undefined ? sql`` : sql`and h.handover_id = ${handoverId}`}
      ${authorId === null ? sql`` : sql`and h.author_id = ${authorId}`}
    order by h.created_at desc, h.handover_id limit ${maxHandovers}`.execute(tx.db);
  return rows.map(({ authorId: repId, authorName, createdAt, ...handover }) => ({
    ...handover,
    actor: toAuthor(repId, authorName),
    createdAt: createdAt.toISOString(),
  }));
}

export async function countHandovers(tx: Transaction, period: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from payroll_handovers
    where workspace_id = ${tx.workspaceId} and period = ${period}`.execute(tx.db);
  return rows[0]?.count ?? 0;
}
