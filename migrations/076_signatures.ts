import { type Kysely, sql } from 'kysely';
import { insertOnly, tenantTable } from './tenant-table.js';

/** Chains of approval: the steps of a workspace, who has signed which version, and who signs for others. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table workspaces
    -- the steps in the order in which they are signed; null: the approval of one person
    add column approval_steps jsonb`.execute(db);
  await sql`drop trigger bump_workspace_cache_version on workspaces`.execute(db);
  await sql`
    create trigger bump_workspace_cache_version
    after update of name, currency, timezone, field_mapping, manager_scope, approval_steps on workspaces
    for each statement execute function bump_workspace_cache_version()`.execute(db);
  await createSignatures(db);
  await createSigners(db);
}

async function createSignatures(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table statement_signatures (
      workspace_id uuid not null,
      signature_id uuid not null,
      rep_id uuid not null,
      period text not null,
      -- the order in which the steps were signed
      position bigint generated always as identity,
      -- name of the step
      step text not null,
      -- the version that was signed, and its content
      version integer not null,
      content_hash uuid not null,
      -- null: the rep did not answer in time
      signer_id uuid,
      -- the person whose delegate the signer was
      on_behalf_of uuid,
      signed_at timestamptz not null,
      -- by how much the latest version differs, for which the signature counts too; null: its content is the same
      carried_amount numeric,
      ended_at timestamptz,
      ended_by text check (ended_by in ('changed', 'withdrawn', 'unlocked', 'chain_changed', 'disputed')),
      primary key (workspace_id, signature_id),
      foreign key (workspace_id, rep_id) references reps,
      foreign key (workspace_id, signer_id) references reps,
      foreign key (workspace_id, on_behalf_of) references reps,
      check ((ended_at is null) = (ended_by is null))
    )`.execute(db);
  await sql`
    create unique index statement_signatures_counting on statement_signatures (workspace_id, rep_id, period, step)
    where ended_at is null`.execute(db);
  await sql`
    create index statement_signatures_of_statement on statement_signatures (workspace_id, period, rep_id)`.execute(db);
  await tenantTable(db, 'statement_signatures');
  await recordChanges(db, 'statement_signatures', 'signature_id,rep_id,period');
}

async function createSigners(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table step_assignments (
      workspace_id uuid not null,
      rep_id uuid not null,
      period text not null,
      step text not null,
      position bigint generated always as identity,
      signer_ids uuid[] not null,
      reason text not null check (length(reason) between 1 and 1000),
      actor text not null,
      assigned_at timestamptz not null default now(),
      primary key (workspace_id, rep_id, period, step, position),
      foreign key (workspace_id, rep_id) references reps
    )`.execute(db);
  await tenantTable(db, 'step_assignments');
  await insertOnly(db, 'step_assignments');
  await recordChanges(db, 'step_assignments', 'rep_id,period,step');
  await sql`
    create table delegations (
      workspace_id uuid not null,
      delegation_id uuid not null,
      from_rep_id uuid not null,
      delegate_id uuid not null,
      from_day date not null,
      to_day date not null,
      scopes text[] not null,
      created_at timestamptz not null default now(),
      primary key (workspace_id, delegation_id),
      foreign key (workspace_id, from_rep_id) references reps,
      foreign key (workspace_id, delegate_id) references reps,
      check (from_rep_id <> delegate_id),
      check (to_day between from_day and from_day + 91)
    )`.execute(db);
  await tenantTable(db, 'delegations');
  await recordChanges(db, 'delegations', 'delegation_id');
}

async function recordChanges(db: Kysely<unknown>, table: string, ids: string): Promise<void> {
  await sql`
    create trigger bump_workspace_cache_version after insert or update or delete or truncate on ${sql.table(table)}
    for each statement execute function bump_workspace_cache_version()`.execute(db);
  await sql`
    create trigger record_row_change after insert or update or delete on ${sql.table(table)}
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change(${sql.lit(ids)}, ${sql.lit(table === 'step_assignments' ? 'reason' : '')}, '')`.execute(
    db,
  );
}
