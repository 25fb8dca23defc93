import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';
import { appRole, insertOnly, tenantTable } from './tenant-table.js';

/** The audit log: calculations, changes and sign-ins, and the calls of people and keys. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createRuns(db);
  await createEntries(db);
  await createSeal(db);
  await createRejectedCalls(db);
  await createAuditWork(db);
}

async function createRuns(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit_runs (
      workspace_id uuid not null,
      run_id uuid not null,
      actor text not null,
      trigger text not null,
      scope text not null,
      deal_id text,
      rep_id uuid,
      period text,
      outcome text not null check (outcome in ('written', 'no_change', 'skipped', 'statement_locked', 'failed')),
      events_written integer not null default 0,
      events_reversed integer not null default 0,
      statement_locked integer not null default 0,
      skipped integer not null default 0,
      deals integer not null default 0,
      blocked jsonb,
      details jsonb,
      error text,
      started_at timestamptz not null default now(),
      duration_ms integer not null default 0,
      primary key (workspace_id, run_id)
    )`.execute(db);
  await sql`create index audit_runs_by_time on audit_runs (workspace_id, started_at desc)`.execute(db);
  await tenantTable(db, 'audit_runs');

  // One run processes the requests of several deals and jobs.
  await sql`
    create table audit_run_deals (
      workspace_id uuid not null,
      deal_id text not null,
      run_id uuid not null,
      primary key (workspace_id, deal_id, run_id)
    )`.execute(db);
  await tenantTable(db, 'audit_run_deals');
  await sql`
    create table audit_run_jobs (
      workspace_id uuid not null,
      job_id uuid not null,
      run_id uuid not null,
      primary key (workspace_id, job_id, run_id)
    )`.execute(db);
  await tenantTable(db, 'audit_run_jobs');
  for (const table of ['audit_runs', 'audit_run_deals', 'audit_run_jobs']) await insertOnly(db, table);
}

/**
 * What people and keys did, and which of their calls were rejected. The service inserts entries; only the owner's
 * function seals them. The content has ids and no names of people, so that a person's data can be erased.
 */
async function createEntries(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit_entries (
      workspace_id uuid not null,
      entry_id uuid not null,
      at timestamptz not null default now(),
      -- JSON as text: the hash covers these bytes
      content text not null,
      -- place in the chain and hash of this and all earlier entries of the workspace; null until the entry is sealed
      position bigint,
      hash bytea check (length(hash) = 32 and position >= 1),
      primary key (workspace_id, entry_id)
    )`.execute(db);
  await sql`create unique index audit_entries_sealed on audit_entries (workspace_id, position)`.execute(db);
  await sql`create index audit_entries_unsealed on audit_entries (workspace_id, at, entry_id) where position is null`.execute(
    db,
  );
  await sql`create index audit_entries_by_time on audit_entries (workspace_id, at)`.execute(db);
  // Imports are found among the entries.
  await sql`
    create index audit_entries_of_imports on audit_entries (workspace_id, at desc, entry_id)
    where content like '%"operation":"import%' or content like '%"operation":"takeBackImport"%'`.execute(db);
  await tenantTable(db, 'audit_entries');
  await insertOnly(db, 'audit_entries');
  await sql`revoke insert on audit_entries from ${sql.raw(appRole)}`.execute(db);
  await sql`grant insert (workspace_id, entry_id, content) on audit_entries to ${sql.raw(appRole)}`.execute(db);
  // Adds the changes of rows that the transaction has recorded; see record_row_change. An import states its counts and
  // totals, since its rows are too many to list.
  await sql`
    create function insert_audit_entry(workspace uuid, entry uuid, head text) returns void
    language sql as $$
      insert into audit_entries (workspace_id, entry_id, content)
      values (workspace, entry, left(head, -1) || coalesce(',"counts":' || nullif(current_setting('app.audit_counts', true), ''), '')
        || coalesce(',"totals":' || nullif(current_setting('app.audit_totals', true), ''), '')
        || ',"changes":[' || coalesce(current_setting('app.row_changes', true), '')
        || '],"moreChanges":' || coalesce(nullif(current_setting('app.more_row_changes', true), ''), '0') || '}')
    $$`.execute(db);
}

/** Sealing runs in the background, so that requests of one workspace do not wait for each other's entries. */
async function createSeal(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function seal_audit_entries(max_entries integer) returns integer
    language plpgsql volatile ${asOwner} as $$
    declare
      of_workspace uuid;
      entry record;
      last_position bigint;
      last_hash bytea;
      sealed integer := 0;
    begin
      for of_workspace in select distinct a.workspace_id from audit_entries a where a.position is null loop
        continue when not pg_try_advisory_xact_lock(hashtextextended('audit:' || of_workspace, 0));
        select a.position, a.hash into last_position, last_hash from audit_entries a
        where a.workspace_id = of_workspace and a.position is not null order by a.position desc limit 1;
        for entry in
          select a.entry_id, a.content from audit_entries a
          where a.workspace_id = of_workspace and a.position is null order by a.at, a.entry_id limit max_entries
        loop
          last_position := coalesce(last_position, 0) + 1;
          last_hash := sha256(coalesce(last_hash, '') ||
            convert_to(of_workspace || ':' || last_position || ':' || entry.content, 'UTF8'));
          update audit_entries a set position = last_position, hash = last_hash
          where a.workspace_id = of_workspace and a.entry_id = entry.entry_id;
          sealed := sealed + 1;
        end loop;
      end loop;
      return sealed;
    end $$`.execute(db);
  await grantToService(db, ['seal_audit_entries(integer)']);
}

/** Counts the repetitions of a rejected call within a minute, for which the audit log gets one entry. */
async function createRejectedCalls(db: Kysely<unknown>): Promise<void> {
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

/** Whether the audit log has entries to seal or repetitions to record, so that an idle service runs neither. */
async function createAuditWork(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function audit_work() returns table (kind text)
    language sql stable ${asOwner} as $$
      (select 'seal' from audit_entries where position is null limit 1)
      union all
      (select 'record' from rejected_calls where minute < date_trunc('minute', now()) limit 1)
    $$`.execute(db);
  await grantToService(db, ['audit_work()']);
}
