import { z } from 'zod';
import { deriveId } from '../../kernel/ids.js';
import { type Tables } from '../../platform/database/tables.js';
import { type JobDeclaration } from '../../platform/jobs/job-queue.js';
import { type CrmProvider } from '../adapters/port.js';

/** A sync, requested by an admin, or a poll, which the service schedules. */
export interface SyncRun {
  readonly syncRunId: string;
  readonly provider: CrmProvider;
  readonly kind: 'sync' | 'poll';
  readonly actor: string;
  readonly reconcile: boolean;
  readonly recalculate: boolean;
  /** Deals that the account does not have are of another account: they are removed without a confirmation. */
  readonly replaces: boolean;
  /** A request waits for the result: the sync run fails at once if it cannot begin. */
  readonly awaited: boolean;
  readonly phase: SyncRunPhase;
  readonly modifiedFrom: Date | null;
  /** Null if this sync run does not list deletions apart. */
  readonly deletedFrom: Date | null;
  readonly coveredUntil: Date | null;
  readonly cursor: string | null;
  /** Number of distinct deals listed by the steps done, and in total if the CRM reports it. */
  readonly deals: number;
  readonly total: number | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly attempts: number;
  /** Whether every attempt of the last day failed. */
  readonly isGivenUp: boolean;
  readonly restarts: number;
  readonly startedAt: Date;
}

export type SyncRunPhase = Tables['crm_sync_runs']['phase']['__select__'];

export interface SyncRunPayload {
  readonly workspaceId: string;
  readonly syncRunId: string;
  /** Generation of the lease when the sweep ran: a job of a dead worker must not count as this one. */
  readonly generation?: number | undefined;
  /** Increases with each sweep: a job that a worker took and lost before the lease must not count either. */
  readonly slot?: number | undefined;
}

/** Resumes a sync run. */
export const syncRunJob: JobDeclaration<SyncRunPayload> = {
  name: 'crm-sync.v1',
  payload: z.object({
    workspaceId: z.uuid(),
    syncRunId: z.uuid(),
    generation: z.int().optional(),
    slot: z.int().optional(),
  }),
  attempts: 1,
  key: ({ syncRunId, generation = '', slot = '' }) => deriveId(`sync|${syncRunId}|${generation}|${slot}`),
};

/** The function `due_sync_runs` of the database uses the same name. */
export function syncRunLease(syncRunId: string): string {
  return `sync run ${syncRunId}`;
}

/** Adds the counts of a step to the earlier ones. */
export function addCounts(
  counts: Readonly<Record<string, number>>,
  added: Readonly<Record<string, number>>,
): Record<string, number> {
  const names = new Set([...Object.keys(counts), ...Object.keys(added)]);
  return Object.fromEntries([...names].map((name) => [name, (counts[name] ?? 0) + (added[name] ?? 0)]));
}

/** Larger shares of deletions need a second request. */
export const maxMissingShare = 0.3;
export const confirmMinutes = 10;
