import { type Kysely, sql } from 'kysely';
import { bumpCacheVersion, recordRowChanges } from './change-triggers.js';
import { asOwner, grantToService } from './owner-functions.js';
import { insertOnly, tenantTable } from './tenant-table.js';

/** Chains of approval: who has signed which version, who signs for others, and adjustments that wait for a decision. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createSignatures(db);
  await createSigners(db);
  await createReminders(db);
  await createAdjustmentProposals(db);
  await createOwnChanges(db);
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
  await bumpCacheVersion(db, 'statement_signatures');
  await recordRowChanges(db, 'statement_signatures', { ids: ['signature_id', 'rep_id', 'period'] });
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
  await bumpCacheVersion(db, 'step_assignments');
  await recordRowChanges(db, 'step_assignments', { ids: ['rep_id', 'period', 'step'], hidden: ['reason'] });
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
  await bumpCacheVersion(db, 'delegations');
  await recordRowChanges(db, 'delegations', { ids: ['delegation_id'] });
}

/** The workspaces with steps of approval, whose signers are reminded once a day. */
async function createReminders(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function workspaces_with_steps()
    returns table (workspace_id uuid, timezone text, test_day date, reminded_on date)
    language sql stable ${asOwner} as $$
      select w.workspace_id, w.timezone, w.test_day, w.signers_reminded_on from workspaces w
      where w.approval_steps is not null
    $$`.execute(db);
  await grantToService(db, ['workspaces_with_steps()']);
}

/** Adjustments above a limit, which count once another person has approved them. */
async function createAdjustmentProposals(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table adjustment_proposals (
      workspace_id uuid not null,
      adjustment_id uuid not null,
      rep_id uuid not null,
      period text not null,
      kind text not null check (kind in ('adjustment', 'clawback')),
      amount numeric not null,
      currency text not null,
      deal_id text,
      reason text not null check (length(reason) between 1 and 500),
      -- who decides, as the limit said when it was proposed
      deciders jsonb not null,
      -- everyone responsible for the proposal, none of whom decides it
      proposer_ids uuid[] not null,
      actor text not null,
      proposed_at timestamptz not null default now(),
      status text not null default 'proposed' check (status in ('proposed', 'approved', 'rejected')),
      decided_by uuid,
      decided_at timestamptz,
      decision_reason text check (length(decision_reason) <= 1000),
      -- the event that pays an approved one
      event_id uuid,
      primary key (workspace_id, adjustment_id),
      foreign key (workspace_id, rep_id) references reps,
      foreign key (workspace_id, decided_by) references reps,
      check ((status = 'proposed') = (decided_at is null)),
      check ((status = 'approved') = (event_id is not null))
    )`.execute(db);
  await sql`
    create index adjustment_proposals_of_statement on adjustment_proposals (workspace_id, period, rep_id)`.execute(db);
  await tenantTable(db, 'adjustment_proposals');
  await bumpCacheVersion(db, 'adjustment_proposals');
  await recordRowChanges(db, 'adjustment_proposals', {
    ids: ['adjustment_id', 'rep_id', 'period'],
    hidden: ['reason', 'decision_reason'],
  });
}

/** What people have changed that decides their own pay, for those who approve it. */
async function createOwnChanges(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table own_changes (
      workspace_id uuid not null,
      rep_id uuid not null,
      operation text not null,
      -- '' for a change of no single deal
      deal_id text not null,
      -- the days of all changes of this operation and deal
      from_day date not null,
      to_day date not null,
      -- who and when at last
      actor text not null,
      changed_at timestamptz not null default now(),
      primary key (workspace_id, rep_id, operation, deal_id)
    )`.execute(db);
  await tenantTable(db, 'own_changes');
}
