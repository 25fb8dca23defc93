import { type Kysely, sql } from 'kysely';
import { bumpCacheVersion, recordRowChanges } from './change-triggers.js';
import { asOwner, asOwnerWithIndexes, grantToService } from './owner-functions.js';
import { appRole, forceRowSecurity, tenantTable } from './tenant-table.js';

/** The role of the service, workspaces, and the functions of the triggers that other tables have. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createAppRole(db);
  await createConfigurationFunctions(db);
  await createAuditFunctions(db);
  await createCacheFunctions(db);
  await createWorkspaces(db);
  await createCacheVersions(db);
  await createDatabaseIdentity(db);
  await createCommonFunctions(db);
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
 * Triggers replace the configuration revision and the cache versions. They are in the database and not in the commands,
 * so that they also see the changes of an operator. Each runs once for a statement, however many rows it changes. A
 * change without a workspace, by the owner, counts for all workspaces.
 */
async function createConfigurationFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function bump_configuration_revision() returns trigger
    language plpgsql as $$
    begin
      update workspaces set configuration_revision = gen_random_uuid()
      where workspace_id = coalesce(nullif(current_setting('app.workspace_id', true), '')::uuid, workspace_id);
      return null;
    end $$`.execute(db);
  await sql`
    create function bump_own_configuration_revision() returns trigger
    language plpgsql as $$
    begin
      new.configuration_revision := gen_random_uuid();
      return new;
    end $$`.execute(db);
}

/**
 * Collects the changes of rows in settings of the transaction, from which insert_audit_entry takes them. Only calls of
 * people and keys set `app.records_changes`; calculations, syncs and migrations collect nothing. After 100,000
 * bytes, changes are only counted.
 */
async function createAuditFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function audited_values(given jsonb, other jsonb, hidden text[], omitted text[]) returns jsonb
    language sql immutable as $$
      select jsonb_object_agg(v.key, case
        when v.value = 'null' then v.value
        when v.key = any(hidden) then '"*"'
        when length(v.value::text) > 500
          then to_jsonb('sha256:' || encode(sha256(convert_to(v.value::text, 'UTF8')), 'hex'))
        else v.value end)
      from jsonb_each(given) v
      where v.key <> all(omitted) and (other is null or other -> v.key is distinct from v.value)
    $$`.execute(db);
  await sql`
    create function record_row_change() returns trigger
    language plpgsql as $$
    declare
      ids constant text[] := string_to_array(tg_argv[0], ',');
      hidden constant text[] := string_to_array(tg_argv[1], ',');
      omitted constant text[] := ids || string_to_array(tg_argv[2], ',') || '{workspace_id,created_at}';
      counted constant text := coalesce(current_setting('app.more_row_changes', true), '');
      recorded text;
      old_row jsonb;
      new_row jsonb;
      change jsonb;
    begin
      -- Reading the recorded changes for every row of a large file would take a millisecond each.
      if counted = '' then recorded := coalesce(current_setting('app.row_changes', true), ''); end if;
      if counted <> '' or octet_length(recorded) > 100000 then
        perform set_config('app.more_row_changes', (coalesce(nullif(counted, ''), '0')::integer + 1)::text, true);
        return null;
      end if;
      if tg_op <> 'INSERT' then old_row := to_jsonb(old); end if;
      if tg_op <> 'DELETE' then new_row := to_jsonb(new); end if;
      change := jsonb_build_object(
        'table', tg_table_name,
        'id', (select coalesce(jsonb_object_agg(i, coalesce(new_row, old_row) -> i), '{}') from unnest(ids) i),
        'before', audited_values(old_row, new_row, hidden, omitted),
        'after', audited_values(new_row, old_row, hidden, omitted));
      if tg_op <> 'UPDATE' or change -> 'after' <> 'null' then
        perform set_config('app.row_changes', concat_ws(',', nullif(recorded, ''), change::text), true);
      end if;
      return null;
    end $$`.execute(db);
}

/** The scope that every cached response depends on; see src/platform/database/cache-versions.ts. */
const workspaceScope = 65;

/**
 * A transaction that declares which reps it affects replaces their versions with its commit, when other transactions
 * wait for the shortest time. Every other change of what responses contain replaces the workspace's version at once.
 */
async function createCacheFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function bump_workspace_cache_version() returns trigger
    language plpgsql as $$
    begin
      if coalesce(current_setting('app.declares_affected', true), '') <> 'on' then
        insert into cache_versions (workspace_id, scope)
        select w.workspace_id, ${sql.raw(String(workspaceScope))} from workspaces w
        where w.workspace_id = coalesce(nullif(current_setting('app.workspace_id', true), '')::uuid, w.workspace_id)
        order by w.workspace_id
        on conflict (workspace_id, scope) do update set version = gen_random_uuid();
      end if;
      return null;
    end $$`.execute(db);
  // In the order of the scopes, so that two transactions that change several versions do not deadlock.
  await sql`
    create function bump_cache_versions(workspace uuid, scopes smallint[]) returns void
    language plpgsql as $$
    begin
      insert into cache_versions (workspace_id, scope)
      select workspace, s from unnest(scopes) s order by s
      on conflict (workspace_id, scope) do update set version = gen_random_uuid();
    end $$`.execute(db);
}

async function createWorkspaces(db: Kysely<unknown>): Promise<void> {
  await sql`create table workspaces (${workspaceColumns})`.execute(db);
  await tenantTable(db, 'workspaces');
  await sql`
    create trigger bump_configuration_revision before update of currency, timezone, field_mapping, min_quota_percent,
      fx_max_age_days, currency_fields, test_day on workspaces
    for each row execute function bump_own_configuration_revision()`.execute(db);
  await bumpCacheVersion(
    db,
    'workspaces',
    `update of name, currency, timezone, field_mapping, manager_scope, min_quota_percent, payouts, recovery_percent,
      fx_max_age_days, pay_fx, test_day, approval_steps`,
  );
  await recordRowChanges(db, 'workspaces', {
    ids: [],
    hidden: ['name'],
    ignored: ['configuration_revision', 'periodic_through', 'sends_events', 'writes_back', 'digest_of'],
  });
}

const workspaceColumns = sql`
  workspace_id uuid primary key,
  name text not null check (length(name) between 1 and 200),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  timezone text not null default 'UTC',
  tier text not null default 'free' check (tier in ('free', 'pro', 'enterprise')),
  -- seats that a subscription counts one by one; null: those of the tier
  seats integer check (seats >= 0),
  is_demo boolean not null default false,
  -- Only sandboxes have a test day. They post no mails, and a sign-in without a workspace does not find them.
  is_sandbox boolean not null default false,
  test_day date constraint workspaces_test_day_check check (test_day is null or is_sandbox),
  -- the slugs that hold the standard values and the measures of deals
  field_mapping jsonb not null default '{"standard": {}, "measures": {}}',
  person_fields jsonb not null default '[]',
  -- filters by which people are meant to be on a plan
  assignment_filters jsonb not null default '[]',
  -- whether a manager sees the whole workspace or the reps below
  manager_scope text not null default 'workspace' check (manager_scope in ('workspace', 'reports')),
  block_approval_on_dispute boolean not null default true,
  -- the steps in the order in which they are signed; null: the approval of one person
  approval_steps jsonb,
  -- the last day, in the zone of the workspace, on which signers were reminded
  signers_reminded_on date,
  -- [{above, by}]; null: an admin adds any amount
  adjustment_limits jsonb,
  -- changes by agents; null: those that people connected need a confirmation, and keys none
  agent_writes text check (agent_writes in ('allow', 'confirm', 'deny')),
  -- how old the last proof of identity of a session may be for step-up; null requires none
  step_up_minutes integer check (step_up_minutes between 1 and 1440),
  paper text check (paper in ('A4', 'Letter')),
  payroll jsonb not null default '{}',
  min_quota_percent numeric(9, 6) not null default 25 check (min_quota_percent between 1 and 100),
  -- the kinds of pay periods with their first days; null while payouts are off
  payouts jsonb,
  recovery_percent numeric(9, 6) check (recovery_percent between 0 and 100),
  -- a rate that is older than this number of days is none; null for no limit
  fx_max_age_days integer default 45 check (fx_max_age_days between 0 and 3660),
  -- the fields that CRMs define as money; they stay when a CRM is disconnected
  currency_fields text[] not null default '{}',
  -- which exchange rate pays a statement; null for the one of its last day
  pay_fx jsonb,
  -- {from, secondPerson}; null while accounting is off
  accounting jsonb,
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
  created_at timestamptz not null default now()`;

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

/**
 * The server that assigned the numbers of transactions; see stamp_changed_row. Rows that were restored on another server
 * have numbers that its transactions have not reached, so no reader would get them; `adopt_database` gives these rows
 * its own number.
 */
async function createDatabaseIdentity(db: Kysely<unknown>): Promise<void> {
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

async function createCommonFunctions(db: Kysely<unknown>): Promise<void> {
  // A stored time zone that PostgreSQL does not know counts as UTC.
  await sql`
    create function known_zone(zone text) returns text
    language plpgsql stable as $$
    begin
      perform now() at time zone zone;
      return zone;
    exception when invalid_parameter_value then
      return 'UTC';
    end $$`.execute(db);
  // Lets a process that may not migrate detect that migrations are pending.
  await sql`
    create function applied_migrations()
    returns table (name varchar)
    language sql stable ${asOwner} as $$
      select m.name from kysely_migration m
    $$`.execute(db);
  await grantToService(db, ['applied_migrations()']);
}
