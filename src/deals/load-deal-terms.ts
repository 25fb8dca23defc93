import { type StandardField } from '../engine/field-value.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type DealTerms } from './deal.js';

/** The settings with which the workspace reads its deals. */
export async function loadDealTerms(tx: Transaction): Promise<DealTerms> {
  const row = await tx.db
    .selectFrom('workspaces')
    .select(['timezone', 'field_mapping'])
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  return { timeZone: row.timezone, standard: row.field_mapping.standard as Partial<Record<StandardField, string>> };
}
