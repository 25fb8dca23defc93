import { type Selectable, type SqlBool, sql } from 'kysely';
import { type Tables } from '../platform/database/tables.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type DealRecord } from './deal.js';

export interface DealFilter {
  readonly repId?: string | undefined;
  readonly stage?: string | undefined;
  /** Instant that the latest snapshot is not older than. */
  readonly since?: string | undefined;
}

/** One page of the deals that stand, the latest snapshot first, and how many there are. */
export async function listDeals(
  trx: Work,
  workspaceId: string,
  filter: DealFilter,
  page: { readonly limit: number; readonly offset: number },
) {
  const where = sql<SqlBool>`
    deals.workspace_id = ${workspaceId} and deals.deleted_at is null
    ${filter.repId === undefined ? sql`` : sql`and deals.rep_id = ${filter.repId}`}
    ${filter.stage === undefined ? sql`` : sql`and deals.stage = ${filter.stage}`}
    ${filter.since === undefined ? sql`` : sql`and deals.snapshot_at >= ${filter.since}::timestamptz`}`;
  const [{ count }, rows] = await Promise.all([
    trx
      .selectFrom('deals')
      .select((select) => select.fn.countAll<string>().as('count'))
      .where(where)
      .executeTakeFirstOrThrow(),
    selectDeals(trx)
      .where(where)
      .orderBy('deals.snapshot_at', 'desc')
      .orderBy('deals.deal_id')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
  ]);
  return { deals: rows.map(recordOf), count: Number(count) };
}

/** The deal, deleted or not; null when there is none. */
export async function findDeal(trx: Work, workspaceId: string, dealId: string): Promise<DealRecord | null> {
  const row = await selectDeals(trx)
    .where('deals.workspace_id', '=', workspaceId)
    .where('deals.deal_id', '=', dealId)
    .executeTakeFirst();
  return row === undefined ? null : recordOf(row);
}

function selectDeals(trx: Work) {
  return trx
    .selectFrom('deals')
    .leftJoin('reps', (join) =>
      join.onRef('reps.workspace_id', '=', 'deals.workspace_id').onRef('reps.rep_id', '=', 'deals.rep_id'),
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
      'deals.provider',
      'deals.is_closed',
      'deals.is_won',
      'deals.fields',
      'deals.source_updated_at',
      'deals.snapshot_at',
      'deals.deleted_at',
      'reps.name as rep_name',
    ]);
}

type DealRow = Pick<
  Selectable<Tables['deals']>,
  | 'deal_id'
  | 'name'
  | 'amount'
  | 'currency'
  | 'stage'
  | 'close_date'
  | 'rep_id'
  | 'owner_id'
  | 'provider'
  | 'is_closed'
  | 'is_won'
  | 'fields'
  | 'source_updated_at'
  | 'snapshot_at'
  | 'deleted_at'
> & { readonly rep_name: string | null };

function recordOf(row: DealRow): DealRecord {
  return {
    deal_id: row.deal_id,
    name: row.name,
    amount: row.amount === null ? null : Number(row.amount),
    currency: row.currency,
    stage: row.stage,
    closeDate: row.close_date,
    repId: row.rep_id,
    repName: row.rep_name,
    ownerId: row.owner_id,
    provider: row.provider,
    isClosed: row.is_closed,
    isWon: row.is_won,
    fields: row.fields,
    sourceUpdatedAt: row.source_updated_at?.toISOString() ?? null,
    snapshotAt: row.snapshot_at.toISOString(),
    deleted_at: row.deleted_at?.toISOString() ?? null,
  };
}

export interface DealEarnings {
  readonly earned: number;
  /** Whether one of them stands in an approved period, where nothing can take it back. */
  readonly frozen: boolean;
}

/** What the engine's events on the deal come to at this moment, all reps together. */
export async function dealEarnings(trx: Work, workspaceId: string, dealId: string): Promise<DealEarnings> {
  const { rows } = await sql<DealEarnings>`
    select count(*)::int as earned, coalesce(bool_or(exists (
      select from statement_periods s
      where s.workspace_id = e.workspace_id and s.rep_id = e.rep_id and s.status = 'approved'
        and e.earned_on between s.from_day and s.to_day
    )), false) as frozen
    from commission_events e
    where e.workspace_id = ${workspaceId} and e.deal_key = ${dealId} and e.kind = 'commission_earned' and e.status = 'earned'`.execute(
    trx,
  );
  return rows[0] as DealEarnings;
}
