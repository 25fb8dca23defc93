import { sql } from 'kysely';
import { type Database } from '#src/platform/database/pool.js';
import { type JobHandler } from '#src/platform/jobs/job-queue.js';
import { type Log } from '#src/platform/log.js';
import { deliverEventsJob } from '#src/platform/outbound/delivery-job.js';
import { WakeableTask } from '#src/platform/wakeable-task.js';
import { type DeliveryRunner } from '#src/webhook-endpoints/delivery-runner.js';

/** Endpoints to which one process sends at the same time. A slow receiver occupies one of these slots. */
const concurrency = 12;
/** Endpoints of one workspace to which all processes send at the same time, so that its slow receivers delay no other. */
const maxOfWorkspace = 2;

/**
 * Sends outgoing events. They are stored in the database; a job and a sweep every second wake this worker, so a lost
 * job delays an event by a second. It has its own slots, so that slow receivers do not occupy those of the calculations.
 */
export class WebhookWorker {
  /** By endpoint. */
  private readonly sending = new Map<string, Promise<void>>();
  private readonly search: WakeableTask;
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
    if (free <= 0 || this.stopping) return;
    // The endpoints of which this process has not yet obtained the leases may be among the rows.
    const { rows } = await sql<{ workspace_id: string; endpoint_id: string }>`
      select workspace_id, endpoint_id
      from due_webhook_endpoints(${concurrency + this.sending.size}, ${maxOfWorkspace})`.execute(this.database);
    const waiting = rows.filter(({ endpoint_id: endpointId }) => !this.sending.has(endpointId));
    for (const { workspace_id: workspaceId, endpoint_id: endpointId } of waiting.slice(0, free))
      this.send(workspaceId, endpointId);
  }

  /** An event that was stored while others were sent, or an endpoint that waited for the slot, is found at the end. */
  private send(workspaceId: string, endpointId: string): void {
    const sent = this.runner
      .run(workspaceId, endpointId, () => this.stopping)
      .catch((error: unknown) => {
        this.log.warn({ err: error, workspaceId, endpointId }, 'sending events failed');
        return false;
      })
      .then((held) => {
        this.sending.delete(endpointId);
        // Without the lease, the same endpoint would be found again at once.
        if (held) this.wake();
      });
    this.sending.set(endpointId, sent);
  }
}

/** Wakes the webhook worker of this process. Running it twice is harmless, and so is losing it. */
export function deliverEventsHandler(worker: WebhookWorker): JobHandler<{ workspaceId: string }> {
  return { declaration: deliverEventsJob, run: async () => worker.wake() };
}
