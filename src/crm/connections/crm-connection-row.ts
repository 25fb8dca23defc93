import { type Work } from '../../platform/database/unit-of-work.js';
import { type CrmProvider } from '../adapters/port.js';

/** The row of a CRM. It exists also while the CRM is not connected, if the workspace has settings for it. */
export function selectConnection(trx: Work, workspaceId: string, provider: CrmProvider) {
  return trx.selectFrom('crm_connections').where('workspace_id', '=', workspaceId).where('provider', '=', provider);
}

export function updateConnection(trx: Work, workspaceId: string, provider: CrmProvider) {
  return trx.updateTable('crm_connections').where('workspace_id', '=', workspaceId).where('provider', '=', provider);
}
