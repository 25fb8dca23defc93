import { type Kysely, sql } from 'kysely';
import { tenantTable } from './tenant-table.js';

/** CRMs of a workspace: which are connected, and which are pulled from. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table crm_connections (
      workspace_id uuid not null references workspaces,
      provider text not null check (provider in ('crma', 'crmb', 'crmc')),
      -- null while only the switch below is kept, of a CRM that is not connected
      connected_at timestamptz,
      sync_enabled boolean not null default true,
      primary key (workspace_id, provider)
    )`.execute(db);
  await tenantTable(db, 'crm_connections');
}
