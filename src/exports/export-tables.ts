import { type ColumnType } from 'kysely';
import { type GeneratedInstant } from '../platform/database/tables.js';

export type ExportKind =
  | 'statement.pdf'
  | 'statement.xlsx'
  | 'team.pdf'
  | 'team.xlsx'
  | 'team.zip'
  | 'team.csv'
  | 'plan.pdf'
  | 'person.zip'
  | 'evidence.zip';

/** Response headers and size of a finished file. */
export interface FileInfo {
  readonly contentType: string;
  readonly filename: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: number;
  /** The people in a team file that is restricted to a team; absent in other files. */
  readonly repIds?: readonly string[];
  /** The SHA-256 of the list of files in a packet; absent in other files. */
  readonly manifestSha256?: string;
}

/** Rows of the tables of parts of files and of payroll hand-overs. */
export interface ExportTables {
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
    scope: 'full' | 'new';
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
