import { fieldTypes } from '../../engine/condition.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type FieldDefinition, type FieldOption } from './field-definition.js';

/** A field as the CRM that was connected first defines it, as of the last sync. */
export interface CrmFieldDefinition extends FieldDefinition {
  /** Options of a select field; null if the CRM does not list them. */
  readonly options: readonly FieldOption[] | null;
}

/** Empty if no CRM is connected or no sync has run. */
export async function listCrmDefinitions(tx: Transaction): Promise<CrmFieldDefinition[]> {
  const rows = await tx.db
    .selectFrom('crm_fields')
    .select(['slug', 'label', 'type', 'options'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('provider', '=', (query) =>
      query
        .selectFrom('crm_connections')
        .select('provider')
        .where('workspace_id', '=', tx.workspaceId)
        .where('connected_at', 'is not', null)
        .orderBy('connected_at')
        .orderBy('provider')
        .limit(1),
    )
    .orderBy('position')
    .orderBy('slug')
    .execute();
  return rows.map(({ slug, label, type, options }) => ({
    slug,
    label,
    type: fieldTypes.find((known) => known === type) ?? 'text',
    options,
  }));
}
