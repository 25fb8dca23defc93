import { type Kysely, sql } from 'kysely';
import { tenantTable } from './tenant-table.js';

/**
 * Feeds of deals and commission events are in an order that is safe for commits: the column `changed_in` of their tables
 * is the transaction that wrote the row last. Every transaction below the oldest one that is open has ended, so a reader
 * who has read all rows below it misses nothing: whatever is committed later has a larger number.
 */
export async function createFeed(
  db: Kysely<unknown>,
  table: 'deals' | 'commission_events',
  key: string,
  rep = 'null::uuid',
): Promise<void> {
  const name = sql.table(table);
  await sql`create index ${sql.ref(`${table}_by_change`)} on ${name} (workspace_id, changed_in, ${sql.ref(key)})`.execute(
    db,
  );
  await sql`
    create trigger stamp_changed_row before update on ${name} for each row execute function stamp_changed_row()`.execute(
    db,
  );
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
  await sql`
    create trigger keep_removed_rows after delete on ${name} referencing old table as old_rows
    for each statement execute function ${sql.raw(`keep_removed_${table}`)}()`.execute(db);
}

/** The keys of rows that were deleted, so that readers of the feeds delete them too. */
export async function createRemovedRows(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function stamp_changed_row() returns trigger
    language plpgsql as $$
    begin
      new.changed_in := pg_current_xact_id();
      return new;
    end $$`.execute(db);
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
  await sql`
    create index removed_rows_by_change on removed_rows (workspace_id, feed, changed_in, row_key)`.execute(db);
  await tenantTable(db, 'removed_rows');
}
