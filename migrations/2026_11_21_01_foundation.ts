import { type Kysely, sql } from 'kysely';
import { appRole, tenantTable } from './tenant-table.js';

/** Workspaces, people, plans, quotas, deals: what commission is made of. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createAppRole(db);
  await sql`
    create table workspaces (
      workspace_id uuid primary key,
      name text not null check (length(name) between 1 and 200),
      currency text not null check (currency ~ '^[A-Z]{3}$'),
      timezone text not null default 'UTC',
      tier text not null default 'free' check (tier in ('free', 'pro', 'enterprise')),
      is_demo boolean not null default false,
      field_mapping jsonb not null default '{"standard": {}, "measures": {}}',
      -- the last day up to which periodic rules have been asked for
      periodic_through date,
      created_at timestamptz not null default now()
    )`.execute(db);
  await tenantTable(db, 'workspaces');

  await sql`
    create table tokens (
      workspace_id uuid not null references workspaces,
      token_id uuid not null,
      kind text not null check (kind in ('ws', 'sess', 'conn')),
      -- SHA-256 of the token: the token itself is shown once and never stored
      token_hash bytea not null check (length(token_hash) = 32),
      rep_id uuid,
      label text,
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      primary key (workspace_id, token_id)
    )`.execute(db);
  await sql`create index tokens_by_hash on tokens (token_hash)`.execute(db);
  await tenantTable(db, 'tokens');

  await sql`
    create table reps (
      workspace_id uuid not null references workspaces,
      rep_id uuid not null,
      email text not null check (email = lower(email) and length(email) <= 254),
      name text not null check (length(name) between 1 and 200),
      role text not null check (role in ('admin', 'manager', 'rep')),
      active boolean not null default true,
      crm_member_id text,
      avatar text,
      invite_status text check (invite_status in ('invited', 'accepted')),
      provider text,
      synced_at timestamptz,
      created_at timestamptz not null default now(),
      primary key (workspace_id, rep_id),
      constraint reps_email unique (workspace_id, email),
      constraint reps_crm_member unique (workspace_id, crm_member_id)
    )`.execute(db);
  await tenantTable(db, 'reps');

  await sql`
    create table reporting_lines (
      workspace_id uuid not null,
      rep_id uuid not null,
      from_day date not null,
      to_day date,
      manager_id uuid not null,
      primary key (workspace_id, rep_id, from_day),
      foreign key (workspace_id, rep_id) references reps,
      foreign key (workspace_id, manager_id) references reps,
      check (rep_id <> manager_id),
      check (to_day is null or to_day >= from_day)
    )`.execute(db);
  await sql`create index reporting_lines_by_manager on reporting_lines (workspace_id, manager_id)`.execute(db);
  await tenantTable(db, 'reporting_lines');

  await sql`
    create table plans (
      workspace_id uuid not null references workspaces,
      plan_id uuid not null,
      name text not null,
      created_at timestamptz not null default now(),
      primary key (workspace_id, plan_id)
    )`.execute(db);
  await tenantTable(db, 'plans');

  await sql`
    create table plan_versions (
      workspace_id uuid not null,
      plan_version_id uuid not null,
      plan_id uuid not null,
      version integer not null check (version >= 1),
      status text not null check (status in ('draft', 'active', 'archived', 'deleted')),
      effective_start date,
      effective_end date,
      currency text check (currency ~ '^[A-Z]{3}$'),
      field_mapping jsonb,
      config jsonb not null,
      deal_conditions jsonb not null,
      created_at timestamptz not null default now(),
      primary key (workspace_id, plan_version_id),
      constraint plan_versions_number unique (workspace_id, plan_id, version),
      foreign key (workspace_id, plan_id) references plans on delete cascade,
      check (effective_end >= effective_start)
    )`.execute(db);
  await tenantTable(db, 'plan_versions');

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

  await sql`
    create table assignments (
      workspace_id uuid not null,
      assignment_id uuid not null,
      rep_id uuid not null,
      plan_id uuid not null,
      effective_start date,
      effective_end date,
      -- a deleted assignment is remembered: what it earned stays in the ledger
      deleted_at timestamptz,
      created_at timestamptz not null default now(),
      primary key (workspace_id, assignment_id),
      foreign key (workspace_id, rep_id) references reps,
      foreign key (workspace_id, plan_id) references plans on delete cascade,
      check (effective_end >= effective_start)
    )`.execute(db);
  await sql`create index assignments_by_rep on assignments (workspace_id, rep_id)`.execute(db);
  await sql`create index assignments_by_plan on assignments (workspace_id, plan_id)`.execute(db);
  await tenantTable(db, 'assignments');

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
      current_value numeric not null default 0 check (current_value <> 'NaN'),
      updated_at timestamptz not null default now(),
      primary key (workspace_id, quota_id),
      constraint quotas_natural unique (workspace_id, rep_id, plan_id, attainment_key, period),
      foreign key (workspace_id, rep_id) references reps,
      foreign key (workspace_id, plan_id) references plans on delete cascade
    )`.execute(db);
  await tenantTable(db, 'quotas');

  // No foreign key to the workspace: the check costs a fifth of an import, and row-level security lets in no other id.
  await sql`
    create table deals (
      workspace_id uuid not null,
      deal_id text not null check (length(deal_id) between 1 and 200),
      rep_id uuid,
      name text,
      amount numeric check (amount <> 'NaN' and abs(amount) < 1e15),
      currency text,
      stage text,
      close_date date check (close_date between '1900-01-01' and '2199-12-31'),
      created_date date check (created_date between '1900-01-01' and '2199-12-31'),
      owner_id text,
      owner_email text,
      provider text,
      is_closed boolean not null default false,
      is_won boolean not null default false,
      -- the CRM's own fields by slug, and the standard values that were given by name
      fields jsonb not null default '{}',
      given jsonb not null default '{}',
      content_hash uuid not null,
      source_updated_at timestamptz,
      snapshot_at timestamptz not null default now(),
      deleted_at timestamptz,
      primary key (workspace_id, deal_id)
    )`.execute(db);
  await sql`create index deals_by_rep on deals (workspace_id, rep_id, close_date)`.execute(db);
  await sql`create index deals_by_snapshot on deals (workspace_id, snapshot_at desc, deal_id)`.execute(db);
  await sql`create index deals_without_rep on deals (workspace_id, owner_id) where rep_id is null`.execute(db);
  await tenantTable(db, 'deals');

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
}

/**
 * The role that the service runs as: it owns nothing, cannot log in by itself and cannot pass row-level security.
 * Roles belong to the whole server, so another database of it may have made it already.
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
  // From PostgreSQL 16 on, who makes a role may administer it but not take it on until it is granted.
  await sql`
    do $$
    begin
      execute format('grant %I to %I', ${sql.lit(appRole)}, current_user);
    exception when insufficient_privilege then
      if not pg_has_role(current_user, ${sql.lit(appRole)}, 'member') then raise; end if;
    end $$`.execute(db);
  await sql`grant usage on schema public to ${sql.raw(appRole)}`.execute(db);
}
