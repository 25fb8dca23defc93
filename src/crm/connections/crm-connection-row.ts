import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type CrmProvider } from '../adapters/port.js';

/** The row of a CRM. It exists also while the CRM is not connected, if the workspace has settings for it. */
export function selectConnection(tx: Transaction, provider: CrmProvider) {
  return tx.db
    .selectFrom('crm_connections')
    .where('workspace_id', '=', tx.workspaceId)
    .where('provider', '=', provider);
}

export function updateConnection(tx: Transaction, provider: CrmProvider) {
  return tx.db
    .updateTable('crm_connections')
    .where('workspace_id', '=', tx.workspaceId)
    .where('provider', '=', provider);
}
