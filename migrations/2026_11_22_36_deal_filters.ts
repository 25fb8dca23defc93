import { type Kysely, sql } from 'kysely';

/** Deleted deals are few beside the others: listing them reads this index alone, and live deals have no entry in it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index deals_deleted on deals (workspace_id, snapshot_at desc, deal_id) where deleted_at is not null`.execute(
    db,
  );
}
