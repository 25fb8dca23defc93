import { sql } from 'kysely';
import { allDays, type DayRange, hull, overlap } from '../../kernel/day.js';
import { type FiscalYear, PeriodCalendar } from '../../kernel/period-calendar.js';
import { loadFiscalYears } from '../../ledger/input/calendar.js';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { calendarInUse, daysOf, listPeriods, yearsNotIn } from './fiscal-year.js';
import { listApprovedWithin, listRepsOfFiscalPlans } from './fiscal-year-views.js';

/**
 * Stores the years in place of all others. Returns the reps whom this may pay differently, with the days: those of the
 * changed years for rules of the fiscal calendar, and all for conditions, which may read any date of a deal. Rejects a
 * change of days that approved statements contain; days of a new year may be approved.
 */
export async function replaceFiscalYears(
  tx: Transaction,
  years: readonly FiscalYear[],
): Promise<ReadonlyMap<string, DayRange>> {
  const before = await loadFiscalYears(tx);
  const [removed, added] = [yearsNotIn(before, years), yearsNotIn(years, before)];
  if (removed.length + added.length === 0) return new Map();
  await assertNotInUse(tx, removed, added);
  await store(tx, years, removed);
  await moveDrafts(tx, added);
  const days = [...removed, ...added].map(daysOf).reduce(hull);
  const reps = await listRepsOfFiscalPlans(tx);
  return new Map(reps.map(({ repId, hasCondition }) => [repId, hasCondition ? allDays : days]));
}

async function assertNotInUse(
  tx: Transaction,
  removed: readonly FiscalYear[],
  added: readonly FiscalYear[],
): Promise<void> {
  for (const old of removed) {
    const next = added.find(({ year }) => year === old.year);
    const days = [old, ...(next === undefined ? [] : [next])].map(daysOf);
    const approved = await listApprovedWithin(tx, days.reduce(hull));
    const within = approved.filter((statement) => days.some((range) => overlap(range, statement)));
    if (within.length > 0) throw calendarInUse(old.year, within);
  }
}

async function store(tx: Transaction, years: readonly FiscalYear[], removed: readonly FiscalYear[]): Promise<void> {
  const gone = removed.map(({ year }) => year).filter((year) => !years.some((fiscal) => fiscal.year === year));
  await sql`
    delete from fiscal_years where workspace_id = ${tx.workspaceId} and year = any(${gone}::smallint[])`.execute(tx.db);
  if (years.length > 0)
    await sql`
      insert into fiscal_years as f (workspace_id, year, start_day, pattern, weeks)
      select ${tx.workspaceId}::uuid, year, start_day, pattern, weeks from ${unnestRows(years, [
        ['year', 'smallint', ({ year }) => year],
        ['start_day', 'date', ({ start }) => start],
        ['pattern', 'text', ({ pattern }) => pattern],
        ['weeks', 'smallint', ({ weeks }) => weeks],
      ])}
      on conflict (workspace_id, year) do update set
        start_day = excluded.start_day, pattern = excluded.pattern, weeks = excluded.weeks
      where (f.start_day, f.pattern, f.weeks) is distinct from (excluded.start_day, excluded.pattern, excluded.weeks)`.execute(
      tx.db,
    );
  await tx.db
    .insertInto('fiscal_year_history')
    .values({ workspace_id: tx.workspaceId, years: JSON.stringify(years) })
    .execute();
}

/** The drafts of the years' periods cover the new days. */
async function moveDrafts(tx: Transaction, years: readonly FiscalYear[]): Promise<void> {
  if (years.length === 0) return;
  const periods = listPeriods(new PeriodCalendar(years), years.map(daysOf).reduce(hull));
  await sql`
    update statement_periods s set from_day = input.from_day, to_day = input.to_day
    from ${unnestRows(periods, [
      ['period', 'text', ({ period }) => period],
      ['from_day', 'date', ({ from }) => from],
      ['to_day', 'date', ({ to }) => to],
    ])}
    where s.workspace_id = ${tx.workspaceId} and s.period = input.period and s.status = 'draft'
      and (s.from_day, s.to_day) is distinct from (input.from_day, input.to_day)`.execute(tx.db);
}
