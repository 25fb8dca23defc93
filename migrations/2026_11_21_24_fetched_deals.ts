import { type Kysely, sql } from 'kysely';

/** When the CRM was asked for what stands: among states that it stamped alike, what was asked for last is the newest. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table deals add column fetched_at timestamptz`.execute(db);
}
