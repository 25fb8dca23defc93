import { z } from 'zod';
import { type CrmProvider } from '../crm/port.js';
import { idOf } from '../kernel/ids.js';
import { type Tables } from '../platform/database/tables.js';
import { type JobDeclaration } from '../platform/jobs/job-queue.js';

/** A sync, which an admin asks for, or a poll, which the service does by itself. */
export interface CrmPull {
  readonly pullId: string;
  readonly provider: CrmProvider;
  readonly kind: 'sync' | 'poll';
  readonly actor: string;
  readonly reconcile: boolean;
  readonly recalculate: boolean;
  readonly phase: 'people' | 'fields' | 'deals' | 'missing' | 'finish';
  readonly modifiedFrom: Date | null;
  readonly coveredUntil: Date | null;
  readonly cursor: string | null;
  /** So many were listed until now, of so many where the CRM says. */
  readonly deals: number;
  readonly total: number | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly attempts: number;
  readonly restarts: number;
  readonly startedAt: Date;
}

export type PullPhase = Tables['crm_pulls']['phase']['__select__'];

export interface PullWork {
  readonly workspaceId: string;
  readonly pullId: string;
  /** The turn that the lease has come to, when the sweep asks: a job of a worker that died cannot stand for it. */
  readonly turn?: number | undefined;
  /** Moves on while the sweep asks: nor can a job stand for it that a worker took, and was lost with before the lease. */
  readonly slot?: number | undefined;
}

/** Goes on with a pull where it stopped. */
export const pullJob: JobDeclaration<PullWork> = {
  name: 'crm-pull.v1',
  payload: z.object({ workspaceId: z.uuid(), pullId: z.uuid(), turn: z.int().optional(), slot: z.int().optional() }),
  attempts: 1,
  key: ({ pullId, turn = '', slot = '' }) => idOf(`pull|${pullId}|${turn}|${slot}`),
};

/** What one worker at a time holds for it; `due_pulls` knows it by this name. */
export function leaseOfPull(pullId: string): string {
  return `pull ${pullId}`;
}

/** Sums the counts of a step to those of the steps before. */
export function addCounts(
  counts: Readonly<Record<string, number>>,
  more: Readonly<Record<string, number>>,
): Record<string, number> {
  const names = new Set([...Object.keys(counts), ...Object.keys(more)]);
  return Object.fromEntries([...names].map((name) => [name, (counts[name] ?? 0) + (more[name] ?? 0)]));
}

/** More of the deals than this must not go at once, unless it is asked for again soon. */
export const mostMissingShare = 0.3;
export const askAgainMinutes = 10;
