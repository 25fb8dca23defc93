import { z } from 'zod';
import { deriveId } from '../../kernel/ids.js';
import { type JobDeclaration, type JobQueue } from '../jobs/job-queue.js';
import { type InboxSource } from './inbox-tables.js';

export interface InboxWork {
  readonly workspaceId: string;
  readonly source: InboxSource;
  /** The generation of the lease when the sweep ran: a job of a dead worker must not count as this one. */
  readonly generation?: number | undefined;
  /** Increases with each sweep: a job whose worker died before taking the lease must not count either. */
  readonly slot?: number | undefined;
}

/** Processes the inbox messages of a workspace from one source. */
export const inboxJob: JobDeclaration<InboxWork> = {
  name: 'inbox.v1',
  payload: z.object({
    workspaceId: z.uuid(),
    source: z.custom<InboxSource>((source) => typeof source === 'string'),
    generation: z.int().optional(),
    slot: z.int().optional(),
  }),
  attempts: 1,
  key: ({ workspaceId, source, generation = '', slot = '' }) =>
    deriveId(`inbox|${workspaceId}|${source}|${generation}|${slot}`),
};

/** Long enough to combine the many events of one change into one read of the deal, short enough to wait for. */
const gatherMs = 100;

/**
 * Wakes a worker once for all messages that arrive within a short time. If a wake-up is lost, the sweep finds the
 * messages.
 */
export class InboxWake {
  private readonly pending = new Map<string, NodeJS.Timeout>();

  constructor(private readonly queue: Pick<JobQueue, 'add'>) {}

  schedule(workspaceId: string, source: InboxSource): void {
    const key = `${workspaceId} ${source}`;
    if (this.pending.has(key)) return;
    const timer = setTimeout(() => {
      this.pending.delete(key);
      void this.queue.add(inboxJob, { workspaceId, source });
    }, gatherMs);
    this.pending.set(key, timer);
  }

  close(): void {
    for (const timer of this.pending.values()) clearTimeout(timer);
    this.pending.clear();
  }
}
