import { type Work } from '../platform/database/unit-of-work.js';

export async function saveMapping(
  trx: Work,
  workspaceId: string,
  mapping: { readonly standard: object; readonly measures: object },
): Promise<void> {
  const { standard, measures } = mapping;
  await trx
    .updateTable('workspaces')
    .set({ field_mapping: JSON.stringify({ standard, measures }) })
    .where('workspace_id', '=', workspaceId)
    .execute();
}
