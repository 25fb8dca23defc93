import { type Kysely, sql } from 'kysely';
import { bumpCacheVersion, recordRowChanges } from './change-triggers.js';
import { appRole, insertOnly, tenantTable } from './tenant-table.js';

/** What is paid of what is earned: customer payments, holds, draws and payout batches. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createInvoices(db);
  await createHolds(db);
  await createDraws(db);
  await createForgiveness(db);
  await createBatches(db);
  await protectDecidedBatches(db);
  await createBatchLines(db);
}

async function createInvoices(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table invoices (
      workspace_id uuid not null references workspaces,
      -- of a deal that may come later
      deal_id text not null,
      invoice_id text not null,
      -- net of tax
      amount numeric(30, 4) not null check (amount > 0),
      -- with tax; the payments are gross then
      gross_amount numeric(30, 4) check (gross_amount > 0),
      -- null for that of the deal
      currency text check (currency ~ '^[A-Z]{3}$'),
      issued_on date not null,
      status text not null check (status in ('open', 'void', 'written_off')),
      updated_at timestamptz not null default now(),
      primary key (workspace_id, deal_id, invoice_id)
    )`.execute(db);
  await tenantTable(db, 'invoices');
  await bumpCacheVersion(db, 'invoices');
  await recordRowChanges(db, 'invoices', { ids: ['deal_id', 'invoice_id'] });
  await sql`
    create table customer_payments (
      workspace_id uuid not null,
      deal_id text not null,
      invoice_id text not null,
      payment_id text not null,
      -- negative for a payment that was charged back
      amount numeric(30, 4) not null check (amount <> 0 and amount <> 'NaN'),
      paid_on date not null,
      primary key (workspace_id, deal_id, invoice_id, payment_id),
      foreign key (workspace_id, deal_id, invoice_id) references invoices on delete cascade
    )`.execute(db);
  await tenantTable(db, 'customer_payments');
  await bumpCacheVersion(db, 'customer_payments');
  await recordRowChanges(db, 'customer_payments', { ids: ['deal_id', 'invoice_id', 'payment_id'] });
  await sql`
    create table invoice_history (
      workspace_id uuid not null references workspaces,
      position bigint generated always as identity,
      deal_id text not null,
      invoice_id text not null,
      changed_at timestamptz not null default now(),
      -- the invoice with its payments since then; null if it was deleted
      content jsonb,
      primary key (workspace_id, deal_id, invoice_id, position)
    )`.execute(db);
  await tenantTable(db, 'invoice_history');
  await insertOnly(db, 'invoice_history');
}

async function createHolds(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table payout_holds (
      workspace_id uuid not null,
      hold_id uuid not null,
      rep_id uuid,
      deal_id text,
      rule_name text,
      from_day date not null,
      to_day date,
      reason text not null check (length(reason) between 1 and 1000),
      note text check (length(note) between 1 and 1000),
      created_by text not null,
      created_at timestamptz not null default now(),
      primary key (workspace_id, hold_id),
      foreign key (workspace_id, rep_id) references reps,
      check (num_nonnulls(rep_id, deal_id, rule_name) > 0),
      check (to_day >= from_day)
    )`.execute(db);
  await tenantTable(db, 'payout_holds');
  await bumpCacheVersion(db, 'payout_holds');
  await recordRowChanges(db, 'payout_holds', { ids: ['hold_id', 'rep_id'], hidden: ['reason', 'note'] });
  await sql`
    create table payout_hold_history (
      workspace_id uuid not null,
      hold_id uuid not null,
      position bigint generated always as identity,
      changed_at timestamptz not null default now(),
      rep_id uuid,
      deal_id text,
      rule_name text,
      from_day date not null,
      to_day date,
      primary key (workspace_id, hold_id, position)
    )`.execute(db);
  await tenantTable(db, 'payout_hold_history');
  await insertOnly(db, 'payout_hold_history');
}

/** Guarantees and advances of people. */
async function createDraws(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table draws (
      workspace_id uuid not null,
      draw_id uuid not null,
      rep_id uuid not null,
      kind text not null check (kind in ('guarantee', 'advance')),
      recoverable boolean not null,
      amount numeric not null check (amount > 0),
      currency text not null check (currency ~ '^[A-Z]{3}$'),
      from_day date not null,
      to_day date,
      recovery_start text not null check (recovery_start in ('next_period', 'after_end', 'day')),
      recovery_day date,
      recovery_percent numeric(9, 6) not null check (recovery_percent between 0 and 100),
      forgive_on date,
      created_by text not null,
      created_at timestamptz not null default now(),
      -- a deleted draw grants nothing; reads of an earlier instant still have it
      deleted_at timestamptz,
      primary key (workspace_id, draw_id),
      foreign key (workspace_id, rep_id) references reps,
      check (to_day >= from_day),
      check ((recovery_start = 'day') = (recovery_day is not null))
    )`.execute(db);
  await sql`create index draws_of_rep on draws (workspace_id, rep_id, from_day)`.execute(db);
  await tenantTable(db, 'draws');
  await bumpCacheVersion(db, 'draws');
  await recordRowChanges(db, 'draws', { ids: ['draw_id', 'rep_id'] });
  await sql`
    create table draw_history (
      workspace_id uuid not null,
      draw_id uuid not null,
      position bigint generated always as identity,
      changed_at timestamptz not null default now(),
      to_day date,
      recovery_start text not null,
      recovery_day date,
      recovery_percent numeric(9, 6) not null,
      forgive_on date,
      primary key (workspace_id, draw_id, position)
    )`.execute(db);
  await tenantTable(db, 'draw_history');
  await insertOnly(db, 'draw_history');
}

/** What was forgiven of draws. */
async function createForgiveness(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table draw_forgiveness (
      workspace_id uuid not null,
      draw_id uuid not null,
      forgiveness_id uuid not null,
      amount numeric not null check (amount > 0),
      forgiven_on date not null,
      reason text not null check (length(reason) between 1 and 1000),
      forgiven_by text not null,
      created_at timestamptz not null default now(),
      primary key (workspace_id, draw_id, forgiveness_id),
      foreign key (workspace_id, draw_id) references draws
    )`.execute(db);
  await tenantTable(db, 'draw_forgiveness');
  await insertOnly(db, 'draw_forgiveness');
  await bumpCacheVersion(db, 'draw_forgiveness');
  await recordRowChanges(db, 'draw_forgiveness', { ids: ['draw_id', 'forgiveness_id'], hidden: ['reason'] });
}

async function createBatches(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table payout_batches (
      workspace_id uuid not null references workspaces,
      batch_id uuid not null,
      period text not null,
      layout text not null,
      -- null: the batch contains every currency
      currency text,
      status text not null default 'open' check (status in ('open', 'paid', 'cancelled')),
      filename text not null,
      sha256 text not null,
      -- null once a person in it was erased
      content bytea,
      row_count integer not null,
      totals jsonb not null,
      paid_on date,
      reference text check (length(reference) between 1 and 200),
      actor text not null,
      author_id uuid,
      created_at timestamptz not null default now(),
      decided_at timestamptz,
      primary key (workspace_id, batch_id),
      foreign key (workspace_id, author_id) references reps,
      check ((status = 'paid') = (paid_on is not null))
    )`.execute(db);
  await sql`create index payout_batches_by_period on payout_batches (workspace_id, period, created_at)`.execute(db);
  // A payroll file of most layouts has one currency, so a period may have an open batch for each.
  await sql`
    create unique index payout_batches_open on payout_batches (workspace_id, period, coalesce(currency, ''))
    where status = 'open'`.execute(db);
  await tenantTable(db, 'payout_batches');
  await sql`revoke delete on payout_batches from ${sql.raw(appRole)}`.execute(db);
  await bumpCacheVersion(db, 'payout_batches');
  await recordRowChanges(db, 'payout_batches', { ids: ['batch_id', 'period'], hidden: ['reference'] });
}

/** What a paid or cancelled batch says never changes, also not by an error of the code that respects it. Its file may be erased. */
async function protectDecidedBatches(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function reject_changes_of_decided_batches() returns trigger
    language plpgsql as $$
    begin
      if new.content is null and to_jsonb(new) - 'content' = to_jsonb(old) - 'content' then return new; end if;
      raise exception 'batch_decided: the payout batch % is %', old.batch_id, old.status;
    end $$`.execute(db);
  await sql`
    create trigger payout_batches_decided before update on payout_batches
    for each row when (old.status <> 'open') execute function reject_changes_of_decided_batches()`.execute(db);
}

async function createBatchLines(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table payout_batch_lines (
      workspace_id uuid not null,
      batch_id uuid not null,
      rep_id uuid not null,
      currency text not null check (currency ~ '^[A-Z]{3}$'),
      period text not null,
      -- the approved version whose amount the line pays, less what batches before it paid
      version integer not null,
      commission numeric(30, 4) not null,
      bonus numeric(30, 4) not null,
      adjustment numeric(30, 4) not null,
      amount numeric(30, 4) not null check (amount > 0),
      primary key (workspace_id, batch_id, rep_id, currency),
      foreign key (workspace_id, batch_id) references payout_batches,
      foreign key (workspace_id, rep_id, period) references statement_periods,
      check (amount = commission + bonus + adjustment)
    )`.execute(db);
  await sql`create index payout_batch_lines_by_rep on payout_batch_lines (workspace_id, rep_id, period)`.execute(db);
  await tenantTable(db, 'payout_batch_lines');
  await insertOnly(db, 'payout_batch_lines');
}
