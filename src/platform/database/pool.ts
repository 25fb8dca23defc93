import { type Socket } from 'node:net';
import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresDialect,
  PostgresDriver,
  sql,
  type Transaction,
  type TransactionSettings,
} from 'kysely';
import pg from 'pg';
import { isLockConflict } from './database-errors.js';
import { type Tables } from './tables.js';

/**
 * The role of the running service. It owns nothing and cannot bypass row-level security; the first migration creates
 * it.
 */
export const appRole = 'commissions_app';

/** Session settings of every connection of the service. */
export const appSessionOptions = `-c role=${appRole} -c timezone=UTC`;

export type Database = Kysely<Tables>;

/** A transaction. */
export type Work = Transaction<Tables>;

export interface PoolOptions {
  readonly url: string;
  readonly size: number;
  readonly onError: (error: Error) => void;
  /** Connects as the owner, for migrations. Default: the service's role. */
  readonly asOwner?: boolean;
}

const dateType = 1082;

/**
 * A connection pool that returns dates as `YYYY-MM-DD` text: a Date object would shift them by the machine's time
 * zone.
 */
export function createDatabase({ url, size, onError, asOwner = false }: PoolOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    connectionTimeoutMillis: 10_000,
    // Detects an unreachable server within half a minute.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    idleTimeoutMillis: 30_000,
    application_name: asOwner ? 'commissions-migrate' : 'commissions',
    // Statements that do not await each other share a round trip. The server executes them in order.
    pipeline: true,
    ...(asOwner ? {} : { options: appSessionOptions }),
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
  });
  return new Kysely<Tables>({ dialect: new PipeliningDialect(pool) });
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

/**
 * Makes the statements of the transaction share round trips: Kysely would send each one after the response to the
 * one before, even if the caller does not await it. The server executes them in order. After a failure it rejects
 * the following statements, so each of them throws the first error.
 */
export async function enablePipelining(trx: Kysely<Tables>): Promise<void> {
  const executor = trx.getExecutor();
  const connection = await executor.provideConnection(async (own) => own);
  connections.set(trx, connection);
  let cause: unknown = null;
  const pipelined: DatabaseConnection = {
    executeQuery: async <Row>(query: CompiledQuery) => {
      try {
        return await connection.executeQuery<Row>(query);
      } catch (error) {
        cause = isLockConflict(error) ? (cause ?? error) : error;
        throw cause;
      }
    },
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  };
  executor.provideConnection = (consumer) => consumer(pipelined);
}

/** Connections of pipelining transactions. */
const connections = new WeakMap<Kysely<Tables>, DatabaseConnection>();
const lastStatements = new WeakMap<DatabaseConnection, CompiledQuery[]>();

/**
 * Sends the statements together with the commit, after everything else of the transaction. If one of them fails, the
 * transaction fails and is rolled back.
 */
export function executeWithCommit(trx: Kysely<Tables>, ...statements: readonly CompiledQuery[]): void {
  const connection = connections.get(trx);
  if (connection === undefined) throw new Error('the transaction does not pipeline');
  lastStatements.set(connection, [...(lastStatements.get(connection) ?? []), ...statements]);
}

class PipeliningDialect extends PostgresDialect {
  constructor(private readonly pool: pg.Pool) {
    super({ pool });
  }

  override createDriver(): PostgresDriver {
    return new PipeliningDriver({ pool: this.pool });
  }
}

/**
 * Sends the first statement of a transaction together with its BEGIN. A transaction does not end before BEGIN has
 * succeeded or failed.
 */
class PipeliningDriver extends PostgresDriver {
  private readonly begun = new WeakMap<DatabaseConnection, Promise<void>>();

  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const begun = super.beginTransaction(connection, settings);
    // Statements after a failed BEGIN fail too: row-level security requires the workspace setting of the
    // transaction.
    begun.catch(() => undefined);
    this.begun.set(connection, begun);
  }

  /** The server accepts COMMIT after a failed statement and rolls back, without an error. */
  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await this.begun.get(connection);
    const statements = lastStatements.get(connection) ?? [];
    lastStatements.delete(connection);
    await Promise.all([
      ...statements.map((statement) => connection.executeQuery(statement)),
      super.commitTransaction(connection),
    ]);
  }

  /** Throws the error of a failed BEGIN, in place of the errors of the statements that followed it. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    lastStatements.delete(connection);
    await super.rollbackTransaction(connection);
    await this.begun.get(connection);
  }
}

/**
 * Throws if the role can bypass row-level security: a superuser, a role with BYPASSRLS or an owner of tables. A
 * connection pooler may drop the requested role and time zone, so the actual values are checked.
 */
export async function assertHarmlessRole(database: Database): Promise<void> {
  const { rows } = await sql<{ name: string; bypasses: boolean; owns: boolean; zone: string }>`
    select r.rolname as name, current_setting('TimeZone') as zone, r.rolsuper or r.rolbypassrls as bypasses,
      exists (select from pg_tables t where t.schemaname = 'public' and t.tableowner = r.rolname) as owns
    from pg_roles r where r.rolname = current_user`.execute(database);
  const role = rows[0];
  if (role === undefined || role.bypasses || role.owns) {
    throw new Error(
      `The service would run as the database role ${role?.name ?? 'unknown'}, which can read past row-level security. ` +
        `Connect with a login role that is a member of ${appRole} and owns no tables.`,
    );
  }
  if (role.zone !== 'UTC')
    throw new Error(
      `The connections of the service would have the time zone ${role.zone}. ` +
        `Behind a pooler, give the role its own: alter role ${role.name} set timezone = 'UTC'.`,
    );
}
