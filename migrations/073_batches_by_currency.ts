import { type Kysely, sql } from 'kysely';

/** A period may have an open batch for each currency, since a payroll file of most layouts has one currency. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Null: the batch contains every currency.
  await sql`alter table payout_batches add column currency text`.execute(db);
  await sql`drop index payout_batches_open`.execute(db);
  await sql`
    create unique index payout_batches_open on payout_batches (workspace_id, period, coalesce(currency, ''))
    where status = 'open'`.execute(db);
}
