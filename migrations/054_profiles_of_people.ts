import { type Kysely, sql } from 'kysely';

/** What people do and where, by which lists of people are filtered. The audit log shows that it changed, not what. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['title', 'team', 'location'])
    await sql`
      alter table reps add column ${sql.ref(column)} text check (length(${sql.ref(column)}) between 1 and 200)`.execute(
      db,
    );
  await sql`
    create or replace trigger record_row_change after insert or update or delete on reps
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change('rep_id', 'email,name,avatar,payroll_id,crm_member_id,title,team,location',
      'synced_at,payroll_key')`.execute(db);
}
