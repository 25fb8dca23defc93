import { z } from 'zod';
import { type StoredCaller } from '../../kernel/stored-caller.js';
import { type Tables } from '../database/tables.js';
import { type JobDeclaration } from '../jobs/job-queue.js';

export type StoredJobKind = Tables['stored_jobs']['kind'];

const hourMs = 3_600_000;

/** How long a job is found after its end. Who has approved, generated or handed over statements may look for the failures days later. */
export const lifetimesMs: Readonly<Record<StoredJobKind, number>> = {
  approval: 168 * hourMs,
  books: 24 * hourMs,
  exceptions: hourMs,
  export: hourMs,
  generation: 168 * hourMs,
  handover: 168 * hourMs,
  preparation: 168 * hourMs,
  preview: hourMs,
};

/** A request that a worker carries out, in parts if it is large. `Subject` is what was requested besides the period. */
export interface StoredJob<Subject = unknown, Result = unknown> {
  readonly jobId: string;
  readonly kind: StoredJobKind;
  readonly period: string;
  readonly subject: Subject;
  readonly caller: StoredCaller;
  readonly status: 'running' | 'completed' | 'failed';
  readonly progress: { readonly done: number; readonly total: number };
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly result: Result | null;
  readonly errorCode: string | null;
  readonly error: string | null;
}

export interface JobKey {
  readonly jobId: string;
}

/** A job that a worker carries out while it holds the lease. */
export interface ClaimedJob<Subject = unknown> extends JobKey {
  readonly workspaceId: string;
  readonly period: string;
  readonly subject: Subject;
  readonly caller: StoredCaller;
  /** The last person, in the order of ids, whose part is stored; null before the first. */
  readonly position: string | null;
  readonly attempts: number;
}

/** Wakes a worker. The worker reads the jobs of the kind from the database. */
export function wakeOf(kind: StoredJobKind): JobDeclaration<{ workspaceId: string }> {
  return {
    name: `run-${kind}-jobs.v1`,
    payload: z.object({ workspaceId: z.uuid() }),
    attempts: 1,
    key: ({ workspaceId }) => `${kind}.${workspaceId}`,
  };
}
