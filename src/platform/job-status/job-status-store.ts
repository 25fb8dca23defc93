import { type Cluster, type Redis } from 'ioredis';
import { timeLimit } from '../../kernel/time-limit.js';
import { keyPrefix } from '../jobs/queue-name.js';
import { type Log } from '../log.js';
import { connectForAnswers, type RedisServers } from '../redis/redis-connection.js';

/** A state that was read from the database, and the transaction id after which it was read. */
export interface PublishedStatus {
  /** An id is found only as one of this kind of job. */
  readonly kind: string;
  readonly revision: string;
  /** How long the row of a job that has ended is kept; null while the job runs. */
  readonly lifetimeMs: number | null;
  /** The job in JSON; empty if it was deleted, so that no state that was read before hides it. */
  readonly job: string;
}

/**
 * Replaces the stored state, unless it is a later one, or that of a job that has ended and the new one is not. A state
 * that is read late therefore never hides a newer one.
 */
const publish = `
local stored = redis.call('HMGET', KEYS[1], 'revision', 'ended')
if stored[1] and tonumber(stored[1]) > tonumber(ARGV[1]) then return 0 end
if stored[2] == '1' and ARGV[2] == '0' then return 0 end
redis.call('HSET', KEYS[1], 'revision', ARGV[1], 'ended', ARGV[2], 'kind', ARGV[3], 'job', ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return 1
`;

/** Returns the state of a job of the kind that has ended, or that expires after more than these milliseconds. */
const read = `
local stored = redis.call('HMGET', KEYS[1], 'ended', 'job', 'kind')
if stored[3] ~= ARGV[1] then return false end
if stored[1] == '1' or redis.call('PTTL', KEYS[1]) > tonumber(ARGV[2]) then return stored[2] end
return false
`;

/** How long a running state is kept. Each publication renews it, so a key that expires in 55 s was published 5 s ago. */
const runningMs = timeLimit(60_000);
const freshMs = timeLimit(5000);

interface Scripts {
  publishJob(key: string, ...state: readonly (string | number)[]): Promise<number>;
  readJob(key: string, kind: string, minMs: number): Promise<string | null>;
}

/** The status of jobs in Redis: a copy of what PostgreSQL stores, for the requests that poll it. */
export class JobStatusStore {
  private constructor(
    private readonly redis: Redis | Cluster,
    private readonly prefix: string,
  ) {}

  static open(servers: RedisServers, log: Log, prefix: string = keyPrefix): JobStatusStore {
    const redis = connectForAnswers(servers, log);
    void redis.connect().catch(() => undefined);
    redis.defineCommand('publishJob', { numberOfKeys: 1, lua: publish });
    redis.defineCommand('readJob', { numberOfKeys: 1, lua: read });
    return new JobStatusStore(redis, prefix);
  }

  /**
   * The job in JSON; null or empty if Redis has no state of it that is still valid. Rejects if Redis does not answer in
   * time.
   */
  read(workspaceId: string, kind: string, jobId: string): Promise<string | null> {
    return this.scripts.readJob(this.key(workspaceId, jobId), kind, runningMs - freshMs);
  }

  async publish(workspaceId: string, jobId: string, status: PublishedStatus): Promise<void> {
    const { kind, revision, lifetimeMs, job } = status;
    const ended = lifetimeMs === null ? '0' : '1';
    await this.scripts.publishJob(this.key(workspaceId, jobId), revision, ended, kind, job, lifetimeMs ?? runningMs);
  }

  async close(): Promise<void> {
    this.redis.disconnect();
  }

  private get scripts(): Scripts {
    return this.redis as unknown as Scripts;
  }

  private key(workspaceId: string, jobId: string): string {
    return `${this.prefix}:job:${workspaceId}:${jobId}`;
  }
}
