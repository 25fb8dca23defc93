import { type Generated } from 'kysely';
import { type Day } from '../kernel/day.js';
import { type GeneratedInstant, type Json } from '../platform/database/tables.js';

export type RunOutcome = 'written' | 'no_change' | 'skipped' | 'statement_locked' | 'failed';

/** Rows of the tables of calls and of runs. */
export interface AuditTables {
  /** Entries are inserted with insert_audit_entry and sealed with seal_audit_entries. */
  audit_entries: {
    workspace_id: string;
    entry_id: string;
    at: GeneratedInstant;
    content: string;
    /** Decimal text; null until the entry is sealed. */
    position: string | null;
    hash: Buffer | null;
  };
  audit_runs: {
    workspace_id: string;
    run_id: string;
    actor: string;
    trigger: string;
    scope: string;
    deal_id: string | null;
    rep_id: string | null;
    period: string | null;
    outcome: RunOutcome;
    events_written: Generated<number>;
    events_reversed: Generated<number>;
    statement_locked: Generated<number>;
    skipped: Generated<number>;
    deals: Generated<number>;
    blocked: Json<unknown> | null;
    details: Json<unknown> | null;
    error: string | null;
    started_at: GeneratedInstant;
    duration_ms: Generated<number>;
  };
  audit_run_deals: { workspace_id: string; deal_id: string; run_id: string };
  own_changes: {
    workspace_id: string;
    rep_id: string;
    operation: string;
    deal_id: string;
    from_day: Day;
    to_day: Day;
    actor: string;
    changed_at: GeneratedInstant;
  };
  audit_run_jobs: { workspace_id: string; job_id: string; run_id: string };
}
