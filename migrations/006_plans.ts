import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';
import { tenantTable } from './tenant-table.js';

/** Plans, their versions, rules and overrides, and who is on which plan. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createPlans(db);
  await createRules(db);
  await createPreviews(db);
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

/** Previews of plan changes, which workers calculate. They are stored for an hour. */
async function createPreviews(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table plan_previews (
      workspace_id uuid not null,
      preview_id uuid not null,
      plan_id uuid not null,
      -- the change, the days and the reps
      request jsonb not null,
      status text not null default 'running' check (status in ('running', 'completed', 'failed')),
      leased_until timestamptz,
      attempts integer not null default 0,
      result jsonb,
      -- the deals with another commission, largest change first
      deals jsonb,
      error_code text,
      error text,
      started_at timestamptz not null default now(),
      finished_at timestamptz,
      primary key (workspace_id, preview_id),
      foreign key (workspace_id, plan_id) references plans on delete cascade
    )`.execute(db);
  await sql`create index plan_previews_by_plan on plan_previews (workspace_id, plan_id)`.execute(db);
  await sql`
    create index plan_previews_unfinished on plan_previews (workspace_id, started_at)
    where finished_at is null`.execute(db);
  await tenantTable(db, 'plan_previews');
  // The first preview of every workspace before the second of any. One preview of a workspace runs at a time.
  await sql`
    create function due_plan_previews(max_previews integer)
    returns table (workspace_id uuid, preview_id uuid)
    language sql stable ${asOwner} as $$
      select due.workspace_id, due.preview_id
      from (
        select p.workspace_id, p.preview_id, p.started_at, p.leased_until,
          row_number() over (partition by p.workspace_id order by p.leased_until > now() desc nulls last, p.started_at) as place
        from plan_previews p
        where p.finished_at is null
      ) due
      where due.place = 1 and (due.leased_until is null or due.leased_until < now())
      order by due.started_at
      limit max_previews
    $$`.execute(db);
  await sql`
    create function delete_old_plan_previews() returns void
    language sql volatile ${asOwner} as $$
      delete from plan_previews where finished_at < now() - interval '1 hour' or started_at < now() - interval '1 day'
    $$`.execute(db);
  await grantToService(db, ['due_plan_previews(integer)', 'delete_old_plan_previews()']);
}
