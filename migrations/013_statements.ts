import { type Kysely, sql } from 'kysely';
import { bumpCacheVersion, recordRowChanges } from './change-triggers.js';
import { asOwner, grantToService } from './owner-functions.js';
import { insertOnly, tenantTable } from './tenant-table.js';

/** Statements, what people add to them, true-ups and the trigger that protects approved periods. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createStatements(db);
  await createRemarks(db);
  await createDisputes(db);
  await createDisputeSteps(db);
  await createTruedUpRows(db);
  await createTrueUps(db);
  await createFrozenAmounts(db);
  await createDiscrepancies(db);
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
  await bumpCacheVersion(db, 'statement_periods');
  await recordRowChanges(db, 'statement_periods', { ids: ['rep_id', 'period'], hidden: ['approver'] });
  await createPeriodHistory(db);

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
      -- null in workspaces without payouts
      payable jsonb,
      -- equal for equal content
      content_hash uuid not null,
      generated_at timestamptz not null,
      generated_by text not null,
      primary key (workspace_id, statement_id),
      constraint statements_version unique (workspace_id, rep_id, period, version),
      foreign key (workspace_id, rep_id, period) references statement_periods
    )`.execute(db);
  await tenantTable(db, 'statements');
  await insertOnly(db, 'statements');
}

/** Every state of every period, so that statements can be read as they were at an earlier instant. */
async function createPeriodHistory(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table statement_period_history (
      workspace_id uuid not null,
      rep_id uuid not null,
      period text not null,
      position bigint generated always as identity,
      changed_at timestamptz not null default now(),
      from_day date not null,
      to_day date not null,
      status text not null,
      current_version integer not null,
      approved_at timestamptz,
      approver jsonb,
      approved_total numeric(30, 4),
      currency text,
      primary key (workspace_id, rep_id, period, position)
    )`.execute(db);
  await tenantTable(db, 'statement_period_history');
  await insertOnly(db, 'statement_period_history');
  // The only change of the history: the erasure of a person replaces the name of the approver.
  await sql`
    create function rename_approver_in_history(rep uuid, new_name text) returns void
    language sql volatile ${asOwner} as $$
      update statement_period_history set approver = jsonb_set(approver, '{name}', to_jsonb(new_name))
      where workspace_id = current_setting('app.workspace_id')::uuid and approver ->> 'repId' = rep::text
    $$`.execute(db);
  await grantToService(db, ['rename_approver_in_history(uuid, text)']);
  await sql`
    create function record_statement_periods() returns trigger
    language plpgsql as $$
    begin
      insert into statement_period_history (workspace_id, rep_id, period, from_day, to_day, status, current_version,
        approved_at, approver, approved_total, currency)
      select workspace_id, rep_id, period, from_day, to_day, status, current_version, approved_at, approver,
        approved_total, currency
      from new_rows;
      return null;
    end $$`.execute(db);
  for (const event of ['insert', 'update'])
    await sql`
      create trigger ${sql.raw(`record_statement_periods_${event}`)} after ${sql.raw(event)} on statement_periods
      referencing new table as new_rows for each statement execute function record_statement_periods()`.execute(db);
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
  await bumpCacheVersion(db, 'statement_comments');
  await recordRowChanges(db, 'statement_comments', { ids: ['comment_id', 'rep_id', 'period'], hidden: ['body'] });

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
  await bumpCacheVersion(db, 'statement_checks');
  await recordRowChanges(db, 'statement_checks', { ids: ['rep_id', 'period', 'version'], hidden: ['note'] });
}

/** Disputes with their steps. A person of null is a key of the command line. */
async function createDisputes(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table disputes (
      workspace_id uuid not null,
      dispute_id uuid not null,
      rep_id uuid not null,
      period text not null,
      -- the id of a missing deal belongs to no row of "deals"
      deal_id text,
      event_id uuid,
      type text not null check (type in ('missing_deal', 'wrong_amount', 'wrong_credit', 'wrong_plan', 'other')),
      status text not null default 'open'
        check (status in ('open', 'in_review', 'accepted', 'rejected', 'withdrawn')),
      expected_amount numeric(30, 4) check (expected_amount <> 'NaN'),
      currency text not null check (currency ~ '^[A-Z]{3}$'),
      description text not null check (length(description) between 1 and 4000),
      -- what was calculated when it was opened: traces, or the reasons why nothing was paid
      evidence jsonb not null,
      opened_by uuid,
      opened_at timestamptz not null,
      updated_at timestamptz not null,
      adjustment_event_id uuid,
      approved_by uuid,
      primary key (workspace_id, dispute_id),
      foreign key (workspace_id, rep_id) references reps,
      foreign key (workspace_id, opened_by) references reps,
      check (status = 'accepted' or adjustment_event_id is null)
    )`.execute(db);
  await sql`create index disputes_by_rep on disputes (workspace_id, rep_id, status)`.execute(db);
  await sql`create index disputes_by_time on disputes (workspace_id, opened_at desc, dispute_id)`.execute(db);
  await tenantTable(db, 'disputes');
  await bumpCacheVersion(db, 'disputes');
  await recordRowChanges(db, 'disputes', {
    ids: ['dispute_id', 'rep_id', 'period'],
    hidden: ['description', 'evidence'],
  });
}

async function createDisputeSteps(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table dispute_steps (
      workspace_id uuid not null,
      dispute_id uuid not null,
      step integer not null check (step >= 1),
      status text not null check (status in ('open', 'in_review', 'accepted', 'rejected', 'withdrawn')),
      note text check (length(note) between 1 and 2000),
      author_id uuid,
      actor text not null,
      at timestamptz not null,
      primary key (workspace_id, dispute_id, step),
      foreign key (workspace_id, dispute_id) references disputes,
      foreign key (workspace_id, author_id) references reps
    )`.execute(db);
  await tenantTable(db, 'dispute_steps');
  await insertOnly(db, 'dispute_steps');
  await recordRowChanges(db, 'dispute_steps', { ids: ['dispute_id', 'step'], hidden: ['note'] });
}

/**
 * The state of an approved period after a true-up: the rows of its dry run. They replace the approved rows wherever
 * credit and amounts are added up; the approved rows stay as the statement shows them.
 */
async function createTruedUpRows(db: Kysely<unknown>): Promise<void> {
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
      -- the share of the credit and that of the pay; null for the whole deal
      share text check (share ~ '^-?[0-9.]+ -?[0-9.]+$'),
      inputs jsonb,
      -- what a cap cut off, exactly; null if nothing. Events have it in their trace.
      cut_off numeric,
      -- without the period: no two periods own one key
      primary key (workspace_id, rep_id, plan_id, rule_name, deal_key),
      foreign key (workspace_id, rep_id, frozen_period) references statement_periods
    )`.execute(db);
  await sql`create index trued_up_rows_by_deal on trued_up_rows (workspace_id, deal_key)`.execute(db);
  await sql`create index trued_up_rows_by_day on trued_up_rows (workspace_id, rep_id, earned_on)`.execute(db);
  await tenantTable(db, 'trued_up_rows');
}

async function createTrueUps(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table true_ups (
      workspace_id uuid not null,
      event_id uuid not null,
      rep_id uuid not null,
      -- the approved period whose difference the event pays; the event may be in a later period
      period text not null,
      -- the differences that add up to the event's amount, largest first; amounts are decimal text
      lines jsonb not null,
      -- null in workspaces without payouts
      payable jsonb,
      primary key (workspace_id, event_id),
      foreign key (workspace_id, rep_id, period) references statement_periods
    )`.execute(db);
  await sql`create index true_ups_by_period on true_ups (workspace_id, rep_id, period)`.execute(db);
  await tenantTable(db, 'true_ups');
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

/** Differences between approved periods and a new calculation of them, one for each currency. */
async function createDiscrepancies(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table discrepancies (
      workspace_id uuid not null,
      discrepancy_id uuid not null,
      rep_id uuid not null,
      period text not null,
      status text not null check (status in ('open', 'dismissed', 'resolved')),
      currency text not null check (currency ~ '^[A-Z]{3}$'),
      -- amounts in JSON are decimal text
      approved numeric(30, 4) not null check (approved <> 'NaN'),
      carried_forward numeric(30, 4) not null check (carried_forward <> 'NaN'),
      delta numeric(30, 4) not null check (delta <> 'NaN'),
      other_currencies jsonb not null,
      -- the largest differences
      lines jsonb not null,
      line_count integer not null,
      causes jsonb not null,
      since timestamptz not null,
      updated_at timestamptz not null,
      action text check (action in ('true_up', 'carry_forward', 'dismiss', 'cleared', 'unlocked')),
      reason text check (length(reason) between 1 and 1000),
      resolved_by uuid,
      resolved_at timestamptz,
      event_id uuid,
      primary key (workspace_id, discrepancy_id),
      foreign key (workspace_id, rep_id, period) references statement_periods,
      foreign key (workspace_id, resolved_by) references reps,
      check ((status = 'open') = (action is null))
    )`.execute(db);
  await sql`
    create unique index discrepancies_present on discrepancies (workspace_id, rep_id, period, currency)
    where status <> 'resolved'`.execute(db);
  await sql`create index discrepancies_by_time on discrepancies (workspace_id, since desc, discrepancy_id)`.execute(db);
  await tenantTable(db, 'discrepancies');
  await bumpCacheVersion(db, 'discrepancies');
  await recordRowChanges(db, 'discrepancies', {
    ids: ['discrepancy_id', 'rep_id', 'period'],
    hidden: ['reason', 'lines'],
  });
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
