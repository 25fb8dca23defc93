import { type RawBuilder, sql } from 'kysely';
import { type Transaction } from '../platform/database/unit-of-work.js';

/** Whether fields of deals decide lines, and whether a CRM has reported some. */
export interface CreditSources {
  readonly hasRules: boolean;
  readonly hasReported: boolean;
  /** Whether a CRM has reported products of deals. */
  readonly hasProducts: boolean;
}

/** The columns of {@link CreditSources}, for a query that reads other values too. */
export function creditSourceColumns(tx: Transaction): RawBuilder<unknown> {
  return sql`exists (select from credit_rules where workspace_id = ${tx.workspaceId}) as "hasRules",
    exists (select from deal_credits where workspace_id = ${tx.workspaceId} and source = 'crm') as "hasReported",
    exists (select from deal_lines where workspace_id = ${tx.workspaceId} and source = 'crm') as "hasProducts"`;
}

export async function findCreditSources(tx: Transaction): Promise<CreditSources> {
  const { rows } = await sql<CreditSources>`select ${creditSourceColumns(tx)}`.execute(tx.db);
  return rows[0] as CreditSources;
}
