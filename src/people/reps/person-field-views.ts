import { type PersonField } from '../../access/workspaces/workspace-tables.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** The fields of people that the workspace defines, in their order. */
export async function listPersonFields(tx: Transaction): Promise<readonly PersonField[]> {
  const { person_fields: fields } = await tx.db
    .selectFrom('workspaces')
    .select('person_fields')
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  return fields;
}
