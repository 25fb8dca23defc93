import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type CrmProvider } from '../adapters/port.js';
import { selectConnection } from './crm-connection-row.js';
import { type CrmSettings, crmSettings } from './crm-settings.js';

/** The settings of the CRM; the defaults if none are stored. */
export async function findSettings(tx: Transaction, provider: CrmProvider): Promise<CrmSettings> {
  const row = await selectConnection(tx, provider).select('settings').executeTakeFirst();
  return crmSettings.parse(row?.settings ?? {});
}

/** The CRM's ids of the people who are reps already. */
export async function linkedMembers(tx: Transaction, provider: CrmProvider): Promise<ReadonlySet<string>> {
  const rows = await tx.db
    .selectFrom('crm_members')
    .select('crm_id')
    .where('workspace_id', '=', tx.workspaceId)
    .where('provider', '=', provider)
    .execute();
  return new Set(rows.map(({ crm_id: crmId }) => crmId));
}
