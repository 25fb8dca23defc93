import { type Kysely, sql } from 'kysely';

/** What each hand-over contains for whom, so that a further file of the period leaves it out. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table payroll_handovers
      add column scope text not null default 'full' check (scope in ('full', 'new')),
      -- by person and currency; null for those that the previous release records
      add column amounts jsonb`.execute(db);
  await sql`
    create or replace trigger record_row_change after insert or delete or update on payroll_handovers
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change('handover_id', 'note', 'amounts')`.execute(db);
}
