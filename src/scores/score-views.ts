import { sql } from 'kysely';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type OptionalPage } from '../platform/operations/schemas.js';
import { scorePrefix } from './score.js';

interface ScoreRow {
  readonly repId: string;
  readonly repName: string;
  readonly period: string;
  readonly score: number;
  readonly dealId: string;
  readonly closeDate: string | null;
}

/** The stored scores of a field, by person and period. A deal that has lost its score or its rep is none. */
export async function listScores(
  tx: Transaction,
  { field, repId, period, limit, offset = 0 }: ScoreFilter,
): Promise<ScoreRow[]> {
  const prefix = scorePrefix(field);
  const { rows } = await sql<ScoreRow>`
    select s.*, r.name as "repName" from (
      select d.deal_id as "dealId", split_part(substr(d.deal_id, ${prefix.length + 1}), ':', 1)::uuid as "repId",
        split_part(substr(d.deal_id, ${prefix.length + 1}), ':', 2) as period,
        (d.fields ->> ${field}::text)::float8 as score, d.close_date as "closeDate"
      from deals d
      where d.workspace_id = ${tx.workspaceId} and starts_with(d.deal_id, ${prefix})
        and substr(d.deal_id, ${prefix.length + 1}) ~ '^[0-9a-f-]{36}:[0-9A-Z-]+$'
        and d.deleted_at is null and jsonb_typeof(d.fields -> ${field}::text) = 'number'
    ) s join reps r on r.workspace_id = ${tx.workspaceId} and r.rep_id = s."repId"
    where ${repId === undefined ? sql`true` : sql`s."repId" = ${repId}::uuid`}
      and ${period === undefined ? sql`true` : sql`s.period = ${period}`}
    order by r.name, r.rep_id, s.period
    limit ${limit ?? null} offset ${offset}`.execute(tx.db);
  return rows;
}

interface ScoreFilter extends OptionalPage {
  readonly field: string;
  readonly repId?: string | undefined;
  readonly period?: string | undefined;
}
