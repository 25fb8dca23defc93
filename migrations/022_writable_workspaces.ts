import { type Kysely, sql } from 'kysely';
import { lockTables } from './lock-tables.js';
import { asOwner } from './owner-functions.js';
import { ofWritable } from './writable-workspaces.js';

/** What this migration and those of the same release change, refer to and, by triggers, write. */
const changedTables = [
  'workspaces',
  'reps',
  'deals',
  'deal_refunds',
  'commission_events',
  'commission_event_history',
  'stored_jobs',
  'payroll_handovers',
  'accounting_entities',
  'accounting_policies',
  'accounting_preparations',
  'accounting_closings',
  'cache_versions',
];

/**
 * Statements about all workspaces leave out those that are read-only while they are moved or deleted, so that these do not
 * stop the background work of the others.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await assertNothingMoved(db);
  await lockTables(db, changedTables);
  await createReadOnlyWorkspaces(db);
  await replaceDeletions(db);
  await replaceSignInDeletion(db);
  await replaceFailedSignIn(db);
  await replaceMessageFunctions(db);
  await replaceChangeRequestEnd(db);
  await replaceDueEndpoints(db);
  await replaceDueWork(db);
  await replaceLedgerFunctions(db);
  await replaceDueLanes(db);
  await replaceAuditFunctions(db);
  await replaceListsOfWorkspaces(db);
  await replaceCrmFunctions(db);
  await replaceDueBillingChecks(db);
}

/** The migrations of this release write rows of every workspace, and one that is moved rejects them. */
async function assertNothingMoved(db: Kysely<unknown>): Promise<void> {
  await sql`
    do $$ begin
      if exists (select from pg_trigger where tgrelid = 'workspaces'::regclass and left(tgname, 7) = 'moving_') then
        raise exception 'a workspace is being moved or deleted: end that first, then migrate'
          using errcode = 'object_not_in_prerequisite_state';
      end if;
    end $$`.execute(db);
}

/** A move, or the deletion of a workspace, gives its row a trigger that rejects writes; see src/app/workspace-move.ts. */
async function createReadOnlyWorkspaces(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function read_only_workspaces() returns table (workspace_id uuid)
    language sql stable as $$
      select substr(t.tgname, 8)::uuid from pg_trigger t
      where t.tgrelid = 'workspaces'::regclass and left(t.tgname, 7) = 'moving_'
    $$`.execute(db);
}

async function replaceDeletions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function delete_old_request_data() returns void
    language sql ${asOwner} as $$
      delete from idempotency_keys k using workspaces w
      where k.workspace_id = w.workspace_id and k.created_at < now() - interval '24 hours'
        and k.leased_until < now() and ${ofWritable('k.workspace_id')};
      delete from rate_windows where second < extract(epoch from now()) - 3600
    $$`.execute(db);
  await sql`
    create or replace function delete_old_uses() returns void
    language sql volatile ${asOwner} as $$
      delete from limited_uses where used_at < now() - interval '1 day' and ${ofWritable('workspace_id')}
    $$`.execute(db);
  // What can be requested again is deleted after a day without a worker. An approval waits.
  await sql`
    create or replace function delete_old_stored_jobs() returns void
    language sql ${asOwner} as $$
      delete from stored_jobs
      where ${ofWritable('workspace_id')} and (finished_at < now() - lifetime
        or kind in ('export', 'preview') and started_at < now() - interval '1 day')
    $$`.execute(db);
  await sql`
    create or replace function delete_old_messages() returns void
    language sql volatile ${asOwner} as $$
      delete from inbox where processed_at < now() - interval '30 days' and ${ofWritable('workspace_id')};
      delete from work_leases where leased_until < now() - interval '1 day' and ${ofWritable('workspace_id')}
    $$`.execute(db);
  await sql`
    create or replace function delete_old_deliveries() returns void
    language sql volatile ${asOwner} as $$
      delete from webhook_previous_secrets where valid_until < now() and ${ofWritable('workspace_id')};
      delete from webhook_deliveries where created_at < now() - interval '30 days' and ${ofWritable('workspace_id')}
    $$`.execute(db);
  await sql`
    create or replace function delete_old_change_requests() returns void
    language sql volatile ${asOwner} as $$
      delete from change_requests where created_at < now() - interval '90 days' and status <> 'running'
        and ${ofWritable('workspace_id')}
    $$`.execute(db);
  // A poll runs every few minutes, and most of them find nothing: these are kept for a day.
  await sql`
    create or replace function delete_old_syncs() returns void
    language sql volatile ${asOwner} as $$
      delete from crm_syncs where ${ofWritable('workspace_id')} and (ended_at < now() - interval '90 days'
        or (kind = 'poll' and status = 'completed' and deals = 0 and ended_at < now() - interval '1 day'))
    $$`.execute(db);
}

async function replaceSignInDeletion(db: Kysely<unknown>): Promise<void> {
  // An invitation that was not sent stays, because the state of its person depends on it. A client that registers stays for
  // an hour, and for the quarter of one in which a sign-in that has begun ends.
  await sql`
    create or replace function delete_old_sign_ins() returns void
    language plpgsql volatile ${asOwner} as $$
    begin
      delete from sign_in_codes where created_at < now() - interval '2 days';
      delete from sign_in_failures where day < (now() at time zone 'UTC')::date - 2;
      delete from sign_in_states where expires_at < now();
      delete from attempt_counters where window_start < now() - interval '1 day';
      delete from mail_outbox m where m.created_at < now() - interval '7 days' and ${ofWritable('m.workspace_id')}
        and (m.sent_at is not null or not exists (
          select from reps r where r.workspace_id = m.workspace_id and r.invite_mail_id = m.mail_id));
      delete from mail_outbox where recipient is null and created_at < now() - interval '10 minutes'
        and ${ofWritable('workspace_id')};
      delete from tokens where kind = 'sess' and ${ofWritable('workspace_id')} and (expires_at < now()
        or coalesce(last_used_at, created_at) < now() - interval '12 hours' or created_at < now() - interval '30 days');
      delete from tokens where kind = 'agt' and expires_at < now() and ${ofWritable('workspace_id')};
      delete from agent_grants where expires_at < now() and ${ofWritable('workspace_id')};
      -- a connection whose refresh tokens have all expired
      delete from agent_connections c where ${ofWritable('c.workspace_id')} and not exists (
        select from agent_grants g where g.workspace_id = c.workspace_id and g.connection_id = c.connection_id);
      delete from agent_clients where coalesce(used_at, created_at) < now() - case when used_at is null
        then interval '75 minutes' else interval '90 days' end;
    end $$`.execute(db);
}

/** A person of several workspaces fails to sign in to all of them. */
async function replaceFailedSignIn(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function record_failed_sign_in(address text, hash bytea, used_method text) returns integer
    language plpgsql volatile ${asOwner} as $$
    declare
      today integer;
    begin
      insert into sign_in_failures as f (email_hash, day, failures) values (hash, (now() at time zone 'UTC')::date, 1)
      on conflict (email_hash, day) do update set failures = f.failures + 1
      returning f.failures into today;
      if today <= 100 then
        insert into audit_runs (workspace_id, run_id, actor, trigger, scope, rep_id, outcome, error, details)
        select r.workspace_id, gen_random_uuid(), 'anonymous', 'login', 'rep', r.rep_id, 'failed',
          'The code or the identity was not accepted.', jsonb_build_object('method', used_method)
        from reps r where r.email = address and ${ofWritable('r.workspace_id')};
      end if;
      return today;
    end $$`.execute(db);
}

async function replaceMessageFunctions(db: Kysely<unknown>): Promise<void> {
  // In the order of the key, so that two processes do not deadlock.
  await sql`
    create or replace function note_deliveries(sources text[], routes text[], verified integer[], rejected integer[]) returns void
    language sql volatile ${asOwner} as $$
      with noted as (
        select r.workspace_id, r.source, r.route, n.verified, n.rejected
        from unnest(sources, routes, verified, rejected) as n (source, route, verified, rejected)
        join inbound_routes r on r.source = n.source and r.route = n.route
        where ${ofWritable('r.workspace_id')}
        order by r.workspace_id, r.source, r.route
        for no key update of r
      )
      update inbound_routes r set
        last_received_at = now(),
        last_verified_at = case when n.verified > 0 then now() else r.last_verified_at end,
        rejected = least(r.rejected::bigint + n.rejected, 2147483647)::integer,
        last_rejected_at = case when n.rejected > 0 then now() else r.last_rejected_at end
      from noted n
      where r.workspace_id = n.workspace_id and r.source = n.source and r.route = n.route
    $$`.execute(db);
  await sql`
    create or replace function due_inboxes(older_than interval)
    returns table (workspace_id uuid, source text, generation integer)
    language sql stable ${asOwner} as $$
      select due.workspace_id, due.source, coalesce(l.generation, 0)
      from (
        select i.workspace_id, i.source from inbox i
        where i.processed_at is null and i.not_before <= now() and i.received_at < now() - older_than
          and ${ofWritable('i.workspace_id')}
        group by i.workspace_id, i.source
      ) due
      left join work_leases l on l.workspace_id = due.workspace_id and l.work = 'inbox ' || due.source
      where l.leased_until is null or l.leased_until < now()
    $$`.execute(db);
  await sql`
    create or replace function due_mails(max_mails integer) returns table (mail_id uuid)
    language sql stable ${asOwner} as $$
      select m.mail_id from mail_outbox m
      where m.sent_at is null and m.not_before < now() - interval '2 seconds' and m.attempts < 8
        and (m.expires_at is null or m.expires_at > now()) and ${ofWritable('m.workspace_id')}
      order by m.not_before
      limit max_mails
    $$`.execute(db);
}

async function replaceChangeRequestEnd(db: Kysely<unknown>): Promise<void> {
  // A run lasts longer than any change takes only if its process has ended; one that continues nevertheless cannot write
  // any more. A key that has expired ends its requests without a change of its row.
  await sql`
    create or replace function end_lost_change_requests() returns void
    language plpgsql volatile ${asOwner} as $$
    begin
      update change_requests set
        status = case when has_written then 'done' else 'pending' end,
        decided_by = case when has_written then decided_by end,
        decided_at = case when has_written then decided_at end,
        run_id = null
      where status = 'running' and decided_at < now() - interval '2 minutes' and ${ofWritable('workspace_id')};
      update change_requests c set ended_because = 'key_invalid', expires_at = least(c.expires_at, now())
      where c.status = 'pending' and c.expires_at > now() and c.token_id is not null
        and ${ofWritable('c.workspace_id')} and not exists (
        select from tokens t where t.workspace_id = c.workspace_id and t.token_id = c.token_id
          and (t.expires_at is null or t.expires_at > now()));
    end $$`.execute(db);
}

/**
 * The endpoints to which a worker sends count for their workspace. Every workspace comes once before one comes a second
 * time. The first pending delivery of each sequence is found in the order of an index, since those after it may be
 * hundreds of thousands.
 */
async function replaceDueEndpoints(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function due_webhook_endpoints(max_endpoints integer, max_of_workspace integer)
    returns table (workspace_id uuid, endpoint_id uuid)
    language sql stable ${asOwner} set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
      with sending as materialized (
        select l.workspace_id, l.work from work_leases l where l.work like 'webhook %' and l.leased_until > now()
      ), due as (
        select e.workspace_id, e.endpoint_id, e.attempted_at,
          row_number() over (partition by e.workspace_id order by e.attempted_at nulls first, e.endpoint_id) as turn
        from webhook_endpoints e
        where e.enabled and e.not_before <= now() and ${ofWritable('e.workspace_id')} and exists (
          with recursive head as (
            (select d.sequence_id, d.not_before from webhook_deliveries d
              where d.workspace_id = e.workspace_id and d.endpoint_id = e.endpoint_id and d.status = 'pending'
              order by d.sequence_id, d.position limit 1)
            union all
            select next.sequence_id, next.not_before from head, lateral (
              select d.sequence_id, d.not_before from webhook_deliveries d
              where d.workspace_id = e.workspace_id and d.endpoint_id = e.endpoint_id and d.status = 'pending'
                and d.sequence_id > head.sequence_id
              order by d.sequence_id, d.position limit 1) next
          )
          select from head where e.failures > 0 or head.not_before <= now())
          and not exists (
            select from sending s
            where s.workspace_id = e.workspace_id and s.work = 'webhook ' || e.endpoint_id)
      )
      select due.workspace_id, due.endpoint_id from due
      where due.turn <= max_of_workspace - (select count(*) from sending s where s.workspace_id = due.workspace_id)
      order by due.turn, due.attempted_at nulls first, due.endpoint_id
      limit max_endpoints
    $$`.execute(db);
}

async function replaceDueWork(db: Kysely<unknown>): Promise<void> {
  // The first job of every workspace before the second of any, counting those that run, so that a workspace with many
  // jobs does not delay the others. Jobs of many parts are last in their workspace: they take longest.
  await sql`
    create or replace function due_stored_jobs(kind_of_job text, max_jobs integer, max_of_workspace integer)
    returns table (workspace_id uuid, job_id uuid)
    language sql stable ${asOwner} as $$
      select due.workspace_id, due.job_id
      from (
        select j.workspace_id, j.job_id, j.not_before, j.is_leased,
          row_number() over (
            partition by j.workspace_id order by j.is_leased desc, j.total > 1, j.not_before) as turn
        from (
          select j.*, exists (
            select from work_leases l
            where l.workspace_id = j.workspace_id and l.work = kind_of_job || ' ' || j.job_id and l.leased_until > now()
          ) as is_leased
          from stored_jobs j
          where j.kind = kind_of_job and j.finished_at is null and j.not_before <= now()
            and ${ofWritable('j.workspace_id')}
        ) j
      ) due
      where not due.is_leased and due.turn <= max_of_workspace
      order by due.turn, due.not_before
      limit max_jobs
    $$`.execute(db);
  await sql`
    create or replace function due_scheduled_imports(max_imports integer, max_of_workspace integer)
    returns table (workspace_id uuid, scheduled_import_id uuid)
    language sql stable ${asOwner} as $$
      with running as materialized (
        select l.workspace_id, l.work from work_leases l
        where l.work like 'scheduled import %' and l.leased_until > now()
      ), due as (
        select s.workspace_id, s.scheduled_import_id, s.last_run_at, s.next_run_at,
          row_number() over (
            partition by s.workspace_id order by s.last_run_at nulls first, s.next_run_at, s.scheduled_import_id) as turn
        from scheduled_imports s
        where not s.paused and (s.next_run_at <= now() or s.requests > s.handled_requests)
          and ${ofWritable('s.workspace_id')}
          and not exists (
            select from running r
            where r.workspace_id = s.workspace_id and r.work = 'scheduled import ' || s.scheduled_import_id)
      )
      select due.workspace_id, due.scheduled_import_id from due
      where due.turn <= max_of_workspace - (select count(*) from running r where r.workspace_id = due.workspace_id)
      order by due.turn, due.last_run_at nulls first, due.next_run_at
      limit max_imports
    $$`.execute(db);
}

async function replaceLedgerFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function due_period_checks(older_than interval, max_reps integer)
    returns table (workspace_id uuid, rep_id uuid)
    language sql stable ${asOwner} as $$
      select due.workspace_id, due.rep_id
      from (
        select c.workspace_id, c.rep_id, row_number() over (partition by c.workspace_id order by min(c.check_id)) as turn
        from period_checks c
        where c.not_before < now() - older_than and ${ofWritable('c.workspace_id')}
        group by c.workspace_id, c.rep_id
      ) due
      order by due.turn
      limit max_reps
    $$`.execute(db);
  await sql`
    create or replace function running_jobs()
    returns table (workspace_id uuid, job_id uuid)
    language sql stable ${asOwner} as $$
      select j.workspace_id, j.job_id from jobs j
      where j.status = 'running' and j.started_at < now() - interval '5 seconds' and ${ofWritable('j.workspace_id')}
      limit 1000
    $$`.execute(db);
}

/**
 * The lanes that a sweep takes, found without reading all that wait. Each workspace gives the lanes of its oldest
 * requests, an equal number from each at first, and more in the next round if these are too few. Requests of a sync that
 * advances wait for its end. The planner may plan the function while the tables are empty, so only plans in the order of
 * an index remain.
 */
async function replaceDueLanes(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function due_lanes(older_than interval, max_lanes integer)
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
      select array_agg(w.workspace_id) into waiting from w
      where w.workspace_id is not null and ${ofWritable('w.workspace_id')};
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
              -- The first one of the rep. Only the primary key has this order: with an equality, a table that was
              -- vacuumed while many rows were inserted reads all older requests for each (9 s for 50,000).
              and q.request_id = (select e.request_id from calculation_requests e
                where e.workspace_id = q.workspace_id and e.rep_id >= q.rep_id
                  and e.requested_at < before and not exists (select from crm_sync_runs r
                    where r.workspace_id = e.workspace_id and r.sync_run_id = e.sync_run_id and r.failing_since is null)
                order by e.rep_id, e.request_id limit 1)
            order by q.request_id
            limit lanes_of_each
          ) due;
        exit when lanes_of_each >= max_lanes or cardinality(due_reps) >= max_lanes;
        lanes_of_each := least(max_lanes, lanes_of_each * 8);
      end loop;
      return query select u.w, u.r from unnest(due_workspaces, due_reps) u(w, r) limit max_lanes;
    end $$`.execute(db);
}

async function replaceAuditFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function seal_audit_entries(max_entries integer) returns integer
    language plpgsql volatile ${asOwner} as $$
    declare
      of_workspace uuid;
      entry record;
      last_position bigint;
      last_hash bytea;
      sealed integer := 0;
    begin
      for of_workspace in
        select distinct a.workspace_id from audit_entries a
        where a.position is null and ${ofWritable('a.workspace_id')}
      loop
        continue when not pg_try_advisory_xact_lock(hashtextextended('audit:' || of_workspace, 0));
        select a.position, a.hash into last_position, last_hash from audit_entries a
        where a.workspace_id = of_workspace and a.position is not null order by a.position desc limit 1;
        for entry in
          select a.entry_id, a.content from audit_entries a
          where a.workspace_id = of_workspace and a.position is null order by a.at, a.entry_id limit max_entries
        loop
          last_position := coalesce(last_position, 0) + 1;
          last_hash := sha256(coalesce(last_hash, '') ||
            convert_to(of_workspace || ':' || last_position || ':' || entry.content, 'UTF8'));
          update audit_entries a set position = last_position, hash = last_hash
          where a.workspace_id = of_workspace and a.entry_id = entry.entry_id;
          sealed := sealed + 1;
        end loop;
      end loop;
      return sealed;
    end $$`.execute(db);
  await sql`
    create or replace function record_repeated_rejections() returns void
    language sql volatile ${asOwner} as $$
      with ended as (
        delete from rejected_calls where minute < date_trunc('minute', now()) and ${ofWritable('workspace_id')}
        returning workspace_id, entry_id, head, repeats
      )
      insert into audit_entries (workspace_id, entry_id, content)
      select workspace_id, entry_id, left(head, -1) || ',"count":' || repeats || ',"changes":[],"moreChanges":0}'
      from ended where repeats > 0
    $$`.execute(db);
  await sql`
    create or replace function audit_work() returns table (kind text)
    language sql stable ${asOwner} as $$
      (select 'seal' from audit_entries where position is null and ${ofWritable('workspace_id')} limit 1)
      union all
      (select 'record' from rejected_calls
        where minute < date_trunc('minute', now()) and ${ofWritable('workspace_id')} limit 1)
    $$`.execute(db);
}

async function replaceListsOfWorkspaces(db: Kysely<unknown>): Promise<void> {
  // For the weekly digest.
  await sql`
    create or replace function workspaces_with_managers()
    returns table (workspace_id uuid, timezone text, digest_of date)
    language sql stable ${asOwner} as $$
      select w.workspace_id, w.timezone, w.digest_of from workspaces w
      where ${ofWritable('w.workspace_id')} and exists (select from reps r
        where r.workspace_id = w.workspace_id and r.active and r.role in ('manager', 'admin'))
    $$`.execute(db);
  // The end of a period replaces its provisional exchange rates.
  await sql`
    create or replace function workspaces_with_periodic_rules()
    returns table (workspace_id uuid, timezone text, periodic_through date, test_day date)
    language sql stable ${asOwner} as $$
      select w.workspace_id, w.timezone, w.periodic_through, w.test_day
      from workspaces w
      where ${ofWritable('w.workspace_id')} and (
        exists (select from plan_rules r where r.workspace_id = w.workspace_id and r.phase = 'periodic')
        or exists (select from plan_versions v where v.workspace_id = w.workspace_id and v.fx->>'date' = 'period_end'))
    $$`.execute(db);
  await sql`
    create or replace function workspaces_with_steps()
    returns table (workspace_id uuid, timezone text, test_day date, reminded_on date)
    language sql stable ${asOwner} as $$
      select w.workspace_id, w.timezone, w.test_day, w.signers_reminded_on from workspaces w
      where w.approval_steps is not null and ${ofWritable('w.workspace_id')}
    $$`.execute(db);
}

async function replaceCrmFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function due_sync_runs()
    returns table (workspace_id uuid, sync_run_id uuid, generation integer)
    language sql stable ${asOwner} as $$
      select r.workspace_id, r.sync_run_id, coalesce(l.generation, 0)
      from crm_sync_runs r
      left join work_leases l on l.workspace_id = r.workspace_id and l.work = 'sync run ' || r.sync_run_id
      where r.not_before <= now() and (l.leased_until is null or l.leased_until < now())
        and ${ofWritable('r.workspace_id')}
    $$`.execute(db);
  await sql`
    create or replace function due_polls(providers text[])
    returns table (workspace_id uuid, provider text)
    language sql stable ${asOwner} as $$
      select c.workspace_id, c.provider from crm_connections c
      where c.provider = any(providers) and c.connected_at is not null and c.credentials is not null and c.sync_enabled
        and c.broken_at is null and (c.poll_due_at is null or c.poll_due_at <= now()) and ${ofWritable('c.workspace_id')}
        and not exists (select from crm_sync_runs r
          where r.workspace_id = c.workspace_id and r.provider = c.provider and r.kind = 'poll')
    $$`.execute(db);
  await sql`
    create or replace function due_write_backs()
    returns table (workspace_id uuid, generation integer)
    language sql stable ${asOwner} as $$
      select w.workspace_id, max(coalesce(l.generation, 0))
      from crm_write_backs w
      join crm_connections c on c.workspace_id = w.workspace_id and c.provider = w.provider and c.broken_at is null
      left join work_leases l on l.workspace_id = w.workspace_id and l.work = 'write back'
      where (l.leased_until is null or l.leased_until < now()) and ${ofWritable('w.workspace_id')}
        and (exists (select from write_back_requests r where r.workspace_id = w.workspace_id)
          or w.not_before <= now() and (w.checked_at is null or w.findings <> '[]' or exists (
            select from deal_write_backs d
            where d.workspace_id = w.workspace_id and d.provider = w.provider and d.due_at <= now())))
      group by w.workspace_id
    $$`.execute(db);
}

async function replaceDueBillingChecks(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function due_billing_checks(max_customers integer)
    returns table (workspace_id uuid, customer_id text, check_at timestamptz)
    language sql stable ${asOwner} as $$
      select c.workspace_id, c.customer_id, c.check_at from billing_customers c
      where c.check_at <= now() and ${ofWritable('c.workspace_id')}
      order by c.check_at limit max_customers
    $$`.execute(db);
}
