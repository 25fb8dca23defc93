import { Cluster, Redis } from 'ioredis';
import { timeLimit } from '../../kernel/time-limit.js';
import { type Config } from '../config.js';

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
