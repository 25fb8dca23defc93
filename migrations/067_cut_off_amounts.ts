import { type Kysely, sql } from 'kysely';

/** What a cap cut off the rows of a true-up, exactly; null if nothing. Events have it in their trace. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table trued_up_rows add column cut_off numeric`.execute(db);
}
