import { type Transaction } from '../platform/database/unit-of-work.js';

export async function saveMapping(
  tx: Transaction,
  mapping: { readonly standard: object; readonly measures: object },
): Promise<void> {
  const { standard, measures } = mapping;
  await tx.db
    .updateTable('workspaces')
    .set({ field_mapping: JSON.stringify({ standard, measures }) })
    .where('workspace_id', '=', tx.workspaceId)
    .execute();
}
