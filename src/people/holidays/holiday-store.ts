import { sql } from 'kysely';
import { type Day } from '../../kernel/day.js';
import { anyOf, unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Holiday } from './holiday.js';

/** Stores each holiday in place of the one of its day. */
export async function storeHolidays(tx: Transaction, holidays: readonly Holiday[]): Promise<void> {
  await sql`
    insert into holidays (workspace_id, day, name)
    select ${tx.workspaceId}::uuid, day, name
    from ${unnestRows(holidays, [
      ['day', 'date', ({ day }) => day],
      ['name', 'text', ({ name }) => name],
    ])}
    on conflict (workspace_id, day) do update set name = excluded.name`.execute(tx.db);
}

export async function removeHolidays(tx: Transaction, days: readonly Day[]): Promise<void> {
  await sql`
    delete from holidays where workspace_id = ${tx.workspaceId} and day = ${anyOf('date', days)}`.execute(tx.db);
}
