import { type Transaction } from '../../platform/database/unit-of-work.js';

export async function saveMapping(
  tx: Transaction,
  mapping: { readonly standard: object; readonly measures: object; readonly refunds?: object | undefined },
): Promise<void> {
  const { standard, measures, refunds } = mapping;
  await tx.db
    .updateTable('workspaces')
    .set({ field_mapping: JSON.stringify({ standard, measures, refunds }) })
    .where('workspace_id', '=', tx.workspaceId)
    .execute();
}
