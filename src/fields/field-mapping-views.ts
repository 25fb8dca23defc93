import { type Transaction } from '../platform/database/unit-of-work.js';
import { type FieldMappingJson } from '../workspaces/workspace-tables.js';

export async function findMapping(tx: Transaction): Promise<FieldMappingJson> {
  const row = await tx.db
    .selectFrom('workspaces')
    .select('field_mapping')
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  return row.field_mapping;
}
