import { type RawBuilder, sql } from 'kysely';
import { isUuid } from '../../kernel/ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type OptionalPage } from '../../platform/operations/schemas.js';
import { type Draw } from './draw.js';

interface DrawFilter {
  readonly drawId?: string;
  readonly repIds?: readonly string[] | null;
  readonly page?: OptionalPage;
}

/** Draws as a table expression: the current ones, or in a transaction with `asOf` those of that instant. */
export function drawsTable(tx: Transaction): RawBuilder<unknown> {
  if (tx.asOf === null) return sql`(select * from draws where deleted_at is null)`;
  return sql`(
    select d.workspace_id, d.draw_id, d.rep_id, d.kind, d.recoverable, d.amount, d.currency, d.from_day, d.created_by,
      d.created_at, h.to_day, h.recovery_start, h.recovery_day, h.recovery_percent, h.forgive_on
    from draws d
    join lateral (
      select * from draw_history
      where workspace_id = d.workspace_id and draw_id = d.draw_id and changed_at <= ${tx.until}::timestamptz
      order by position desc limit 1
    ) h on true
    where d.workspace_id = ${tx.workspaceId} and coalesce(d.deleted_at, 'infinity') > ${tx.until}::timestamptz)`;
}

interface DrawRow extends Omit<Draw, 'createdAt' | 'recovery'> {
  readonly start: Draw['recovery']['start'];
  readonly day: string | null;
  readonly maxPercent: number;
  readonly forgiveOn: string | null;
  readonly createdAt: Date;
}

/** The draws `d` that the filter selects. */
function matchingDraws(tx: Transaction, { drawId, repIds }: DrawFilter): RawBuilder<unknown> {
  return sql`${drawsTable(tx)} d
    where d.workspace_id = ${tx.workspaceId}
      ${drawId === undefined ? sql`` : sql`and d.draw_id = ${drawId}`}
      ${repIds ? sql`and d.rep_id = any(${repIds}::uuid[])` : sql``}`;
}

/** Draws by rep, in the order in which they are recovered. */
export async function listDraws(tx: Transaction, filter: DrawFilter): Promise<Draw[]> {
  const { limit, offset = 0 } = filter.page ?? {};
  const { rows } = await sql<DrawRow>`
    select d.draw_id as "drawId", d.rep_id as "repId", d.kind, d.recoverable, d.amount::float8 as amount, d.currency,
      d.from_day as "from", d.to_day as "to", d.recovery_start as start, d.recovery_day as day,
      d.recovery_percent::float8 as "maxPercent", d.forgive_on as "forgiveOn", d.created_by as "createdBy",
      d.created_at as "createdAt",
      coalesce((
        select jsonb_agg(jsonb_build_object('amount', f.amount, 'day', f.forgiven_on, 'reason', f.reason,
          'by', f.forgiven_by) order by f.created_at, f.forgiveness_id)
        from draw_forgiveness f
        where f.workspace_id = d.workspace_id and f.draw_id = d.draw_id
          and f.created_at <= ${tx.until}::timestamptz), '[]') as forgiven
    from ${matchingDraws(tx, filter)}
    order by d.rep_id, d.from_day, d.draw_id
    limit ${limit ?? null} offset ${offset}`.execute(tx.db);
  return rows.map(({ start, day, maxPercent, forgiveOn, createdAt, ...row }) => ({
    ...row,
    recovery: { start, day, maxPercent, forgiveOn },
    createdAt: createdAt.toISOString(),
  }));
}

export async function countDraws(tx: Transaction, filter: DrawFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${matchingDraws(tx, filter)}`.execute(tx.db);
  return rows[0]?.count ?? 0;
}

export async function findDraw(tx: Transaction, drawId: string): Promise<Draw | null> {
  if (!isUuid(drawId)) return null;
  return (await listDraws(tx, { drawId }))[0] ?? null;
}
