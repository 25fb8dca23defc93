import { sql } from 'kysely';
import { type Database } from '../platform/database/pool.js';

/**
 * On an embedded database, the only workspace besides the demo operates the installation: the terminal of the service
 * signs in its admins anyway.
 */
export async function claimForOnlyWorkspace(owner: Database): Promise<void> {
  await sql`
    insert into installation (operator_workspace_id)
    select min(workspace_id::text)::uuid from workspaces where not is_demo having count(*) = 1
    on conflict (singleton) do update set operator_workspace_id = excluded.operator_workspace_id
    where installation.operator_workspace_id is null`.execute(owner);
}

/** Names the workspace whose admins operate the installation; null for none. */
export async function setOperator(owner: Database, workspaceId: string | null): Promise<void> {
  await sql`
    insert into installation (operator_workspace_id) values (${workspaceId})
    on conflict (singleton) do update set operator_workspace_id = excluded.operator_workspace_id`.execute(owner);
}
