import { type FieldMappingJson } from '../../access/workspaces/workspace-tables.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

export async function findMapping(tx: Transaction): Promise<FieldMappingJson> {
  const row = await tx.db
    .selectFrom('workspaces')
    .select('field_mapping')
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  return row.field_mapping;
}
