import { type Kysely, sql } from 'kysely';

/** Fields of people that a workspace defines, and their values. The audit log shows that values changed, not what. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table workspaces add column person_fields jsonb not null default '[]'`.execute(db);
  await sql`
    alter table reps add column fields jsonb not null default '{}' check (jsonb_typeof(fields) = 'object')`.execute(db);
  await sql`
    create or replace trigger record_row_change after insert or update or delete on reps
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change('rep_id', 'email,name,avatar,payroll_id,crm_member_id,title,team,location,fields',
      'synced_at,payroll_key')`.execute(db);
}
