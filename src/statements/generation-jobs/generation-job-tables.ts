import { type ColumnType } from 'kysely';

export interface GenerationJobTables {
  generation_job_reps: {
    workspace_id: string;
    job_id: string;
    place: number;
    rep_id: string;
    outcome: ColumnType<'generated' | 'skipped' | 'failed' | null, undefined, 'generated' | 'skipped' | 'failed'>;
    code: ColumnType<string | null, undefined, string>;
  };
}
