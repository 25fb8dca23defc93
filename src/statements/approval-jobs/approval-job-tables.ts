import { type ColumnType, type Generated } from 'kysely';
import { type StoredCaller } from '../../kernel/stored-caller.js';
import { type GeneratedInstant } from '../../platform/database/tables.js';

export interface ApprovalJobTables {
  approval_jobs: {
    workspace_id: string;
    job_id: string;
    period: string;
    force: boolean;
    caller: ColumnType<StoredCaller, string, never>;
    status: Generated<'running' | 'completed' | 'failed'>;
    attempts: Generated<number>;
    not_before: GeneratedInstant;
    error: ColumnType<string | null, string | null | undefined, string | null>;
    started_at: GeneratedInstant;
    finished_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  };
  approval_job_statements: {
    workspace_id: string;
    job_id: string;
    place: number;
    rep_id: string;
    version: number;
    outcome: ColumnType<'approved' | 'rejected' | null, undefined, 'approved' | 'rejected'>;
    code: ColumnType<string | null, undefined, string>;
    message: ColumnType<string | null, undefined, string>;
  };
}
