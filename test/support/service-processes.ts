import { createDatabase, type Database } from '#src/platform/database/pool.js';
import { UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { migrateTestDatabase } from './migrate-test-database.js';
import { type RedisServer, startRedis } from './redis-server.js';
import { RunningService, type Settings } from './running-service.js';
import { type ProcessKind, type ProcessOptions } from './service-process.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';

export const backends = ['postgres', 'redis'] as const;

interface Options {
  /** Default: PostgreSQL. */
  readonly backend?: (typeof backends)[number];
  /** The processes that are started at once; `startProcess` starts others. */
  readonly processes?: readonly ProcessKind[];
  /** Environment variables of all processes. */
  readonly settings?: Settings;
  /** How these processes are started. */
  readonly processOptions?: ProcessOptions;
  /** Default: a new, migrated database. */
  readonly database?: TestDatabase;
}

/** The service as processes with their own database, and their own Redis if that is the backend of the queue. */
export class ServiceProcesses extends RunningService {
  private constructor(
    database: TestDatabase,
    settings: Settings,
    private readonly connections: Database,
    readonly redis: RedisServer | null,
  ) {
    super(database, settings, new UnitOfWork(connections));
  }

  /** Throws if Redis is needed and not installed; {@link startIfInstalled} skips then. */
  static async start(options: Options = {}): Promise<ServiceProcesses> {
    const service = await ServiceProcesses.startIfInstalled(options);
    if (service === null) throw new Error('redis-server is not installed');
    return service;
  }

  /** Returns null if Redis is needed and not installed; with CI set that is an error. */
  static async startIfInstalled({
    backend = 'postgres',
    processes = [],
    settings = {},
    processOptions,
    database: created,
  }: Options): Promise<ServiceProcesses | null> {
    const redis = backend === 'redis' ? await startRedis() : null;
    if (backend === 'redis' && redis === null) return null;
    const database = created ?? (await createTestDatabase({ migrate: migrateTestDatabase }));
    const connections = createDatabase({ url: database.appUrl, size: 2, onError: () => undefined });
    const queue = redis === null ? {} : { REDIS_URL: redis.url };
    const service = new ServiceProcesses(database, { ...queue, ...settings }, connections, redis);
    try {
      // The first process migrates an empty database.
      for (const kind of processes) await service.startProcess(kind, {}, processOptions);
    } catch (error) {
      await service.stop();
      throw error;
    }
    return service;
  }

  /** The URL of the newest process with an API. */
  get url(): string {
    const api = this.processes.findLast(({ kind }) => kind !== 'worker');
    if (api === undefined) throw new Error('no process has an API');
    return api.url;
  }

  override async stop(): Promise<void> {
    await this.connections.destroy();
    await super.stop();
    await this.redis?.stop();
  }
}
