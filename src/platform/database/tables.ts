import { type ColumnType, type Generated } from 'kysely';
import { type StoredCaller } from '../../kernel/stored-caller.js';

/** `numeric` is read and written as decimal text: money never passes through a float. */
export type Numeric = ColumnType<string, string | number, string | number>;
export type Instant = ColumnType<Date, Date | string, Date | string>;
export type GeneratedInstant = ColumnType<Date, Date | string | undefined, Date | string>;
/** Written as JSON text, read as a value. */
export type Json<T> = ColumnType<T, string, string>;

/**
 * The row types of all tables. This file declares the tables of the platform; each slice declares its own, and
 * src/app/tables.ts adds them to this interface.
 */
export interface Tables {
  cache_versions: { workspace_id: string; scope: number; version: Generated<string> };
  work_leases: {
    workspace_id: string;
    work: string;
    lease_id: string;
    generation: Generated<number>;
    leased_until: Instant;
  };
  stored_jobs: {
    workspace_id: string;
    job_id: string;
    kind: 'approval' | 'books' | 'exceptions' | 'export' | 'generation' | 'handover' | 'preparation' | 'preview';
    period: string;
    subject: Json<unknown>;
    caller: ColumnType<StoredCaller, string, never>;
    status: Generated<'waiting' | 'running' | 'completed' | 'failed'>;
    done: Generated<number>;
    total: number;
    position: ColumnType<string | null, string | null | undefined, string | null>;
    attempts: Generated<number>;
    not_before: GeneratedInstant;
    lifetime: ColumnType<never, string, never>;
    result: ColumnType<unknown, undefined, string | null>;
    error_code: ColumnType<string | null, undefined, string | null>;
    error: ColumnType<string | null, string | null | undefined, string | null>;
    started_at: GeneratedInstant;
    finished_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  };
  imported_facts: {
    workspace_id: string;
    imported_at: GeneratedInstant;
    position: number;
    row: number;
    rep_id: string | null;
    before: unknown;
    after: unknown;
  };
  job_items: {
    workspace_id: string;
    job_id: string;
    position: number;
    rep_id: string | null;
    version: number | null;
    outcome: ColumnType<'done' | 'skipped' | 'failed' | null, undefined, 'done' | 'skipped' | 'failed'>;
    code: ColumnType<string | null, undefined, string | null>;
    message: ColumnType<string | null, undefined, string | null>;
    content: ColumnType<unknown, string | undefined, never>;
  };
  idempotency_keys: {
    workspace_id: string;
    key_hash: Buffer;
    lease_id: string;
    leased_until: Instant;
    created_at: GeneratedInstant;
    request_hash: Buffer | null;
    status: number | null;
    response: string | null;
  };
}
