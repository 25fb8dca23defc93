import { type Kysely, sql } from 'kysely';

/** The role of the running service; see src/platform/database/pool.ts. */
export const appRole = 'commissions_app';

/**
 * Lets the service read and write only the rows of the workspace that its transaction has set. The owner of the table
 * is not restricted: migrations and the owner's functions read all workspaces.
 */
export async function tenantTable(db: Kysely<unknown>, table: string): Promise<void> {
  const name = sql.table(table);
  const policy = sql.raw(`${table}_of_workspace`);
  // A subquery, so that the setting is read once for each statement and not for each row.
  const ofWorkspace = sql`workspace_id = (select nullif(current_setting('app.workspace_id', true), '')::uuid)`;
  await sql`alter table ${name} enable row level security`.execute(db);
  await sql`create policy ${policy} on ${name} using (${ofWorkspace}) with check (${ofWorkspace})`.execute(db);
  await sql`grant select, insert, update, delete on ${name} to ${sql.raw(appRole)}`.execute(db);
}
