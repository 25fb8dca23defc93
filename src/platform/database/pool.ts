import {
  type DatabaseConnection,
  Kysely,
  PostgresDialect,
  PostgresDriver,
  sql,
  type TransactionSettings,
} from 'kysely';
import pg from 'pg';
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
  pool.on('connect', (client) => client.on('error', onError));
  return new Kysely<Tables>({ dialect: new PipeliningDialect(pool) });
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

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await this.begun.get(connection);
    await super.commitTransaction(connection);
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
