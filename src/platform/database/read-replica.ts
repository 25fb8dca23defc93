import { type Socket } from 'node:net';
import { sql } from 'kysely';
import { timeLimit } from '../../kernel/time-limit.js';
import { inParallel, withTimeout } from '../../kernel/waiting.js';
import { type Log } from '../log.js';
import { metrics } from '../metrics.js';
import { PeriodicTask } from '../periodic-task.js';
import { isOutage, isUnavailable } from './database-errors.js';
import { assertHarmlessRole, createDatabase, type Database } from './pool.js';
import { ReplicaLag } from './replica-lag.js';

interface ReplicaOptions {
  readonly url: string;
  readonly size: number;
  /** Reads from a replica that lags more go to the primary. */
  readonly maxLagSeconds: number;
  readonly primary: Database;
  readonly log: Log;
  readonly limits?: ReplicaLimits;
}

export interface ReplicaLimits {
  readonly watchEveryMs: number;
  /** How long the replica may take to respond to the watch. */
  readonly timeoutMs: number;
  /** How long a replica that failed is not used. */
  readonly pauseMs: number;
}

const defaultLimits: ReplicaLimits = { watchEveryMs: 400, timeoutMs: timeLimit(400), pauseMs: 5000 };

/**
 * A streaming replica, which serves reads while it responds and does not lag too far. A watch asks it for its position
 * at short intervals. When it does not respond, all its connections are cut, so that the reads on them fail and the
 * primary serves them: a replica that hangs costs a request less than a second, however long its statements may take.
 */
export class ReadReplica {
  private readonly sockets = new Set<Socket>();
  private readonly reads: Database;
  /** Separate from the connections of reads, all of which may be in use. */
  private readonly connection: Database;
  private readonly primary: Database;
  private readonly lag: ReplicaLag;
  private readonly server: string;
  private readonly watch: PeriodicTask;
  private readonly limits: ReplicaLimits;
  private readonly log: Log;
  private state: 'unverified' | 'in use' | 'lagging' | 'failed' = 'unverified';
  private pausedUntil = 0;

  constructor({ url, size, maxLagSeconds, primary, log, limits = defaultLimits }: ReplicaOptions) {
    const options = {
      url,
      onError: (error: Error) => log.debug({ err: error }, 'connection to the replica lost'),
      onSocket: (socket: Socket) => {
        this.sockets.add(socket);
        socket.once('close', () => this.sockets.delete(socket));
      },
    };
    this.reads = createDatabase({ ...options, size });
    this.connection = createDatabase({ ...options, size: 1 });
    this.primary = primary;
    this.lag = new ReplicaLag(maxLagSeconds);
    this.server = new URL(url).host;
    this.watch = new PeriodicTask('watch-replica', limits.watchEveryMs, () => this.look(), log);
    this.limits = limits;
    this.log = log;
  }

  /** Throws if the login of the replica can bypass row-level security. A replica that is unavailable is used later. */
  async start(): Promise<void> {
    await assertHarmlessRole(this.connection).catch((error: unknown) => {
      if (!isUnavailable(error)) throw error;
    });
    await this.watch.start();
  }

  async close(): Promise<void> {
    await this.watch.stop();
    await this.reads.destroy();
    await this.connection.destroy();
  }

  /** The replica, or null while the primary serves its reads. */
  usable(): Database | null {
    return this.state === 'in use' ? this.reads : null;
  }

  /** Takes the error of a read, which the primary repeats. After an outage the replica is not used for a while. */
  failed(error: unknown): void {
    if (isOutage(error)) this.pause(error);
  }

  private async look(): Promise<void> {
    if (performance.now() < this.pausedUntil) return;
    try {
      await withTimeout(this.limits.timeoutMs, this.measure(), () => {
        throw new Error(`the replica did not respond within ${this.limits.timeoutMs} ms`);
      });
      this.change(this.lag.isWithinBound ? 'in use' : 'lagging');
    } catch (error) {
      this.pause(error);
    }
  }

  /** The role is checked whenever the replica was unavailable: another server may have its address. */
  private async measure(): Promise<void> {
    const startedAt = performance.now();
    if (this.state === 'unverified' || this.state === 'failed') await assertHarmlessRole(this.connection);
    const [written, replayed] = await inParallel(
      () => readWritten(this.primary).catch(() => null),
      () => readReplayed(this.connection),
    );
    metrics.replicaLag.set({ server: this.server }, this.lag.measure(startedAt, written, replayed));
  }

  private pause(error: unknown): void {
    this.pausedUntil = performance.now() + this.limits.pauseMs;
    this.change('failed', error);
    for (const socket of this.sockets) socket.destroy();
  }

  private change(state: 'in use' | 'lagging' | 'failed', error?: unknown): void {
    metrics.replicaInUse.set({ server: this.server }, state === 'in use' ? 1 : 0);
    if (state === this.state) return;
    this.state = state;
    if (state === 'in use') this.log.info('the replica serves reads');
    else this.log.warn({ err: error, state }, 'the primary serves the reads of the replica');
  }
}

/** The end of the primary's log, in bytes. */
async function readWritten(primary: Database): Promise<bigint | null> {
  return readPosition(primary, 'pg_current_wal_lsn()');
}

/** How much of the log the replica has applied; null for a server that is no streaming replica. */
async function readReplayed(replica: Database): Promise<bigint | null> {
  return readPosition(replica, 'pg_last_wal_replay_lsn()');
}

async function readPosition(database: Database, position: string): Promise<bigint | null> {
  const { rows } = await sql<{ bytes: string | null }>`
    select pg_wal_lsn_diff(${sql.raw(position)}, '0/0')::text as bytes`.execute(database);
  const bytes = rows[0]?.bytes ?? null;
  return bytes === null ? null : BigInt(bytes);
}
