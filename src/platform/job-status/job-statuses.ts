import { sql } from 'kysely';
import { isUuid } from '../../kernel/ids.js';
import { timeLimit } from '../../kernel/time-limit.js';
import { type ChangedJob } from '../database/transaction.js';
import { type TenantCaller, type Transaction, type UnitOfWork } from '../database/unit-of-work.js';
import { type Log, throttledWarning } from '../log.js';
import { metrics } from '../metrics.js';
import { type JobStatusStore, type PublishedStatus } from './job-status-store.js';

interface JobState {
  readonly status: 'running' | 'completed' | 'failed';
  readonly finishedAt: Date | null;
}

/** Jobs that are stored in one table. */
export interface JobKind<Job extends JobState = JobState> {
  readonly name: string;
  /** Reads the job from the database; undefined if there is none. */
  readonly find: (tx: Transaction, jobId: string) => Promise<Job | undefined>;
  /** The fields with instants, which JSON has as texts. */
  readonly dates: readonly string[];
  /** How long a job is found after its end. */
  readonly lifetimeMs: number;
}

const publishEveryMs = timeLimit(1000);
/** Longer than a state that was read before the job was deleted needs to arrive. */
const deletedMs = timeLimit(60_000);

/**
 * Answers what became of a job. PostgreSQL stores it. With Redis, a copy is published after each commit that changes a
 * job, at most once a second while it runs, and requests read the copy. Without a valid copy, or if Redis does not
 * answer, they read the database.
 */
export class JobStatuses {
  private readonly kinds: ReadonlyMap<string, JobKind>;
  /** The jobs that were published in the last second, with whether they have changed since. */
  private readonly recent = new Map<string, { changed: boolean; readonly timer: NodeJS.Timeout }>();
  /** The jobs that are being read for a request: those that ask meanwhile share the answer. */
  private readonly reading = new Map<string, Promise<JobState | undefined>>();
  private readonly warn: (error: Error) => void;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    kinds: readonly JobKind[],
    private readonly store: JobStatusStore | null,
    log: Log,
  ) {
    this.kinds = new Map(kinds.map((kind) => [kind.name, kind]));
    this.warn = throttledWarning(log, 'the status of jobs in Redis is not reachable; the database answers');
  }

  /** The state of the job, at most some seconds old while it runs; undefined if the workspace has no such job, or the text is no id. */
  async find<Job extends JobState>(caller: TenantCaller, kind: JobKind<Job>, jobId: string): Promise<Job | undefined> {
    if (!isUuid(jobId)) return undefined;
    const { store } = this;
    if (store === null) return this.unitOfWork.read(caller, (tx) => kind.find(tx, jobId));
    const published = await store.read(caller.workspaceId, kind.name, jobId).catch((error: Error) => {
      this.warn(error);
      return null;
    });
    metrics.jobStatusReads.inc({ source: published ? 'redis' : 'database' });
    if (published) return toJob(kind, published);
    return this.readOnce(store, caller, kind, jobId);
  }

  /** Publishes the states that a transaction has changed, of the kinds that requests poll. Nothing waits for it. */
  changed(workspaceId: string, jobs: readonly ChangedJob[]): void {
    const { store } = this;
    if (store === null) return;
    for (const { kind: name, jobId, hasEnded } of jobs) {
      const kind = this.kinds.get(name);
      if (kind === undefined) continue;
      this.publishSoon(
        `${workspaceId}:${jobId}`,
        hasEnded,
        () => void this.publishChange(store, workspaceId, kind, jobId).catch(this.warn),
      );
    }
  }

  async close(): Promise<void> {
    for (const { timer } of this.recent.values()) clearTimeout(timer);
    this.recent.clear();
    await this.store?.close();
  }

  private publishSoon(key: string, hasEnded: boolean, publish: () => void): void {
    const published = this.recent.get(key);
    if (published !== undefined && !hasEnded) {
      published.changed = true;
      return;
    }
    clearTimeout(published?.timer);
    const timer = setTimeout(() => {
      const hasChanged = this.recent.get(key)?.changed === true;
      this.recent.delete(key);
      if (hasChanged) this.publishSoon(key, false, publish);
    }, publishEveryMs);
    timer.unref();
    this.recent.set(key, { changed: false, timer });
    publish();
  }

  private readOnce<Job extends JobState>(
    store: JobStatusStore,
    caller: TenantCaller,
    kind: JobKind<Job>,
    jobId: string,
  ): Promise<Job | undefined> {
    const key = `${caller.workspaceId}:${kind.name}:${jobId}`;
    let reading = this.reading.get(key);
    if (reading === undefined) {
      reading = this.publish(store, caller, kind, jobId).finally(() => this.reading.delete(key));
      this.reading.set(key, reading);
    }
    return reading as Promise<Job | undefined>;
  }

  private async publish<Job extends JobState>(
    store: JobStatusStore,
    { workspaceId }: TenantCaller,
    kind: JobKind<Job>,
    jobId: string,
  ): Promise<Job | undefined> {
    const { job, revision } = await this.readState({ workspaceId }, kind, jobId);
    if (job !== undefined) await store.publish(workspaceId, jobId, toPublished(kind, job, revision)).catch(this.warn);
    return job;
  }

  private async publishChange(store: JobStatusStore, workspaceId: string, kind: JobKind, jobId: string): Promise<void> {
    const { job, revision } = await this.readState({ workspaceId }, kind, jobId);
    const deleted: PublishedStatus = { kind: kind.name, revision, lifetimeMs: deletedMs, job: '' };
    await store.publish(workspaceId, jobId, job === undefined ? deleted : toPublished(kind, job, revision));
  }

  private readState<Job extends JobState>(caller: TenantCaller, kind: JobKind<Job>, jobId: string) {
    return this.unitOfWork.run(caller, { lock: 'none', access: 'read', isolation: 'repeatable read' }, async (tx) => ({
      job: await kind.find(tx, jobId),
      revision: await readRevision(tx),
    }));
  }
}

/** A job that has ended is kept as long as its row. */
function toPublished({ name, lifetimeMs }: JobKind, job: JobState, revision: string): PublishedStatus {
  const agoMs = job.finishedAt === null ? 0 : Date.now() - job.finishedAt.getTime();
  const remainingMs = job.status === 'running' ? null : Math.max(1, lifetimeMs - agoMs);
  return { kind: name, revision, lifetimeMs: remainingMs, job: JSON.stringify(job) };
}

/** A number that does not decrease from one commit to the next. */
async function readRevision(tx: Transaction): Promise<string> {
  const { rows } = await sql<{ revision: string }>`
    select pg_snapshot_xmax(pg_current_snapshot())::text as revision`.execute(tx.db);
  return (rows[0] as { revision: string }).revision;
}

function toJob<Job extends JobState>({ dates }: JobKind<Job>, json: string): Job {
  const job = JSON.parse(json) as Record<string, unknown>;
  const revived = dates.map((name) => [name, job[name] === null ? null : new Date(job[name] as string)]);
  return { ...job, ...Object.fromEntries(revived) } as Job;
}
