import { sql } from 'kysely';
import { type Clock } from '#src/kernel/clock.js';
import { currentDay, type Day } from '#src/kernel/day.js';
import { groupBy } from '#src/kernel/group-by.js';
import { calendarNames } from '#src/kernel/period-calendar.js';
import { loadCalendar } from '#src/ledger/input/calendar.js';
import { type LaneRunner, TimeSlice } from '#src/ledger/lanes/lane-runner.js';
import { completeJobIfDone, deleteOldJobs } from '#src/ledger/requests/calculation-jobs.js';
import { type CommissionChanges } from '#src/ledger/requests/commission-changes.js';
import { type Database } from '#src/platform/database/pool.js';
import { type Transaction, type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { failpoint } from '#src/platform/failpoint.js';
import { type JobQueue } from '#src/platform/jobs/job-queue.js';

const overdue = '5 seconds';
const lanesPerSweep = 200;
const longQueueLength = 10;

/**
 * The queue may lose jobs because this sweep finds the work in the database. It calculates lanes whose requests are
 * overdue, completes jobs whose last worker died before doing so, and requests periodic rules when a day has ended.
 * Overdue lanes are calculated here and not through the queue: the queue regards
 * the job of a killed worker as running until its lock expires, and drops a new job with the same key. While the
 * queue is long, one lane of each workspace is calculated: a lost wake-up is repaired, and a flood of requests does
 * not bypass the fair order of the queue. Several workers may sweep at the same time: a repeated step finds nothing.
 */
export class LaneSweep {
  private olderThan = '0 seconds';

  constructor(
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly laneRunner: LaneRunner,
    private readonly queue: JobQueue,
    private readonly changes: CommissionChanges,
    private readonly clock: Clock,
  ) {}

  /** The first run takes every request: the process that was to calculate it may have died. */
  async run(stopping: AbortSignal): Promise<void> {
    const olderThan = this.olderThan;
    this.olderThan = overdue;
    await this.runOverdueLanes(olderThan, stopping);
    await this.completeJobs();
    await this.requestPeriodicRules();
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

  /** The end of a day in the workspace's time zone may end a period, and its periodic rules are due. */
  private async requestPeriodicRules(): Promise<void> {
    const { rows } = await sql<{
      workspace_id: string;
      timezone: string;
      periodic_through: Day | null;
      test_day: Day | null;
    }>`
      select * from workspaces_with_periodic_rules()`.execute(this.database);
    for (const { workspace_id: workspaceId, timezone, periodic_through: through, test_day: testDay } of rows) {
      const today = currentDay({ timeZone: timezone, testDay }, this.clock.now());
      if (through !== null && through >= today) continue;
      await this.changes.run({ workspaceId }, 'none', async (tx, recalculate) => {
        const claimed = await tx.db
          .updateTable('workspaces')
          .set({ periodic_through: today })
          .where('workspace_id', '=', workspaceId)
          .where((where) => where.or([where('periodic_through', 'is', null), where('periodic_through', '<', today)]))
          .returning('workspace_id')
          .executeTakeFirst();
        if (claimed === undefined) return;
        const plans = await tx.db
          .selectFrom('plan_rules')
          .select('plan_id')
          .distinct()
          .where('workspace_id', '=', workspaceId)
          .where('phase', '=', 'periodic')
          .execute();
        for (const plan of plans) await recalculate.plan(plan.plan_id, 'periodic');
        const ended = through === null ? null : await monthsEndedSince(tx, through, today);
        if (ended === false) return;
        for (const planId of await loadPlansAtPeriodEnds(tx)) await recalculate.plan(planId, 'fx_rate');
      });
    }
  }
}

/** Whether a month of a calendar has ended: every attainment period ends with one. */
async function monthsEndedSince(tx: Transaction, through: Day, today: Day): Promise<boolean> {
  const calendar = await loadCalendar(tx);
  return calendarNames.some(
    (name) => calendar.findPeriod(through, 'monthly', name) !== calendar.findPeriod(today, 'monthly', name),
  );
}

/** The plans whose provisional exchange rates become final at the end of a period. */
async function loadPlansAtPeriodEnds(tx: Transaction): Promise<string[]> {
  const { rows } = await sql<{ planId: string }>`
    select distinct plan_id as "planId" from plan_versions
    where workspace_id = ${tx.workspaceId} and fx->>'date' = 'period_end'`.execute(tx.db);
  return rows.map(({ planId }) => planId);
}

function onePerWorkspace<Due extends { readonly workspace_id: string }>(due: readonly Due[]): Due[] {
  const seen = new Set<string>();
  return due.filter(({ workspace_id: id }) => !seen.has(id) && seen.add(id) !== undefined);
}
