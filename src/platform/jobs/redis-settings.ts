import { Redis } from 'ioredis';
import { type Config } from '../config.js';
import { type Log } from '../log.js';

const answerWithinMs = 3000;

/** What the server says of itself; null where it does not let itself be asked, as many a hosted Redis does. */
export interface RedisSettings {
  readonly appendOnly: boolean;
  readonly maxMemoryPolicy: string;
}

/**
 * In production a Redis that forgets is refused: one that keeps no append-only file, or throws keys out when memory
 * is short. No pay would be lost, since the work stands in PostgreSQL, but every wake-up would, and each is seconds.
 */
export async function checkRedis(config: Config, log: Log): Promise<void> {
  if (config.REDIS_URL === undefined) return;
  const settings = await readRedisSettings(config.REDIS_URL).catch((error: unknown) => {
    log.warn({ err: error }, 'the settings of Redis could not be read');
    return null;
  });
  const complaints = settings === null ? [] : redisProblems(settings);
  if (complaints.length === 0) return;
  if (config.NODE_ENV === 'production') throw new Error(complaints.join(' '));
  for (const complaint of complaints) log.warn(complaint);
}

/** Rejects when Redis cannot be reached or refuses CONFIG. */
export async function readRedisSettings(url: string): Promise<RedisSettings> {
  const redis = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    connectTimeout: answerWithinMs,
    commandTimeout: answerWithinMs,
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
      : ['Redis keeps no append-only file: start it with --appendonly yes, or it forgets what waits when it ends.']),
    ...(maxMemoryPolicy === 'noeviction'
      ? []
      : [
          `Redis throws keys out when memory is short (${maxMemoryPolicy}): start it with --maxmemory-policy noeviction.`,
        ]),
  ];
}
