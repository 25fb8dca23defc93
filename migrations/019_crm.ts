import { type Kysely, sql } from 'kysely';
import { recordRowChanges } from './change-triggers.js';
import { asOwner, grantToService } from './owner-functions.js';
import { tenantTable } from './tenant-table.js';

/** Connections to CRMs, their members and fields, and running syncs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createConnections(db);
  await createAccounts(db);
  await createSyncRuns(db);
  await createHistory(db);
  await createWriteBacks(db);
  await createSweepFunctions(db);
}

async function createConnections(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table crm_connections (
      workspace_id uuid not null references workspaces,
      provider text not null check (provider in ('crma', 'crmb', 'crmc')),
      -- null for a CRM that is not connected, of which only "sync_enabled" is stored
      connected_at timestamptz,
      sync_enabled boolean not null default true,
      account_id text,
      -- the address of a deal's page, which each sync reads; that of crm-b follows from the account
      deal_url text check (deal_url like 'https://%{id}%'),
      -- tokens and addresses, encrypted
      credentials bytea,
      connected_by text,
      -- set when the CRM rejects the credentials; a person must connect again
      broken_at timestamptz,
      broken_reason text,
      webhook_id text,
      last_sync_at timestamptz,
      -- all changes before this time, by the clock of the CRM, are stored
      polled_through timestamptz,
      -- the same for deletions, of a CRM that lists them apart
      deletions_through timestamptz,
      -- of the people that were imported last
      members_hash uuid,
      poll_due_at timestamptz,
      -- null for the interval of the configuration
      poll_seconds integer check (poll_seconds between 60 and 86400),
      -- the scopes and permissions that the connection needs, as of the last check
      permissions jsonb,
      -- when a reconciliation was rejected because it would delete too much; the same request soon after confirms it
      reconcile_rejected_at timestamptz,
      -- which people, deals and fields are read; see crm-settings.ts
      settings jsonb not null default '{}',
      primary key (workspace_id, provider)
    )`.execute(db);
  await tenantTable(db, 'crm_connections');
  await recordRowChanges(db, 'crm_connections', {
    ids: ['provider'],
    hidden: ['credentials'],
    ignored: ['last_sync_at', 'polled_through', 'poll_due_at'],
  });
}

async function createAccounts(db: Kysely<unknown>): Promise<void> {
  // The account that was connected last, also while no account is connected: the stored deals are from it.
  await sql`
    create table crm_accounts (
      workspace_id uuid not null references workspaces,
      provider text not null check (provider in ('crma', 'crmb', 'crmc')),
      account_id text not null,
      primary key (workspace_id, provider)
    )`.execute(db);
  await tenantTable(db, 'crm_accounts');

  // The ids of a rep in each CRM. "crm_member_id" of a rep is the first of them, or was entered by hand.
  await sql`
    create table crm_members (
      workspace_id uuid not null,
      crm_id text not null,
      provider text not null check (provider in ('crma', 'crmb', 'crmc')),
      rep_id uuid not null,
      active boolean not null default true,
      primary key (workspace_id, crm_id, provider),
      foreign key (workspace_id, rep_id) references reps
    )`.execute(db);
  await tenantTable(db, 'crm_members');

  // The deal fields that the CRM described at the last sync.
  await sql`
    create table crm_fields (
      workspace_id uuid not null,
      provider text not null check (provider in ('crma', 'crmb', 'crmc')),
      slug text not null,
      position integer not null,
      label text not null,
      type text not null,
      options jsonb,
      primary key (workspace_id, provider, slug)
    )`.execute(db);
  await tenantTable(db, 'crm_fields');
}

/** A running sync or poll, with the position at which another worker continues it after a crash. */
async function createSyncRuns(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table crm_sync_runs (
      workspace_id uuid not null,
      sync_run_id uuid not null,
      provider text not null check (provider in ('crma', 'crmb', 'crmc')),
      kind text not null check (kind in ('sync', 'poll')),
      actor text not null,
      reconcile boolean not null default false,
      recalculate boolean not null default false,
      -- the deals of another account are removed, however many they are
      replaces boolean not null default false,
      -- a request waits for the result: the sync fails at once if it cannot begin
      awaited boolean not null default false,
      phase text not null default 'people' check (phase in ('people', 'fields', 'deals', 'missing', 'finish')),
      modified_from timestamptz,
      -- null if this sync does not list deletions apart
      deleted_from timestamptz,
      -- all changes before this time, by the clock of the CRM, are in the listing
      covered_until timestamptz,
      cursor text,
      deals integer not null default 0,
      total integer,
      counts jsonb not null default '{}',
      -- the first deals that pay no rep, with the reasons
      skipped_deals jsonb not null default '[]',
      attempts integer not null default 0,
      failing_since timestamptz,
      restarts integer not null default 0,
      not_before timestamptz not null default now(),
      started_at timestamptz not null default now(),
      primary key (workspace_id, sync_run_id)
    )`.execute(db);
  await sql`create unique index crm_sync_runs_one_of_kind on crm_sync_runs (workspace_id, provider, kind)`.execute(db);
  await tenantTable(db, 'crm_sync_runs');
  await sql`
    create table crm_sync_run_deals (
      workspace_id uuid not null,
      sync_run_id uuid not null,
      deal_id text not null,
      outcome text not null,
      is_skipped boolean not null,
      -- number of restarts of the listing that contained the deal last
      listing integer not null,
      primary key (workspace_id, sync_run_id, deal_id),
      foreign key (workspace_id, sync_run_id) references crm_sync_runs on delete cascade
    )`.execute(db);
  await tenantTable(db, 'crm_sync_run_deals');
}

/** Syncs and polls that have ended. */
async function createHistory(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table crm_syncs (
      workspace_id uuid not null references workspaces,
      sync_id uuid not null,
      position bigint generated always as identity,
      provider text not null check (provider in ('crma', 'crmb', 'crmc')),
      kind text not null check (kind in ('sync', 'poll')),
      actor text not null,
      status text not null check (status in ('completed', 'failed')),
      failure text,
      error text,
      deals integer not null,
      counts jsonb not null,
      skipped_deals jsonb not null,
      started_at timestamptz not null,
      ended_at timestamptz not null default now(),
      primary key (workspace_id, sync_id)
    )`.execute(db);
  await sql`create index crm_syncs_by_position on crm_syncs (workspace_id, provider, position)`.execute(db);
  await tenantTable(db, 'crm_syncs');
  // A poll runs every few minutes, and most of them find nothing: these are kept for a day.
  await sql`
    create function delete_old_syncs() returns void
    language sql volatile ${asOwner} as $$
      delete from crm_syncs where ended_at < now() - interval '90 days'
        or (kind = 'poll' and status = 'completed' and deals = 0 and ended_at < now() - interval '1 day')
    $$`.execute(db);
  await grantToService(db, ['delete_old_syncs()']);
}

/** Commission that is written to the deals of a CRM. */
async function createWriteBacks(db: Kysely<unknown>): Promise<void> {
  // Exists while the CRM is connected and its settings name fields to write.
  await sql`
    create table crm_write_backs (
      workspace_id uuid not null references workspaces,
      provider text not null check (provider in ('crma', 'crmb', 'crmc')),
      -- the names of the fields; see crm-settings.ts
      targets jsonb not null,
      -- null: the fields and the permission must be checked before the next write
      checked_at timestamptz,
      findings jsonb not null default '[]',
      -- by which ids or names webhooks report changes of the fields
      properties text[] not null default '{}',
      attempts integer not null default 0,
      not_before timestamptz not null default now(),
      error text,
      written_at timestamptz,
      primary key (workspace_id, provider)
    )`.execute(db);
  await tenantTable(db, 'crm_write_backs');
  await sql`
    create table deal_write_backs (
      workspace_id uuid not null,
      deal_id text not null,
      provider text not null check (provider in ('crma', 'crmb', 'crmc')),
      -- what the fields must hold, and what the CRM accepted last
      desired jsonb not null,
      written jsonb,
      -- when "desired" is written; null if the CRM has it
      due_at timestamptz,
      -- set while the outcome of a request with this deal is unknown
      sent_at timestamptz,
      written_at timestamptz,
      attempts integer not null default 0,
      error text,
      failed_at timestamptz,
      primary key (workspace_id, deal_id)
    )`.execute(db);
  await sql`
    create index deal_write_backs_due on deal_write_backs (workspace_id, provider, due_at, deal_id)
    where due_at is not null`.execute(db);
  await sql`
    create index deal_write_backs_failed on deal_write_backs (workspace_id, provider, failed_at, deal_id)
    where failed_at is not null`.execute(db);
  await tenantTable(db, 'deal_write_backs');
}

async function createSweepFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function due_sync_runs()
    returns table (workspace_id uuid, sync_run_id uuid, generation integer)
    language sql stable ${asOwner} as $$
      select r.workspace_id, r.sync_run_id, coalesce(l.generation, 0)
      from crm_sync_runs r
      left join work_leases l on l.workspace_id = r.workspace_id and l.work = 'sync run ' || r.sync_run_id
      where r.not_before <= now() and (l.leased_until is null or l.leased_until < now())
    $$`.execute(db);
  await sql`
    create function due_polls(providers text[])
    returns table (workspace_id uuid, provider text)
    language sql stable ${asOwner} as $$
      select c.workspace_id, c.provider from crm_connections c
      where c.provider = any(providers) and c.connected_at is not null and c.credentials is not null and c.sync_enabled
        and c.broken_at is null and (c.poll_due_at is null or c.poll_due_at <= now())
        and not exists (select from crm_sync_runs r
          where r.workspace_id = c.workspace_id and r.provider = c.provider and r.kind = 'poll')
    $$`.execute(db);
  await sql`
    create function due_write_backs()
    returns table (workspace_id uuid, generation integer)
    language sql stable ${asOwner} as $$
      select w.workspace_id, max(coalesce(l.generation, 0))
      from crm_write_backs w
      join crm_connections c on c.workspace_id = w.workspace_id and c.provider = w.provider and c.broken_at is null
      left join work_leases l on l.workspace_id = w.workspace_id and l.work = 'write back'
      where (l.leased_until is null or l.leased_until < now())
        and (exists (select from write_back_requests r where r.workspace_id = w.workspace_id)
          or w.not_before <= now() and (w.checked_at is null or w.findings <> '[]' or exists (
            select from deal_write_backs d
            where d.workspace_id = w.workspace_id and d.provider = w.provider and d.due_at <= now())))
      group by w.workspace_id
    $$`.execute(db);
  // What operators monitor in all workspaces: counts only, no data of a workspace.
  await sql`
    create function calculation_backlog()
    returns table (requests bigint, oldest_seconds double precision, parked bigint)
    language sql stable ${asOwner} as $$
      select count(*),
        coalesce(extract(epoch from clock_timestamp() - min(q.requested_at) filter (where l.parked_at is null
          and not exists (select from crm_sync_runs r
            where r.workspace_id = q.workspace_id and r.sync_run_id = q.sync_run_id))), 0)::float8,
        (select count(*) from lanes p where p.parked_at is not null)
      from calculation_requests q
      left join lanes l on l.workspace_id = q.workspace_id and l.rep_id = q.rep_id
    $$`.execute(db);
  await grantToService(db, ['due_sync_runs()', 'due_polls(text[])', 'due_write_backs()', 'calculation_backlog()']);
}
