import { type InferResult, type RawBuilder, type Selectable, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { type Caller, visibleReps } from '../kernel/caller.js';
import { type Day } from '../kernel/day.js';
import { Failure } from '../kernel/failure.js';
import { scoreIdStart } from '../kernel/score-id.js';
import { inParallel } from '../kernel/waiting.js';
import { hasPartOf } from '../ledger/input/deals-of-rep.js';
import { inIndexOrder } from '../platform/database/in-index-order.js';
import { type Tables } from '../platform/database/tables.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type DealContent, type DealRecord } from './deal.js';

export interface DealFilter {
  /** Owners and people on credit lines; null or absent for all deals, including those without an owner. */
  readonly repIds?: readonly string[] | null | undefined;
  readonly stage?: string | undefined;
  /** Earliest time of the latest snapshot. */
  readonly since?: string | undefined;
  /** Part of the name, the id or a text of the fields, ignoring case. */
  readonly query?: string | undefined;
  /** Only deals whose field has the value, ignoring case. */
  readonly field?: { readonly slug: string; readonly value: string } | undefined;
  /** false: without the deals that are scores. */
  readonly scores?: boolean | undefined;
  /** First and last close date, both included. */
  readonly closedFrom?: Day | undefined;
  readonly closedTo?: Day | undefined;
  readonly isWon?: boolean | undefined;
  readonly isClosed?: boolean | undefined;
  /** true: deals without a rep; false: deals with one. */
  readonly unowned?: boolean | undefined;
  /** Lists deleted deals instead of current ones. */
  readonly deleted?: boolean | undefined;
  /** Whether the deal earned an amount other than 0. */
  readonly paid?: boolean | undefined;
  /** Reps whose earnings `paid` counts; all reps if null or absent. */
  readonly paidTo?: readonly string[] | null | undefined;
  /** Only deals with larger ids, in the order of ids. */
  readonly after?: string | undefined;
}

interface DealTotal {
  readonly currency: string;
  readonly amount: number;
  readonly deals: number;
}

interface DealPage {
  readonly limit: number;
  readonly offset: number;
  /** Whether the sums of all deals that match are read too. */
  readonly totals?: boolean;
}

/** One page of the deals, latest snapshot first or after an id, with the total count of those that match. */
export async function listDeals(tx: Transaction, filter: DealFilter, page: DealPage) {
  const where = buildConditions(tx.workspaceId, filter);
  const readPage = () =>
    filter.after === undefined ? readLatest(tx, where, page) : readAfter(tx, where, filter.after, page);
  const [{ count }, rows, totals] = await inParallel(
    () =>
      tx.db
        .selectFrom('deals')
        .select((select) => select.fn.countAll<string>().as('count'))
        .where(where)
        .executeTakeFirstOrThrow(),
    // The deals of a few reps are found by their index and sorted.
    () => (filter.repIds == null ? inIndexOrder(tx, readPage) : readPage()),
    () => (page.totals === true ? readTotals(tx, where) : null),
  );
  return { deals: rows.map(toRecord), count: Number(count), ...(totals === null ? {} : { totals }) };
}

async function readTotals(tx: Transaction, where: RawBuilder<SqlBool>): Promise<DealTotal[]> {
  const { rows } = await sql<DealTotal>`
    select coalesce(deals.currency, w.currency) as currency, sum(deals.amount)::float8 as amount, count(*)::int as deals
    from deals join workspaces w on w.workspace_id = deals.workspace_id
    where ${where} and deals.amount is not null
    group by 1, w.currency
    order by coalesce(deals.currency, w.currency) <> w.currency, 1`.execute(tx.db);
  return rows;
}

function readLatest(
  tx: Transaction,
  where: RawBuilder<SqlBool>,
  page: { readonly limit: number; readonly offset: number },
) {
  return selectDeals(tx, (deals) =>
    deals.where(where).orderBy('snapshot_at', 'desc').orderBy('deal_id').limit(page.limit).offset(page.offset),
  )
    .orderBy('deals.snapshot_at', 'desc')
    .orderBy('deals.deal_id')
    .execute();
}

function readAfter(tx: Transaction, where: RawBuilder<SqlBool>, after: string, { limit }: { readonly limit: number }) {
  return selectDeals(tx, (deals) => deals.where(where).where('deal_id', '>', after).orderBy('deal_id').limit(limit))
    .orderBy('deals.deal_id')
    .execute();
}

function buildConditions(workspaceId: string, filter: DealFilter): RawBuilder<SqlBool> {
  const { repIds = null, stage, since, query, closedFrom, closedTo, isWon, isClosed, unowned, paid } = filter;
  const { field, scores = true } = filter;
  const conditions = [
    sql`deals.workspace_id = ${workspaceId}`,
    filter.deleted === true ? sql`deals.deleted_at is not null` : sql`deals.deleted_at is null`,
    // The condition of the index on snapshots.
    sql`deals.snapshot_at > '-infinity'`,
    repIds === null ? null : hasPartOf(workspaceId, sql`deals`, repIds),
    stage === undefined ? null : sql`deals.stage = ${stage}`,
    since === undefined ? null : sql`deals.snapshot_at >= ${since}::timestamptz`,
    query === undefined ? null : containsText(query),
    field === undefined ? null : sql`lower(deals.fields ->> ${field.slug}) = lower(${field.value})`,
    scores ? null : sql`not starts_with(deals.deal_id, ${scoreIdStart})`,
    closedFrom === undefined ? null : sql`deals.close_date >= ${closedFrom}::date`,
    closedTo === undefined ? null : sql`deals.close_date <= ${closedTo}::date`,
    isWon === undefined ? null : sql`deals.is_won = ${isWon}`,
    isClosed === undefined ? null : sql`deals.is_closed = ${isClosed}`,
    unowned === undefined ? null : unowned ? sql`deals.rep_id is null` : sql`deals.rep_id is not null`,
    paid === undefined ? null : isPaid(workspaceId, paid, filter.paidTo),
  ];
  return sql<SqlBool>`${sql.join(
    conditions.filter((condition) => condition !== null),
    sql` and `,
  )}`;
}

/** Uses position() instead of LIKE, so that `%` and `_` in the text are literal. */
function containsText(query: string): RawBuilder<unknown> {
  const holds = (text: RawBuilder<unknown>) => sql`position(lower(${query}) in lower(${text})) > 0`;
  return sql`(${holds(sql`deals.name`)} or ${holds(sql`deals.deal_id`)} or exists (
    select from jsonb_each(deals.fields) f where jsonb_typeof(f.value) = 'string' and ${holds(sql`f.value #>> '{}'`)}))`;
}

/** Uses the index on the events of a deal. */
function isPaid(workspaceId: string, paid: boolean, paidTo: readonly string[] | null = null): RawBuilder<unknown> {
  const earning = sql`select from commission_events e
    where e.workspace_id = ${workspaceId} and e.deal_key = deals.deal_id and e.kind = 'commission_earned'
      and e.status = 'earned' and e.amount <> 0
      ${paidTo === null ? sql`` : sql`and e.rep_id = any(${paidTo}::uuid[])`}`;
  return paid ? sql`exists (${earning})` : sql`not exists (${earning})`;
}

/** The deal, deleted or not; null if there is none. */
export async function findDeal(tx: Transaction, dealId: string): Promise<DealRecord | null> {
  const row = await selectDeals(tx, (deals) =>
    deals.where('workspace_id', '=', tx.workspaceId).where('deal_id', '=', dealId),
  ).executeTakeFirst();
  return row === undefined ? null : toRecord(row);
}

type DealQuery = SelectQueryBuilder<Tables, 'deals', Selectable<Tables['deals']>>;

/** The owners and connections are joined with the chosen deals only. */
export function selectDeals(tx: Transaction, choose: (deals: DealQuery) => DealQuery) {
  return tx.db
    .selectFrom(choose(tx.db.selectFrom('deals').selectAll()).as('deals'))
    .leftJoin('reps', (join) =>
      join.onRef('reps.workspace_id', '=', 'deals.workspace_id').onRef('reps.rep_id', '=', 'deals.rep_id'),
    )
    .leftJoin('crm_connections', (join) =>
      join
        .onRef('crm_connections.workspace_id', '=', 'deals.workspace_id')
        .onRef('crm_connections.provider', '=', 'deals.provider'),
    )
    .select([
      'deals.deal_id',
      'deals.name',
      'deals.amount',
      'deals.currency',
      'deals.stage',
      'deals.close_date',
      'deals.rep_id',
      'deals.owner_id',
      'deals.owner_email',
      'deals.provider',
      'deals.is_closed',
      'deals.is_won',
      'deals.fields',
      'deals.source_updated_at',
      'deals.snapshot_at',
      'deals.deleted_at',
      'reps.name as rep_name',
      'crm_connections.deal_url',
    ]);
}

type DealRow = InferResult<ReturnType<typeof selectDeals>>[number];

export function toRecord(row: DealRow): DealRecord {
  return {
    deal_id: row.deal_id,
    name: row.name,
    amount: row.amount === null ? null : Number(row.amount),
    currency: row.currency,
    stage: row.stage,
    stageLabel: readStageLabel(row),
    closeDate: row.close_date,
    repId: row.rep_id,
    repName: row.rep_name,
    ownerId: row.owner_id,
    ownerEmail: row.owner_email,
    provider: row.provider,
    crmUrl: row.deal_url?.replace('{id}', encodeURIComponent(row.deal_id)) ?? null,
    isClosed: row.is_closed,
    isWon: row.is_won,
    fields: row.fields,
    sourceUpdatedAt: row.source_updated_at?.toISOString() ?? null,
    snapshotAt: row.snapshot_at.toISOString(),
    deleted_at: row.deleted_at?.toISOString() ?? null,
  };
}

/** The name that the CRM gives to the stage of the deal; `stage` may be an id of the CRM. */
function readStageLabel({ fields, stage }: DealRow): string | null {
  const label: unknown = fields['stage_label'];
  return typeof label === 'string' && label !== '' ? label : stage;
}

interface DealEarnings {
  readonly earned: number;
  /** Whether one of the events is in an approved period, where it cannot be reversed. */
  readonly frozen: boolean;
}

/** The current sum of the calculated events on the deal, for all reps. */
export async function dealEarnings(tx: Transaction, dealId: string): Promise<DealEarnings> {
  const { rows } = await sql<DealEarnings>`
    select count(*)::int as earned, coalesce(bool_or(exists (
      select from statement_periods s
      where s.workspace_id = e.workspace_id and s.rep_id = e.rep_id and s.status = 'approved'
        and e.earned_on between s.from_day and s.to_day
    )), false) as frozen
    from commission_events e
    where e.workspace_id = ${tx.workspaceId} and e.deal_key = ${dealId} and e.kind = 'commission_earned'
      and e.status = 'earned'`.execute(tx.db);
  return rows[0] as DealEarnings;
}

export async function assertDealExists(tx: Transaction, dealId: string): Promise<void> {
  const deal = await tx.db
    .selectFrom('deals')
    .select('deal_id')
    .where('workspace_id', '=', tx.workspaceId)
    .where('deal_id', '=', dealId)
    .executeTakeFirst();
  if (deal === undefined) throw new Failure('deal_not_found', 'There is no deal with this id in this workspace.');
}

/**
 * Rejects a deal that the caller may not see. A caller who sees everyone sees every deal; others see those that the rep
 * owns or has a line on, or has an event or a dispute about, and get the same response for every other id, whether or not it is a deal.
 */
export async function assertMayNameDeal(tx: Transaction, caller: Caller, repId: string, dealId: string): Promise<void> {
  if (visibleReps(caller) === null) return assertDealExists(tx, dealId);
  const { rows } = await sql<{ isKnown: boolean }>`
    select exists (select from deals d
        where d.workspace_id = ${tx.workspaceId} and d.deal_id = ${dealId}
          and ${hasPartOf(tx.workspaceId, sql`d`, [repId])})
      or exists (select from commission_events e
        where e.workspace_id = ${tx.workspaceId} and e.deal_key = ${dealId} and e.rep_id = ${repId})
      or exists (select from disputes p
        where p.workspace_id = ${tx.workspaceId} and p.deal_id = ${dealId} and p.rep_id = ${repId}) as "isKnown"`.execute(
    tx.db,
  );
  if (rows[0]?.isKnown !== true) throw new Failure('deal_not_found', 'This person has no deal with this id.');
}

/** The names of the deals, by id. An id may be given twice. */
export async function findDealNames(
  tx: Transaction,
  dealIds: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (dealIds.length === 0) return new Map();
  const { rows } = await sql<{ dealId: string; name: string | null }>`
    select deal_id as "dealId", name from deals
    where workspace_id = ${tx.workspaceId} and deal_id = any(${[...new Set(dealIds)]}::text[])`.execute(tx.db);
  return new Map(rows.map(({ dealId, name }) => [dealId, name]));
}

interface OwnedContent extends DealContent {
  readonly ownerId: string | null;
}

/**
 * The content and the owner of those of the deals that exist and belong to one of the reps, or of all for null;
 * `isOpen`: only of those that are open.
 */
export async function findDealContents(
  tx: Transaction,
  { repIds, isOpen = false }: { readonly repIds: readonly string[] | null; readonly isOpen?: boolean },
  dealIds: readonly string[],
): Promise<Map<string, OwnedContent>> {
  const { rows } = await sql<OwnedContent & { readonly dealId: string }>`
    select d.deal_id as "dealId", d.rep_id as "ownerId", d.fields, d.given from deals d
    where d.workspace_id = ${tx.workspaceId} and d.deal_id = any(${dealIds}::text[]) and d.deleted_at is null
      ${repIds === null ? sql`` : sql`and ${hasPartOf(tx.workspaceId, sql`d`, repIds)}`} ${isOpen ? sql`and not d.is_closed` : sql``}`.execute(
    tx.db,
  );
  return new Map(rows.map(({ dealId, ...content }) => [dealId, content]));
}

/** The deals whose field has one of the values, alone or in a list, by the value. */
export async function findDealsNaming(
  tx: Transaction,
  slug: string,
  values: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (values.length === 0) return new Map();
  const { rows } = await sql<{ value: string; dealIds: string[] }>`
    select value, array_agg(deal_id order by deal_id) as "dealIds"
    from deals, unnest(${[...new Set(values)]}::text[]) value
    where workspace_id = ${tx.workspaceId} and deleted_at is null
      and fields -> ${slug} ?| ${[...new Set(values)]}::text[] and fields -> ${slug} ? value
    group by value`.execute(tx.db);
  return new Map(rows.map(({ value, dealIds }) => [value, dealIds]));
}

/** The ids among those given that are of a deal, deleted or not. */
export async function knownDealIds(tx: Transaction, dealIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ dealId: string }>`
    select deal_id as "dealId" from deals
    where workspace_id = ${tx.workspaceId} and deal_id = any(${[...new Set(dealIds)]}::text[])`.execute(tx.db);
  return new Set(rows.map(({ dealId }) => dealId));
}
