import { sql } from 'kysely';
import { type Clock } from '#src/kernel/clock.js';
import { dayInZone } from '#src/kernel/day.js';
import { completeJobIfDone, forgetOldJobs } from '#src/ledger/calculation-jobs.js';
import { type CommissionChanges } from '#src/ledger/commission-changes.js';
import { type LaneRunner } from '#src/ledger/lane-runner.js';
import { type Database } from '#src/platform/database/pool.js';
import { type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { failpoint } from '#src/platform/failpoint.js';
import { type JobQueue } from '#src/platform/jobs/job-queue.js';

const overdue = '5 seconds';
const lanesPerSweep = 200;
const longQueue = 10;
const forgetEveryMs = 60_000;

/**
 * What makes the queue forgettable: every two seconds it calculates lanes whose requests have waited longer than a
 * job takes, ends jobs whose last unit died before saying so, and asks for periodic rules when a day has ended. Once
 * a minute it forgets what was kept of old requests. Overdue lanes are calculated here and not sent through the queue,
 * which takes the job of a worker that was killed for a running one until its lock runs out, and would swallow the
 * new one. While the queue is long, one lane of each workspace is taken: what was lost gets its turn, and a flood gets
 * no second way in. Several workers may sweep at once; each step finds nothing the second time.
 */
export class LaneSweep {
  private forgotAt = Number.NEGATIVE_INFINITY;
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
    await this.settleJobs();
    await this.askPeriodicRules();
    await this.forgetOldRequests();
  }

  private async runOverdueLanes(olderThan: string, stopping: AbortSignal): Promise<void> {
    const { rows: due } = await sql<{ workspace_id: string; rep_id: string }>`
      select workspace_id, rep_id from due_lanes(${olderThan}::interval, ${lanesPerSweep})`.execute(this.database);
    const rows = due.length > 0 && (await this.queueIsLong()) ? oneOfEach(due) : due;
    await failpoint('sweep.afterPick');
    for (const { workspace_id: workspaceId, rep_id: repId } of rows) {
      if (stopping.aborted) return;
      await this.laneRunner.run(workspaceId, [repId]);
    }
  }

  /** Then lanes are overdue because they wait, not because they are lost, and the queue knows better whose turn it is. */
  private async queueIsLong(): Promise<boolean> {
    return (await this.queue.waiting().catch(() => 0)) > longQueue;
  }

  private async settleJobs(): Promise<void> {
    const { rows } = await sql<{ workspace_id: string; job_id: string }>`
      select workspace_id, job_id from unsettled_jobs()`.execute(this.database);
    for (const { workspace_id: workspaceId, job_id: jobId } of rows) {
      await this.unitOfWork.run({ workspaceId }, { lock: 'none', access: 'write' }, async (trx) => {
        await completeJobIfDone(trx, workspaceId, jobId);
        await forgetOldJobs(trx, workspaceId);
      });
    }
  }

  private async forgetOldRequests(): Promise<void> {
    if (performance.now() - this.forgotAt < forgetEveryMs) return;
    this.forgotAt = performance.now();
    await sql`select forget_old_requests()`.execute(this.database);
  }

  /** A day that has ended in the workspace's time zone may have ended a period: its periodic rules are due. */
  private async askPeriodicRules(): Promise<void> {
    const { rows } = await sql<{ workspace_id: string; timezone: string; periodic_through: string | null }>`
      select * from workspaces_with_periodic_rules()`.execute(this.database);
    for (const { workspace_id: workspaceId, timezone, periodic_through: through } of rows) {
      const today = dayInZone(this.clock.now(), timezone);
      if (through !== null && through >= today) continue;
      await this.changes.run({ workspaceId }, 'none', async (trx, recalculate) => {
        const taken = await trx
          .updateTable('workspaces')
          .set({ periodic_through: today })
          .where('workspace_id', '=', workspaceId)
          .where((where) => where.or([where('periodic_through', 'is', null), where('periodic_through', '<', today)]))
          .returning('workspace_id')
          .executeTakeFirst();
        if (taken === undefined) return;
        const plans = await trx
          .selectFrom('plan_rules')
          .select('plan_id')
          .distinct()
          .where('workspace_id', '=', workspaceId)
          .where('phase', '=', 'periodic')
          .execute();
        for (const plan of plans) await recalculate.plan(plan.plan_id, 'periodic');
      });
    }
  }
}

function oneOfEach<Due extends { readonly workspace_id: string }>(due: readonly Due[]): Due[] {
  const seen = new Set<string>();
  return due.filter(({ workspace_id: id }) => !seen.has(id) && seen.add(id) !== undefined);
}
