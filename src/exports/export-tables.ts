import { type ColumnType, type Generated } from 'kysely';
import { type GeneratedInstant, type Instant } from '../platform/database/tables.js';

export type ExportKind = 'statement.pdf' | 'statement.xlsx' | 'team.pdf' | 'team.xlsx' | 'team.zip';

/** Response headers and size of a finished file. */
export interface FileInfo {
  readonly contentType: string;
  readonly filename: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: number;
  /** The people in a team file that is restricted to a team; absent in other files. */
  readonly repIds?: readonly string[];
}

/** Rows of the tables of exports and payroll hand-overs. */
export interface ExportTables {
  export_jobs: {
    workspace_id: string;
    job_id: string;
    kind: ExportKind;
    rep_id: string | null;
    manager_id: string | null;
    period: string;
    as_of: Instant | null;
    status: Generated<'waiting' | 'running' | 'completed' | 'failed'>;
    total: Generated<number>;
    done: Generated<number>;
    not_before: GeneratedInstant;
    attempts: Generated<number>;
    file: ColumnType<FileInfo | null, string | null | undefined, string | null>;
    error_code: ColumnType<string | null, string | null | undefined, string | null>;
    error: ColumnType<string | null, string | null | undefined, string | null>;
    actor: string;
    started_at: GeneratedInstant;
    finished_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  };
  export_parts: {
    workspace_id: string;
    job_id: string;
    part: number;
    name: string | null;
    rep_id: string | null;
    content: Buffer;
  };
  payroll_handovers: {
    workspace_id: string;
    handover_id: string;
    period: string;
    layout: string;
    scope: Generated<'full' | 'new'>;
    note: string | null;
    filename: string;
    sha256: string;
    bytes: number;
    row_count: number;
    totals: ColumnType<unknown, string, string>;
    missing_payroll_ids: ColumnType<unknown, string, string>;
    changed_payroll_ids: ColumnType<unknown, string, string>;
    amounts: ColumnType<unknown, string, string>;
    actor: string;
    author_id: string | null;
    created_at: GeneratedInstant;
  };
}
