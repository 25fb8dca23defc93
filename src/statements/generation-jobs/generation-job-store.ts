import { sql } from 'kysely';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type ClaimedJob } from '../../platform/stored-jobs/stored-job.js';
import { advanceStoredJob } from '../../platform/stored-jobs/stored-job-store.js';
import { type Outcome, type Outcomes } from '../generate-many.js';

/** Stores for whom statements are requested. */
export async function insertGenerationReps(tx: Transaction, jobId: string, repIds: readonly string[]): Promise<void> {
  await sql`
    insert into generation_job_reps (workspace_id, job_id, place, rep_id)
    select ${tx.workspaceId}, ${jobId}, r.place, r.rep_id
    from unnest(${repIds}::text[]) with ordinality r (rep_id, place)`.execute(tx.db);
}

/** The next people without an outcome, in the order in which they were requested. */
export async function nextGenerationReps(
  tx: Transaction,
  { jobId }: Pick<ClaimedJob, 'jobId'>,
  limit: number,
): Promise<string[]> {
  const rows = await tx.db
    .selectFrom('generation_job_reps')
    .select('rep_id')
    .where('workspace_id', '=', tx.workspaceId)
    .where('job_id', '=', jobId)
    .where('outcome', 'is', null)
    .orderBy('place')
    .limit(limit)
    .execute();
  return rows.map((row) => row.rep_id);
}

/** Stores outcomes of people who have none yet. Returns how many these are. */
export async function recordGenerated(
  tx: Transaction,
  job: Pick<ClaimedJob, 'jobId'>,
  outcomes: Outcomes,
): Promise<number> {
  if (outcomes.size === 0) return 0;
  const rows = [...outcomes].map(([repId, outcome]) => ({ repId, ...toRow(outcome) }));
  const { rows: recorded } = await sql`
    update generation_job_reps r
    set outcome = rows_from.outcome, code = rows_from.code
    from ${unnestRows(rows, [
      ['rep_id', 'text', ({ repId }) => repId],
      ['outcome', 'text', ({ outcome }) => outcome],
      ['code', 'text', ({ code }) => code],
    ])}
    where r.workspace_id = ${tx.workspaceId} and r.job_id = ${job.jobId} and r.rep_id = rows_from.rep_id
      and r.outcome is null
    returning 1`.execute(tx.db);
  await advanceStoredJob(tx, job, recorded.length);
  return recorded.length;
}

function toRow(outcome: Outcome): {
  readonly outcome: 'generated' | 'skipped' | 'failed';
  readonly code: string | null;
} {
  if ('statement' in outcome) return { outcome: 'generated', code: null };
  return 'reason' in outcome
    ? { outcome: 'skipped', code: outcome.reason }
    : { outcome: 'failed', code: outcome.error };
}
