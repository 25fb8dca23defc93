import { type RawBuilder, sql } from 'kysely';
import { groupBy } from '#src/kernel/group-by.js';
import { type LaneRunner, TimeSlice } from '#src/ledger/lanes/lane-runner.js';
import { completeJobIfDone, deleteOldJobs } from '#src/ledger/requests/calculation-jobs.js';
import { forEachWorkspace } from '#src/platform/database/each-workspace.js';
import { type Database } from '#src/platform/database/pool.js';
import { type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { failpoint } from '#src/platform/failpoint.js';
import { type JobQueue } from '#src/platform/jobs/job-queue.js';
import { type Log } from '#src/platform/log.js';
import { type SweptWork } from './sweep.js';

const overdue = '5 seconds';
const lanesPerSweep = 200;
const longQueueLength = 10;

/**
 * The queue may lose jobs because this sweep finds the work in the database. It calculates lanes whose requests are
 * overdue, and completes jobs whose last worker died before doing so. Overdue lanes are calculated here and not through
 * the queue: the queue regards the job of a killed worker as running until its lock expires, and drops a new job with
 * the same key. While the queue is long, one lane of each workspace is calculated: a lost wake-up is repaired, and a
 * flood of requests does not bypass the fair order of the queue. Several workers may sweep at the same time: a repeated
 * step finds nothing.
 */
export class LaneSweep implements SweptWork {
  private olderThan = '0 seconds';

  constructor(
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly laneRunner: LaneRunner,
    private readonly queue: JobQueue,
    private readonly log: Pick<Log, 'warn'>,
  ) {}

  due(): RawBuilder<unknown> {
    return sql`
      select from due_lanes(${overdue}::interval, 1) union all select from running_jobs()`;
  }

  /** The first run takes every request: the process that was to calculate it may have died. */
  async run(stopping: AbortSignal): Promise<void> {
    const olderThan = this.olderThan;
    this.olderThan = overdue;
    await this.runOverdueLanes(olderThan, stopping);
    await this.completeJobs();
  }

  private async runOverdueLanes(olderThan: string, stopping: AbortSignal): Promise<void> {
    const { rows: due } = await sql<DueLane>`
      select workspace_id as "workspaceId", rep_id as "repId" from due_lanes(${olderThan}::interval, ${lanesPerSweep})`.execute(
      this.database,
    );
    const rows = due.length > 0 && (await this.isQueueLong()) ? onePerWorkspace(due) : due;
    await failpoint('sweep.afterPick');
    const { unitOfWork, log } = this;
    const loop = { unitOfWork, log, failure: 'overdue lanes could not be calculated', stopping };
    await forEachWorkspace(ofWorkspaces(rows), loop, async ({ workspaceId, all }) => {
      const repIds = all.map(({ repId }) => repId);
      // All lanes are added: the queue may drop a lane that returns to it, as it dropped the first wake-up.
      await this.laneRunner.run(workspaceId, repIds, new TimeSlice(undefined, Number.POSITIVE_INFINITY));
    });
  }

  /**
   * With a long queue, lanes are overdue because they wait and not because they were lost; the queue orders them
   * fairly.
   */
  private async isQueueLong(): Promise<boolean> {
    return (await this.queue.waiting().catch(() => 0)) > longQueueLength;
  }

  private async completeJobs(): Promise<void> {
    const { rows } = await sql<{ workspaceId: string; jobId: string }>`
      select workspace_id as "workspaceId", job_id as "jobId" from running_jobs()`.execute(this.database);
    const { unitOfWork, log } = this;
    const loop = { unitOfWork, log, failure: 'jobs could not be completed' };
    await forEachWorkspace(ofWorkspaces(rows), loop, async ({ workspaceId, all }) => {
      for (const { jobId } of all)
        await unitOfWork.write({ workspaceId }, async (tx) => {
          await completeJobIfDone(tx, jobId);
          await deleteOldJobs(tx);
        });
    });
  }
}

interface DueLane {
  readonly workspaceId: string;
  readonly repId: string;
}

function ofWorkspaces<Due extends { readonly workspaceId: string }>(due: readonly Due[]) {
  const grouped = groupBy(due, ({ workspaceId }) => workspaceId);
  return [...grouped].map(([workspaceId, all]) => ({ workspaceId, all }));
}

function onePerWorkspace<Due extends { readonly workspaceId: string }>(due: readonly Due[]): Due[] {
  const seen = new Set<string>();
  return due.filter(({ workspaceId: id }) => !seen.has(id) && seen.add(id) !== undefined);
}
