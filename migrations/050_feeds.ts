import { type Kysely, sql } from 'kysely';
import { asOwner } from './owner-functions.js';
import { forceRowSecurity, tenantTable } from './tenant-table.js';

/** The tables that are read as feeds, with the columns that identify a row and the rep whose row it is. */
const feeds = {
  deals: { key: 'deal_id', rep: 'null::uuid' },
  commission_events: { key: 'event_id', rep: 'rep_id' },
};

/**
 * Feeds of deals and commission events in an order that is safe for commits. `changed_in` is the transaction that wrote
 * the row last. Every transaction below the oldest one that is open has ended, so a reader who has read all rows below it
 * misses nothing: whatever is committed later has a larger number.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function stamp_changed_row() returns trigger
    language plpgsql as $$
    begin
      new.changed_in := pg_current_xact_id();
      return new;
    end $$`.execute(db);
  await createRemovedRows(db);
  for (const [table, { key }] of Object.entries(feeds)) {
    const name = sql.table(table);
    // A constant first, which rewrites no rows; they are older than every transaction that is open.
    await sql`alter table ${name} add column changed_in xid8 not null default '3'`.execute(db);
    await sql`alter table ${name} alter column changed_in set default pg_current_xact_id()`.execute(db);
    await sql`
      create index ${sql.ref(`${table}_by_change`)} on ${name} (workspace_id, changed_in, ${sql.ref(key)})`.execute(db);
    await sql`
      create trigger stamp_changed_row before update on ${name} for each row execute function stamp_changed_row()`.execute(
      db,
    );
    await sql`
      create trigger keep_removed_rows after delete on ${name} referencing old table as old_rows
      for each statement execute function ${sql.raw(`keep_removed_${table}`)}()`.execute(db);
  }
  await createIdentity(db);
}

/** The keys of rows that were deleted, so that readers of the feeds delete them too. */
async function createRemovedRows(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table removed_rows (
      workspace_id uuid not null,
      feed text not null check (feed in ('deals', 'commission_events')),
      row_key text not null,
      rep_id uuid,
      removed_at timestamptz not null default now(),
      changed_in xid8 not null default pg_current_xact_id(),
      primary key (workspace_id, feed, row_key)
    )`.execute(db);
  await tenantTable(db, 'removed_rows');
  await sql`
    create index removed_rows_by_change on removed_rows (workspace_id, feed, changed_in, row_key)`.execute(db);
  for (const [table, { key, rep }] of Object.entries(feeds))
    await sql`
      create function ${sql.raw(`keep_removed_${table}`)}() returns trigger
      language plpgsql as $$
      begin
        insert into removed_rows (workspace_id, feed, row_key, rep_id)
        select workspace_id, ${sql.lit(table)}, ${sql.raw(key)}::text, ${sql.raw(rep)} from old_rows
        on conflict (workspace_id, feed, row_key) do update
          set removed_at = excluded.removed_at, changed_in = excluded.changed_in;
        return null;
      end $$`.execute(db);
}

/**
 * The server that assigned the numbers of transactions. Rows that were restored on another server have numbers that its
 * transactions have not reached, so no reader would get them; `adopt_database` gives these rows its own number.
 */
async function createIdentity(db: Kysely<unknown>): Promise<void> {
  await sql`create table database_identity (system_identifier bigint primary key)`.execute(db);
  await forceRowSecurity(db, 'database_identity');
  await sql`insert into database_identity select system_identifier from pg_control_system()`.execute(db);
  await sql`
    create function adopt_database() returns void
    language plpgsql ${asOwner} as $$
    declare
      here bigint := (select system_identifier from pg_control_system());
    begin
      perform from database_identity where system_identifier = here;
      if found then
        return;
      end if;
      lock table database_identity in exclusive mode;
      alter table deals disable trigger user;
      alter table commission_events disable trigger user;
      update deals set changed_in = pg_current_xact_id() where changed_in > pg_current_xact_id();
      update commission_events set changed_in = pg_current_xact_id() where changed_in > pg_current_xact_id();
      update removed_rows set changed_in = pg_current_xact_id() where changed_in > pg_current_xact_id();
      alter table deals enable trigger user;
      alter table commission_events enable trigger user;
      update database_identity set system_identifier = here;
    end $$`.execute(db);
  await sql`revoke all on function adopt_database() from public`.execute(db);
}
