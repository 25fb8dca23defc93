import { type Kysely, sql } from 'kysely';
import { appRole, tenantTable } from './tenant-table.js';

/** Statements, what people add to them, true-ups and the trigger that protects approved periods. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createStatements(db);
  await createRemarks(db);
  await createTrueUps(db);
  await createHandovers(db);
  await protectApprovedPeriods(db);
}

/** A period has one row with its state; the versions themselves never change. */
async function createStatements(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table statement_periods (
      workspace_id uuid not null,
      rep_id uuid not null,
      period text not null,
      from_day date not null,
      to_day date not null,
      status text not null check (status in ('draft', 'approved')),
      current_version integer not null default 0 check (current_version >= 0),
      approved_version integer,
      approved_at timestamptz,
      approved_by text,
      -- the approver with the name at that time: people are renamed, and keys are replaced
      approver jsonb,
      approved_total numeric(30, 4) check (approved_total <> 'NaN'),
      currency text check (currency ~ '^[A-Z]{3}$'),
      -- whether "trued_up_rows" replace the approved rows
      trued_up boolean not null default false,
      primary key (workspace_id, rep_id, period),
      foreign key (workspace_id, rep_id) references reps,
      check (approved_version <= current_version),
      check (status = 'approved' or not trued_up)
    )`.execute(db);
  await sql`create index statement_periods_trued_up on statement_periods (workspace_id, rep_id) where trued_up`.execute(
    db,
  );
  await tenantTable(db, 'statement_periods');

  await sql`
    create table statements (
      workspace_id uuid not null,
      statement_id uuid not null,
      rep_id uuid not null,
      period text not null,
      version integer not null check (version >= 1),
      -- the status when the version was generated; the current one is in "statement_periods"
      status text not null check (status in ('draft', 'approved')),
      currency text not null check (currency ~ '^[A-Z]{3}$'),
      -- amounts in JSON are decimal text
      summary jsonb not null,
      other_currencies jsonb not null,
      deal_count integer not null,
      line_items jsonb not null,
      -- equal for equal content
      content_hash uuid not null,
      generated_at timestamptz not null,
      generated_by text not null,
      primary key (workspace_id, statement_id),
      constraint statements_version unique (workspace_id, rep_id, period, version),
      foreign key (workspace_id, rep_id, period) references statement_periods
    )`.execute(db);
  await tenantTable(db, 'statements');
  await sql`revoke update, delete on statements from ${sql.raw(appRole)}`.execute(db);
}

/** Comments and checks. An author of null is the workspace's key. */
async function createRemarks(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table statement_comments (
      workspace_id uuid not null,
      comment_id uuid not null,
      rep_id uuid not null,
      period text not null,
      deal_id text,
      body text not null check (length(body) between 1 and 4000),
      author_id uuid,
      created_at timestamptz not null default now(),
      primary key (workspace_id, comment_id),
      foreign key (workspace_id, rep_id) references reps,
      foreign key (workspace_id, author_id) references reps
    )`.execute(db);
  await sql`
    create index statement_comments_by_statement on statement_comments (workspace_id, rep_id, period, created_at)`.execute(
    db,
  );
  await tenantTable(db, 'statement_comments');

  await sql`
    create table statement_checks (
      workspace_id uuid not null,
      rep_id uuid not null,
      period text not null,
      version integer not null,
      note text check (length(note) between 1 and 1000),
      author_id uuid,
      checked_at timestamptz not null default now(),
      primary key (workspace_id, rep_id, period, version),
      foreign key (workspace_id, rep_id) references reps,
      foreign key (workspace_id, author_id) references reps
    )`.execute(db);
  await tenantTable(db, 'statement_checks');
}

/**
 * The state of an approved period after a true-up: the rows of its dry run. They replace the approved rows wherever
 * credit and amounts are added up; the approved rows stay as the statement shows them.
 */
async function createTrueUps(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table trued_up_rows (
      workspace_id uuid not null,
      rep_id uuid not null,
      -- the approved period that owns the key, on whatever day the row is earned
      frozen_period text not null,
      plan_id uuid not null,
      rule_name text not null,
      deal_key text not null,
      plan_version_id uuid not null,
      rule_id uuid not null,
      phase text not null check (phase in ('per_deal', 'cascade', 'periodic')),
      category text not null check (category in ('commission', 'bonus')),
      amount numeric not null check (amount <> 'NaN'),
      base numeric,
      credit numeric not null check (credit <> 'NaN'),
      tier_name text,
      attainment_key text not null,
      currency text not null,
      period text not null,
      earned_on date not null,
      -- without the period: no two periods own one key
      primary key (workspace_id, rep_id, plan_id, rule_name, deal_key),
      foreign key (workspace_id, rep_id, frozen_period) references statement_periods
    )`.execute(db);
  await sql`create index trued_up_rows_by_deal on trued_up_rows (workspace_id, deal_key)`.execute(db);
  await sql`create index trued_up_rows_by_day on trued_up_rows (workspace_id, rep_id, earned_on)`.execute(db);
  await tenantTable(db, 'trued_up_rows');

  await sql`
    create table true_ups (
      workspace_id uuid not null,
      event_id uuid not null,
      rep_id uuid not null,
      period text not null,
      -- the differences that add up to the event's amount, largest first; amounts are decimal text
      lines jsonb not null,
      primary key (workspace_id, event_id),
      foreign key (workspace_id, rep_id, period) references statement_periods
    )`.execute(db);
  await tenantTable(db, 'true_ups');
}

async function createHandovers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table payroll_handovers (
      workspace_id uuid not null,
      handover_id uuid not null,
      period text not null,
      layout text not null,
      note text check (length(note) between 1 and 1000),
      filename text not null,
      sha256 text not null,
      bytes integer not null,
      row_count integer not null,
      totals jsonb not null,
      missing_payroll_ids jsonb not null,
      actor text not null,
      author_id uuid,
      created_at timestamptz not null default now(),
      primary key (workspace_id, handover_id),
      foreign key (workspace_id, author_id) references reps
    )`.execute(db);
  await sql`create index payroll_handovers_by_period on payroll_handovers (workspace_id, period, created_at)`.execute(
    db,
  );
  await tenantTable(db, 'payroll_handovers');
}

/**
 * The second protection behind the code that respects approved periods: a write of an event on an approved day fails.
 * The trigger runs once for each statement, since events are written by the thousand. A true-up may be inserted;
 * removing it needs no exception, because its period is a draft again by then. A reversed event of an approved period
 * pays nothing and owns nothing, so its deal may move it to a day that is not approved.
 */
async function protectApprovedPeriods(db: Kysely<unknown>): Promise<void> {
  // Read by rep and day, not by a join: its plan would depend on the number of rows when the session planned it. Most
  // reps of most statements have no approved period, and then their rows are not read.
  const periodOf = (rep: string, condition = '') => `
          cross join lateral (
            select s.period from statement_periods s
            where s.workspace_id = ${rep}.workspace_id and s.rep_id = ${rep}.rep_id and s.status = 'approved'${condition}
            limit 1
          ) s`;
  const checkRows = (rows: 'old_rows' | 'new_rows', condition = 'true') =>
    sql.raw(`
        if exists (select from (select distinct workspace_id, rep_id from ${rows}) r${periodOf('r')}) then
          select s.period into frozen
          from (select distinct workspace_id, rep_id, earned_on from ${rows} e where ${condition}) e${periodOf(
            'e',
            ' and e.earned_on between s.from_day and s.to_day',
          )}
          limit 1;
        end if;`);
  await sql`
    create function reject_events_of_approved_periods() returns trigger
    language plpgsql set enable_seqscan = off as $$
    declare
      frozen text;
    begin
      if tg_op = 'INSERT' then${checkRows('new_rows', "e.kind <> 'true_up'")}
      elsif tg_op = 'DELETE' then${checkRows('old_rows')}
      else${checkRows('old_rows', "e.status <> 'reversed'")}
      end if;
      if frozen is null and tg_op = 'UPDATE' then${checkRows('new_rows')}
      end if;
      if frozen is not null then
        raise exception 'statement_locked: commission of the approved period % cannot be written', frozen;
      end if;
      return null;
    end $$`.execute(db);
  // PostgreSQL allows transition tables only in triggers of one event.
  for (const [event, transitions] of [
    ['insert', 'new table as new_rows'],
    ['update', 'old table as old_rows new table as new_rows'],
    ['delete', 'old table as old_rows'],
  ] as const) {
    await sql`
      create trigger ${sql.raw(`commission_events_frozen_${event}`)} after ${sql.raw(event)} on commission_events
      referencing ${sql.raw(transitions)}
      for each statement execute function reject_events_of_approved_periods()`.execute(db);
  }
}
