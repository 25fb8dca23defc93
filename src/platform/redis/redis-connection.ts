import { Cluster, Redis } from 'ioredis';
import { timeLimit } from '../../kernel/time-limit.js';
import { type Config } from '../config.js';
import { type Log } from '../log.js';

/** How long an attempt to connect takes at most. */
export const connectTimeoutMs = timeLimit(2000);

/** The settings of one server, of a cluster, or of sentinels, which know the master. */
export type RedisServers = Pick<Config, 'REDIS_MODE' | 'REDIS_SENTINEL_NAME' | 'REDIS_SENTINEL_PASSWORD'> & {
  readonly REDIS_URL: string;
};

/** Null if the service uses no Redis. */
export function redisServers(config: Config): RedisServers | null {
  const { REDIS_URL } = config;
  return REDIS_URL === undefined ? null : { ...config, REDIS_URL };
}

interface ConnectionOptions {
  readonly lazyConnect?: boolean;
  readonly enableOfflineQueue?: boolean;
  readonly maxRetriesPerRequest?: number | null;
  readonly connectTimeout?: number;
  readonly commandTimeout?: number;
  /** Returns the pause before the next attempt to connect, in milliseconds, or null for no further one. */
  readonly retryStrategy?: (times: number) => number | null;
}

/** Connects to the server, to the cluster, or to the master that the sentinels name. */
export function connectRedis(servers: RedisServers, options: ConnectionOptions): Redis | Cluster {
  const urls = servers.REDIS_URL.split(',').map((url) => new URL(url));
  const [first] = urls as [URL, ...URL[]];
  const nodes = urls.map((url) => ({ host: url.hostname, port: Number(url.port || 6379) }));
  const access = readAccess(first);
  if (servers.REDIS_MODE === 'single')
    return new Redis({
      ...options,
      ...access,
      ...(nodes[0] as (typeof nodes)[0]),
      db: Number(first.pathname.slice(1)),
    });
  if (servers.REDIS_MODE === 'sentinel')
    return new Redis({ ...options, ...access, ...sentinelAccess(servers, access), sentinels: nodes });
  const { lazyConnect = false, enableOfflineQueue = true, retryStrategy, ...ofNodes } = options;
  return new Cluster(nodes, {
    lazyConnect,
    enableOfflineQueue,
    ...(retryStrategy === undefined ? {} : { clusterRetryStrategy: retryStrategy }),
    // Certificates name hosts. Without this, nodes would be connected by the addresses to which their hosts resolve.
    ...(access.tls === undefined ? {} : { dnsLookup: (host, callback) => callback(null, host) }),
    redisOptions: { ...ofNodes, ...access },
  });
}

/**
 * A connection whose commands answer at once or fail: those that cannot be sent, and those that take more than 250 ms.
 * Nothing waits for a Redis that is not reachable.
 */
export function connectForAnswers(servers: RedisServers, log: Log): Redis | Cluster {
  const redis = connectRedis(servers, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: connectTimeoutMs,
    commandTimeout: timeLimit(250),
    retryStrategy: (times) => Math.min(times * 200, 2000),
  });
  redis.on('error', (error) => log.debug({ err: error }, 'a connection to Redis failed'));
  return redis;
}

interface Access {
  readonly username?: string;
  readonly password?: string;
  readonly tls?: object;
}

function readAccess({ protocol, username, password }: URL): Access {
  return {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
  };
}

function sentinelAccess({ REDIS_SENTINEL_NAME, REDIS_SENTINEL_PASSWORD }: RedisServers, { tls }: Access) {
  return {
    name: REDIS_SENTINEL_NAME,
    // Without it, a sentinel that accepts connections and does not respond keeps the process alive.
    sentinelCommandTimeout: timeLimit(2000),
    ...(REDIS_SENTINEL_PASSWORD === undefined ? {} : { sentinelPassword: REDIS_SENTINEL_PASSWORD }),
    ...(tls === undefined ? {} : { sentinelTLS: tls, enableTLSForSentinelMode: true }),
  };
}
