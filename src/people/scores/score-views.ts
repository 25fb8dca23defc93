import { sql } from 'kysely';
import { scoreIdStart } from '../../kernel/score-id.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type OptionalPage } from '../../platform/operations/schemas.js';
import { scorePrefix } from './score.js';

interface ScoreRow {
  readonly field: string;
  readonly repId: string;
  readonly repName: string;
  readonly period: string;
  readonly score: number;
  readonly dealId: string;
  readonly closeDate: string | null;
}

/** The stored scores, by field, person and period. A deal that has lost its score or its rep is none. */
export async function listScores(
  tx: Transaction,
  { field, repId, repIds, period, limit, offset = 0 }: ScoreFilter,
): Promise<ScoreRow[]> {
  const part = (position: number) => sql`split_part(d.deal_id, ':', ${sql.lit(position)})`;
  const { rows } = await sql<ScoreRow>`
    select s.*, r.name as "repName" from (
      select d.deal_id as "dealId", ${part(2)} as field, ${part(3)}::uuid as "repId", ${part(4)} as period,
        (d.fields ->> ${part(2)})::float8 as score, d.close_date as "closeDate"
      from deals d
      where d.workspace_id = ${tx.workspaceId} and starts_with(d.deal_id, ${field === undefined ? scoreIdStart : scorePrefix(field)})
        and d.deal_id ~ '^score:[^:]+:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:[0-9A-Z-]+$'
        and d.deleted_at is null and jsonb_typeof(d.fields -> ${part(2)}) = 'number'
    ) s join reps r on r.workspace_id = ${tx.workspaceId} and r.rep_id = s."repId"
    where ${repId === undefined ? sql`true` : sql`s."repId" = ${repId}::uuid`}
      and ${repIds === undefined ? sql`true` : sql`s."repId" = any(${repIds}::uuid[])`}
      and ${period === undefined ? sql`true` : sql`s.period = ${period}`}
    order by s.field, r.name, r.rep_id, s.period
    limit ${limit ?? null} offset ${offset}`.execute(tx.db);
  return rows;
}

interface ScoreFilter extends OptionalPage {
  readonly field?: string | undefined;
  readonly repId?: string | undefined;
  readonly repIds?: readonly string[] | undefined;
  readonly period?: string | undefined;
}
