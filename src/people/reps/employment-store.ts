import { sql } from 'kysely';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Employment } from './employment-views.js';

/** Stores the days, which differ from the stored ones, and records them in the history. */
export async function storeEmployments(
  tx: Transaction,
  employments: readonly (Employment & { readonly repId: string })[],
): Promise<void> {
  if (employments.length === 0) return;
  await sql`
    with changed as (
      update reps r set hire_date = input.hire_date, end_date = input.end_date
      from ${unnestRows(employments, [
        ['rep_id', 'uuid', ({ repId }) => repId],
        ['hire_date', 'date', ({ hireDate }) => hireDate],
        ['end_date', 'date', ({ endDate }) => endDate],
      ])}
      where r.workspace_id = ${tx.workspaceId} and r.rep_id = input.rep_id
      returning r.rep_id, r.hire_date, r.end_date
    )
    insert into employment_history (workspace_id, rep_id, hire_date, end_date)
    select ${tx.workspaceId}::uuid, rep_id, hire_date, end_date from changed`.execute(tx.db);
}
