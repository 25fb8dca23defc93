import { type Work } from '../platform/database/unit-of-work.js';
import { type FieldMappingJson } from '../workspaces/workspace-tables.js';

export async function findMapping(trx: Work, workspaceId: string): Promise<FieldMappingJson> {
  const row = await trx
    .selectFrom('workspaces')
    .select('field_mapping')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return row.field_mapping;
}
