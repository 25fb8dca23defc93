import { type Cluster, type Redis } from 'ioredis';
import { keyPrefix } from '../jobs/queue-name.js';
import { type Log } from '../log.js';
import { connectForAnswers, type RedisServers } from '../redis/redis-connection.js';

/** A state that was read from the database, and the transaction id after which it was read. */
export interface PublishedStatus {
  readonly revision: string;
  readonly hasEnded: boolean;
  /** The job in JSON. */
  readonly job: string;
}

/**
 * Replaces the stored state, unless it is a later one or that of a job that has ended. A state that is read late therefore
 * never hides a newer one.
 */
const publish = `
local stored = redis.call('HMGET', KEYS[1], 'revision', 'ended')
if stored[2] == '1' or (stored[1] and tonumber(stored[1]) > tonumber(ARGV[1])) then return 0 end
redis.call('HSET', KEYS[1], 'revision', ARGV[1], 'ended', ARGV[2], 'job', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1
`;

/** Returns the state of a job that has ended, or one that was published in the last milliseconds of the argument. */
const read = `
local stored = redis.call('HMGET', KEYS[1], 'ended', 'job')
if stored[1] == '1' or redis.call('PTTL', KEYS[1]) > tonumber(ARGV[1]) then return stored[2] end
return false
`;

/** How long a state is kept. It is renewed by each publication, so a key that expires in 55 s was published 5 s ago. */
const runningMs = 60_000;
const freshMs = 5000;
const endedMs = 3_600_000;

interface Scripts {
  publishJob(key: string, revision: string, ended: string, job: string, lifetimeMs: number): Promise<number>;
  readJob(key: string, minMs: number): Promise<string | null>;
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

  /** The job in JSON; null if Redis has no state of it that is still valid. Rejects if Redis does not answer in time. */
  read(workspaceId: string, jobId: string): Promise<string | null> {
    return this.scripts.readJob(this.key(workspaceId, jobId), runningMs - freshMs);
  }

  async publish(workspaceId: string, jobId: string, { revision, hasEnded, job }: PublishedStatus): Promise<void> {
    const lifetimeMs = hasEnded ? endedMs : runningMs;
    await this.scripts.publishJob(this.key(workspaceId, jobId), revision, hasEnded ? '1' : '0', job, lifetimeMs);
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
