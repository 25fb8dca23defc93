import { recordAct } from '../ledger/record-act.js';
import { type CrmProvider } from '../platform/crm/crm-adapter.js';
import { type Work } from '../platform/database/unit-of-work.js';

/** Whether the CRM was connected. What came from it stays; told in the audit log. */
export async function deleteConnection(
  trx: Work,
  who: { readonly workspaceId: string; readonly actor: string },
  provider: CrmProvider,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('crm_connections')
    .where('workspace_id', '=', who.workspaceId)
    .where('provider', '=', provider)
    .where('connected_at', 'is not', null)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await recordAct(trx, who, { trigger: 'crm_disconnected', scope: 'workspace', details: { provider } });
  return true;
}

/** Kept for a CRM that is not connected as well: it counts as soon as it is. */
export async function setSyncEnabled(
  trx: Work,
  workspaceId: string,
  provider: CrmProvider,
  enabled: boolean,
): Promise<void> {
  await trx
    .insertInto('crm_connections')
    .values({ workspace_id: workspaceId, provider, connected_at: null, sync_enabled: enabled })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'provider']).doUpdateSet({ sync_enabled: enabled }))
    .execute();
}
