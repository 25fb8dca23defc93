import { type Kysely, sql } from 'kysely';

/** Values of deals that a person has corrected, and what sources have reported since. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // By name: the value, who corrected it and when, and the last report; null for a deal without corrections.
  await sql`alter table deals add column corrections jsonb`.execute(db);
  // The corrections of a replaced state, so that taking an import back restores them.
  await sql`alter table deal_snapshots add column corrections jsonb`.execute(db);
  await sql`
    create index deals_corrected on deals (workspace_id, deal_id) where corrections is not null`.execute(db);
}
