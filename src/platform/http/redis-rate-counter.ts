import { type Cluster, type Redis } from 'ioredis';
import { withTimeout } from '../../kernel/waiting.js';
import { keyPrefix } from '../jobs/queue-name.js';
import { type Log } from '../log.js';
import { connectForAnswers, connectTimeoutMs, type RedisServers } from '../redis/redis-connection.js';
import { type Counted, type RateCounter } from './rate-limit.js';

/** Counts the request if fewer than `max` were counted in this second and the 60 before it. Second n counts until n + 61. */
const countRequest = `
local max = tonumber(ARGV[1])
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) + tonumber(time[2]) / 1000000
end
local second = math.floor(now)
local used, oldest, gone = 0, second, {}
local counts = redis.call('HGETALL', KEYS[1])
for i = 1, #counts, 2 do
  local counted = tonumber(counts[i])
  if counted < second - 60 then
    gone[#gone + 1] = counts[i]
  else
    used = used + tonumber(counts[i + 1])
    oldest = math.min(oldest, counted)
  end
end
if #gone > 0 then redis.call('HDEL', KEYS[1], unpack(gone)) end
local accepted = used < max
if accepted then
  used = used + 1
  redis.call('HINCRBY', KEYS[1], string.format('%d', second), 1)
  redis.call('EXPIRE', KEYS[1], 70)
end
return {accepted and 1 or 0, math.max(max - used, 0), oldest + 61, string.format('%.3f', now)}
`;

type CountRequest = (
  key: string,
  limit: number,
  at: string,
) => Promise<[accepted: 0 | 1, remaining: number, resetSecond: number, now: string]>;

/** Counts in Redis with one script for each request: a hash of seconds for each token. */
export class RedisRateCounter implements RateCounter {
  private constructor(private readonly redis: Redis | Cluster) {}

  /** Never waits for a Redis that is not reachable: a command that cannot be sent at once fails at once. */
  static async open(servers: RedisServers, log: Log): Promise<RedisRateCounter> {
    const redis = connectForAnswers(servers, log);
    redis.defineCommand('countRequest', { numberOfKeys: 1, lua: countRequest });
    await withTimeout<unknown>(connectTimeoutMs, redis.connect(), () => undefined).catch(() => undefined);
    return new RedisRateCounter(redis);
  }

  async count(workspaceId: string, tokenId: string, limit: number, at?: Date): Promise<Counted> {
    const { countRequest } = this.redis as unknown as { countRequest: CountRequest };
    const seconds = at === undefined ? '' : String(at.getTime() / 1000);
    const key = `${keyPrefix}:rate:${workspaceId}:${tokenId}`;
    const [accepted, remaining, resetSecond, now] = await countRequest.call(this.redis, key, limit, seconds);
    return { accepted: accepted === 1, remaining, resetSecond, nowSecond: Number(now) };
  }

  async close(): Promise<void> {
    this.redis.disconnect();
  }
}
