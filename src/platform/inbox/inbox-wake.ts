import { z } from 'zod';
import { idOf } from '../../kernel/ids.js';
import { type InboxSource } from '../database/tables.js';
import { type JobDeclaration, type JobQueue } from '../jobs/job-queue.js';

export const inboxSources = ['crma', 'crmb', 'crmc', 'billing'] as const satisfies readonly InboxSource[];

export interface InboxWork {
  readonly workspaceId: string;
  readonly source: InboxSource;
  /** The turn that the lease has come to, when the sweep asks: a job of a worker that died cannot stand for it. */
  readonly turn?: number | undefined;
  /** Moves on while the sweep asks: nor can a job stand for it that a worker took, and was lost with before the lease. */
  readonly slot?: number | undefined;
}

/** Works off what has arrived for a workspace from one source. */
export const inboxJob: JobDeclaration<InboxWork> = {
  name: 'inbox.v1',
  payload: z.object({
    workspaceId: z.uuid(),
    source: z.enum(inboxSources),
    turn: z.int().optional(),
    slot: z.int().optional(),
  }),
  attempts: 1,
  key: ({ workspaceId, source, turn = '', slot = '' }) => idOf(`inbox|${workspaceId}|${source}|${turn}|${slot}`),
};

/** Long enough for the many events of one save to become one look at the deal, short enough to wait for. */
const gatherMs = 100;

/** Wakes a worker once for all that arrives in a moment. A wake that is lost is made up for by the sweep. */
export class InboxWake {
  private readonly pending = new Map<string, NodeJS.Timeout>();

  constructor(private readonly queue: Pick<JobQueue, 'add'>) {}

  soon(workspaceId: string, source: InboxSource): void {
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
