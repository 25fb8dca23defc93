import { type Kysely, sql } from 'kysely';
import { bumpCacheVersion, bumpConfigurationRevision, recordRowChanges } from './change-triggers.js';
import { insertOnly, tenantTable } from './tenant-table.js';

/** Plans with their versions, rules and rate tables, who is on which plan and has accepted it, and quotas. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createPlans(db);
  await createVersions(db);
  await createRules(db);
  await createOverrides(db);
  await createRateTables(db);
  await createRateTableRows(db);
  await createAcceptances(db);
  await createAssignments(db);
  await createQuotas(db);
}

async function createPlans(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table plans (
      workspace_id uuid not null references workspaces,
      plan_id uuid not null,
      name text not null,
      status text not null default 'active' check (status in ('draft', 'active', 'archived', 'deleted')),
      created_at timestamptz not null default now(),
      primary key (workspace_id, plan_id)
    )`.execute(db);
  await tenantTable(db, 'plans');
  await bumpConfigurationRevision(db, 'plans', 'insert or delete or truncate or update of status');
  await bumpCacheVersion(db, 'plans');
  await recordRowChanges(db, 'plans', { ids: ['plan_id'], hidden: ['name'] });
}

async function createVersions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table plan_versions (
      workspace_id uuid not null,
      plan_version_id uuid not null,
      plan_id uuid not null,
      version integer not null check (version >= 1),
      status text not null check (status in ('draft', 'active', 'archived', 'deleted')),
      -- only then may events of its days have been earned
      has_been_active boolean not null default false,
      effective_start date,
      effective_end date,
      currency text check (currency ~ '^[A-Z]{3}$'),
      -- how the version converts values in other currencies; null if it does not
      fx jsonb,
      field_mapping jsonb,
      config jsonb not null,
      deal_conditions jsonb not null,
      -- required: people accept it; hold_pay: what the version pays waits for the acceptance too
      acceptance text not null default 'none' check (acceptance in ('none', 'required', 'hold_pay')),
      -- deals with the commission that the version must calculate for them
      tests jsonb not null default '[]',
      -- the version that this one replaces while it is active
      supersedes uuid,
      created_at timestamptz not null default now(),
      primary key (workspace_id, plan_version_id),
      constraint plan_versions_number unique (workspace_id, plan_id, version),
      foreign key (workspace_id, plan_id) references plans on delete cascade,
      foreign key (workspace_id, supersedes) references plan_versions,
      check (effective_end >= effective_start),
      check (supersedes <> plan_version_id)
    )`.execute(db);
  // Without it, the foreign key reads all versions of the workspace when one is deleted.
  await sql`create index plan_versions_superseding on plan_versions (workspace_id, supersedes)`.execute(db);
  await sql`
    create index plan_versions_holding_pay on plan_versions (workspace_id) where acceptance = 'hold_pay'`.execute(db);
  await tenantTable(db, 'plan_versions');
  await bumpConfigurationRevision(db, 'plan_versions');
  await bumpCacheVersion(db, 'plan_versions');
  await recordRowChanges(db, 'plan_versions', { ids: ['plan_version_id', 'plan_id'] });
  await sql`
    create function note_active_version() returns trigger language plpgsql as $$
    begin
      new.has_been_active := new.has_been_active or new.status = 'active';
      return new;
    end $$`.execute(db);
  await sql`
    create trigger note_active_version before insert or update of status on plan_versions
    for each row execute function note_active_version()`.execute(db);
}

async function createRules(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table plan_rules (
      workspace_id uuid not null,
      rule_id uuid not null,
      plan_version_id uuid not null,
      plan_id uuid not null,
      position integer not null,
      name text not null,
      phase text not null check (phase in ('per_deal', 'cascade', 'periodic')),
      attainment_key text not null,
      attainment_period text not null check (attainment_period in ('monthly', 'quarterly', 'semi_annual', 'annual')),
      tier_by text not null check (tier_by in ('attainment', 'value', 'rank')),
      definition jsonb not null,
      primary key (workspace_id, rule_id),
      constraint plan_rules_name unique (workspace_id, plan_version_id, name),
      foreign key (workspace_id, plan_version_id) references plan_versions on delete cascade
    )`.execute(db);
  await sql`create index plan_rules_by_plan on plan_rules (workspace_id, plan_id)`.execute(db);
  await tenantTable(db, 'plan_rules');
  await bumpConfigurationRevision(db, 'plan_rules');
  await bumpCacheVersion(db, 'plan_rules');
}

async function createOverrides(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table plan_overrides (
      workspace_id uuid not null,
      plan_version_id uuid not null,
      rep_id uuid not null,
      rule_id uuid not null,
      tiers jsonb not null,
      primary key (workspace_id, plan_version_id, rep_id, rule_id),
      foreign key (workspace_id, plan_version_id) references plan_versions on delete cascade,
      foreign key (workspace_id, rule_id) references plan_rules on delete cascade,
      foreign key (workspace_id, rep_id) references reps
    )`.execute(db);
  await tenantTable(db, 'plan_overrides');
  await bumpConfigurationRevision(db, 'plan_overrides');
  await bumpCacheVersion(db, 'plan_overrides');
  await recordRowChanges(db, 'plan_overrides', { ids: ['plan_version_id', 'rep_id', 'rule_id'] });
}

async function createRateTables(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table rate_tables (
      workspace_id uuid not null references workspaces,
      name text not null check (length(name) between 1 and 100),
      -- [{name, field, match}], in the order in which they decide
      keys jsonb not null,
      -- [{name, kind}]
      columns jsonb not null,
      no_match text not null default 'exception' check (no_match in ('exception', 'zero')),
      -- that of its amounts; null: any
      currency text,
      revision integer not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (workspace_id, name)
    )`.execute(db);
  await sql`create unique index rate_tables_name on rate_tables (workspace_id, lower(name))`.execute(db);
  await tenantTable(db, 'rate_tables');
  await bumpConfigurationRevision(db, 'rate_tables');
  await bumpCacheVersion(db, 'rate_tables');
  await recordRowChanges(db, 'rate_tables', { ids: ['name'], ignored: ['updated_at'] });
  await sql`
    create table rate_table_revisions (
      workspace_id uuid not null references workspaces,
      table_name text not null,
      revision integer not null,
      changed_at timestamptz not null default now(),
      actor text not null,
      note text not null default '' check (length(note) <= 1000),
      -- numbers of rows that the change added, changed and ended
      counts jsonb not null,
      -- the table with all rows since then, as the engine reads it; null: it was deleted
      content jsonb,
      primary key (workspace_id, table_name, revision)
    )`.execute(db);
  await tenantTable(db, 'rate_table_revisions');
  await insertOnly(db, 'rate_table_revisions');
}

async function createRateTableRows(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table rate_table_rows (
      workspace_id uuid not null,
      table_name text not null,
      position integer not null,
      -- {keys: {name: cell}, values: {column: value}}
      content jsonb not null,
      effective_start date,
      effective_end date,
      primary key (workspace_id, table_name, position),
      foreign key (workspace_id, table_name) references rate_tables on delete cascade,
      check (effective_start <= effective_end)
    )`.execute(db);
  await tenantTable(db, 'rate_table_rows');
  await bumpConfigurationRevision(db, 'rate_table_rows');
  await bumpCacheVersion(db, 'rate_table_rows');
  await recordRowChanges(db, 'rate_table_rows', { ids: ['table_name', 'position'], ignored: ['updated_at'] });
}

/** Who has accepted or declined which document of a plan. */
async function createAcceptances(db: Kysely<unknown>): Promise<void> {
  // What a version executes, without its number and dates. A version with a former configuration has its hash.
  await sql`
    create function plan_configuration_sha256(v plan_versions) returns text
    language sql stable as $$
      select encode(sha256(convert_to(
        jsonb_build_array(v.config, v.deal_conditions, v.currency, v.fx, v.field_mapping)::text, 'UTF8')), 'hex')
    $$`.execute(db);
  await sql`
    create table plan_acceptances (
      workspace_id uuid not null,
      acceptance_id uuid not null,
      plan_id uuid not null,
      plan_version_id uuid not null,
      rep_id uuid not null,
      decision text not null check (decision in ('accepted', 'declined')),
      -- of the document that the person has read, and of the configuration in it
      sha256 text not null,
      configuration_sha256 text not null,
      document jsonb not null,
      signed_name text check (length(signed_name) between 1 and 200),
      reason text check (length(reason) between 1 and 1000),
      address text,
      decided_at timestamptz not null,
      -- in the zone of the workspace
      decided_on date not null,
      primary key (workspace_id, acceptance_id),
      foreign key (workspace_id, rep_id) references reps,
      foreign key (workspace_id, plan_id) references plans on delete cascade,
      check ((decision = 'accepted') = (signed_name is not null)),
      check ((decision = 'declined') = (reason is not null))
    )`.execute(db);
  await sql`create index plan_acceptances_of_plan on plan_acceptances (workspace_id, plan_id, rep_id)`.execute(db);
  await tenantTable(db, 'plan_acceptances');
  await insertOnly(db, 'plan_acceptances');
  await bumpCacheVersion(db, 'plan_acceptances', 'insert or delete or truncate');
  await recordRowChanges(
    db,
    'plan_acceptances',
    { ids: ['acceptance_id', 'rep_id', 'plan_id'], hidden: ['signed_name', 'reason', 'address', 'document'] },
    'insert',
  );
}

async function createAssignments(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table assignments (
      workspace_id uuid not null,
      assignment_id uuid not null,
      rep_id uuid not null,
      plan_id uuid not null,
      effective_start date,
      effective_end date,
      ramp_id uuid,
      ramp_from date,
      -- a deleted assignment stays stored, because the ledger contains what it earned
      deleted_at timestamptz,
      created_at timestamptz not null default now(),
      primary key (workspace_id, assignment_id),
      foreign key (workspace_id, rep_id) references reps,
      foreign key (workspace_id, plan_id) references plans on delete cascade,
      constraint assignments_ramp_fkey foreign key (workspace_id, ramp_id) references ramps,
      check (effective_end >= effective_start),
      constraint assignments_ramp_check check (ramp_from is null or ramp_id is not null)
    )`.execute(db);
  await sql`create index assignments_by_rep on assignments (workspace_id, rep_id)`.execute(db);
  await sql`create index assignments_by_plan on assignments (workspace_id, plan_id)`.execute(db);
  await sql`create index assignments_by_ramp on assignments (workspace_id, ramp_id) where ramp_id is not null`.execute(
    db,
  );
  await tenantTable(db, 'assignments');
  await bumpConfigurationRevision(db, 'assignments');
  await bumpCacheVersion(db, 'assignments');
  await recordRowChanges(db, 'assignments', { ids: ['assignment_id', 'rep_id', 'plan_id'] });
}

async function createQuotas(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table quotas (
      workspace_id uuid not null,
      quota_id uuid not null,
      rep_id uuid not null,
      plan_id uuid not null,
      plan_rule_id uuid not null,
      attainment_key text not null,
      period text not null,
      target numeric(20, 6) not null check (target >= 0 and target <> 'NaN'),
      variable_target numeric(20, 6) check (variable_target >= 0 and variable_target <> 'NaN'),
      prorate boolean not null default true,
      -- the credit in the period; calculations write it
      current_value numeric not null default 0 check (current_value <> 'NaN'),
      updated_at timestamptz not null default now(),
      primary key (workspace_id, quota_id),
      constraint quotas_natural unique (workspace_id, rep_id, plan_id, attainment_key, period),
      foreign key (workspace_id, rep_id) references reps,
      foreign key (workspace_id, plan_id) references plans on delete cascade
    )`.execute(db);
  await tenantTable(db, 'quotas');
  // Not of "current_value", which calculations write and which decides nothing.
  await bumpConfigurationRevision(
    db,
    'quotas',
    `insert or delete or truncate
      or update of rep_id, plan_id, attainment_key, period, target, variable_target, prorate`,
  );
  await bumpCacheVersion(db, 'quotas');
  await recordRowChanges(db, 'quotas', { ids: ['quota_id', 'rep_id'], ignored: ['current_value', 'updated_at'] });
}
