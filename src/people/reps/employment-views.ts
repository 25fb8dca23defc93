import { sql } from 'kysely';
import { type Day } from '../../kernel/day.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** The first and the last day on which a person is employed; null is unbounded. */
export interface Employment {
  readonly hireDate: Day | null;
  readonly endDate: Day | null;
}

export function isSameEmployment(a: Employment, b: Employment): boolean {
  return a.hireDate === b.hireDate && a.endDate === b.endDate;
}

/** The days as they were at the instant of the transaction. */
export async function findEmploymentAsOf(tx: Transaction, repId: string): Promise<Employment> {
  const { rows } = await sql<Employment>`
    select hire_date as "hireDate", end_date as "endDate" from employment_history
    where workspace_id = ${tx.workspaceId} and rep_id = ${repId} and changed_at <= ${tx.until}::timestamptz
    order by position desc limit 1`.execute(tx.db);
  return rows[0] ?? { hireDate: null, endDate: null };
}
