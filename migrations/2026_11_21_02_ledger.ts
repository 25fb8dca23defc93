import { type Kysely, sql } from 'kysely';
import { appRole, tenantTable } from './tenant-table.js';

/** Commission events, their history, the work that is to be done on them, and what is kept for reading. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Events carry no foreign keys: what was earned outlives the plan, the assignment and the deal it came from.
  // A fifth of each page stays free, so that a row that changes in place stays on its page and its indexes rest.
  await sql`
    create table commission_events (
      workspace_id uuid not null,
      rep_id uuid not null,
      -- for engine-written rows made from (rep, plan, rule name, deal): the natural key itself
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
      amount numeric(20, 4) not null check (amount <> 'NaN'),
      base numeric,
      credit numeric not null default 0 check (credit <> 'NaN'),
      tier_name text,
      attainment_key text,
      currency text not null,
      period text not null,
      earned_on date not null,
      idempotency_key uuid not null,
      trace text,
      reason text,
      actor text,
      run_id uuid,
      revision integer not null default 1,
      updated_at timestamptz not null default now(),
      primary key (workspace_id, rep_id, event_id)
    ) with (fillfactor = 80)`.execute(db);
  await sql`create index commission_events_by_deal on commission_events (workspace_id, deal_key)`.execute(db);
  await sql`create index commission_events_by_day on commission_events (workspace_id, rep_id, earned_on)`.execute(db);
  await tenantTable(db, 'commission_events');

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
      amount numeric(20, 4) not null,
      base numeric,
      credit numeric not null,
      tier_name text,
      attainment_key text,
      currency text not null,
      period text not null,
      earned_on date not null,
      idempotency_key uuid not null,
      trace text,
      reason text,
      actor text,
      primary key (workspace_id, rep_id, event_id, revision)
    )`.execute(db);
  await tenantTable(db, 'commission_event_history');
  await sql`revoke update on commission_event_history from ${sql.raw(appRole)}`.execute(db);

  await sql`
    create table lanes (
      workspace_id uuid not null,
      rep_id uuid not null,
      attempts integer not null default 0,
      not_before timestamptz,
      parked_at timestamptz,
      last_error text,
      -- when events were last cleared: since then a new event may have an older history
      cleared_at timestamptz,
      primary key (workspace_id, rep_id),
      foreign key (workspace_id, rep_id) references reps
    )`.execute(db);
  await tenantTable(db, 'lanes');

  await sql`
    create table jobs (
      workspace_id uuid not null,
      job_id uuid not null,
      kind text not null check (kind in ('recalculation', 'import', 'mapping', 'sync')),
      scope jsonb not null,
      -- equal for equal scopes: a running job is joined, not doubled
      scope_key text not null,
      status text not null check (status in ('running', 'completed', 'failed')),
      total integer not null default 0,
      deals integer not null default 0,
      result jsonb,
      error text,
      actor text not null,
      started_at timestamptz not null default now(),
      finished_at timestamptz,
      primary key (workspace_id, job_id)
    )`.execute(db);
  await sql`create unique index jobs_running on jobs (workspace_id, scope_key) where status = 'running'`.execute(db);
  await tenantTable(db, 'jobs');

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
      requested_at timestamptz not null default now(),
      primary key (workspace_id, rep_id, request_id)
    ) with (autovacuum_vacuum_scale_factor = 0.05)`.execute(db);
  await sql`create index calculation_requests_by_job on calculation_requests (workspace_id, job_id)`.execute(db);
  await tenantTable(db, 'calculation_requests');

  await sql`
    create table audit_runs (
      workspace_id uuid not null,
      run_id uuid not null,
      actor text not null,
      trigger text not null,
      scope text not null,
      deal_id text,
      rep_id uuid,
      period text,
      outcome text not null check (outcome in ('written', 'no_change', 'skipped', 'statement_locked', 'failed')),
      events_written integer not null default 0,
      events_reversed integer not null default 0,
      statement_locked integer not null default 0,
      skipped integer not null default 0,
      deals integer not null default 0,
      blocked jsonb,
      details jsonb,
      error text,
      started_at timestamptz not null default now(),
      duration_ms integer not null default 0,
      primary key (workspace_id, run_id)
    )`.execute(db);
  await sql`create index audit_runs_by_time on audit_runs (workspace_id, started_at desc)`.execute(db);
  await tenantTable(db, 'audit_runs');

  // A run answers for all the deals and jobs whose requests it took up together.
  await sql`
    create table audit_run_deals (
      workspace_id uuid not null,
      deal_id text not null,
      run_id uuid not null,
      primary key (workspace_id, deal_id, run_id)
    )`.execute(db);
  await tenantTable(db, 'audit_run_deals');
  await sql`
    create table audit_run_jobs (
      workspace_id uuid not null,
      job_id uuid not null,
      run_id uuid not null,
      primary key (workspace_id, job_id, run_id)
    )`.execute(db);
  await tenantTable(db, 'audit_run_jobs');

  await sql`
    create table rep_months (
      workspace_id uuid not null,
      rep_id uuid not null,
      month date not null,
      currency text not null,
      commission numeric(20, 4) not null,
      bonus numeric(20, 4) not null,
      adjustments numeric(20, 4) not null,
      deals integer not null,
      primary key (workspace_id, rep_id, month, currency)
    )`.execute(db);
  await tenantTable(db, 'rep_months');

  await sql`
    create table statement_periods (
      workspace_id uuid not null,
      rep_id uuid not null,
      period text not null,
      from_day date not null,
      to_day date not null,
      status text not null check (status in ('draft', 'approved')),
      primary key (workspace_id, rep_id, period),
      foreign key (workspace_id, rep_id) references reps
    )`.execute(db);
  await tenantTable(db, 'statement_periods');

  await createCrossings(db);
}

/**
 * The only reads across workspaces: a token is looked up before its workspace is known, and workers look for work
 * wherever it lies. They run as the owner and give away no more than they name.
 */
async function createCrossings(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function find_token(hash bytea)
    returns table (workspace_id uuid, token_id uuid, kind text, rep_id uuid, role text, active boolean)
    language sql stable security definer set search_path = public, pg_temp as $$
      select t.workspace_id, t.token_id, t.kind, t.rep_id, r.role, r.active
      from tokens t
      left join reps r on r.workspace_id = t.workspace_id and r.rep_id = t.rep_id
      where t.token_hash = hash and (t.expires_at is null or t.expires_at > now())
    $$`.execute(db);
  // Workspaces take turns, so that a large one cannot keep the others waiting.
  await sql`
    create function due_lanes(older_than interval, at_most integer)
    returns table (workspace_id uuid, rep_id uuid)
    language sql stable security definer set search_path = public, pg_temp as $$
      select due.workspace_id, due.rep_id
      from (
        select q.workspace_id, q.rep_id, row_number() over (partition by q.workspace_id order by min(q.request_id)) as turn
        from calculation_requests q
        left join lanes l on l.workspace_id = q.workspace_id and l.rep_id = q.rep_id
        where q.requested_at < now() - older_than and l.parked_at is null
          and (l.not_before is null or l.not_before <= now())
        group by q.workspace_id, q.rep_id
      ) due
      order by due.turn
      limit at_most
    $$`.execute(db);
  await sql`
    create function workspaces_with_periodic_rules()
    returns table (workspace_id uuid, timezone text, periodic_through date)
    language sql stable security definer set search_path = public, pg_temp as $$
      select w.workspace_id, w.timezone, w.periodic_through
      from workspaces w
      where exists (select from plan_rules r where r.workspace_id = w.workspace_id and r.phase = 'periodic')
    $$`.execute(db);
  await sql`
    create function unsettled_jobs()
    returns table (workspace_id uuid, job_id uuid)
    language sql stable security definer set search_path = public, pg_temp as $$
      select j.workspace_id, j.job_id from jobs j
      where j.status = 'running' and j.started_at < now() - interval '5 seconds' limit 1000
    $$`.execute(db);
  for (const crossing of [
    'find_token(bytea)',
    'due_lanes(interval, integer)',
    'workspaces_with_periodic_rules()',
    'unsettled_jobs()',
  ]) {
    await sql`revoke all on function ${sql.raw(crossing)} from public`.execute(db);
    await sql`grant execute on function ${sql.raw(crossing)} to ${sql.raw(appRole)}`.execute(db);
  }
}
