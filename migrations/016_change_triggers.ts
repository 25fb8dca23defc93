import { type Kysely, sql } from 'kysely';

/**
 * Triggers that replace the configuration revision and the cache versions. They are in the database and not in the
 * commands, so that they also see the changes of an operator and of processes of another release. Each runs once for a
 * statement, however many rows it changes. A change without a workspace, by the owner, counts for all workspaces.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createConfigurationTriggers(db);
  await createCacheTriggers(db);
}

const anyChange = 'insert or update or delete or truncate';

async function createConfigurationTriggers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function bump_configuration_revision() returns trigger
    language plpgsql as $$
    begin
      update workspaces set configuration_revision = gen_random_uuid()
      where workspace_id = coalesce(nullif(current_setting('app.workspace_id', true), '')::uuid, workspace_id);
      return null;
    end $$`.execute(db);
  const changes = {
    plans: 'insert or delete or truncate or update of status',
    plan_versions: anyChange,
    plan_rules: anyChange,
    plan_overrides: anyChange,
    assignments: anyChange,
    reporting_lines: anyChange,
    // Not of "current_value", which calculations write and which decides nothing.
    quotas:
      'insert or delete or truncate or update of rep_id, plan_id, attainment_key, period, target, variable_target',
  };
  for (const [table, change] of Object.entries(changes))
    await sql`
      create trigger bump_configuration_revision after ${sql.raw(change)} on ${sql.table(table)}
      for each statement execute function bump_configuration_revision()`.execute(db);

  await sql`
    create function bump_own_configuration_revision() returns trigger
    language plpgsql as $$
    begin
      new.configuration_revision := gen_random_uuid();
      return new;
    end $$`.execute(db);
  await sql`
    create trigger bump_configuration_revision before update of currency, timezone, field_mapping on workspaces
    for each row execute function bump_own_configuration_revision()`.execute(db);
}

/** The scope that every cached response depends on; see src/platform/database/cache-versions.ts. */
const workspaceScope = 65;

/**
 * A transaction that declares which reps it affects replaces their versions with its commit, when other transactions
 * wait for the shortest time. Every other change of what responses contain replaces the workspace's version at once.
 */
async function createCacheTriggers(db: Kysely<unknown>): Promise<void> {
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
  const changes = {
    workspaces: 'update of name, currency, timezone, field_mapping, manager_scope',
    // Not of columns that a sign-in writes: it would wait for a running change of the configuration.
    reps: 'insert or delete or truncate or update of email, name, role, active',
    reporting_lines: anyChange,
    plans: anyChange,
    plan_versions: anyChange,
    plan_rules: anyChange,
    plan_overrides: anyChange,
    assignments: anyChange,
    quotas: anyChange,
    deals: anyChange,
    commission_events: anyChange,
    rep_months: anyChange,
    statement_periods: anyChange,
  };
  for (const [table, change] of Object.entries(changes))
    await sql`
      create trigger bump_workspace_cache_version after ${sql.raw(change)} on ${sql.table(table)}
      for each statement execute function bump_workspace_cache_version()`.execute(db);
}
