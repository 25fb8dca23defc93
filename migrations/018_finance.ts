import { type Kysely, sql } from 'kysely';
import { recordRowChanges } from './change-triggers.js';
import { insertOnly, tenantTable } from './tenant-table.js';

/** The books of a workspace: what is posted for commission, month by month. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createEntities(db);
  await createPolicies(db);
  await createClosings(db);
  await createLines(db);
}

async function createEntities(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table accounting_entities (
      workspace_id uuid not null references workspaces,
      code text not null check (code ~ '^[a-z0-9_-]{1,30}$'),
      name text not null check (length(name) between 1 and 200),
      currency text not null check (currency ~ '^[A-Z]{3}$'),
      -- [{from, percent}], the latest day first
      payroll_tax jsonb not null default '[]',
      -- {role: {number, name}}
      accounts jsonb not null default '{}',
      updated_at timestamptz not null default now(),
      primary key (workspace_id, code)
    )`.execute(db);
  await tenantTable(db, 'accounting_entities');
  await recordRowChanges(db, 'accounting_entities', { ids: ['code'], ignored: ['updated_at'] });
}

/** How the cost of obtaining contracts is treated. Versions never change, except that someone decides about them. */
async function createPolicies(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table accounting_policies (
      workspace_id uuid not null references workspaces,
      name text not null check (length(name) between 1 and 100),
      version integer not null check (version > 0),
      -- {from, position, match, treatment, months, convention, expedientMonths}
      terms jsonb not null,
      status text not null check (status in ('proposed', 'approved', 'withdrawn')),
      proposed_by text not null,
      proposed_by_id uuid,
      proposed_at timestamptz not null,
      decided_by text,
      decided_at timestamptz,
      primary key (workspace_id, name, version),
      check ((status = 'proposed') = (decided_at is null))
    )`.execute(db);
  await tenantTable(db, 'accounting_policies');
}

async function createClosings(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table accounting_preparations (
      workspace_id uuid not null references workspaces,
      month text not null,
      hash text not null,
      -- what the books were when it was prepared, which says later what has changed
      totals jsonb not null,
      actor text not null,
      author_id uuid,
      prepared_at timestamptz not null,
      primary key (workspace_id, month)
    )`.execute(db);
  await tenantTable(db, 'accounting_preparations');
  await sql`
    create table accounting_closings (
      workspace_id uuid not null references workspaces,
      month text not null check (month ~ '^[0-9]{4}-[0-9]{2}$'),
      version smallint not null check (version > 0),
      -- the balances before the first month, which no one closes
      is_opening boolean not null default false,
      hash text not null,
      -- what people were owed at the end by state, and the warnings that were shown
      content jsonb not null,
      prepared_by text not null,
      closed_by text not null,
      closed_by_id uuid,
      closed_at timestamptz not null,
      reopen_reason text,
      reopen_requested_by text,
      reopen_requested_by_id uuid,
      reopen_requested_at timestamptz,
      reopened_by text,
      reopened_at timestamptz,
      posted_by text,
      posted_at timestamptz,
      posted_reference text,
      primary key (workspace_id, month, version)
    )`.execute(db);
  await tenantTable(db, 'accounting_closings');
  await sql`
    create unique index accounting_closings_closed on accounting_closings (workspace_id, month)
    where reopened_at is null`.execute(db);
}

async function createLines(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table accounting_lines (
      workspace_id uuid not null references workspaces,
      month text not null,
      version smallint not null,
      line_id text not null,
      entity text not null,
      day date not null,
      kind text not null,
      ref text not null,
      source text not null,
      account text not null,
      rep_id uuid not null,
      currency text not null,
      amount numeric not null,
      value numeric not null,
      late boolean not null,
      deal_id text,
      plan_id uuid,
      rule_name text,
      period text,
      batch_id uuid,
      draw_id uuid,
      primary key (workspace_id, month, version, line_id)
    )`.execute(db);
  await tenantTable(db, 'accounting_lines');
  await insertOnly(db, 'accounting_lines');
  await sql`create index accounting_lines_of_rep on accounting_lines (workspace_id, rep_id)`.execute(db);
}
