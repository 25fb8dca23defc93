import { sql } from 'kysely';
import { type Database } from '#src/platform/database/pool.js';
import { type JobHandler } from '#src/platform/jobs/job-queue.js';
import { type Log } from '#src/platform/log.js';
import { deliverEventsJob } from '#src/platform/outbound/delivery-job.js';
import { WakeableTask } from '#src/platform/wakeable-task.js';
import { type DeliveryRunner } from '#src/webhook-endpoints/delivery-runner.js';

/** Endpoints to which one process sends at the same time. A slow receiver occupies one of them. */
const concurrency = 8;

/**
 * Sends outgoing events. They are stored in the database; a job and a sweep every second wake this worker, so a lost
 * job delays an event by a second. It has its own slots, so that slow receivers do not occupy those of the calculations.
 */
export class WebhookWorker {
  private readonly sending = new Map<string, Promise<void>>();
  private readonly search: WakeableTask;
  /** Endpoints for which an event became due while the worker sent others to them. */
  private readonly dueAgain = new Set<string>();
  private stopping = false;

  constructor(
    private readonly database: Database,
    private readonly runner: Pick<DeliveryRunner, 'run'>,
    private readonly log: Log,
  ) {
    this.search = new WakeableTask(() => this.fillSlots(), 'looking for outgoing events failed', log);
  }

  /** Looks for due endpoints at once if a slot is free. */
  wake(): void {
    this.search.wake();
  }

  /** Waits for the attempts in progress. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.search.stop();
    const running = [...this.sending.values()];
    await Promise.all(running);
  }

  private async fillSlots(): Promise<void> {
    const free = concurrency - this.sending.size;
    if (free <= 0) return;
    const { rows } = await sql<{ workspace_id: string; endpoint_id: string }>`
      select workspace_id, endpoint_id
      from due_webhook_endpoints(${concurrency + this.sending.size})`.execute(this.database);
    for (const { endpoint_id: endpointId } of rows) if (this.sending.has(endpointId)) this.dueAgain.add(endpointId);
    const waiting = rows.filter(({ endpoint_id: endpointId }) => !this.sending.has(endpointId));
    for (const { workspace_id: workspaceId, endpoint_id: endpointId } of waiting.slice(0, free))
      this.send(workspaceId, endpointId);
  }

  private send(workspaceId: string, endpointId: string): void {
    const sent = this.runner
      .run(workspaceId, endpointId, () => this.stopping)
      .catch((error: unknown) => this.log.warn({ err: error, workspaceId, endpointId }, 'sending events failed'))
      .finally(() => {
        this.sending.delete(endpointId);
        if (this.dueAgain.delete(endpointId)) this.wake();
      });
    this.sending.set(endpointId, sent);
  }
}

/** Wakes the webhook worker of this process. Running it twice is harmless, and so is losing it. */
export function deliverEventsHandler(worker: WebhookWorker): JobHandler<{ workspaceId: string }> {
  return { declaration: deliverEventsJob, run: async () => worker.wake() };
}
