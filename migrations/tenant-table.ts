import { type Kysely, sql } from 'kysely';

/** The role of the running service; see src/platform/database/pool.ts. */
export const appRole = 'commissions_app';

/**
 * Makes a table a tenant's: the service may read and write its rows, but only those of the workspace that the
 * transaction has named. The owner is left free, for migrations and for the few functions that look across.
 */
export async function tenantTable(db: Kysely<unknown>, table: string): Promise<void> {
  const name = sql.table(table);
  const policy = sql.raw(`${table}_of_workspace`);
  // A query of its own, so that it is read once a statement and not for every row.
  const ofWorkspace = sql`workspace_id = (select nullif(current_setting('app.workspace_id', true), '')::uuid)`;
  await sql`alter table ${name} enable row level security`.execute(db);
  await sql`create policy ${policy} on ${name} using (${ofWorkspace}) with check (${ofWorkspace})`.execute(db);
  await sql`grant select, insert, update, delete on ${name} to ${sql.raw(appRole)}`.execute(db);
}
