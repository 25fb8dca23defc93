import { type Socket } from 'node:net';
import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresDialect,
  PostgresDriver,
  sql,
  type TransactionSettings,
} from 'kysely';
import pg from 'pg';
import { isLockConflict } from './database-errors.js';
import { type Tables } from './tables.js';

/** Owns nothing and cannot pass row-level security; made by the first migration. */
export const appRole = 'commissions_app';

/** Session settings of every connection of the running service: its role, and exact plain output. */
export const appSessionOptions = `-c role=${appRole} -c timezone=UTC`;

export type Database = Kysely<Tables>;

export interface PoolOptions {
  readonly url: string;
  readonly size: number;
  readonly onError: (error: Error) => void;
  /** Connects as the owner, for migrations; default is the service's role. */
  readonly asOwner?: boolean;
}

const dateType = 1082;

/** A pool whose days stay `YYYY-MM-DD` text: a Date would move them by the machine's time zone. */
export function createDatabase({ url, size, onError, asOwner = false }: PoolOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    connectionTimeoutMillis: 10_000,
    // A server that is lost without a word is found out within half a minute, where it was waited for.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    idleTimeoutMillis: 30_000,
    application_name: asOwner ? 'commissions-migrate' : 'commissions',
    // Statements that do not wait for one another's answers share a round trip. The server works them off in order.
    pipeline: true,
    ...(asOwner ? {} : { options: appSessionOptions }),
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === dateType ? (value: string) => value : pg.types.getTypeParser(oid, format),
    } as pg.CustomTypesConfig,
  });
  // Without listeners a server that goes away would take the whole process with it. The pool hears its idle
  // connections; one that breaks while it is lent out, between two statements, is heard by nobody else.
  pool.on('error', onError);
  pool.on('connect', (client) => {
    client.on('error', onError);
    gatherWrites(client);
  });
  return new Kysely<Tables>({ dialect: new PipeliningDialect(pool) });
}

/**
 * Sends what is asked at the same moment, such as a begin, the names of the workspace and the first questions, in one
 * write: node-postgres lets go of its stream after every statement, and a system call costs more than the statement's
 * text. Ticks come when no promise is left to go on, so nothing waits for anything but what is ready to be sent.
 */
function gatherWrites(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
  const uncork = stream.uncork.bind(stream);
  stream.uncork = () => process.nextTick(uncork);
}

/**
 * Kysely has each statement of a transaction wait for the answer to the last one, also where the caller does not. Let
 * go, they share a round trip; the server still works them off in the order in which they are asked. What is asked behind
 * one that fails is refused for that alone, so each of them fails with what was wrong with the first.
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

/** Of transactions that pipeline. */
const connections = new WeakMap<Kysely<Tables>, DatabaseConnection>();
const lastStatements = new WeakMap<DatabaseConnection, CompiledQuery[]>();

/**
 * Has the statements sent in one round trip with the commit, when all that the transaction waits for has been answered.
 * It fails, and nothing of it is kept, if one of them does.
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

/** Sends the first statement of a transaction right behind its begin; no transaction ends before its begin has. */
class PipeliningDriver extends PostgresDriver {
  private readonly begun = new WeakMap<DatabaseConnection, Promise<void>>();

  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const begun = super.beginTransaction(connection, settings);
    // Whatever follows a begin that failed fails too, without the workspace that row-level security asks for.
    begun.catch(() => undefined);
    this.begun.set(connection, begun);
  }

  /** A commit behind a statement that failed is no error to the server: it ends the transaction and keeps nothing. */
  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await this.begun.get(connection);
    const statements = lastStatements.get(connection) ?? [];
    lastStatements.delete(connection);
    await Promise.all([
      ...statements.map((statement) => connection.executeQuery(statement)),
      super.commitTransaction(connection),
    ]);
  }

  /** Where it was the begin that failed, that is told, and not what came of the statements without it. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    lastStatements.delete(connection);
    await super.rollbackTransaction(connection);
    await this.begun.get(connection);
  }
}

/**
 * Refuses a role that could read past row-level security: a superuser, one that bypasses it, or an owner of tables.
 * A pooler may swallow what a connection asks for, its role and its time zone, so both are looked at and not believed.
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
