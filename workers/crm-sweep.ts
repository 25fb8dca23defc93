import { sql } from 'kysely';
import { type CrmProvider } from '#src/crm/port.js';
import { pullJob } from '#src/integrations/crm-pull.js';
import { insertPoll } from '#src/integrations/crm-pull-store.js';
import { type Database } from '#src/platform/database/pool.js';
import { type InboxSource } from '#src/platform/database/tables.js';
import { type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { inboxJob } from '#src/platform/inbox/inbox-wake.js';
import { type JobQueue } from '#src/platform/jobs/job-queue.js';

const overdue = '2 seconds';
const forgetEveryMs = 60_000;
/** So long a job counts for one that is on its way. */
const slotMs = 5000;

/** CRMs that send no webhooks by themselves. */
const polled: readonly CrmProvider[] = ['crmc'];

/**
 * Every two seconds: wakes workers for news and pulls that nobody works on, because a wake was lost, a worker died or
 * a pause is over; and starts polls that are due. Several workers may sweep at once; all that follows is done once.
 */
export class CrmSweep {
  private forgotAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly queue: JobQueue,
  ) {}

  async run(): Promise<void> {
    await this.wakeInboxes();
    await this.startPolls();
    await this.wakePulls();
    await this.forget();
  }

  private async wakeInboxes(): Promise<void> {
    const { rows } = await sql<{ workspace_id: string; source: InboxSource; turn: number }>`
      select * from due_inboxes(${overdue}::interval)`.execute(this.database);
    await this.queue.add(
      inboxJob,
      ...rows.map(({ workspace_id: workspaceId, source, turn }) => ({ workspaceId, source, turn, slot: slotNow() })),
    );
  }

  private async startPolls(): Promise<void> {
    const { rows } = await sql<{ workspace_id: string; provider: CrmProvider }>`
      select * from due_polls(${polled}::text[])`.execute(this.database);
    for (const { workspace_id: workspaceId, provider } of rows) {
      const pullId = await this.unitOfWork.run({ workspaceId }, { lock: 'none', access: 'write' }, (trx) =>
        insertPoll(trx, workspaceId, provider),
      );
      if (pullId !== null) await this.queue.add(pullJob, { workspaceId, pullId });
    }
  }

  /** A pull that has only just begun may wait for its first worker; its own wake and this one are the same job then. */
  private async wakePulls(): Promise<void> {
    const { rows } = await sql<{ workspace_id: string; pull_id: string; turn: number }>`
      select * from due_pulls()`.execute(this.database);
    await this.queue.add(
      pullJob,
      ...rows.map(({ workspace_id: workspaceId, pull_id: pullId, turn }) => ({
        workspaceId,
        pullId,
        turn,
        slot: slotNow(),
      })),
    );
  }

  private async forget(): Promise<void> {
    if (performance.now() - this.forgotAt < forgetEveryMs) return;
    this.forgotAt = performance.now();
    await sql`select forget_old_news()`.execute(this.database);
  }
}

function slotNow(): number {
  return Math.floor(Date.now() / slotMs);
}
