import { sql } from 'kysely';
import { compareNames } from '../../kernel/compare-names.js';
import { isUuid } from '../../kernel/ids.js';
import { toAuthor } from '../../people/reps/author.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { listTeamStatements } from '../../statements/statement-views.js';
import { listChangedPayrollIds, missingPayrollIds } from '../../statements/team-statements.js';
import { type PayoutBatch, type PayoutBatchWithLines } from './payout-batch.js';

interface BatchFilter {
  readonly batchId?: string;
  readonly period?: string | undefined;
  readonly status?: string | undefined;
}

/** Payout batches, the latest first. */
export async function listBatches(tx: Transaction, filter: BatchFilter): Promise<PayoutBatch[]> {
  const { batchId, period, status } = filter;
  const { rows } = await sql<
    Omit<PayoutBatch, 'actor' | 'createdAt' | 'decidedAt' | 'totals'> & {
      readonly totals: readonly { readonly currency: string; readonly payable: string }[];
      readonly authorId: string | null;
      readonly authorName: string | null;
      readonly createdAt: Date;
      readonly decidedAt: Date | null;
    }
  >`
    select b.batch_id as "batchId", b.period, b.layout, b.status, b.filename, b.sha256, b.row_count as "rowCount",
      b.totals, b.paid_on as "paidOn", b.reference, b.author_id as "authorId", r.name as "authorName",
      b.created_at as "createdAt", b.decided_at as "decidedAt",
      (select count(distinct l.rep_id)::int from payout_batch_lines l
        where l.workspace_id = b.workspace_id and l.batch_id = b.batch_id) as people
    from payout_batches b
    left join reps r on r.workspace_id = b.workspace_id and r.rep_id = b.author_id
    where b.workspace_id = ${tx.workspaceId}
      ${batchId === undefined ? sql`` : sql`and b.batch_id = ${batchId}`}
      ${period === undefined ? sql`` : sql`and b.period = ${period}`}
      ${status === undefined ? sql`` : sql`and b.status = ${status}`}
    order by b.created_at desc, b.batch_id limit 500`.execute(tx.db);
  return rows.map(({ authorId, authorName, createdAt, decidedAt, totals, ...batch }) => ({
    ...batch,
    totals: totals.map(({ currency, payable }) => ({ currency, payable: Number(payable) })),
    actor: toAuthor(authorId, authorName),
    createdAt: createdAt.toISOString(),
    decidedAt: decidedAt?.toISOString() ?? null,
  }));
}

export async function findBatch(tx: Transaction, batchId: string): Promise<PayoutBatch | null> {
  if (!isUuid(batchId)) return null;
  return (await listBatches(tx, { batchId }))[0] ?? null;
}

/** What the batch pays, by name of the person. */
export async function listLines(tx: Transaction, batchId: string): Promise<PayoutBatchWithLines['lines']> {
  const { rows } = await sql<PayoutBatchWithLines['lines'][number]>`
    select l.rep_id as "repId", r.name as "repName", l.period, l.version, l.currency, l.commission::float8 as commission,
      l.bonus::float8 as bonus, l.adjustment::float8 as adjustment, l.amount::float8 as amount
    from payout_batch_lines l
    join reps r on r.workspace_id = l.workspace_id and r.rep_id = l.rep_id
    where l.workspace_id = ${tx.workspaceId} and l.batch_id = ${batchId}
    order by lower(r.name), l.rep_id, l.currency`.execute(tx.db);
  return rows.sort((a, b) => compareNames(a.repName, b.repName));
}

/** The batch with at most so many lines and people; with all of them if there is no limit. */
export async function readBatch(
  tx: Transaction,
  batch: PayoutBatch,
  max: number | undefined,
): Promise<PayoutBatchWithLines> {
  if (max === 0) return { ...batch, lines: [], missingPayrollIds: [], changedPayrollIds: [] };
  const lines = await listLines(tx, batch.batchId);
  const repIds = [...new Set(lines.map(({ repId }) => repId))];
  const people = (await listTeamStatements(tx, batch.period, repIds)).map((row) => ({
    ...row,
    main: { currency: row.currency ?? '', summary: row.summary as NonNullable<typeof row.summary> },
    others: row.otherCurrencies ?? [],
  }));
  return {
    ...batch,
    lines: lines.slice(0, max),
    missingPayrollIds: missingPayrollIds(people).slice(0, max),
    changedPayrollIds: listChangedPayrollIds(people).slice(0, max),
  };
}

/** The batches of the period, also those that were cancelled: their number names the file of the next one. */
export async function countBatches(tx: Transaction, period: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from payout_batches
    where workspace_id = ${tx.workspaceId} and period = ${period}`.execute(tx.db);
  return rows[0]?.count ?? 0;
}

/** The bytes of the batch's file; null if a person in it was erased. */
export async function loadContent(tx: Transaction, batchId: string): Promise<Buffer | null> {
  const { content } = await tx.db
    .selectFrom('payout_batches')
    .select('content')
    .where('workspace_id', '=', tx.workspaceId)
    .where('batch_id', '=', batchId)
    .executeTakeFirstOrThrow();
  return content;
}
