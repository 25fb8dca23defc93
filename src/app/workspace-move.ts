import { sql } from 'kysely';
import { readSqlState } from '../platform/database/database-errors.js';
import { type Database, type DatabaseTransaction } from '../platform/database/pool.js';

/** Connections of the owners of both databases. */
interface MoveDatabases {
  readonly from: Database;
  readonly to: Database;
}

/** Rows by table. */
export type MovedRows = Readonly<Record<string, number>>;

/** The move is not possible in the present state; nothing was changed. */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused';
}

/**
 * Tables whose rows stay: counts of a minute, and codes and states of sign-ins that have begun, which expire in minutes
 * and are requested again.
 */
const notMoved = ['rate_windows', 'sign_in_codes', 'sign_in_states'];
const rowsPerStep = 500;
const blocker = 'reject_writes_of_moving_workspace';
const lockTimeout = '2s';

/**
 * Copies a workspace to another database while the service runs. From the first step until `finishMove`, the database that
 * it leaves rejects every write of the workspace as unavailable (503 to callers, a later attempt by workers), so a copied
 * row cannot change there: nothing that was acknowledged is lost. Its reads continue. Other workspaces are not affected.
 * A copy that fails leaves nothing behind. The sums of both databases prove that every row arrived.
 */
export async function copyWorkspace({ from, to }: MoveDatabases, workspaceId: string): Promise<MovedRows> {
  await assertSameMigrations({ from, to });
  if (!(await hasWorkspace(from, workspaceId))) throw new MoveRefused(`there is no workspace ${workspaceId}`);
  if (await hasWorkspace(to, workspaceId)) throw new MoveRefused('the other database already has the workspace');
  const tables = await listTables(from);
  for (const database of [from, to]) await assertMayReplicate(database);
  await rejectWrites(from, workspaceId, tables);
  try {
    return await copyTables({ from, to }, workspaceId, tables);
  } catch (error) {
    // If the other database does not respond, it may have the workspace, which therefore stays read-only here.
    await cancelMove({ from, to }, workspaceId).catch(() => undefined);
    throw error;
  }
}

/** Deletes the workspace from the database that it has left. */
export async function finishMove({ from, to }: MoveDatabases, workspaceId: string): Promise<MovedRows> {
  if (!(await hasWorkspace(to, workspaceId))) throw new MoveRefused('the other database does not have the workspace');
  if (!(await rejectsWrites(from, workspaceId))) throw new MoveRefused('the workspace is not being moved from here');
  const tables = await listTables(from);
  const deleted = await deleteRows(from, workspaceId, tables);
  await acceptWrites(from, workspaceId, tables);
  return deleted;
}

/** The number of rows of the workspace, by table. */
export async function countWorkspace(database: Database, workspaceId: string): Promise<MovedRows> {
  const counts: Record<string, number> = {};
  for (const { name } of await listTables(database)) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(name)} where workspace_id = ${workspaceId}`.execute(database);
    counts[name] = rows[0]?.count ?? 0;
  }
  return counts;
}

/**
 * Deletes a workspace with everything in it. Its writes are rejected first, as in a move, so that no row of a transaction
 * that is still open remains. Other workspaces are not affected.
 */
export async function deleteWorkspace(database: Database, workspaceId: string): Promise<MovedRows> {
  if (!(await hasWorkspace(database, workspaceId))) throw new MoveRefused(`there is no workspace ${workspaceId}`);
  await assertMayReplicate(database);
  const tables = await listTables(database);
  await rejectWrites(database, workspaceId, tables);
  try {
    return await deleteRows(database, workspaceId, tables);
  } finally {
    await acceptWrites(database, workspaceId, tables);
  }
}

function deleteRows(database: Database, workspaceId: string, tables: readonly MovedTable[]): Promise<MovedRows> {
  return database.transaction().execute(async (tx) => {
    await replicate(tx);
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const of = sql.table(name);
      const { numAffectedRows } = await sql`delete from ${of} where workspace_id = ${workspaceId}`.execute(tx);
      counts[name] = Number(numAffectedRows ?? 0);
    }
    for (const name of notMoved)
      await sql`delete from ${sql.table(name)} where workspace_id = ${workspaceId}`.execute(tx);
    return counts;
  });
}

/** Lets the workspace be written again where it is, if it was not copied. */
export async function cancelMove({ from, to }: MoveDatabases, workspaceId: string): Promise<void> {
  if (await hasWorkspace(to, workspaceId))
    throw new MoveRefused('the other database has the workspace, which may have changed there: finish the move');
  await acceptWrites(from, workspaceId, await listTables(from));
}

export interface MovedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly identity: string | null;
}

/**
 * Every table with rows of workspaces, from the catalogue, so that a later migration needs no change here. The number of
 * the transaction that wrote a row last stays: the other database gives the rows the number of its own. The first is that
 * of the workspaces themselves.
 */
export async function listTables(database: Database): Promise<MovedTable[]> {
  const { rows } = await sql<MovedTable>`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns,
      max(a.attname::text) filter (where a.attidentity <> '') as identity
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attgenerated = '' and a.attname <> 'changed_in'
    group by c.oid, c.relname
    having bool_or(a.attname = 'workspace_id')
    order by c.relname <> 'workspaces', c.oid`.execute(database);
  return rows.filter(({ name }) => !notMoved.includes(name));
}

async function copyTables(
  { from, to }: MoveDatabases,
  workspaceId: string,
  tables: readonly MovedTable[],
): Promise<MovedRows> {
  const reading = from.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return reading.execute((source) =>
    to.transaction().execute(async (target) => {
      await replicate(target);
      const counts: Record<string, number> = {};
      for (const table of tables) {
        // A job that was still queued when the workspace left this database before may have recorded its failure.
        await sql`delete from ${sql.table(table.name)} where workspace_id = ${workspaceId}`.execute(target);
        await copyTable(source, target, workspaceId, table);
        const [sent, arrived] = [await sumRows(source, workspaceId, table), await sumRows(target, workspaceId, table)];
        if (sent.rows !== arrived.rows || sent.sums !== arrived.sums)
          throw new Error(`The rows of ${table.name} differ: ${sent.rows} were sent and ${arrived.rows} arrived.`);
        counts[table.name] = Number(sent.rows);
        await advanceIdentity(target, workspaceId, table);
      }
      await copyAgentClients(source, target, workspaceId);
      return counts;
    }),
  );
}

/** Rows travel as the text of the row, which has every value exactly. */
async function copyTable(
  source: DatabaseTransaction,
  target: DatabaseTransaction,
  workspaceId: string,
  { name, columns }: MovedTable,
): Promise<void> {
  const fields = sql.join(columns.map((column) => sql.ref(column)));
  const rowType = sql`${sql.table(name)}`;
  await sql`
    declare moved no scroll cursor for
    select t::text as row from ${rowType} t where t.workspace_id = ${sql.lit(workspaceId)}`.execute(source);
  for (;;) {
    const { rows } = await sql<{ row: string }>`fetch ${sql.raw(String(rowsPerStep))} from moved`.execute(source);
    if (rows.length === 0) break;
    await sql`
      insert into ${rowType} (${fields}) overriding system value
      select ${fields} from unnest(${rows.map(({ row }) => row)}::text[]::${rowType}[])`.execute(target);
  }
  await sql`close moved`.execute(source);
}

/** The number of rows and two sums of 64-bit hashes of all values, which do not depend on the order. */
async function sumRows(db: DatabaseTransaction, workspaceId: string, { name, columns }: MovedTable) {
  const fields = sql.join(columns.map((column) => sql.ref(column)));
  const { rows } = await sql<{ rows: string; sums: string }>`
    select count(*)::text as rows,
      concat(sum(hashtextextended(t.row, 0)::numeric), ' ', sum(hashtextextended(t.row, 1)::numeric)) as sums
    from (select row(${fields})::text as row from ${sql.table(name)} where workspace_id = ${workspaceId}) t`.execute(
    db,
  );
  return rows[0] as { readonly rows: string; readonly sums: string };
}

/** The next position must follow those that were copied. */
async function advanceIdentity(
  target: DatabaseTransaction,
  workspaceId: string,
  { name, identity }: MovedTable,
): Promise<void> {
  if (identity === null) return;
  const { rows } = await sql<{ last: string | null; sequence: string }>`
    select max(${sql.ref(identity)})::text as last, pg_get_serial_sequence(${name}, ${identity}) as sequence
    from ${sql.table(name)} where workspace_id = ${workspaceId}`.execute(target);
  const [{ last, sequence }] = rows as [{ last: string | null; sequence: string }];
  if (last === null) return;
  await sql`
    select setval(${sequence}, greatest(last_value, ${last}::bigint)) from ${sql.raw(sequence)}`.execute(target);
}

/** Clients of agents belong to no workspace; both databases keep those that its people have connected. */
async function copyAgentClients(source: DatabaseTransaction, target: DatabaseTransaction, workspaceId: string) {
  const { rows } = await sql<{ row: string }>`
    select t::text as row from agent_clients t
    where t.client_id in (select client_id from agent_connections where workspace_id = ${workspaceId})`.execute(source);
  await sql`
    insert into agent_clients
    select * from unnest(${rows.map(({ row }) => row)}::text[]::agent_clients[]) on conflict do nothing`.execute(
    target,
  );
}

export async function hasWorkspace(database: Database, workspaceId: string): Promise<boolean> {
  const { rows } = await sql`select from workspaces where workspace_id = ${workspaceId}`.execute(database);
  return rows.length > 0;
}

async function assertSameMigrations({ from, to }: MoveDatabases): Promise<void> {
  const names = async (database: Database) => {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(database);
    return rows.map(({ name }) => name).join();
  };
  const [here, there] = [await names(from), await names(to).catch(() => '')];
  if (here !== there)
    throw new MoveRefused('the databases have different versions: run "npx commissions migrate" on both');
}

/** Without triggers and foreign keys: the rows are already what the triggers made of them. */
export async function replicate(tx: DatabaseTransaction): Promise<void> {
  await sql`set local session_replication_role = replica`.execute(tx);
}

export async function assertMayReplicate(database: Database): Promise<void> {
  try {
    await database.transaction().execute(replicate);
  } catch (error) {
    if (readSqlState(error) !== '42501') throw error;
    const { rows } = await sql<{ owner: string }>`select quote_ident(current_user) as owner`.execute(database);
    throw new MoveRefused(
      `the owner of the tables needs a right in both databases. As an administrator, run: ` +
        `grant set on parameter session_replication_role to ${rows[0]?.owner}`,
    );
  }
}

function triggerName(workspaceId: string): string {
  return `moving_${workspaceId.replaceAll('-', '')}`;
}

/**
 * Each trigger waits for the transactions that write its table, so after the last one none that began before is left.
 * Every read counts a request and updates the last use of its token, so these two are not rejected. The trigger of the
 * workspace's own row, which is the first to exist and the last to be dropped, excludes the workspace from background work.
 */
export async function rejectWrites(
  database: Database,
  workspaceId: string,
  tables: readonly MovedTable[],
): Promise<void> {
  await sql`
    create or replace function ${sql.ref(blocker)}() returns trigger language plpgsql as $$
    begin
      if coalesce(new.workspace_id, old.workspace_id) = tg_argv[0]::uuid then
        raise exception 'the workspace is being moved to another database' using errcode = 'cannot_connect_now';
      end if;
      return coalesce(new, old);
    end $$`.execute(database);
  for (const { name, columns } of tables) {
    const noted = columns.filter((column) => column !== 'last_used_at').map((column) => sql.ref(column));
    const updates = name === 'tokens' ? sql`update of ${sql.join(noted)}` : sql`update`;
    await alterTable(
      database,
      sql`create or replace trigger ${sql.ref(triggerName(workspaceId))} before insert or delete or ${updates}
        on ${sql.table(name)} for each row execute function ${sql.ref(blocker)}(${sql.lit(workspaceId)})`,
    );
  }
}

export async function acceptWrites(
  database: Database,
  workspaceId: string,
  tables: readonly MovedTable[],
): Promise<void> {
  for (const { name } of tables.toReversed())
    await alterTable(database, sql`drop trigger if exists ${sql.ref(triggerName(workspaceId))} on ${sql.table(name)}`);
  // Another workspace that is being moved still needs the function.
  await sql`drop function if exists ${sql.ref(blocker)}()`.execute(database).catch((error: unknown) => {
    if (readSqlState(error) !== '2BP01') throw error;
  });
}

export async function rejectsWrites(database: Database, workspaceId: string): Promise<boolean> {
  const { rows } = await sql`
    select from pg_trigger where tgname = ${triggerName(workspaceId)} limit 1`.execute(database);
  return rows.length > 0;
}

/** Writers of the table wait while the statement waits for its lock, so it waits for two seconds and tries again. */
async function alterTable(database: Database, statement: ReturnType<typeof sql>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await database.transaction().execute(async (tx) => {
        await sql`select set_config('lock_timeout', ${lockTimeout}, true)`.execute(tx);
        await statement.execute(tx);
      });
      return;
    } catch (error) {
      if (readSqlState(error) !== '55P03' || tries === maxTries) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

const maxTries = 60;
