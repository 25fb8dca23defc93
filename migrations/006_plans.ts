import { type Kysely, sql } from 'kysely';
import { tenantTable } from './tenant-table.js';

/** Plans, their versions, rules and overrides, and who is on which plan. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createPlans(db);
  await createRules(db);
  await sql`
    create table assignments (
      workspace_id uuid not null,
      assignment_id uuid not null,
      rep_id uuid not null,
      plan_id uuid not null,
      effective_start date,
      effective_end date,
      -- a deleted assignment stays stored, because the ledger contains what it earned
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
  await tenantTable(db, 'plan_versions');
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
}
