import { type ColumnType, type Generated } from 'kysely';
import { type GeneratedInstant, type Instant, type Json } from '../platform/database/tables.js';
import { type FileResult, type FileSample } from './file-result.js';
import { type ImportOptions, type ImportSubject, type SourceAddress } from './scheduled-import.js';

type Optional<T> = ColumnType<T | null, T | null | undefined, T | null>;

/** Rows of the tables of scheduled imports. */
export interface ScheduledImportTables {
  scheduled_imports: {
    workspace_id: string;
    scheduled_import_id: string;
    name: string;
    subject: ImportSubject;
    source: Json<SourceAddress>;
    secret: Buffer | null;
    options: Json<ImportOptions>;
    every: 'hour' | 'day';
    at_time: string;
    paused: Generated<boolean>;
    revision: string;
    confirmed_header: Optional<string[]>;
    confirmed_by: Optional<string>;
    confirmed_at: Optional<Date>;
    next_run_at: Instant;
    requests: Generated<number>;
    handled_requests: Generated<number>;
    attempts: Generated<number>;
    last_run_at: Optional<Date>;
    error: Optional<string>;
    created_at: GeneratedInstant;
  };
  scheduled_import_files: {
    workspace_id: string;
    scheduled_import_id: string;
    file_id: string;
    name: string;
    version: string | null;
    hash: string;
    bytes: number;
    status: 'waiting' | 'imported' | 'failed';
    sample: Json<FileSample>;
    result: ColumnType<FileResult | null, string | null | undefined, string | null>;
    error: Optional<string>;
    import_id: Optional<string>;
    at: GeneratedInstant;
  };
}
