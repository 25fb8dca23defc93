import { type RawBuilder, sql } from 'kysely';
import { type Day, type DayRange } from '../../kernel/day.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** A deal of a person, with the currencies of its values; or the currency in which a person earned on a day. */
export interface ForeignDeal {
  readonly repId: string;
  readonly day: Day;
  readonly currencies: readonly string[];
  /** Whether the person earned the amounts: only managers above convert them. */
  readonly isEarned: boolean;
}

/** Which currencies are looked for; null: all. */
type Currencies = readonly string[] | null;

const hasOwnCodes = sql`d.fields::text like ${'%\\_currency"%'}`;

/** The currencies that the CRM reports beside single fields. */
const ownCodes = sql`case when ${hasOwnCodes} then array(
    select distinct upper(f.value) from jsonb_each_text(d.fields) f
    where f.key like ${'%\\_currency'} and f.value ~ '^[A-Za-z]{3}$'
  ) else '{}'::text[] end`;

const linesOfDeal = sql`deal_lines l where l.workspace_id = d.workspace_id and l.deal_id = d.deal_id`;
const lineCode = sql`upper(l.content->>'currency')`;

function isOneOf(code: RawBuilder<unknown>, currencies: Currencies): RawBuilder<unknown> {
  return currencies === null ? sql`${code} is not null` : sql`${code} = any(${currencies}::text[])`;
}

/**
 * The deals of the reps in the days that have a value, or a line, in one of the currencies, one row for each person on a
 * deal. `hasLines`: whether the workspace has lines.
 */
export async function loadForeignDeals(
  tx: Transaction,
  repIds: readonly string[],
  days: DayRange,
  currencies: Currencies,
  hasLines: boolean,
): Promise<ForeignDeal[]> {
  const code = sql`upper(btrim(d.currency))`;
  const hasForeignLine = hasLines
    ? sql`exists (select from ${linesOfDeal} and ${isOneOf(lineCode, currencies)})`
    : sql`false`;
  const lineCodes = hasLines ? sql`array(select distinct ${lineCode} from ${linesOfDeal})` : sql`'{}'::text[]`;
  const isForeign = sql`d.deleted_at is null and (${isOneOf(code, currencies)} or ${hasOwnCodes} or ${hasForeignLine})`;
  const inDays = sql`between ${days.from}::date and ${days.to}::date`;
  const { rows } = await sql<ForeignDeal>`
    select reps.rep_id as "repId", d.close_date as day, false as "isEarned",
      array_remove(array_append(${ownCodes}, ${code}) || ${lineCodes}, null) as currencies
    from unnest(${repIds}::uuid[]) as reps (rep_id) cross join lateral (
      select d.* from deals d
      where d.workspace_id = ${tx.workspaceId} and d.rep_id = reps.rep_id and d.close_date ${inDays} and ${isForeign}
      union
      select d.* from deal_participations p join deals d on d.workspace_id = p.workspace_id and d.deal_id = p.deal_id
      where p.workspace_id = ${tx.workspaceId} and p.rep_id = reps.rep_id and p.close_date ${inDays} and ${isForeign}
      offset 0
    ) d`.execute(tx.db);
  return rows;
}

/** The days on which people earned in one of the currencies on deals. */
export async function loadForeignEarnings(
  tx: Transaction,
  days: DayRange,
  currencies: Currencies,
): Promise<ForeignDeal[]> {
  const { rows } = await sql<ForeignDeal>`
    select e.rep_id as "repId", e.earned_on as day, true as "isEarned", array_agg(distinct e.currency) as currencies
    from commission_events e
    where e.workspace_id = ${tx.workspaceId} and e.kind = 'commission_earned' and e.status = 'earned'
      and e.phase <> 'periodic' and e.earned_on between ${days.from}::date and ${days.to}::date
      and ${isOneOf(sql`e.currency`, currencies)}
    group by 1, 2`.execute(tx.db);
  return rows;
}

/** A refund that names lines in other currencies than its deal. */
export interface ForeignRefund {
  readonly dealId: string;
  readonly day: Day;
  /** The currency of a line, and that of the deal. */
  readonly pairs: readonly (readonly [string, string])[];
}

/** The refunds in the days that name lines in another currency than the deal, of which one is among the currencies. */
export async function loadForeignRefunds(
  tx: Transaction,
  days: DayRange,
  currencies: Currencies,
): Promise<ForeignRefund[]> {
  const code = sql`upper(btrim(d.currency))`;
  const isEither = sql`(${isOneOf(lineCode, currencies)} or ${isOneOf(code, currencies)})`;
  const { rows } = await sql<ForeignRefund>`
    select r.deal_id as "dealId", r.day, jsonb_agg(distinct jsonb_build_array(${lineCode}, ${code})) as pairs
    from deal_refunds r
    join deals d on d.workspace_id = r.workspace_id and d.deal_id = r.deal_id and d.deleted_at is null
    join deal_lines l on l.workspace_id = d.workspace_id and l.deal_id = d.deal_id
    where r.workspace_id = ${tx.workspaceId} and r.lines is not null
      and r.day between ${days.from}::date and ${days.to}::date
      and l.line_id in (select named->>'lineId' from jsonb_array_elements(r.lines) named)
      and ${lineCode} <> ${code} and ${isEither}
    group by r.deal_id, r.refund_id, r.day`.execute(tx.db);
  return rows;
}
