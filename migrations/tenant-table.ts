import { type Kysely, sql } from 'kysely';

/** The role of the running service; see src/platform/database/pool.ts. */
export const appRole = 'commissions_app';

/** The search path of the owner's functions. A function cannot set a parameter such as `app.all_workspaces`. */
export const ownerSearchPath = 'public, pg_temp';

/**
 * Lets the service read and write only the rows of the workspace that its transaction has set. The policies apply to
 * the owner of the table too, so a session that becomes the owner reads nothing. Migrations, which set
 * `app.all_workspaces`, and the owner's functions, which have a fixed search path, read all workspaces. Neither
 * setting has an effect for the role of the service.
 */
export async function tenantTable(db: Kysely<unknown>, table: string): Promise<void> {
  const name = sql.table(table);
  const service = sql.raw(appRole);
  // A subquery, so that the setting is read once for each statement and not for each row.
  const ofWorkspace = sql`workspace_id = (select nullif(current_setting('app.workspace_id', true), '')::uuid)`;
  await forceRowSecurity(db, table);
  await sql`
    create policy ${sql.raw(`${table}_of_workspace`)} on ${name} to ${service}
    using (${ofWorkspace}) with check (${ofWorkspace})`.execute(db);
  await sql`grant select, insert, update, delete on ${name} to ${service}`.execute(db);
}

/** Lets only migrations and the owner's functions access the rows: the whole policy of a table without a workspace. */
export async function forceRowSecurity(db: Kysely<unknown>, table: string): Promise<void> {
  const name = sql.table(table);
  await sql`alter table ${name} enable row level security, force row level security`.execute(db);
  // No column is read, so the server evaluates it once for each statement.
  await sql`
    create policy ${sql.raw(`${table}_of_owner`)} on ${name} to current_user
    using (
      current_setting('app.all_workspaces', true) = 'on' or current_setting('search_path') = ${sql.lit(ownerSearchPath)}
    )`.execute(db);
}

/** Takes from the service the right to change and delete rows of a history. */
export async function insertOnly(db: Kysely<unknown>, table: string): Promise<void> {
  await sql`revoke update, delete on ${sql.table(table)} from ${sql.raw(appRole)}`.execute(db);
}

/**
 * Keeps no statistics of the columns that say whose a row is. Statistics that were collected before a workspace or a rep
 * had its rows say that it has none: every index that begins with the workspace then costs the same, and the planner may
 * choose one that reads the whole workspace for each rep. Without statistics it assumes that each of the columns selects
 * one row of 200, so the index with the most matching columns costs least.
 */
export async function withoutOwnerStatistics(db: Kysely<unknown>, table: string): Promise<void> {
  for (const column of ['workspace_id', 'rep_id'])
    await sql`alter table ${sql.table(table)} alter column ${sql.ref(column)} set statistics 0`.execute(db);
}
