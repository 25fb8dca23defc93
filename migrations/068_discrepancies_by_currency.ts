import { type Kysely, sql } from 'kysely';

/**
 * An approved period has one discrepancy for each currency. What rows list of other currencies is checked again, which opens
 * a discrepancy for each of them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index discrepancies_present`.execute(db);
  await sql`create unique index discrepancies_present on discrepancies (workspace_id, rep_id, period, currency)
    where status <> 'resolved'`.execute(db);
  await sql`
    insert into period_checks (workspace_id, rep_id, period, causes)
    select workspace_id, rep_id, period, '[]' from discrepancies
    where status <> 'resolved' and other_currencies <> '[]'`.execute(db);
}
