import { sql } from 'kysely';
import { type RateTable } from '../../engine/rate-table.js';
import { type Day } from '../../kernel/day.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type RowCounts } from './rate-table.js';

export interface TableRevision {
  readonly revision: number;
  /** Null after it was deleted. */
  readonly table: RateTable | null;
}

/** The latest revision of the table, or in a transaction with `asOf` that of the instant; null if it never existed. */
export async function findTableRevision(tx: Transaction, name: string): Promise<TableRevision | null> {
  const { rows } = await sql<TableRevision>`
    select revision, content as "table" from rate_table_revisions
    where workspace_id = ${tx.workspaceId} and lower(table_name) = lower(${name})
      and changed_at <= ${tx.until}::timestamptz
    order by revision desc limit 1`.execute(tx.db);
  return rows[0] ?? null;
}

interface StoredRevision {
  readonly revision: number;
  readonly changedAt: Date;
  readonly actor: string;
  readonly note: string;
  readonly counts: RowCounts;
  readonly deleted: boolean;
}

/** Who changed the table, the latest change first. */
export async function listTableRevisions(tx: Transaction, name: string): Promise<StoredRevision[]> {
  const { rows } = await sql<StoredRevision>`
    select revision, changed_at as "changedAt", actor, note, counts, content is null as deleted
    from rate_table_revisions where workspace_id = ${tx.workspaceId} and lower(table_name) = lower(${name})
    order by revision desc limit 1000`.execute(tx.db);
  return rows;
}

interface StoredSummary extends Pick<RateTable, 'name'> {
  readonly keys: RateTable['keys'][number][];
  readonly columns: RateTable['columns'][number][];
  readonly rows: number;
  readonly revision: number;
}

export async function listTables(tx: Transaction): Promise<StoredSummary[]> {
  const { rows } = await sql<StoredSummary>`
    select name, keys, columns, revision, (select count(*)::int from rate_table_rows r
      where r.workspace_id = t.workspace_id and r.table_name = t.name) as rows
    from rate_tables t where workspace_id = ${tx.workspaceId} order by lower(name)`.execute(tx.db);
  return rows;
}

/** A plan with an active version that names the table in a tier or an override. */
interface UsingPlan {
  readonly table: string;
  readonly planId: string;
  readonly name: string;
}

/** The plans that use tables; the names of the tables are in small letters. */
export async function listUsingPlans(tx: Transaction, table?: string): Promise<UsingPlan[]> {
  const { rows } = await sql<UsingPlan>`
    select distinct lower(tier ->> 'table') as "table", p.plan_id as "planId", p.name
    from plans p join plan_versions v on v.workspace_id = p.workspace_id and v.plan_id = p.plan_id
      and v.status = 'active'
    cross join lateral (
      select jsonb_array_elements(r.definition -> 'tiers') as tier from plan_rules r
      where r.workspace_id = v.workspace_id and r.plan_version_id = v.plan_version_id
      union all
      select jsonb_array_elements(o.tiers) from plan_overrides o
      where o.workspace_id = v.workspace_id and o.plan_version_id = v.plan_version_id
    ) tiers
    where p.workspace_id = ${tx.workspaceId} and p.status = 'active' and tier ->> 'table' is not null
      ${table === undefined ? sql`` : sql`and lower(tier ->> 'table') = lower(${table})`}
    order by 3`.execute(tx.db);
  return rows;
}

interface UsingAssignment {
  readonly repId: string;
  readonly start: Day | null;
  readonly end: Day | null;
}

/** The assignments to the plans. */
export async function listUsingAssignments(tx: Transaction, planIds: readonly string[]): Promise<UsingAssignment[]> {
  const { rows } = await sql<UsingAssignment>`
    select rep_id as "repId", effective_start as start, effective_end as "end" from assignments
    where workspace_id = ${tx.workspaceId} and deleted_at is null and plan_id = any(${planIds}::uuid[])`.execute(tx.db);
  return rows;
}
