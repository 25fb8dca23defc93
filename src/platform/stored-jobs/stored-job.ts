import { type StoredCaller } from '../../kernel/stored-caller.js';
import { type Tables } from '../database/tables.js';

export type StoredJobKind = Tables['stored_jobs']['kind'];

/** A request for many people that a worker carries out in parts. `Subject` is what was requested besides the period. */
export interface StoredJob<Subject = unknown> {
  readonly jobId: string;
  readonly kind: StoredJobKind;
  readonly period: string;
  readonly subject: Subject;
  readonly caller: StoredCaller;
  readonly status: 'running' | 'completed' | 'failed';
  readonly progress: { readonly done: number; readonly total: number };
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly error: string | null;
}

/** A job that a worker carries out while it holds the lease. */
export interface ClaimedJob<Subject = unknown> {
  readonly workspaceId: string;
  readonly jobId: string;
  readonly period: string;
  readonly subject: Subject;
  readonly caller: StoredCaller;
  /** The last person, in the order of ids, whose part is stored; null before the first. */
  readonly position: string | null;
  readonly attempts: number;
}
