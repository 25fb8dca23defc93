import { type Kysely, sql } from 'kysely';

/**
 * A statement that writes many events gives them the number of its transaction itself: calling the trigger for each row
 * takes longer. The trigger numbers the rows of all other statements.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop trigger stamp_changed_row on commission_events`.execute(db);
  await sql`
    create trigger stamp_changed_row before update on commission_events
    for each row when (new.changed_in = old.changed_in) execute function stamp_changed_row()`.execute(db);
}
