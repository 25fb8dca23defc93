import { type RawBuilder, sql } from 'kysely';
import { type CrmProvider, crmProviders } from '#src/crm/adapters/port.js';
import { syncRunJob } from '#src/crm/sync/sync-run.js';
import { insertPoll } from '#src/crm/sync/sync-run-store.js';
import { writeBackJob } from '#src/crm/write-back/write-back.js';
import { forEachWorkspace } from '#src/platform/database/each-workspace.js';
import { type Database } from '#src/platform/database/pool.js';
import { type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { inboxJob } from '#src/platform/inbox/inbox-wake.js';
import { type JobDeclaration, type JobQueue } from '#src/platform/jobs/job-queue.js';
import { type Log } from '#src/platform/log.js';
import { type SweptWork } from './sweep.js';

const overdue = '2 seconds';
/** A queued job suppresses further wake-ups of the same work for this long. */
const slotMs = 5000;

/**
 * Wakes workers for inbox messages and syncs that no worker processes, because a wake-up was lost, a worker died or
 * a pause has ended, and starts polls that are due. Several workers may sweep at the same time: each step has an
 * effect once.
 */
export class CrmSweep implements SweptWork {
  constructor(
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly queue: JobQueue,
    private readonly log: Pick<Log, 'warn'>,
  ) {}

  due(): RawBuilder<unknown> {
    return sql`
      select from due_inboxes(${overdue}::interval) union all select from due_polls(${crmProviders}::text[])
      union all select from due_sync_runs() union all select from due_write_backs()`;
  }

  async run(stopping: AbortSignal): Promise<void> {
    await this.wake(
      inboxJob,
      sql`select workspace_id "workspaceId", source, generation from due_inboxes(${overdue}::interval)`,
    );
    // A new sync may still wait for its first worker; that wake-up and this one are then the same job.
    await this.wake(
      syncRunJob,
      sql`select workspace_id "workspaceId", sync_run_id "syncRunId", generation from due_sync_runs()`,
    );
    // Changes of two seconds are written together.
    await this.wake(writeBackJob, sql`select workspace_id "workspaceId", generation from due_write_backs()`);
    await this.startPolls(stopping);
  }

  private async wake<Work extends object>(job: JobDeclaration<Work>, due: RawBuilder<Work>): Promise<void> {
    const { rows } = await due.execute(this.database);
    const slot = Math.floor(Date.now() / slotMs);
    await this.queue.add(job, ...rows.map((row) => ({ ...row, slot })));
  }

  private async startPolls(stopping: AbortSignal): Promise<void> {
    const { rows } = await sql<{ workspaceId: string; provider: CrmProvider }>`
      select workspace_id "workspaceId", provider from due_polls(${crmProviders}::text[])`.execute(this.database);
    const { unitOfWork, log } = this;
    const loop = { unitOfWork, log, failure: 'a poll could not be started', stopping };
    await forEachWorkspace(rows, loop, async ({ workspaceId, provider }) => {
      const syncRunId = await unitOfWork.write({ workspaceId }, (tx) => insertPoll(tx, provider));
      if (syncRunId !== null) await this.queue.add(syncRunJob, { workspaceId, syncRunId });
    });
  }
}
