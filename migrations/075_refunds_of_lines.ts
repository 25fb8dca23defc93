import { type Kysely, sql } from 'kysely';

/** A refund may name lines of its deal in place of an amount. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // [{lineId, amount}], amounts as decimal texts, null for a whole line. Null: the refund names no lines.
  await sql`alter table deal_refunds add column lines jsonb`.execute(db);
}
