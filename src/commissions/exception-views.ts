import { sql } from 'kysely';
import { within } from '../earnings/commission-views.js';
import { type Day, type DayRange } from '../kernel/day.js';
import { type Transaction } from '../platform/database/unit-of-work.js';

/** Deals that should pay: in a won stage, or without a stage. Open pipeline and lost deals are left out. */
const isExpectedToPay = sql`(d.is_won or d.stage is null) and d.deleted_at is null`;

/** The reps to calculate: those with a deal that closed on the days, and every rep who manages or managed others. */
export async function listRepsToExplain(
  tx: Transaction,
  { from, to }: DayRange,
  repIds: readonly string[] | null,
): Promise<string[]> {
  const { rows } = await sql<{ repId: string }>`
    select r.rep_id as "repId" from reps r
    where r.workspace_id = ${tx.workspaceId}
      ${within('r.rep_id', repIds)}
      and (r.rep_id in (
        select d.rep_id from deals d
        where d.workspace_id = ${tx.workspaceId} and d.close_date between ${from}::date and ${to}::date
          and d.rep_id is not null and d.deleted_at is null
      ) or r.rep_id in (select l.manager_id from reporting_lines l where l.workspace_id = ${tx.workspaceId}))
    order by r.rep_id`.execute(tx.db);
  return rows.map((row) => row.repId);
}

/** The ids of the reps' deals that closed in the days and should pay. */
export async function listExpectedDeals(
  tx: Transaction,
  { from, to }: DayRange,
  repIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ dealId: string }>`
    select d.deal_id as "dealId" from deals d
    where d.workspace_id = ${tx.workspaceId} and d.close_date between ${from}::date and ${to}::date
      and ${isExpectedToPay} ${within('d.rep_id', repIds)}`.execute(tx.db);
  return new Set(rows.map((row) => row.dealId));
}

export interface DealRow {
  readonly dealId: string;
  readonly name: string | null;
  readonly stage: string | null;
  readonly closeDate: Day | null;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly repId: string | null;
}

const dealColumns = sql`d.deal_id as "dealId", d.name, d.stage, d.close_date as "closeDate", d.amount::float8 as amount,
  d.currency, d.rep_id as "repId"`;

/** Deals that should pay, closed in the days, without an owner. */
export async function listUnownedDeals(tx: Transaction, { from, to }: DayRange): Promise<DealRow[]> {
  const { rows } = await sql<DealRow>`
    select ${dealColumns} from deals d
    where d.workspace_id = ${tx.workspaceId} and d.close_date between ${from}::date and ${to}::date
      and d.rep_id is null and ${isExpectedToPay}`.execute(tx.db);
  return rows;
}

/** Deals that should pay but have no close date, so that they belong to no period. */
export async function listUndatedDeals(tx: Transaction, repIds: readonly string[] | null): Promise<DealRow[]> {
  const { rows } = await sql<DealRow>`
    select ${dealColumns} from deals d
    where d.workspace_id = ${tx.workspaceId} and d.close_date is null and ${isExpectedToPay}
      ${within('d.rep_id', repIds)}`.execute(tx.db);
  return rows;
}

/** The names of the reps and plans with the ids. */
export async function findNames(tx: Transaction, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`
    select rep_id as id, name from reps where workspace_id = ${tx.workspaceId} and rep_id = any(${ids}::uuid[])
    union all
    select plan_id, name from plans where workspace_id = ${tx.workspaceId} and plan_id = any(${ids}::uuid[])`.execute(
    tx.db,
  );
  return new Map(rows.map((row) => [row.id, row.name]));
}
