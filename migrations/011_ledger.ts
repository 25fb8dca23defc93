import { type Kysely, sql } from 'kysely';
import { bumpCacheVersion } from './change-triggers.js';
import { createFeed } from './feed.js';
import { asOwner, grantToService } from './owner-functions.js';
import { insertOnly, tenantTable, withoutOwnerStatistics } from './tenant-table.js';

/** Commission events, their history, the monthly totals, and the work that calculates them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createEvents(db);
  await createHistory(db);
  await createMonths(db);
  await createLanes(db);
  await createJobs(db);
  await createRequests(db);
  await createChecks(db);
  await createSweepFunctions(db);
  await createDueLanes(db);
}

/**
 * Amounts have 26 digits before the point: the engine pays at most 10^15 for one event, so a million events add up to
 * 10^21. The finest currency has 4 decimals.
 *
 * Events have no foreign keys: an event outlives its plan, assignment and deal. A changed plan rewrites all events of a
 * rep. Half of each page stays free, so that the new row versions stay on the pages of the old ones and no index
 * changes; with a fifth free, pages overflowed and the table grew beyond the size that it has now from the start.
 */
async function createEvents(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table commission_events (
      workspace_id uuid not null,
      rep_id uuid not null,
      -- for an event of the engine, the hash of its natural key: rep, plan, rule name and deal
      event_id uuid not null,
      kind text not null check (kind in ('commission_earned', 'true_up', 'adjustment', 'clawback')),
      status text not null check (status in ('earned', 'reversed')),
      deal_key text,
      plan_id uuid,
      plan_version_id uuid,
      rule_id uuid,
      rule_name text,
      phase text check (phase in ('per_deal', 'cascade', 'periodic')),
      category text not null check (category in ('commission', 'bonus', 'adjustment')),
      amount numeric(30, 4) not null check (amount <> 'NaN'),
      base numeric,
      credit numeric not null default 0 check (credit <> 'NaN'),
      tier_name text,
      attainment_key text,
      currency text not null,
      period text not null,
      earned_on date not null,
      -- the share of the credit and that of the pay; null for the whole deal
      share text check (share ~ '^-?[0-9.]+ -?[0-9.]+$'),
      idempotency_key uuid not null,
      trace text,
      reason text,
      actor text,
      run_id uuid,
      revision integer not null default 1,
      updated_at timestamptz not null default now(),
      changed_in xid8 not null default pg_current_xact_id(),
      primary key (workspace_id, rep_id, event_id)
    ) with (fillfactor = 50)`.execute(db);
  await sql`create index commission_events_by_deal on commission_events (workspace_id, deal_key)`.execute(db);
  await sql`create index commission_events_by_day on commission_events (workspace_id, rep_id, earned_on)`.execute(db);
  await tenantTable(db, 'commission_events');
  await withoutOwnerStatistics(db, 'commission_events');
  await bumpCacheVersion(db, 'commission_events');
  // Of the events only those that people enter.
  for (const [operation, row] of [
    ['insert or update', 'new'],
    ['delete', 'old'],
  ] as const)
    await sql`
      create trigger ${sql.raw(`record_row_change_${row}`)} after ${sql.raw(operation)} on commission_events
      for each row
      when (${sql.raw(row)}.kind <> 'commission_earned' and current_setting('app.records_changes', true) = 'on')
      execute function record_row_change('event_id,rep_id', 'reason', 'revision,updated_at,trace,idempotency_key')`.execute(
      db,
    );
  await createFeed(db, 'commission_events', 'event_id', 'rep_id');
}

/** Every revision of every event. The service may only add rows. */
async function createHistory(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table commission_event_history (
      workspace_id uuid not null,
      rep_id uuid not null,
      event_id uuid not null,
      revision integer not null,
      change text not null check (change in ('inserted', 'changed', 'reversed', 'restored', 'deleted')),
      run_id uuid,
      changed_at timestamptz not null default now(),
      kind text not null,
      status text not null,
      deal_key text,
      plan_id uuid,
      plan_version_id uuid,
      rule_id uuid,
      rule_name text,
      phase text,
      category text not null,
      amount numeric(30, 4) not null,
      base numeric,
      credit numeric not null,
      tier_name text,
      attainment_key text,
      currency text not null,
      period text not null,
      earned_on date not null,
      share text check (share ~ '^-?[0-9.]+ -?[0-9.]+$'),
      idempotency_key uuid not null,
      trace text,
      reason text,
      actor text,
      primary key (workspace_id, rep_id, event_id, revision)
    )`.execute(db);
  await tenantTable(db, 'commission_event_history');
  await insertOnly(db, 'commission_event_history');
}

async function createMonths(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table rep_months (
      workspace_id uuid not null,
      rep_id uuid not null,
      month date not null,
      currency text not null,
      commission numeric(30, 4) not null,
      bonus numeric(30, 4) not null,
      adjustments numeric(30, 4) not null,
      deals integer not null,
      -- the periods in which the month's events count, so that listing periods does not read the events
      periods text[] not null default '{}',
      primary key (workspace_id, rep_id, month, currency)
    )`.execute(db);
  await tenantTable(db, 'rep_months');
  await bumpCacheVersion(db, 'rep_months');
}

/**
 * One row for each rep: a calculation and an approval lock it first. The columns "fresh_*" are the freshness mark: the
 * result of the last calculation, if that covered all days and nothing blocked it. The mark is valid until a request
 * arrives, the configuration changes, the day "fresh_until" is over (if periodic rules wait for it) or another version
 * of the calculation's code runs.
 */
async function createLanes(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table lanes (
      workspace_id uuid not null,
      rep_id uuid not null,
      attempts integer not null default 0,
      not_before timestamptz,
      parked_at timestamptz,
      last_error text,
      -- when events were last deleted: a new event may continue the history of a deleted one
      cleared_at timestamptz,
      -- events were deleted, and no calculation over all days has followed
      incomplete boolean not null default false,
      fresh_revision uuid,
      fresh_until date,
      -- the last calculated day; the mark of a rep that is calculated in parts is complete at the last day of all
      fresh_through date,
      fresh_code uuid,
      fresh_deals integer,
      fresh_skipped integer,
      primary key (workspace_id, rep_id),
      foreign key (workspace_id, rep_id) references reps on delete cascade,
      check (num_nulls(fresh_revision, fresh_until, fresh_through, fresh_code, fresh_deals, fresh_skipped) in (0, 6))
    )`.execute(db);
  await tenantTable(db, 'lanes');
}

async function createJobs(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table jobs (
      workspace_id uuid not null,
      job_id uuid not null,
      kind text not null check (kind in ('recalculation', 'import', 'mapping', 'sync')),
      scope jsonb not null,
      -- equal for equal scopes: a second request for a running job returns that job
      scope_key text not null,
      status text not null check (status in ('running', 'completed', 'failed')),
      total integer not null default 0,
      deals integer not null default 0,
      result jsonb,
      error text,
      actor text not null,
      -- the job's sync still runs, so the job is not complete even if nothing is left to calculate
      syncing boolean not null default false,
      started_at timestamptz not null default now(),
      finished_at timestamptz,
      primary key (workspace_id, job_id)
    )`.execute(db);
  await sql`create unique index jobs_running on jobs (workspace_id, scope_key) where status = 'running'`.execute(db);
  await tenantTable(db, 'jobs');
}

/** Rows are inserted and deleted all the time, so vacuum runs when a twentieth of them is dead (default: a fifth). */
async function createRequests(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table calculation_requests (
      workspace_id uuid not null,
      rep_id uuid not null,
      request_id bigint generated always as identity,
      from_day date not null,
      to_day date not null,
      trigger text not null,
      deal_id text,
      job_id uuid,
      -- calculated when this sync has ended, so that a rep is calculated once and not once for each page
      sync_run_id uuid,
      -- the days before from_day in its attainment period have been calculated
      continues boolean not null default false,
      requested_at timestamptz not null default now(),
      primary key (workspace_id, rep_id, request_id)
    ) with (autovacuum_vacuum_scale_factor = 0.05)`.execute(db);
  await sql`
    create index calculation_requests_by_job on calculation_requests (workspace_id, job_id)
    where job_id is not null`.execute(db);
  await sql`create index calculation_requests_by_age on calculation_requests (workspace_id, request_id)`.execute(db);
  await tenantTable(db, 'calculation_requests');
  await withoutOwnerStatistics(db, 'calculation_requests');
}

async function createChecks(db: Kysely<unknown>): Promise<void> {
  // Approved periods that runs may have affected: each is compared with a new calculation after the commit.
  await sql`
    create table period_checks (
      workspace_id uuid not null,
      rep_id uuid not null,
      check_id bigint generated always as identity,
      period text not null,
      causes jsonb not null,
      requested_at timestamptz not null default now(),
      not_before timestamptz not null default now(),
      primary key (workspace_id, rep_id, check_id)
    ) with (autovacuum_vacuum_scale_factor = 0.05)`.execute(db);
  await tenantTable(db, 'period_checks');
  await withoutOwnerStatistics(db, 'period_checks');
  // Days of a rep whose commission may have changed since it was written to the CRM.
  await sql`
    create table write_back_requests (
      workspace_id uuid not null,
      rep_id uuid not null,
      request_id bigint generated always as identity,
      from_day date not null,
      to_day date not null,
      primary key (workspace_id, request_id)
    ) with (autovacuum_vacuum_scale_factor = 0.05)`.execute(db);
  await tenantTable(db, 'write_back_requests');
  await withoutOwnerStatistics(db, 'write_back_requests');
}

/** What sweeps read in all workspaces. */
async function createSweepFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function due_period_checks(older_than interval, max_reps integer)
    returns table (workspace_id uuid, rep_id uuid)
    language sql stable ${asOwner} as $$
      select due.workspace_id, due.rep_id
      from (
        select c.workspace_id, c.rep_id, row_number() over (partition by c.workspace_id order by min(c.check_id)) as turn
        from period_checks c
        where c.not_before < now() - older_than
        group by c.workspace_id, c.rep_id
      ) due
      order by due.turn
      limit max_reps
    $$`.execute(db);
  // The end of a period replaces its provisional exchange rates.
  await sql`
    create function workspaces_with_periodic_rules()
    returns table (workspace_id uuid, timezone text, periodic_through date, test_day date)
    language sql stable ${asOwner} as $$
      select w.workspace_id, w.timezone, w.periodic_through, w.test_day
      from workspaces w
      where exists (select from plan_rules r where r.workspace_id = w.workspace_id and r.phase = 'periodic')
        or exists (
          select from plan_versions v where v.workspace_id = w.workspace_id and v.fx->>'date' = 'period_end'
        )
    $$`.execute(db);
  await sql`
    create function running_jobs()
    returns table (workspace_id uuid, job_id uuid)
    language sql stable ${asOwner} as $$
      select j.workspace_id, j.job_id from jobs j
      where j.status = 'running' and j.started_at < now() - interval '5 seconds' limit 1000
    $$`.execute(db);
  await grantToService(db, [
    'due_period_checks(interval, integer)',
    'workspaces_with_periodic_rules()',
    'running_jobs()',
  ]);
}

/**
 * The lanes that a sweep takes, found without reading all that wait. Each workspace gives the lanes of its oldest
 * requests, an equal number from each at first, and more in the next round if these are too few. Requests of a sync that
 * advances wait for its end. The planner may plan the function while the tables are empty, so only plans in the order of
 * an index remain.
 */
async function createDueLanes(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function due_lanes(older_than interval, max_lanes integer)
    returns table (workspace_id uuid, rep_id uuid)
    language plpgsql stable security definer set search_path = public, pg_temp
    set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
    set enable_hashjoin = off set enable_mergejoin = off set enable_material = off as $$
    #variable_conflict use_column
    declare
      before timestamptz := now() - older_than;
      waiting uuid[];
      lanes_of_each integer;
      due_workspaces uuid[];
      due_reps uuid[];
    begin
      with recursive w as (
        (select q.workspace_id from calculation_requests q order by q.workspace_id limit 1)
        union all
        select (select q.workspace_id from calculation_requests q where q.workspace_id > w.workspace_id
          order by q.workspace_id limit 1)
        from w where w.workspace_id is not null
      )
      select array_agg(w.workspace_id) into waiting from w where w.workspace_id is not null;
      if waiting is null then
        return;
      end if;
      lanes_of_each := ceil(max_lanes::numeric / cardinality(waiting));
      loop
        select array_agg(due.workspace_id order by due.turn), array_agg(due.rep_id order by due.turn)
          into due_workspaces, due_reps
          from unnest(waiting) w(workspace_id), lateral (
            select q.workspace_id, q.rep_id, row_number() over (order by q.request_id) as turn
            from calculation_requests q
            left join lanes l on l.workspace_id = q.workspace_id and l.rep_id = q.rep_id
            where q.workspace_id = w.workspace_id and q.requested_at < before and l.parked_at is null
              and (l.not_before is null or l.not_before <= now())
              and not exists (select from crm_sync_runs r
                where r.workspace_id = q.workspace_id and r.sync_run_id = q.sync_run_id and r.failing_since is null)
              and not exists (select from calculation_requests e
                where e.workspace_id = q.workspace_id and e.rep_id = q.rep_id and e.request_id < q.request_id
                  and e.requested_at < before and not exists (select from crm_sync_runs r
                    where r.workspace_id = e.workspace_id and r.sync_run_id = e.sync_run_id and r.failing_since is null))
            order by q.request_id
            limit lanes_of_each
          ) due;
        exit when lanes_of_each >= max_lanes or cardinality(due_reps) >= max_lanes;
        lanes_of_each := least(max_lanes, lanes_of_each * 8);
      end loop;
      return query select u.w, u.r from unnest(due_workspaces, due_reps) u(w, r) limit max_lanes;
    end $$`.execute(db);
  await grantToService(db, ['due_lanes(interval, integer)']);
}
