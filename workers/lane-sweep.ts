import { type RawBuilder, sql } from 'kysely';
import { groupBy } from '#src/kernel/group-by.js';
import { type LaneRunner, TimeSlice } from '#src/ledger/lanes/lane-runner.js';
import { completeJobIfDone, deleteOldJobs } from '#src/ledger/requests/calculation-jobs.js';
import { type Database } from '#src/platform/database/pool.js';
import { type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { failpoint } from '#src/platform/failpoint.js';
import { type JobQueue } from '#src/platform/jobs/job-queue.js';
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
    const { rows: due } = await sql<{ workspace_id: string; rep_id: string }>`
      select workspace_id, rep_id from due_lanes(${olderThan}::interval, ${lanesPerSweep})`.execute(this.database);
    const rows = due.length > 0 && (await this.isQueueLong()) ? onePerWorkspace(due) : due;
    await failpoint('sweep.afterPick');
    for (const [workspaceId, lanes] of groupBy(rows, (row) => row.workspace_id)) {
      if (stopping.aborted) return;
      const repIds = lanes.map((lane) => lane.rep_id);
      // All lanes are added: the queue may drop a lane that returns to it, as it dropped the first wake-up.
      await this.laneRunner.run(workspaceId, repIds, new TimeSlice(undefined, Number.POSITIVE_INFINITY));
    }
  }

  /**
   * With a long queue, lanes are overdue because they wait and not because they were lost; the queue orders them
   * fairly.
   */
  private async isQueueLong(): Promise<boolean> {
    return (await this.queue.waiting().catch(() => 0)) > longQueueLength;
  }

  private async completeJobs(): Promise<void> {
    const { rows } = await sql<{ workspace_id: string; job_id: string }>`
      select workspace_id, job_id from running_jobs()`.execute(this.database);
    for (const { workspace_id: workspaceId, job_id: jobId } of rows) {
      await this.unitOfWork.write({ workspaceId }, async (tx) => {
        await completeJobIfDone(tx, jobId);
        await deleteOldJobs(tx);
      });
    }
  }
}

function onePerWorkspace<Due extends { readonly workspace_id: string }>(due: readonly Due[]): Due[] {
  const seen = new Set<string>();
  return due.filter(({ workspace_id: id }) => !seen.has(id) && seen.add(id) !== undefined);
}
