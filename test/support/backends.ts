import { withDatabase } from '#src/platform/database/pool.js';
import { UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { createWorkspace } from '#src/workspaces/create-workspace.js';
import { migrateTestDatabase } from './migrate-test-database.js';
import { type RedisServer, startRedis } from './redis-server.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';

/** The two backends of the queue. */
export const backends = ['postgres', 'redis'] as const;

/** A database, a Redis if needed, and the settings of processes that use them. */
export interface Servers {
  readonly database: TestDatabase;
  readonly redis: RedisServer | null;
  readonly environment: Readonly<Record<string, string>>;
  workspace(): Promise<{ workspaceId: string; apiKey: string }>;
  stop(): Promise<void>;
}

/** Returns null if Redis is needed and not installed; with CI set that is an error. */
export async function startServers(backend: (typeof backends)[number]): Promise<Servers | null> {
  const redis = backend === 'redis' ? await startRedis() : null;
  if (backend === 'redis' && redis === null) return null;
  const database = await createTestDatabase({ migrate: migrateTestDatabase });
  return {
    database,
    redis,
    environment: {
      ...database.environment,
      PORT: '0',
      LOG_LEVEL: 'warn',
      RATE_LIMIT_PER_MINUTE: '1000000',
      MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      ...(redis === null ? {} : { REDIS_URL: redis.url }),
    },
    workspace: () => newWorkspace(database.appUrl),
    stop: async () => {
      await redis?.stop();
      await database.drop();
    },
  };
}

/** Creates a workspace without a running service. */
export async function newWorkspace(appUrl: string): Promise<{ workspaceId: string; apiKey: string }> {
  const terms = { name: 'Test', tier: 'enterprise', currency: 'USD', timezone: 'UTC' } as const;
  return withDatabase({ url: appUrl }, (database) => createWorkspace(new UnitOfWork(database), terms));
}
