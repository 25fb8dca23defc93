import { type Socket } from 'node:net';
import { type CompiledQuery, type DatabaseConnection, Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import { timeLimit } from '../../kernel/time-limit.js';
import { isFollowUpError, readSqlState } from './database-errors.js';
import { connectionTo } from './primary-host.js';
import { type Tables } from './tables.js';

/**
 * The role of the running service. It owns nothing and cannot bypass row-level security; the first migration creates
 * it.
 */
export const appRole = 'commissions_app';

/** What PostgreSQL lists as the application of the service's connections. */
export const serviceName = 'commissions';

/**
 * Session settings of every connection of the service. Compiling a statement (`jit`, on by default in PostgreSQL) takes
 * 2.7 s where executing it takes 30 ms.
 */
export const appSessionOptions = `-c role=${appRole} -c timezone=UTC -c jit=off`;

/** Lets the owner read all workspaces; see migrations/tenant-table.ts. */
export const ownerSessionOptions = '-c app.all_workspaces=on';

export type Database = Kysely<Tables>;

/** A transaction of the database in the form of Kysely. */
export type DatabaseTransaction = Transaction<Tables>;

interface PoolOptions {
  readonly url: string;
  readonly size: number;
  readonly onError: (error: Error) => void;
  /** Connects as the owner, for migrations. Default: the service's role. */
  readonly asOwner?: boolean;
  /** Called with the socket of each connection before it is opened. */
  readonly onSocket?: (socket: Socket) => void;
}

const dateType = 1082;

/**
 * A connection pool that returns dates as `YYYY-MM-DD` text: a Date object would shift them by the machine's time
 * zone.
 */
export function createDatabase({ url, size, onError, asOwner = false, onSocket }: PoolOptions): Database {
  const pool = new pg.Pool({
    ...connectionTo(url, onSocket),
    max: size,
    connectionTimeoutMillis: timeLimit(10_000),
    // Detects an unreachable server within half a minute.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    idleTimeoutMillis: 30_000,
    application_name: asOwner ? `${serviceName}-migrate` : serviceName,
    // Statements that do not await each other share a round trip. The server executes them in order.
    pipeline: true,
    options: asOwner ? ownerSessionOptions : appSessionOptions,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === dateType ? (value: string) => value : pg.types.getTypeParser(oid, format),
    } as pg.CustomTypesConfig,
  });
  // Without listeners, a lost connection ends the process. The pool listens on idle connections only, not on
  // connections in use.
  pool.on('error', onError);
  pool.on('connect', (client) => {
    client.on('error', onError);
    coalesceSocketWrites(client);
    returnLastResults(client);
  });
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** Opens a database for the duration of the work. */
export async function withDatabase<T>(
  { size = 1, ...options }: Omit<PoolOptions, 'size' | 'onError'> & { readonly size?: number },
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = createDatabase({ ...options, size, onError: () => {} });
  try {
    return await work(database);
  } finally {
    await database.destroy();
  }
}

/**
 * Sends statements that are issued together, such as BEGIN, the workspace setting and the first queries, in one
 * write. node-postgres flushes its stream after every statement, and a system call costs more than the statement's
 * text. `nextTick` runs when no promise callback is left, so no statement is delayed.
 */
function coalesceSocketWrites(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
  const uncork = stream.uncork.bind(stream);
  stream.uncork = () => process.nextTick(uncork);
}

/** A message of several statements, such as BEGIN and what follows it, has the result of the last. */
function returnLastResults(client: pg.PoolClient): void {
  const query = (...args: unknown[]) => {
    const sent: unknown = Reflect.apply(pg.Client.prototype.query, client, args);
    return sent instanceof Promise ? sent.then((results: unknown) => [results].flat().at(-1)) : sent;
  };
  client.query = query as typeof client.query;
}

/**
 * Makes the statements of the transaction share round trips: Kysely would send each one after the response to the
 * one before, even if the caller does not await it. The server executes them in order. After a failure it rejects
 * the following statements, so each of them throws the first error. Returns the connection of the transaction.
 */
export async function enablePipelining(db: DatabaseTransaction): Promise<DatabaseConnection> {
  const executor = db.getExecutor();
  const connection = await executor.provideConnection(async (own) => own);
  let cause: unknown = null;
  const pipelined: DatabaseConnection = {
    executeQuery: async <Row>(query: CompiledQuery) => {
      try {
        return await connection.executeQuery<Row>(query);
      } catch (error) {
        cause = isFollowUpError(error) ? (cause ?? error) : error;
        throw cause;
      }
    },
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  };
  executor.provideConnection = (consumer) => consumer(pipelined);
  return connection;
}

interface SessionRole {
  readonly login: string;
  readonly name: string;
  readonly zone: string;
  /** A role with too many rights that the session has or can take, or null. */
  readonly reachable: string | null;
}

/**
 * Throws if the session can bypass row-level security: if its login, or a role that the login can become, is a
 * superuser, has BYPASSRLS, may grant roles to itself (CREATEROLE), or owns tables. `set role none` therefore gives no
 * further rights. A connection pooler may drop the requested role and time zone, so the actual values are checked.
 */
export async function assertHarmlessRole(database: Database): Promise<void> {
  const { login, name, zone, reachable } = await readSessionRole(database);
  if (reachable !== null)
    throw new Error(
      `The service connects as the database role ${login}, which ${reachable === login ? 'can' : `can become ${reachable} and`} ` +
        `read past row-level security. ${ownLogin}`,
    );
  if (zone !== 'UTC')
    throw new Error(
      `The connections of the service would have the time zone ${zone}. ` +
        `Behind a pooler, give the role its own: alter role ${name} set timezone = 'UTC'.`,
    );
}

const ownLogin =
  `Give the service a login that owns nothing: as the owner of the tables, run "alter role ${appRole} login password '...'", ` +
  `then set DATABASE_URL to a URL with the user ${appRole} and this password, and DATABASE_OWNER_URL to the URL of the owner.`;

async function readSessionRole(database: Database): Promise<SessionRole> {
  try {
    const { rows } = await sql<SessionRole>`
      select session_user as login, current_user as name, current_setting('TimeZone') as zone, (
        select r.rolname from pg_roles r
        where (r.rolname = current_user or pg_has_role(session_user, r.oid, 'member'))
          and (r.rolsuper or r.rolbypassrls or r.rolcreaterole or exists (
            select from pg_class c where c.relnamespace = 'public'::regnamespace and c.relowner = r.oid))
        order by r.rolname <> session_user, r.rolname limit 1) as reachable`.execute(database);
    return rows[0] as SessionRole;
  } catch (error) {
    // The server rejects the connection, which requests the role.
    if (readSqlState(error) === roleMissing)
      throw new Error(`The database role ${appRole} does not exist. Run "npx commissions migrate" first.`);
    if (readSqlState(error) === roleDenied)
      throw new Error(`The login of DATABASE_URL is not a member of the database role ${appRole}. ${ownLogin}`);
    throw error;
  }
}

const roleMissing = '22023';
const roleDenied = '42501';
