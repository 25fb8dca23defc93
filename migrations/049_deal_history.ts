import { type Kysely, sql } from 'kysely';

/** The history of a deal finds the audit entry of each of its states by the time of the transaction. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index audit_entries_by_time on audit_entries (workspace_id, at)`.execute(db);
}
