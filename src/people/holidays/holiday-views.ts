import { sql } from 'kysely';
import { allDays, type DayRange } from '../../kernel/day.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Holiday } from './holiday.js';

/** The holidays of the company on the days, the earliest first. */
export async function listHolidays(tx: Transaction, { from, to }: DayRange = allDays): Promise<Holiday[]> {
  const { rows } = await sql<Holiday>`
    select day, name from holidays
    where workspace_id = ${tx.workspaceId} and day between ${from}::date and ${to}::date
    order by day`.execute(tx.db);
  return rows;
}
