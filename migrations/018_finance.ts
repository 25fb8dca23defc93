import { type Kysely, sql } from 'kysely';
import { bumpCacheVersion, recordRowChanges } from './change-triggers.js';
import { asOwner, grantToService, ofWritable } from './owner-functions.js';
import { insertOnly, tenantTable } from './tenant-table.js';

/** The books of a workspace: what is posted for commission, month by month. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createEntities(db);
  await createRepEntities(db);
  await createPolicies(db);
  await createWriteOffs(db);
  await createEstimates(db);
  await createClosings(db);
  await createLines(db);
  await createLots(db);
  await createFacts(db);
  await createListOfBooks(db);
}

async function createEntities(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table accounting_entities (
      workspace_id uuid not null references workspaces,
      code text not null check (code ~ '^[a-z0-9_-]{1,30}$'),
      version integer not null check (version > 0),
      name text not null check (length(name) between 1 and 200),
      currency text not null check (currency ~ '^[A-Z]{3}$'),
      framework text not null default 'us_gaap' check (framework in ('us_gaap', 'ifrs', 'frs102')),
      -- [{from, percent}], the latest day first
      payroll_tax jsonb not null default '[]',
      -- {role: {number, name}}
      accounts jsonb not null default '{}',
      stored_at timestamptz not null,
      primary key (workspace_id, code, version)
    )`.execute(db);
  await tenantTable(db, 'accounting_entities');
  await bumpCacheVersion(db, 'accounting_entities');
  await insertOnly(db, 'accounting_entities');
  await recordRowChanges(db, 'accounting_entities', { ids: ['code'], ignored: ['version', 'stored_at'] });
}

/** From which day on a person belongs to which entity. Each change stores the whole list again. */
async function createRepEntities(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table accounting_rep_entities (
      workspace_id uuid not null references workspaces,
      rep_id uuid not null,
      version integer not null check (version > 0),
      -- [{from, entity}], the earliest day first; without a day from the beginning
      entities jsonb not null,
      stored_at timestamptz not null,
      primary key (workspace_id, rep_id, version),
      foreign key (workspace_id, rep_id) references reps
    )`.execute(db);
  await tenantTable(db, 'accounting_rep_entities');
  await bumpCacheVersion(db, 'accounting_rep_entities');
  await insertOnly(db, 'accounting_rep_entities');
}

/** How the cost of obtaining contracts is treated. Versions never change, except that someone decides about them. */
async function createPolicies(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table accounting_policies (
      workspace_id uuid not null references workspaces,
      name text not null check (length(name) between 1 and 100),
      version integer not null check (version > 0),
      -- {from, position, match, scope, treatment, period, start, convention, correction, expedientMonths, payrollTax}
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
  await bumpCacheVersion(db, 'accounting_policies');
}

/** What people owe and the company no longer expects. It changes the books, and nothing that statements recover. */
async function createWriteOffs(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table accounting_write_offs (
      workspace_id uuid not null references workspaces,
      write_off_id uuid not null,
      rep_id uuid not null,
      entity text not null,
      currency text not null,
      amount numeric not null check (amount > 0),
      day date not null,
      reason text not null check (length(reason) between 1 and 1000),
      status text not null check (status in ('proposed', 'approved', 'withdrawn')),
      proposed_by text not null,
      proposed_by_id uuid,
      proposed_at timestamptz not null,
      decided_by text,
      decided_at timestamptz,
      primary key (workspace_id, write_off_id),
      foreign key (workspace_id, rep_id) references reps,
      check ((status = 'proposed') = (decided_at is null))
    )`.execute(db);
  await tenantTable(db, 'accounting_write_offs');
  await bumpCacheVersion(db, 'accounting_write_offs');
}

/** What is expected at the end of a month and not in the ledger. Each change stores the estimates of the month again. */
async function createEstimates(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table accounting_estimates (
      workspace_id uuid not null references workspaces,
      month text not null check (month ~ '^([0-9]{4}-|FY[0-9]{4}-P)[0-9]{2}$'),
      version integer not null check (version > 0),
      -- [{repId, planId, ruleName, period, method, currency, pay, toDate}]
      estimates jsonb not null,
      stored_at timestamptz not null,
      primary key (workspace_id, month, version)
    )`.execute(db);
  await tenantTable(db, 'accounting_estimates');
  await bumpCacheVersion(db, 'accounting_estimates');
  await insertOnly(db, 'accounting_estimates');
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
      month text not null check (month ~ '^([0-9]{4}-|FY[0-9]{4}-P)[0-9]{2}$'),
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
  await bumpCacheVersion(db, 'accounting_closings');
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

/** How each row was treated when a month was closed, where no earlier closing has stored the same. */
async function createLots(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table accounting_lots (
      workspace_id uuid not null references workspaces,
      month text not null,
      version smallint not null,
      entity text not null,
      rep_id uuid not null,
      -- the key of the row
      lot_key text not null,
      content jsonb not null,
      primary key (workspace_id, rep_id, lot_key, entity, month, version)
    )`.execute(db);
  await tenantTable(db, 'accounting_lots');
  await insertOnly(db, 'accounting_lots');
}

/** Facts about deals that only the books read, such as their contracts. The last one of a name counts. */
async function createFacts(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table accounting_facts (
      workspace_id uuid not null references workspaces,
      position bigint generated always as identity,
      kind text not null check (kind in ('contract', 'impairment', 'opening_lot')),
      deal_id text not null,
      name text not null,
      -- null if it was taken back
      content jsonb,
      changed_at timestamptz not null default now(),
      primary key (workspace_id, kind, deal_id, name, position)
    )`.execute(db);
  await sql`create index accounting_facts_of_rep on accounting_facts (workspace_id, kind, (content ->> 'repId'))`.execute(
    db,
  );
  await tenantTable(db, 'accounting_facts');
  await bumpCacheVersion(db, 'accounting_facts');
  await insertOnly(db, 'accounting_facts');
  await recordRowChanges(db, 'accounting_facts', { ids: ['kind', 'deal_id', 'name'], ignored: ['changed_at'] });
}

/** The workspaces that keep books and send events about corrections, with the day of the last search for these. */
async function createListOfBooks(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function workspaces_with_books()
    returns table (workspace_id uuid, timezone text, test_day date, found_on date)
    language sql stable ${asOwner} as $$
      select w.workspace_id, w.timezone, w.test_day, (w.corrections_found ->> 'day')::date from workspaces w
      where w.accounting is not null and ${ofWritable('w.workspace_id')} and exists (
        select from webhook_endpoints e
        where e.workspace_id = w.workspace_id and e.enabled
          and (e.event_types is null or 'accounting.correction_found' = any(e.event_types)))
    $$`.execute(db);
  await grantToService(db, ['workspaces_with_books()']);
}
