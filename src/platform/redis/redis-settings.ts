import { Cluster, type Redis } from 'ioredis';
import { timeLimit } from '../../kernel/time-limit.js';
import { mapInParallel, withTimeout } from '../../kernel/waiting.js';
import { type Config } from '../config.js';
import { type Log } from '../log.js';
import { connectRedis, type RedisServers, redisServers } from './redis-connection.js';

const timeoutMs = timeLimit(2000);

/** The server's settings. Many hosted Redis servers do not permit CONFIG. */
interface RedisSettings {
  readonly appendOnly: boolean;
  readonly maxMemoryPolicy: string;
}

/**
 * In production, rejects a Redis that may lose keys: without an append-only file, or with eviction when memory is
 * short. No commission would be lost, because the work is stored in PostgreSQL, but every lost wake-up delays a
 * calculation by seconds.
 */
export async function checkRedis(config: Config, log: Log): Promise<void> {
  const servers = redisServers(config);
  if (servers === null) return;
  const settings = await readRedisSettings(servers).catch((error: unknown) => {
    log.warn({ err: error }, 'reading the settings of Redis failed');
    return [];
  });
  const problems = redisProblems(settings);
  if (problems.length === 0) return;
  if (config.NODE_ENV === 'production') throw new Error(problems.join(' '));
  for (const problem of problems) log.warn(problem);
}

/** The settings of every master. Rejects if Redis is unreachable or does not permit CONFIG. */
export async function readRedisSettings(servers: RedisServers): Promise<RedisSettings[]> {
  const redis = connectRedis(servers, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    retryStrategy: () => null,
  });
  // Commands fail with "Connection is closed"; the reason is in the event.
  let reason: Error | undefined;
  redis.on('error', (error: Error) => {
    reason ??= error;
  });
  try {
    return await withTimeout(timeoutMs, readSettings(redis), () => {
      throw reason ?? new Error(`no response within ${timeoutMs} ms`);
    });
  } catch (error) {
    throw reason ?? error;
  } finally {
    redis.disconnect();
  }
}

async function readSettings(redis: Redis | Cluster): Promise<RedisSettings[]> {
  await redis.connect();
  const masters = redis instanceof Cluster ? redis.nodes('master') : [redis];
  return mapInParallel(masters, async (master) => {
    const [, appendOnly] = (await master.config('GET', 'appendonly')) as string[];
    const [, maxMemoryPolicy = ''] = (await master.config('GET', 'maxmemory-policy')) as string[];
    return { appendOnly: appendOnly === 'yes', maxMemoryPolicy };
  });
}

export function redisProblems(masters: readonly RedisSettings[]): string[] {
  const evicting = masters.find(({ maxMemoryPolicy }) => maxMemoryPolicy !== 'noeviction');
  return [
    ...(masters.every(({ appendOnly }) => appendOnly)
      ? []
      : ['Redis keeps no append-only file and loses waiting jobs on a restart. Start it with --appendonly yes.']),
    ...(evicting === undefined
      ? []
      : [
          `Redis evicts keys when memory is short (${evicting.maxMemoryPolicy}). Start it with --maxmemory-policy noeviction.`,
        ]),
  ];
}
