import { type Kysely, sql } from 'kysely';
import { asOwnerWithIndexes, grantToService } from './owner-functions.js';
import { appRole, tenantTable } from './tenant-table.js';

/** The role of the service, workspaces and the versions of their cached responses. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createAppRole(db);
  await sql`
    create table workspaces (
      workspace_id uuid primary key,
      name text not null check (length(name) between 1 and 200),
      currency text not null check (currency ~ '^[A-Z]{3}$'),
      timezone text not null default 'UTC',
      tier text not null default 'free' check (tier in ('free', 'pro', 'enterprise')),
      -- seats that a subscription counts one by one; null: those of the tier
      seats integer check (seats >= 0),
      is_demo boolean not null default false,
      -- the slugs that hold the standard values and the measures of deals
      field_mapping jsonb not null default '{"standard": {}, "measures": {}}',
      -- whether a manager sees the whole workspace or the reps below
      manager_scope text not null default 'workspace' check (manager_scope in ('workspace', 'reports')),
      block_approval_on_dispute boolean not null default true,
      -- changes by agents; null: those that people connected need a confirmation, and keys none
      agent_writes text check (agent_writes in ('allow', 'confirm', 'deny')),
      -- how old the last proof of identity of a session may be for step-up; null requires none
      step_up_minutes integer check (step_up_minutes between 1 and 1440),
      paper text check (paper in ('A4', 'Letter')),
      payroll jsonb not null default '{}',
      -- the last day for which the calculation of periodic rules has been requested
      periodic_through date,
      -- whether an enabled webhook endpoint exists: without one, calculations record no outgoing events
      sends_events boolean not null default false,
      -- whether commission is written to a CRM: otherwise calculations record nothing for it
      writes_back boolean not null default false,
      -- the Monday of the last weekly digest
      digest_of date,
      -- Replaced with every change that decides what reps earn, except changes of deals. Random and not counted: after a
      -- restore or a failover, a counter could repeat a number for another configuration.
      configuration_revision uuid not null default gen_random_uuid(),
      created_at timestamptz not null default now()
    )`.execute(db);
  await tenantTable(db, 'workspaces');
  await createCacheVersions(db);
}

/**
 * The role that the service runs as. It owns nothing, is a member of no role and cannot bypass row-level security. The
 * administrator gives it a password, or creates a login that is its member. Roles belong to the server, so another
 * database of the server may have created it already.
 */
async function createAppRole(db: Kysely<unknown>): Promise<void> {
  await sql`
    do $$
    begin
      if not exists (select from pg_roles where rolname = ${sql.lit(appRole)}) then
        create role ${sql.raw(appRole)} nologin nosuperuser nocreatedb nocreaterole nobypassrls;
      end if;
    exception when duplicate_object or unique_violation then null;
    end $$`.execute(db);
  await sql`grant usage on schema public to ${sql.raw(appRole)}`.execute(db);
}

/**
 * One version for each cache scope of a workspace; see src/platform/database/cache-versions.ts. Versions are random for
 * the reason given at `configuration_revision`. A version changes with most transactions, so half of each page stays
 * free for the new rows.
 */
async function createCacheVersions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table cache_versions (
      workspace_id uuid not null,
      scope smallint not null,
      version uuid not null default gen_random_uuid(),
      primary key (workspace_id, scope)
    ) with (fillfactor = 50)`.execute(db);
  await tenantTable(db, 'cache_versions');
  // In the order of the scopes, so that two transactions that change several versions do not deadlock.
  await sql`
    create function bump_cache_versions(workspace uuid, scopes smallint[]) returns void
    language plpgsql as $$
    begin
      insert into cache_versions (workspace_id, scope)
      select workspace, s from unnest(scopes) s order by s
      on conflict (workspace_id, scope) do update set version = gen_random_uuid();
    end $$`.execute(db);
  // All versions of the workspace as one text: "scope:version scope:version ...".
  await sql`
    create function cache_versions_of(workspace uuid) returns text
    language plpgsql stable ${asOwnerWithIndexes} as $$
    begin
      return (
        select coalesce(string_agg(v.scope || ':' || v.version, ' ' order by v.scope), '')
        from cache_versions v where v.workspace_id = workspace
      );
    end $$`.execute(db);
  await grantToService(db, ['cache_versions_of(uuid)']);
}
