import { type SqlBool, sql } from 'kysely';
import { type Caller } from '../kernel/caller.js';
import { chunk } from '../kernel/chunk.js';
import { type Day } from '../kernel/day.js';
import { toStoredCaller } from '../kernel/stored-caller.js';
import { readBasis } from '../platform/database/cache-versions.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { findContents, insertJobItems, readContents } from '../platform/stored-jobs/job-items.js';
import { type JobKey } from '../platform/stored-jobs/stored-job.js';
import { completeStoredJob, insertStoredJob } from '../platform/stored-jobs/stored-job-store.js';
import { findStoredJobs } from '../platform/stored-jobs/stored-job-views.js';
import { type Month } from './month.js';
import { type MonthReport, type ReportHead, type ReportPart } from './month-report.js';

const rowsOfInsert = 5000;

/** A report of a month whose rows are in the database. */
export interface StoredReport extends JobKey {
  readonly head: ReportHead;
  /** The position of the first row of each list, and the number of its rows. */
  readonly lists: Readonly<Record<string, readonly [first: number, count: number]>>;
}

type Stored = Omit<StoredReport, 'jobId'>;

interface ReportKey {
  readonly month: Month;
  readonly part: ReportPart;
}

interface ReportPage {
  readonly limit: number;
  readonly offset: number;
  readonly match: Readonly<Record<string, string | undefined>>;
}

/** The part of the report of the month as it is known now; null if it is not stored. */
export async function findReport(
  tx: Transaction,
  { month, part }: ReportKey,
  today: Day,
): Promise<StoredReport | null> {
  const subject = { basis: await readBasis(tx, today), part };
  const [job] = await findStoredJobs<unknown, Stored>(tx, 'books', { period: month, subject }, 1);
  return job === undefined || job.result === null ? null : { jobId: job.jobId, ...job.result };
}

/** Stores the part, and deletes what was stored of the month before a change and no request reads any more. */
export async function storeReport(
  tx: Transaction,
  caller: Caller,
  { head, lists }: MonthReport,
  subject: { readonly basis: string; readonly part: ReportPart },
): Promise<StoredReport> {
  const rows = [...lists.values()].flat();
  const { month } = head;
  await tx.db
    .deleteFrom('stored_jobs')
    .where('workspace_id', '=', tx.workspaceId)
    .where('kind', '=', 'books')
    .where('period', '=', month)
    .where('finished_at', '<', sql<Date>`now() - interval '1 minute'`)
    .where(sql<SqlBool>`not subject @> ${JSON.stringify({ basis: subject.basis })}::jsonb`)
    .execute();
  const jobId = await insertStoredJob(tx, {
    kind: 'books',
    period: month,
    subject,
    caller: toStoredCaller(caller),
    total: rows.length,
  });
  for (const [index, some] of chunk(rows, rowsOfInsert).entries())
    await insertJobItems(
      tx,
      { jobId },
      some.map((content) => ({ content })),
      index * rowsOfInsert,
    );
  let first = 0;
  const positions = [...lists].map(([name, { length }]) => {
    first += length;
    return [name, [first - length, length]] as const;
  });
  const stored = { head, lists: Object.fromEntries(positions) };
  await completeStoredJob(tx, { jobId }, stored);
  return { jobId, ...stored };
}

/**
 * A page of a list of the report, and how many rows the list has; null if it has no such list. With `match`, of the rows
 * with these values.
 */
export async function readList<Row>(
  tx: Transaction,
  { jobId, lists }: StoredReport,
  name: string,
  { limit, offset, match }: ReportPage,
): Promise<{ readonly rows: Row[]; readonly count: number } | null> {
  const list = lists[name];
  if (list === undefined) return null;
  const [first, count] = list;
  if (Object.values(match).some((value) => value !== undefined)) {
    const found = await findContents<Row>(tx, { jobId }, match, { limit, offset });
    return { rows: found.contents, count: found.count };
  }
  const within = { offset: first + offset, limit: Math.max(0, Math.min(limit, count - offset)) };
  const { contents } = await readContents<Row>(tx, { jobId }, within);
  return { rows: contents, count };
}
