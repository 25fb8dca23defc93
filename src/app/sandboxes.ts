import { sql } from 'kysely';
import { newId } from '../kernel/ids.js';
import { type Database, type DatabaseTransaction } from '../platform/database/pool.js';
import {
  acceptWrites,
  assertMayReplicate,
  hasWorkspace,
  listTables,
  type MovedRows,
  type MovedTable,
  MoveRefused,
  rejectWrites,
  replicate,
} from './workspace-move.js';

/**
 * Tables that a copy leaves out: whatever signs in, reaches another system or is waiting to, secrets, and the audit log of
 * the original. A copy calls no CRM, no webhook and no source of files.
 */
const notCopied: ReadonlySet<string> = new Set([
  'agent_connections',
  'agent_grants',
  'audit_entries',
  'audit_run_jobs',
  'billing_bindings',
  'billing_customers',
  'billing_subscriptions',
  'cache_versions',
  'change_requests',
  'crm_accounts',
  'crm_connections',
  'crm_sync_run_deals',
  'crm_sync_runs',
  'crm_syncs',
  'crm_write_backs',
  'deal_write_backs',
  'exception_job_rows',
  'export_parts',
  'idempotency_keys',
  'imported_facts',
  'inbound_routes',
  'inbox',
  'job_items',
  'jobs',
  'limited_uses',
  'mail_outbox',
  'rejected_calls',
  'removed_rows',
  'rep_digests',
  'scheduled_import_files',
  'scheduled_imports',
  'scim_users',
  'stored_jobs',
  'tokens',
  'visits',
  'webhook_deliveries',
  'webhook_endpoints',
  'webhook_previous_secrets',
  'work_leases',
  'write_back_requests',
]);

/** Tables that a reset keeps: the settings, the keys, what receives events, exchange rates, fiscal years and the log. */
const keptByReset: ReadonlySet<string> = new Set([
  'agent_connections',
  'agent_grants',
  'audit_entries',
  'cache_versions',
  'crm_fields',
  'fiscal_year_history',
  'fiscal_years',
  'fx_rate_history',
  'fx_rates',
  'webhook_endpoints',
  'webhook_previous_secrets',
  'workspaces',
]);

/** Tables of which a reset keeps the rows of admins. */
const keptOfAdmins: ReadonlySet<string> = new Set(['employment_history', 'lanes', 'reps', 'tokens']);

/** Copies the data of a workspace to a new sandbox, as of one instant. The original can be used meanwhile. */
export async function copyToSandbox(
  database: Database,
  workspaceId: string,
  name: string | undefined,
): Promise<{ readonly workspaceId: string; readonly rows: MovedRows }> {
  if (!(await hasWorkspace(database, workspaceId))) throw new MoveRefused(`there is no workspace ${workspaceId}`);
  await assertMayReplicate(database);
  const tables = (await listTables(database)).filter((table) => !notCopied.has(table.name));
  const sandboxId = newId();
  const rows = await database
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      await replicate(tx);
      const counts: Record<string, number> = {};
      for (const table of tables) counts[table.name] = await copyRows(tx, table, workspaceId, sandboxId);
      await sql`
        update workspaces set is_sandbox = true, test_day = null, sends_events = false, writes_back = false,
          name = coalesce(${name ?? null}, left(name, 190) || ' (sandbox)'),
          digest_of = null, rep_digest = null, corrections_found = null, created_at = now(), configuration_revision = gen_random_uuid()
        where workspace_id = ${sandboxId}`.execute(tx);
      await sql`update calculation_requests set job_id = null, sync_run_id = null where workspace_id = ${sandboxId}`.execute(
        tx,
      );
      return counts;
    });
  return { workspaceId: sandboxId, rows };
}

async function copyRows(
  tx: DatabaseTransaction,
  { name, columns }: MovedTable,
  from: string,
  to: string,
): Promise<number> {
  const table = sql.table(name);
  const fields = sql.join(columns.map((column) => sql.ref(column)));
  const values = sql.join(columns.map((column) => (column === 'workspace_id' ? sql`${to}::uuid` : sql.ref(column))));
  const { numAffectedRows } = await sql`
    insert into ${table} (${fields}) overriding system value
    select ${values} from ${table} where workspace_id = ${from}`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/**
 * Empties a sandbox: its people except admins, plans, deals and everything that follows from them. Settings, keys, exchange
 * rates and fiscal years stay.
 */
export async function resetSandbox(database: Database, workspaceId: string): Promise<MovedRows> {
  await assertSandbox(database, workspaceId);
  await assertMayReplicate(database);
  const tables = await listTables(database);
  await rejectWrites(database, workspaceId, tables);
  try {
    return await database.transaction().execute(async (tx) => {
      await replicate(tx);
      const counts: Record<string, number> = {};
      // The tables of people are emptied last: the others are read by who is an admin.
      for (const { name } of tables.filter(({ name: table }) => !keptByReset.has(table) && table !== 'reps'))
        counts[name] = await deleteRows(tx, name, workspaceId);
      counts['reps'] = await deleteRows(tx, 'reps', workspaceId);
      await sql`
        update workspaces set test_day = null, periodic_through = null, configuration_revision = gen_random_uuid()
        where workspace_id = ${workspaceId}`.execute(tx);
      await sql`
        update cache_versions set version = gen_random_uuid() where workspace_id = ${workspaceId}`.execute(tx);
      return counts;
    });
  } finally {
    await acceptWrites(database, workspaceId, tables);
  }
}

async function deleteRows(tx: DatabaseTransaction, name: string, workspaceId: string): Promise<number> {
  const ofOthers = keptOfAdmins.has(name)
    ? sql`and rep_id in (select rep_id from reps where workspace_id = ${workspaceId} and role <> 'admin')`
    : sql``;
  const { numAffectedRows } = await sql`
    delete from ${sql.table(name)} where workspace_id = ${workspaceId} ${ofOthers}`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

async function assertSandbox(database: Database, workspaceId: string): Promise<void> {
  const { rows } = await sql<{ isSandbox: boolean }>`
    select is_sandbox as "isSandbox" from workspaces where workspace_id = ${workspaceId}`.execute(database);
  if (rows[0] === undefined) throw new MoveRefused(`there is no workspace ${workspaceId}`);
  if (!rows[0].isSandbox) throw new MoveRefused('the workspace is no sandbox, so it is not reset');
}
