import { type SqlBool, sql } from 'kysely';
import { type z } from 'zod';
import { Decimal } from '../../kernel/decimal.js';
import { isUuid } from '../../kernel/ids.js';
import { type Period } from '../../kernel/period.js';
import { inParallel } from '../../kernel/waiting.js';
import { toAuthor } from '../../people/reps/author.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { toTrueUpLineResponse } from '../true-up-line.js';
import { type Discrepancy, type owed } from './discrepancy.js';
import { type DiscrepancyStatus } from './discrepancy-tables.js';

interface DiscrepancyFilter {
  readonly status?: DiscrepancyStatus | undefined;
  readonly period?: Period | undefined;
  /** Null for the discrepancies of all reps. */
  readonly repIds: readonly string[] | null;
}

/** The page of discrepancies that match, latest first, and the number of all that match. */
export async function listDiscrepancies(
  tx: Transaction,
  filter: DiscrepancyFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ discrepancies: Discrepancy[]; count: number }> {
  const matching = selectMatching(tx, filter);
  const [rows, counted] = await inParallel(
    () =>
      selectColumns(matching)
        .orderBy('d.since', 'desc')
        .orderBy('d.discrepancy_id')
        .limit(page.limit)
        .offset(page.offset)
        .execute(),
    () => matching.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow(),
  );
  return { discrepancies: rows.map(toDiscrepancy), count: Number(counted.count) };
}

export async function findDiscrepancy(tx: Transaction, id: string): Promise<Discrepancy | null> {
  if (!isUuid(id)) return null;
  const row = await selectColumns(selectMatching(tx, { repIds: null }))
    .where('d.discrepancy_id', '=', id)
    .executeTakeFirst();
  return row === undefined ? null : toDiscrepancy(row);
}

/** What the approved period owes, also if that was dismissed, with the currency first; null if nothing. */
export async function findOwed(
  tx: Transaction,
  { repId, period }: { readonly repId: string; readonly period: Period },
  first: string,
): Promise<z.input<typeof owed> | null> {
  const rows = await tx.db
    .selectFrom('discrepancies')
    .select(['discrepancy_id', 'status', 'currency', 'delta', 'since'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .where('period', '=', period)
    .where('status', 'in', ['open', 'dismissed'])
    .orderBy(sql`(currency = ${first})`, 'desc')
    .orderBy('currency')
    .execute();
  const [row, ...others] = rows;
  if (row === undefined) return null;
  return {
    discrepancyId: row.discrepancy_id,
    status: row.status as 'open' | 'dismissed',
    currency: row.currency,
    delta: Number(row.delta),
    otherCurrencies: others.map(({ currency, delta }) => ({ currency, delta: Number(delta) })),
    since: row.since.toISOString(),
  };
}

function selectMatching(tx: Transaction, { status, period, repIds }: DiscrepancyFilter) {
  let query = tx.db
    .selectFrom('discrepancies as d')
    .innerJoin('reps as r', (join) =>
      join.onRef('r.workspace_id', '=', 'd.workspace_id').onRef('r.rep_id', '=', 'd.rep_id'),
    )
    .leftJoin('reps as b', (join) =>
      join.onRef('b.workspace_id', '=', 'd.workspace_id').onRef('b.rep_id', '=', 'd.resolved_by'),
    )
    .where('d.workspace_id', '=', tx.workspaceId);
  if (status !== undefined) query = query.where('d.status', '=', status);
  if (period !== undefined) query = query.where('d.period', '=', period);
  if (repIds !== null) query = query.where(sql<SqlBool>`d.rep_id = any(${repIds}::uuid[])`);
  return query;
}

function selectColumns(query: ReturnType<typeof selectMatching>) {
  return query
    .selectAll('d')
    .select(['r.name as rep_name', 'b.name as resolver'])
    .select(
      sql<readonly { readonly currency: string; readonly delta: string }[]>`coalesce((
        select json_agg(json_build_object('currency', o.currency, 'delta', o.delta::text) order by o.currency)
        from discrepancies o
        where o.workspace_id = d.workspace_id and o.rep_id = d.rep_id and o.period = d.period
          and o.currency <> d.currency and o.status <> 'resolved' and d.status <> 'resolved'), '[]')`.as('others'),
    );
}

type Row = Awaited<ReturnType<ReturnType<typeof selectColumns>['executeTakeFirstOrThrow']>>;

function toDiscrepancy(row: Row): Discrepancy {
  const approved = Decimal.of(row.approved);
  const carried = Decimal.of(row.carried_forward);
  const delta = Decimal.of(row.delta);
  return {
    discrepancyId: row.discrepancy_id,
    repId: row.rep_id,
    repName: row.rep_name,
    period: row.period,
    status: row.status,
    currency: row.currency,
    approved: approved.toNumber(),
    carriedForward: carried.toNumber(),
    live: approved.plus(carried).plus(delta).toNumber(),
    delta: delta.toNumber(),
    otherCurrencies: row.others.map((other) => ({ ...other, delta: Number(other.delta) })),
    lines: row.lines.map((line) => toTrueUpLineResponse(line, row.currency)),
    lineCount: row.line_count,
    causes: [...row.causes],
    since: row.since.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    resolution: toResolution(row),
  };
}

function toResolution({ action, reason, resolved_by: repId, resolver, resolved_at: at, event_id: eventId }: Row) {
  if (action === null || at === null) return null;
  const by = action === 'cleared' ? null : toAuthor(repId, resolver);
  return { action, reason, by, at: at.toISOString(), eventId };
}
