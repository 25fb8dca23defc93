import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';
import { tenantTable } from './tenant-table.js';

/** Counts the repetitions of a rejected call within a minute, for which the audit log gets one entry. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table rejected_calls (
      workspace_id uuid not null,
      -- the actor and the key
      caller text not null,
      operation text not null,
      code text not null,
      minute timestamptz not null,
      -- the calls after the first one, which has its own entry
      repeats integer not null default 0,
      -- id and content of the entry about the repetitions: those of the last call
      entry_id uuid not null,
      head text not null,
      primary key (workspace_id, caller, operation, code, minute)
    )`.execute(db);
  await tenantTable(db, 'rejected_calls');
  await sql`
    create function record_repeated_rejections() returns void
    language sql volatile ${asOwner} as $$
      with ended as (
        delete from rejected_calls where minute < date_trunc('minute', now())
        returning workspace_id, entry_id, head, repeats
      )
      insert into audit_entries (workspace_id, entry_id, content)
      select workspace_id, entry_id, left(head, -1) || ',"count":' || repeats || ',"changes":[],"moreChanges":0}'
      from ended where repeats > 0
    $$`.execute(db);
  await grantToService(db, ['record_repeated_rejections()']);
}
