import { type Kysely, sql } from 'kysely';

/** Filters by which people are meant to be on a plan, and the views of lists that each person has saved. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table workspaces add column assignment_filters jsonb not null default '[]'`.execute(db);
  await sql`alter table reps add column saved_views jsonb not null default '[]'`.execute(db);
  await sql`
    create or replace trigger record_row_change after insert or update or delete on reps
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change('rep_id', 'email,name,avatar,payroll_id,crm_member_id,title,team,location,fields',
      'synced_at,payroll_key,saved_views')`.execute(db);
}
