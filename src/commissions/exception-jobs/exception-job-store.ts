import { sql } from 'kysely';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type ClaimedJob } from '../../platform/stored-jobs/stored-job.js';
import { type Exception } from '../exceptions.js';

/** Adds what was found for the next people. */
export async function insertExceptionRows(
  tx: Transaction,
  { jobId }: Pick<ClaimedJob, 'jobId'>,
  found: readonly Exception[],
): Promise<void> {
  if (found.length === 0) return;
  const rows = found.map((exception, index) => ({ ...exception, index }));
  await sql`
    insert into exception_job_rows (workspace_id, job_id, position, reason, deal_id, rep_id, currency, amount, content)
    select ${tx.workspaceId}, ${jobId}, present.last + 1 + index, reason, deal_id, rep_id, currency, amount, content
    from ${unnestRows(rows, [
      ['index', 'integer', ({ index }) => index],
      ['reason', 'text', ({ reason }) => reason],
      ['deal_id', 'text', ({ dealId }) => dealId],
      ['rep_id', 'uuid', ({ repId }) => repId],
      ['currency', 'text', ({ currency }) => currency],
      ['amount', 'numeric', ({ amount }) => (amount === null ? null : String(amount))],
      ['content', 'jsonb', ({ index: _, ...exception }) => JSON.stringify(exception)],
    ])}
    cross join (
      select coalesce(max(position), -1) as last from exception_job_rows
      where workspace_id = ${tx.workspaceId} and job_id = ${jobId}
    ) present`.execute(tx.db);
}
