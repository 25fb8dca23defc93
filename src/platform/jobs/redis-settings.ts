import { Redis } from 'ioredis';
import { timeLimit } from '../../kernel/time-limit.js';
import { type Config } from '../config.js';
import { type Log } from '../log.js';

const timeoutMs = timeLimit(3000);

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
  if (config.REDIS_URL === undefined) return;
  const settings = await readRedisSettings(config.REDIS_URL).catch((error: unknown) => {
    log.warn({ err: error }, 'reading the settings of Redis failed');
    return null;
  });
  const problems = settings === null ? [] : redisProblems(settings);
  if (problems.length === 0) return;
  if (config.NODE_ENV === 'production') throw new Error(problems.join(' '));
  for (const problem of problems) log.warn(problem);
}

/** Rejects if Redis is unreachable or does not permit CONFIG. */
export async function readRedisSettings(url: string): Promise<RedisSettings> {
  const redis = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    retryStrategy: () => null,
  });
  redis.on('error', () => {});
  try {
    await redis.connect();
    const [, appendOnly] = (await redis.config('GET', 'appendonly')) as string[];
    const [, maxMemoryPolicy = ''] = (await redis.config('GET', 'maxmemory-policy')) as string[];
    return { appendOnly: appendOnly === 'yes', maxMemoryPolicy };
  } finally {
    redis.disconnect();
  }
}

export function redisProblems({ appendOnly, maxMemoryPolicy }: RedisSettings): string[] {
  return [
    ...(appendOnly
      ? []
      : ['Redis keeps no append-only file and loses waiting jobs on a restart. Start it with --appendonly yes.']),
    ...(maxMemoryPolicy === 'noeviction'
      ? []
      : [`Redis evicts keys when memory is short (${maxMemoryPolicy}). Start it with --maxmemory-policy noeviction.`]),
  ];
}
