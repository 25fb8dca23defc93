import { sql } from 'kysely';
import { chunk } from '../../kernel/chunk.js';
import { unnestRows } from '../database/columns.js';
import { type Transaction } from '../database/unit-of-work.js';
import { type JobKey } from './stored-job.js';
import { advanceStoredJob } from './stored-job-store.js';

/** A part of a job: a person, if confirmed with the version of the statement; or `content`, a row of the result. */
interface NewItem {
  readonly repId?: string;
  readonly version?: number;
  readonly content?: unknown;
}

/** A person for whom the job was requested. */
export interface JobItem {
  readonly repId: string;
  readonly version: number | null;
}

/** What became of a person. */
export interface ItemOutcome {
  readonly repId: string;
  readonly outcome: 'done' | 'skipped' | 'failed';
  readonly code?: string;
  readonly message?: string;
}

/** Encoding the rows of 50,000 people at once would hold up other requests for 75 to 220 ms. */
const rowsPerStatement = 5000;

/** Stores the parts in their order, the first one at the position. */
export async function insertJobItems(
  tx: Transaction,
  { jobId }: JobKey,
  items: readonly NewItem[],
  first = 0,
): Promise<void> {
  for (const [index, some] of chunk(items, rowsPerStatement).entries())
    await sql`
      insert into job_items (workspace_id, job_id, position, rep_id, version, content)
      select ${tx.workspaceId}, ${jobId}, ${first + index * rowsPerStatement} + position, rep_id, version, content
      from ${unnestRows(
        [...some.entries()],
        [
          ['position', 'integer', ([position]) => position],
          ['rep_id', 'text', ([, { repId = null }]) => repId],
          ['version', 'integer', ([, { version = null }]) => version],
          ['content', 'jsonb', ([, { content }]) => (content === undefined ? null : JSON.stringify(content))],
        ],
      )}`.execute(tx.db);
}

/** The next people without an outcome, in the order in which they were requested. */
export async function nextJobItems(tx: Transaction, { jobId }: JobKey, limit: number): Promise<JobItem[]> {
  const rows = await tx.db
    .selectFrom('job_items')
    .select(['rep_id', 'version'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('job_id', '=', jobId)
    .where('outcome', 'is', null)
    .orderBy('position')
    .limit(limit)
    .execute();
  return rows.map(({ rep_id, version }) => ({ repId: rep_id as string, version }));
}

/** Stores outcomes of people who have none yet. Returns how many these are. */
export async function recordOutcomes(tx: Transaction, job: JobKey, outcomes: readonly ItemOutcome[]): Promise<number> {
  if (outcomes.length === 0) return 0;
  const { rows } = await sql`
    update job_items i set outcome = input.outcome, code = input.code, message = input.message
    from ${unnestRows(outcomes, [
      ['rep_id', 'text', ({ repId }) => repId],
      ['outcome', 'text', ({ outcome }) => outcome],
      ['code', 'text', ({ code = null }) => code],
      ['message', 'text', ({ message = null }) => message],
    ])}
    where i.workspace_id = ${tx.workspaceId} and i.job_id = ${job.jobId} and i.rep_id = input.rep_id
      and i.outcome is null
    returning 1`.execute(tx.db);
  await advanceStoredJob(tx, job, rows.length);
  return rows.length;
}

/** Stores this outcome of all people who have none yet. */
export async function recordRest(
  tx: Transaction,
  job: JobKey,
  outcome: Pick<Required<ItemOutcome>, 'outcome' | 'code' | 'message'>,
): Promise<void> {
  const { numUpdatedRows } = await tx.db
    .updateTable('job_items')
    .set(outcome)
    .where('workspace_id', '=', tx.workspaceId)
    .where('job_id', '=', job.jobId)
    .where('outcome', 'is', null)
    .executeTakeFirst();
  await advanceStoredJob(tx, job, Number(numUpdatedRows));
}

/** What became of the people of a job so far. */
export interface JobOutcomes {
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
  /** The first of those who failed. */
  readonly failures: readonly {
    readonly repId: string;
    readonly version: number;
    readonly code: string;
    readonly message: string;
  }[];
}

const none: JobOutcomes = { done: 0, skipped: 0, failed: 0, failures: [] };

/** Adds to each job what became of its people, with at most `maxListed` failures. */
export async function withOutcomes<Job extends JobKey>(
  tx: Transaction,
  jobs: readonly Job[],
  maxListed: number,
): Promise<(Job & JobOutcomes)[]> {
  const { rows } = await sql<JobOutcomes & JobKey>`
    select job_id as "jobId",
      count(*) filter (where outcome = 'done')::int as done,
      count(*) filter (where outcome = 'skipped')::int as skipped,
      count(*) filter (where outcome = 'failed')::int as failed,
      coalesce(jsonb_path_query_array(
        jsonb_agg(jsonb_build_object('repId', rep_id, 'version', version, 'code', code, 'message', message) order by position)
          filter (where outcome = 'failed'),
        ${`$[0 to ${maxListed - 1}]`}::jsonpath), '[]') as failures
    from job_items
    where workspace_id = ${tx.workspaceId} and job_id = any(${jobs.map(({ jobId }) => jobId)}::uuid[])
    group by job_id`.execute(tx.db);
  const outcomes = new Map(rows.map((row) => [row.jobId, row]));
  return jobs.map((job) => ({ ...job, ...none, ...outcomes.get(job.jobId) }));
}

/** A page of the contents with these values, and how many there are. */
export async function findContents<Content>(
  tx: Transaction,
  { jobId }: JobKey,
  values: Readonly<Record<string, string | undefined>>,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly contents: Content[]; readonly count: number }> {
  const { rows } = await sql<{ count: number; contents: Content[] }>`
    with found as materialized (
      select position, row_number() over (order by position) - 1 as index from job_items
      where workspace_id = ${tx.workspaceId} and job_id = ${jobId} and content @> ${JSON.stringify(values)}::jsonb)
    select (select count(*)::int from found) as count, coalesce((
      select jsonb_agg(i.content order by i.position) from job_items i
      where i.workspace_id = ${tx.workspaceId} and i.job_id = ${jobId} and i.position in (
        select position from found where index >= ${offset}::bigint and index < ${offset}::bigint + ${limit}::bigint)
      ), '[]') as contents`.execute(tx.db);
  return rows[0] ?? { contents: [], count: 0 };
}

/** A page of the contents that were stored as parts of a job, and how many there are. */
export async function readContents<Content>(
  tx: Transaction,
  { jobId }: JobKey,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly contents: Content[]; readonly count: number }> {
  const { rows } = await sql<{ count: number; contents: Content[] }>`
    select (select count(*)::int from job_items where workspace_id = ${tx.workspaceId} and job_id = ${jobId}) as count,
      coalesce((
        select jsonb_agg(i.content order by i.position) from job_items i
        where i.workspace_id = ${tx.workspaceId} and i.job_id = ${jobId}
          and i.position >= ${offset}::bigint and i.position < ${offset}::bigint + ${limit}::bigint), '[]') as contents`.execute(
    tx.db,
  );
  return rows[0] ?? { contents: [], count: 0 };
}
