import { EventEmitter } from 'node:events';
import { sql } from 'kysely';
import { timeLimit } from '../../kernel/time-limit.js';
import { withTimeout } from '../../kernel/waiting.js';
import { type Log } from '../../platform/log.js';
import { metrics } from '../../platform/metrics.js';
import { PeriodicTask } from '../../platform/periodic-task.js';
import { type Service } from '../composition.js';

const probeMs = 1000;
const responseMs = timeLimit(1000);

/** What a process opens for a database before it serves its workspaces: migrations, checks, workers. */
export interface Opening {
  open(service: Service): Promise<void>;
  close(service: Service): Promise<void>;
}

/**
 * One database with the parts of the process that serve its workspaces: pools, queue, workers, operations. Nothing of it is
 * shared with other databases, so that one which is slow, hangs or is lost affects only its own workspaces.
 */
export class Shard {
  /** Emits `lost` when the database stops to respond. */
  readonly lost = new EventEmitter<{ lost: [] }>().setMaxListeners(0);
  /** Whether the last probe was answered in time. */
  isServing = false;
  private isOpen = false;
  /** Why the last probe failed. */
  problem: unknown = null;
  /** A probe that the database has not answered yet: another one would take another connection. */
  private probing: Promise<void> | null = null;
  private readonly task: PeriodicTask;

  constructor(
    readonly name: string,
    readonly service: Service,
    private readonly opening: Opening,
    private readonly log: Log,
  ) {
    this.task = new PeriodicTask(`probe of the database ${name}`, probeMs, () => this.check(), log);
  }

  /** Resolves after the first probe, also if it fails: the database is then opened when it responds. */
  start(): Promise<void> {
    return this.task.start();
  }

  async close(): Promise<void> {
    await this.task.stop();
    if (this.isOpen) await this.opening.close(this.service);
    await this.service.close();
  }

  private async check(): Promise<void> {
    this.probing ??= this.probe().finally(() => {
      this.probing = null;
    });
    const wasServing = this.isServing;
    // Opening includes migrations, which take as long as they take.
    const limit = this.isOpen ? responseMs : timeLimit(60_000);
    this.isServing = await withTimeout(
      limit,
      this.probing.then(() => true),
      () => false,
    ).catch((error: unknown) => this.note(error));
    if (this.isServing) this.problem = null;
    if (wasServing && !this.isServing) this.lost.emit('lost');
    if (this.isServing && !wasServing) this.log.info({ database: this.name }, 'the database serves its workspaces');
    metrics.databaseServing.set({ database: this.name }, this.isServing ? 1 : 0);
  }

  /** Logs a problem once. */
  private note(error: unknown): false {
    const isKnown = String(this.problem) === String(error);
    this.problem = error;
    if (!isKnown) this.log.warn({ err: error, database: this.name }, 'a database does not respond');
    return false;
  }

  private async probe(): Promise<void> {
    if (this.isOpen) {
      await sql`select 1`.execute(this.service.database);
      return;
    }
    await this.opening.open(this.service);
    this.isOpen = true;
  }
}
