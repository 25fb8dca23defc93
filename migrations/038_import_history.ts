import { type Kysely, sql } from 'kysely';

/** Imports are found among the entries of the audit log, which state the control totals of a file of deals. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index audit_entries_of_imports on audit_entries (workspace_id, at desc, entry_id)
    where content like '%"operation":"import%' or content like '%"operation":"takeBackImport"%'`.execute(db);
  await sql`
    create or replace function insert_audit_entry(workspace uuid, entry uuid, head text) returns void
    language sql as $$
      insert into audit_entries (workspace_id, entry_id, content)
      values (workspace, entry, left(head, -1) || coalesce(',"counts":' || nullif(current_setting('app.audit_counts', true), ''), '')
        || coalesce(',"totals":' || nullif(current_setting('app.audit_totals', true), ''), '')
        || ',"changes":[' || coalesce(current_setting('app.row_changes', true), '')
        || '],"moreChanges":' || coalesce(nullif(current_setting('app.more_row_changes', true), ''), '0') || '}')
    $$`.execute(db);
}
