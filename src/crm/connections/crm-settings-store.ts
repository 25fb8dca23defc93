import { sql } from 'kysely';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type CrmProvider } from '../adapters/port.js';
import { type CrmSettings } from './crm-settings.js';

/** Stored also while the CRM is not connected, and applied when it is. */
export async function saveSettings(tx: Transaction, provider: CrmProvider, settings: CrmSettings): Promise<void> {
  const stored = JSON.stringify(settings);
  await tx.db
    .insertInto('crm_connections')
    .values({ workspace_id: tx.workspaceId, provider, connected_at: null, settings: stored })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'provider']).doUpdateSet({ settings: stored }))
    .execute();
}

/** Number of live deals of the CRM, and of those that the settings exclude. */
export async function countExcluded(
  tx: Transaction,
  provider: CrmProvider,
  { deals: { closedFrom, pipelines } }: CrmSettings,
): Promise<{ readonly live: number; readonly excluded: number }> {
  const isEarly = sql`coalesce(close_date < ${closedFrom}::date, false)`;
  const isElsewhere = sql`${pipelines.length > 0}::boolean
    and coalesce(fields ->> 'pipeline', '') <> all(${pipelines}::text[])
    and coalesce(fields ->> 'pipeline_label', '') <> all(${pipelines}::text[])`;
  const { rows } = await sql<{ live: number; excluded: number }>`
    select count(*)::int as live, (count(*) filter (where ${isEarly} or (${isElsewhere})))::int as excluded
    from deals where workspace_id = ${tx.workspaceId} and provider = ${provider} and deleted_at is null`.execute(tx.db);
  return rows[0] as { live: number; excluded: number };
}
