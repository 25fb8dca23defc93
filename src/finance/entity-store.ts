import { type Transaction } from '../platform/database/unit-of-work.js';
import { type StoredEntity } from './settings-views.js';

export async function saveEntity(
  tx: Transaction,
  { code, name, currency, payrollTax, accounts }: StoredEntity,
  at: Date,
): Promise<void> {
  const values = { name, payroll_tax: JSON.stringify(payrollTax), accounts: JSON.stringify(accounts), updated_at: at };
  await tx.db
    .insertInto('accounting_entities')
    .values({ workspace_id: tx.workspaceId, code, currency, ...values })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'code']).doUpdateSet(values))
    .execute();
}
