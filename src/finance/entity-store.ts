import { type Transaction } from '../platform/database/unit-of-work.js';
import { type StoredEntity } from './settings-views.js';

export async function saveEntity(
  tx: Transaction,
  { code, name, payrollTax, accounts }: StoredEntity,
  at: Date,
): Promise<void> {
  await tx.db
    .updateTable('accounting_entities')
    .set({ name, payroll_tax: JSON.stringify(payrollTax), accounts: JSON.stringify(accounts), updated_at: at })
    .where('workspace_id', '=', tx.workspaceId)
    .where('code', '=', code)
    .execute();
}
