import { sql } from 'kysely';
import { defaultRateTable } from '../../engine/exchange-rates.js';
import { type Day } from '../../kernel/day.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

interface ConvertingAssignment {
  readonly repId: string;
  readonly planId: string;
  readonly start: Day | null;
  readonly end: Day | null;
}

/** The assignments to plans of which a version converts by the tables. */
export async function loadConvertingAssignments(
  tx: Transaction,
  tables: readonly string[],
): Promise<ConvertingAssignment[]> {
  const { rows } = await sql<ConvertingAssignment>`
    select rep_id as "repId", plan_id as "planId", effective_start as start, effective_end as "end" from assignments
    where workspace_id = ${tx.workspaceId} and deleted_at is null and plan_id in (
      select plan_id from plan_versions where workspace_id = ${tx.workspaceId} and fx is not null
        and coalesce(fx->>'table', ${defaultRateTable}) = any(${tables}::text[])
    )`.execute(tx.db);
  return rows;
}
