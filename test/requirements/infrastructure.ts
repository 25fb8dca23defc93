import { dividedTables, divideTable } from '#test/support/divided-tables.js';
import { migrateTestDatabase } from '#test/support/migrate-test-database.js';
import { createPooledLogin, startPgBouncer } from '#test/support/pgbouncer.js';
import { startRedisCluster, startRedisSentinel } from '#test/support/redis-group.js';
import { startRedis } from '#test/support/redis-server.js';
import { type Settings, testMasterKey } from '#test/support/running-service.js';
import { type ProcessKind } from '#test/support/service-process.js';
import { createTestDatabase, type TestDatabase } from '#test/support/test-database.js';

/** What the service runs on in place of its embedded parts. */
export interface Infrastructure {
  readonly database: TestDatabase;
  readonly settings: Settings;
  readonly processes: readonly ProcessKind[];
  stop(): Promise<unknown>;
}

type Part = Partial<Pick<Infrastructure, 'settings' | 'processes' | 'stop'>>;

/** What REQUIREMENTS_ON names; docs/testing.md lists it. */
const parts: Readonly<Record<string, (database: TestDatabase) => Promise<Part>>> = {
  'redis-cluster': async () => present(await startRedisCluster()),
  'redis-sentinel': async () => present(await startRedisSentinel()),
  shards: async () => {
    const eu = await createTestDatabase({ migrate: migrateTestDatabase });
    const shard = { name: 'eu', url: eu.appUrl, ownerUrl: eu.environment.DATABASE_OWNER_URL };
    return { settings: { DATABASE_SHARDS: JSON.stringify([shard]) }, stop: () => eu.drop() };
  },
  partitions: async ({ environment }) => {
    for (const table of dividedTables) present(await divideTable(environment.DATABASE_OWNER_URL, table));
    return {};
  },
  poolers: async ({ appUrl }) => {
    const redis = present(await startRedis());
    const pooler = present(await startPgBouncer(await createPooledLogin(appUrl, 'requirements_login')));
    return {
      settings: { DATABASE_URL: pooler.url, REDIS_URL: redis.url },
      processes: ['api', 'api', 'worker', 'worker'],
      stop: () => Promise.all([redis.stop(), pooler.stop()]),
    };
  },
};

/** Null without REQUIREMENTS_ON. */
export async function startInfrastructure(): Promise<Infrastructure | null> {
  const kind = process.env['REQUIREMENTS_ON'];
  if (kind === undefined) return null;
  const start = parts[kind];
  if (start === undefined) throw new Error(`REQUIREMENTS_ON must be one of ${Object.keys(parts).join(', ')}`);
  const database = await createTestDatabase({ migrate: migrateTestDatabase });
  const { settings = {}, processes = ['both'], stop = async () => undefined } = await start(database);
  return { database, settings: { ...database.environment, MASTER_KEY: testMasterKey, ...settings }, processes, stop };
}

function present<T>(started: T | null | false): T {
  if (started === null || started === false) throw new Error('a program that REQUIREMENTS_ON needs is not installed');
  return started;
}
