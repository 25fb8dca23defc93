import { type Config } from '../config.js';
import { type Log } from '../log.js';

/** A PostgreSQL to work on: the caller's own, or one that we start and stop. */
export interface DatabaseServer {
  /** Connects as the owner, for migrations; the service itself always takes on its harmless role. */
  readonly ownerUrl: string;
  readonly appUrl: string;
  readonly embedded: boolean;
  stop(): Promise<void>;
}

export async function openDatabaseServer(config: Config, log: Log): Promise<DatabaseServer> {
  if (config.DATABASE_URL !== undefined) {
    return {
      ownerUrl: config.DATABASE_OWNER_URL ?? config.DATABASE_URL,
      appUrl: config.DATABASE_URL,
      embedded: false,
      stop: async () => {},
    };
  }
  // Loaded only when it is needed: production images may leave the package out.
  const { startEmbeddedPostgres } = await import('#embedded-postgres/embedded-postgres.js');
  const server = await startEmbeddedPostgres({
    dataDir: config.DATA_DIR,
    log: (line) => log.info({ postgres: line }, 'embedded PostgreSQL'),
  });
  return { ownerUrl: server.ownerUrl, appUrl: server.ownerUrl, embedded: true, stop: () => server.stop() };
}
