import { type Kysely, sql } from 'kysely';
import { appRole, tenantTable, withoutOwnerStatistics } from './tenant-table.js';

/** Deals and their snapshots. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createDeals(db);
  await createSnapshots(db);
  // Deals that were removed permanently: an older message of the CRM must not create them again.
  await sql`
    create table deal_tombstones (
      workspace_id uuid not null,
      deal_id text not null,
      purged_at timestamptz not null,
      primary key (workspace_id, deal_id)
    )`.execute(db);
  await tenantTable(db, 'deal_tombstones');
}

async function createDeals(db: Kysely<unknown>): Promise<void> {
  // No foreign key to workspaces: the check costs a fifth of an import, and row-level security admits no other id.
  await sql`
    create table deals (
      workspace_id uuid not null,
      deal_id text not null check (length(deal_id) between 1 and 200),
      rep_id uuid,
      name text,
      amount numeric check (amount <> 'NaN' and abs(amount) <= 1e15),
      currency text,
      stage text,
      close_date date check (close_date between '1900-01-01' and '2199-12-31'),
      created_date date check (created_date between '1900-01-01' and '2199-12-31'),
      owner_id text,
      owner_email text,
      provider text,
      is_closed boolean not null default false,
      is_won boolean not null default false,
      -- the CRM's fields by slug, and the standard values that were sent by their own names
      fields jsonb not null default '{}',
      given jsonb not null default '{}',
      content_hash uuid not null,
      source_updated_at timestamptz,
      -- when the CRM was read: of two states with equal "source_updated_at", the one that was read later is newer
      fetched_at timestamptz,
      snapshot_at timestamptz not null default now(),
      deleted_at timestamptz,
      primary key (workspace_id, deal_id)
    )`.execute(db);
  // Every index except the primary key has a condition, so that no other index can be read to find deals by their ids. In
  // a table that was analyzed before its first rows were committed all indexes have the same estimated cost, and an
  // import read all deals of the workspace once for each batch.
  await sql`create index deals_by_rep on deals (workspace_id, rep_id, close_date) where rep_id is not null`.execute(db);
  // Costs a quarter of an insert. Without the deal id it would cost little, but sort each import for a page of it. The
  // condition holds for every deal; only statements that contain it can read the index.
  await sql`
    create index deals_by_snapshot on deals (workspace_id, snapshot_at desc, deal_id)
    where snapshot_at > '-infinity'`.execute(db);
  // Read when a new rep or CRM member may own deals that had no rep.
  await sql`create index deals_without_rep on deals (workspace_id, owner_id) where rep_id is null`.execute(db);
  // Deleted deals are few: listing them reads only this index, which has no entries for the other deals.
  await sql`
    create index deals_deleted on deals (workspace_id, snapshot_at desc, deal_id)
    where deleted_at is not null`.execute(db);
  await tenantTable(db, 'deals');
  await withoutOwnerStatistics(db, 'deals');
}

/** The deal itself is its latest snapshot; this table holds the earlier ones, so that storing a deal writes one row. */
async function createSnapshots(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table deal_snapshots (
      workspace_id uuid not null,
      deal_id text not null,
      snapshot_id bigint generated always as identity,
      taken_at timestamptz not null default now(),
      source_updated_at timestamptz,
      provider text,
      fields jsonb not null,
      given jsonb not null,
      deleted boolean not null default false,
      primary key (workspace_id, deal_id, snapshot_id)
    )`.execute(db);
  await tenantTable(db, 'deal_snapshots');
  // All snapshots. The latest one has no number.
  await sql`
    create view deal_versions with (security_invoker = true) as
    select workspace_id, deal_id, snapshot_id, taken_at, source_updated_at, provider, fields, given, deleted
    from deal_snapshots
    union all
    select workspace_id, deal_id, null, snapshot_at, source_updated_at, provider, fields, given, deleted_at is not null
    from deals`.execute(db);
  await sql`grant select on deal_versions to ${sql.raw(appRole)}`.execute(db);
}
