import { sql } from 'kysely';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type StoredEntity } from './settings-views.js';

/** Stores the entity as its next version. Earlier ones stay, so that its books can be read as of earlier instants. */
export async function saveEntity(
  tx: Transaction,
  { code, name, currency, framework, payrollTax, accounts }: StoredEntity,
  at: Date,
): Promise<void> {
  await sql`
    insert into accounting_entities (workspace_id, code, version, name, currency, framework, payroll_tax, accounts,
      stored_at)
    select ${tx.workspaceId}::uuid, ${code}, coalesce(max(version), 0) + 1, ${name}, ${currency}, ${framework},
      ${JSON.stringify(payrollTax)}::jsonb, ${JSON.stringify(accounts)}::jsonb, ${at}::timestamptz
    from accounting_entities where workspace_id = ${tx.workspaceId} and code = ${code}`.execute(tx.db);
}
