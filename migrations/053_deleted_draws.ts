import { type Kysely, sql } from 'kysely';

/** A deleted draw grants nothing; reads of an earlier instant still have it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table draws add column deleted_at timestamptz`.execute(db);
}
