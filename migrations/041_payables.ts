import { type Kysely, sql } from 'kysely';
import { insertOnly, tenantTable } from './tenant-table.js';

/** What is paid of what is earned: customer payments, holds, pay lines of statements, and payout batches. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table workspaces
      -- the kinds of pay periods with their first days; null while payouts are off
      add column payouts jsonb,
      add column recovery_percent numeric(9, 6) check (recovery_percent between 0 and 100)`.execute(db);
  await sql`alter table reps add column recovery_percent numeric(9, 6) check (recovery_percent between 0 and 100)`.execute(
    db,
  );
  // Amounts in JSON are decimal text. Null in workspaces without payouts.
  await sql`alter table statements add column payable jsonb`.execute(db);
  await sql`alter table true_ups add column payable jsonb`.execute(db);
  await sql`alter table trued_up_rows add column inputs jsonb`.execute(db);
  await createFrozenAmounts(db);
  await createInvoices(db);
  await createHolds(db);
  await createBatches(db);
  for (const table of ['invoices', 'customer_payments', 'payout_holds', 'payout_batches'])
    await sql`
      create trigger bump_workspace_cache_version after insert or update or delete or truncate on ${sql.table(table)}
      for each statement execute function bump_workspace_cache_version()`.execute(db);
  for (const [table, columns] of [
    ['workspaces', 'payouts, recovery_percent'],
    ['reps', 'recovery_percent'],
  ] as const)
    await sql`
      create trigger bump_workspace_cache_version_of_payouts after update of ${sql.raw(columns)} on ${sql.table(table)}
      for each statement execute function bump_workspace_cache_version()`.execute(db);
  const audited = {
    invoices: ['deal_id,invoice_id', ''],
    customer_payments: ['deal_id,invoice_id,payment_id', ''],
    payout_holds: ['hold_id,rep_id', 'reason,note'],
    payout_batches: ['batch_id,period', 'reference'],
  } as const;
  for (const [table, [ids, hidden]] of Object.entries(audited))
    await sql`
      create trigger record_row_change after insert or update or delete on ${sql.table(table)}
      for each row when (current_setting('app.records_changes', true) = 'on')
      execute function record_row_change(${sql.lit(ids)}, ${sql.lit(hidden)}, '')`.execute(db);
}

/** The amounts of the deals from which the rows of an approved period were calculated. */
async function createFrozenAmounts(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table frozen_deal_amounts (
      workspace_id uuid not null,
      rep_id uuid not null,
      period text not null,
      deal_key text not null,
      -- null for a deal without an amount
      amount numeric,
      primary key (workspace_id, rep_id, period, deal_key),
      foreign key (workspace_id, rep_id, period) references statement_periods
    )`.execute(db);
  await tenantTable(db, 'frozen_deal_amounts');
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

async function createBatches(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table payout_batches (
      workspace_id uuid not null references workspaces,
      batch_id uuid not null,
      period text not null,
      layout text not null,
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
  await sql`
    create unique index payout_batches_open on payout_batches (workspace_id, period) where status = 'open'`.execute(db);
  await tenantTable(db, 'payout_batches');
  await sql`revoke delete on payout_batches from commissions_app`.execute(db);
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
  await protectDecidedBatches(db);
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
