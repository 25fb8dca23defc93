import { type Kysely, sql } from 'kysely';

/** An entry of the audit log states what an import of deals did, whose rows are too many to list. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function insert_audit_entry(workspace uuid, entry uuid, head text) returns void
    language sql as $$
      insert into audit_entries (workspace_id, entry_id, content)
      values (workspace, entry, left(head, -1) || coalesce(',"counts":' || nullif(current_setting('app.audit_counts', true), ''), '')
        || ',"changes":[' || coalesce(current_setting('app.row_changes', true), '')
        || '],"moreChanges":' || coalesce(nullif(current_setting('app.more_row_changes', true), ''), '0') || '}')
    $$`.execute(db);
}
