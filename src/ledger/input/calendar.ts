import { type RawBuilder, sql } from 'kysely';
import { type DayRange } from '../../kernel/day.js';
import { type Period, periodRange } from '../../kernel/period.js';
import { type FiscalYear, isFiscalPeriod, type PeriodCalendar, toCalendar } from '../../kernel/period-calendar.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** The fiscal years by year, as a column: the current ones, or in a transaction with `asOf` those of that instant. */
export function fiscalYearsColumn(tx: Transaction): RawBuilder<FiscalYear[]> {
  if (tx.asOf !== null)
    return sql`coalesce((
      select years from fiscal_year_history
      where workspace_id = ${tx.workspaceId} and changed_at <= ${tx.until}::timestamptz
      order by position desc limit 1), '[]')`;
  return sql`coalesce((
    select jsonb_agg(jsonb_build_object('year', year, 'start', start_day, 'pattern', pattern, 'weeks', weeks) order by year)
    from fiscal_years where workspace_id = ${tx.workspaceId}), '[]')`;
}

export async function loadFiscalYears(tx: Transaction): Promise<FiscalYear[]> {
  const { rows } = await sql<{ years: FiscalYear[] }>`select ${fiscalYearsColumn(tx)} as years`.execute(tx.db);
  return rows[0]?.years ?? [];
}

/** The periods of the workspace. */
export async function loadCalendar(tx: Transaction): Promise<PeriodCalendar> {
  return toCalendar(await loadFiscalYears(tx));
}

/** First and last day of the period, without a query for one of the civil calendar. Rejects an unknown fiscal year. */
export async function loadRange(tx: Transaction, period: Period): Promise<DayRange> {
  return isFiscalPeriod(period) ? (await loadCalendar(tx)).range(period) : periodRange(period);
}
