import { type Kysely, sql } from 'kysely';
import { asOwner, asOwnerWithIndexes, grantToService } from './owner-functions.js';
import { tenantTable } from './tenant-table.js';

/** What HTTP requests and background work share: rate limits, stored responses, leases and stored jobs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createRequestTables(db);
  await createCountRequests(db);
  await createAdmitCallers(db);
  await createLimitedUses(db);
  await createLeases(db);
  await createJobs(db);
  await createJobFunctions(db);
}

async function createRequestTables(db: Kysely<unknown>): Promise<void> {
  // Unlogged: a crash of the server deletes the counts, which is acceptable, and counting does not wait for the disk.
  // More than half of each page stays free, so that the row that changes with every request stays on its page.
  await sql`
    create unlogged table rate_windows (
      workspace_id uuid not null,
      token_id uuid not null,
      -- the newest second; "counts" holds its requests and those of the 60 seconds before, oldest first
      second bigint not null,
      counts integer[] not null check (cardinality(counts) = 61),
      primary key (workspace_id, token_id)
    ) with (fillfactor = 40)`.execute(db);
  await tenantTable(db, 'rate_windows');

  await sql`
    create table idempotency_keys (
      workspace_id uuid not null,
      -- SHA-256 of the key and the path of the request
      key_hash bytea not null check (length(key_hash) = 32),
      lease_id uuid not null,
      leased_until timestamptz not null,
      created_at timestamptz not null default now(),
      request_hash bytea,
      status smallint,
      -- null for a response that contains a secret: it is recorded that it was sent, but not its content
      response text,
      primary key (workspace_id, key_hash)
    )`.execute(db);
  await sql`create index idempotency_keys_by_age on idempotency_keys (workspace_id, created_at)`.execute(db);
  await tenantTable(db, 'idempotency_keys');

  await sql`
    create function delete_old_request_data() returns void
    language sql ${asOwner} as $$
      delete from idempotency_keys k using workspaces w
      where k.workspace_id = w.workspace_id and k.created_at < now() - interval '24 hours'
        and k.leased_until < now();
      delete from rate_windows where second < extract(epoch from now()) - 3600
    $$`.execute(db);
  await grantToService(db, ['delete_old_request_data()']);
}

/**
 * Counts the requests of each token and admits at most `max_requests` in 61 seconds. Each counter stays locked until the
 * transaction ends, so all callers must pass the tokens in the same order. Several short statements are faster here
 * than one long one, which the server takes longer to start.
 */
async function createCountRequests(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function count_requests(workspaces uuid[], tokens uuid[], requested integer[], max_requests integer[],
      at timestamptz[])
    returns table (admitted integer, remaining integer, reset_second bigint, now_second double precision)
    language plpgsql volatile ${asOwnerWithIndexes} as $$
    declare
      none constant integer[] := array_fill(0, array[61]);
      this_second bigint;
      w rate_windows;
      used integer;
      oldest bigint;
    begin
      for i in 1 .. cardinality(tokens) loop
        now_second := extract(epoch from coalesce(at[i], clock_timestamp()));
        this_second := floor(now_second);
        select * into w from rate_windows r where r.workspace_id = workspaces[i] and r.token_id = tokens[i] for update;
        if not found then
          insert into rate_windows (workspace_id, token_id, second, counts)
          values (workspaces[i], tokens[i], this_second, none) on conflict do nothing;
          select * into w from rate_windows r where r.workspace_id = workspaces[i] and r.token_id = tokens[i] for update;
        end if;
        if this_second - w.second > 60 then
          w.counts := none;
        elsif this_second > w.second then
          w.counts := w.counts[1 + (this_second - w.second)::integer : 61] || none[1 : (this_second - w.second)::integer];
        end if;
        w.second := greatest(w.second, this_second);
        select sum(c), min(n) filter (where c > 0) into used, oldest from unnest(w.counts) with ordinality as u (c, n);
        admitted := least(requested[i], greatest(max_requests[i] - used, 0));
        w.counts[61] := w.counts[61] + admitted;
        update rate_windows r set second = w.second, counts = w.counts
        where r.workspace_id = workspaces[i] and r.token_id = tokens[i];
        remaining := greatest(max_requests[i] - used - admitted, 0);
        reset_second := w.second + coalesce(oldest, 61);
        return next;
      end loop;
    end $$`.execute(db);
  await grantToService(db, ['count_requests(uuid[], uuid[], integer[], integer[], timestamptz[])']);
}

/**
 * What the service reads for each request, in one statement for many requests: the caller of the token, the result of
 * counting (if `max_requests` is not null), the cache versions (where requested) and the reps that a manager may see.
 * Requests of an agent count for its connection, so that one that refreshes its token gets no further requests.
 */
async function createAdmitCallers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function admit_callers(hashes bytea[], requested integer[], with_cache_versions boolean[], max_requests integer)
    returns table (hash bytea, workspace_id uuid, token_id uuid, kind text, rep_id uuid, role text, active boolean,
      created_by uuid, scopes text[], agent jsonb, is_agent boolean, admitted integer, remaining integer,
      reset_second bigint, now_second double precision, cache_versions text, team uuid[])
    language plpgsql volatile ${asOwnerWithIndexes} as $$
    #variable_conflict use_column
    declare
      i integer;
    begin
      for hash, workspace_id, token_id, kind, rep_id, role, active, created_by, scopes, agent, is_agent in
        select * from find_tokens(hashes)
      loop
        i := array_position(hashes, hash);
        if max_requests is not null then
          select c.admitted, c.remaining, c.reset_second, c.now_second
          into admitted, remaining, reset_second, now_second
          from count_requests(array[workspace_id], array[coalesce((agent ->> 'connectionId')::uuid, token_id)],
            requested[i : i], array[max_requests], array[null::timestamptz]) c;
        end if;
        cache_versions := case when with_cache_versions[i] then cache_versions_of(workspace_id) end;
        team := case when kind in ('sess', 'agt') and role = 'manager' then visible_team(workspace_id, rep_id) end;
        return next;
      end loop;
    end $$`.execute(db);
  await grantToService(db, ['admit_callers(bytea[], integer[], boolean[], integer)']);
}

/** Uses that a workspace may make only so often, such as invitations of one address. */
async function createLimitedUses(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table limited_uses (
      workspace_id uuid not null references workspaces,
      use_id uuid not null,
      kind text not null,
      -- what is used: an id, or the hash of an address
      subject text not null,
      used_at timestamptz not null default now(),
      primary key (workspace_id, use_id)
    )`.execute(db);
  await sql`create index limited_uses_by_subject on limited_uses (workspace_id, kind, subject, used_at)`.execute(db);
  await tenantTable(db, 'limited_uses');
  await sql`
    create function delete_old_uses() returns void
    language sql volatile ${asOwner} as $$
      delete from limited_uses where used_at < now() - interval '1 day'
    $$`.execute(db);
  await grantToService(db, ['delete_old_uses()']);
}

/** For work that waits for other servers and therefore cannot hold a lock. */
async function createLeases(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table work_leases (
      workspace_id uuid not null,
      work text not null,
      lease_id uuid not null,
      -- how often the lease was taken: a wake-up for the next generation is not a duplicate of an earlier one
      generation integer not null default 1,
      leased_until timestamptz not null,
      primary key (workspace_id, work)
    )`.execute(db);
  await tenantTable(db, 'work_leases');
}

/** Requests that workers carry out in parts, and their results. */
async function createJobs(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table stored_jobs (
      workspace_id uuid not null,
      job_id uuid not null,
      kind text not null check (kind in ('approval', 'exceptions', 'export', 'generation', 'preview')),
      period text not null,
      -- what was requested besides the period
      subject jsonb not null,
      -- who requested it, with the rights that they had
      caller jsonb not null,
      status text not null default 'waiting' check (status in ('waiting', 'running', 'completed', 'failed')),
      done integer not null default 0,
      total integer not null,
      -- the last of the people whose part is stored, in the order of their ids
      position uuid,
      attempts integer not null default 0,
      not_before timestamptz not null default now(),
      -- how long the job stays stored after its end
      lifetime interval not null,
      result jsonb,
      error_code text,
      error text,
      started_at timestamptz not null default now(),
      finished_at timestamptz,
      primary key (workspace_id, job_id)
    )`.execute(db);
  await sql`create index stored_jobs_by_period on stored_jobs (workspace_id, kind, period, started_at)`.execute(db);
  await sql`
    create index stored_jobs_unfinished on stored_jobs (workspace_id, kind, not_before)
    where finished_at is null`.execute(db);
  await tenantTable(db, 'stored_jobs');
  // What only reads the ledger is no change.
  await sql`
    create trigger record_row_change after insert on stored_jobs
    for each row when (
      current_setting('app.records_changes', true) = 'on' and new.kind not in ('export', 'preview'))
    execute function record_row_change('job_id', '', 'caller,status,done,position,attempts,not_before,lifetime')`.execute(
    db,
  );
  // The parts of a job: the people of approvals and generations with what became of them, the deals of a preview.
  await sql`
    create table job_items (
      workspace_id uuid not null,
      job_id uuid not null,
      position integer not null,
      -- as it was sent: an id of no rep fails
      rep_id text,
      -- the version that was confirmed
      version integer,
      outcome text check (outcome in ('done', 'skipped', 'failed')),
      -- why it was not done
      code text,
      message text,
      content jsonb,
      primary key (workspace_id, job_id, position),
      unique (workspace_id, job_id, rep_id),
      foreign key (workspace_id, job_id) references stored_jobs on delete cascade
    )`.execute(db);
  await tenantTable(db, 'job_items');
}

async function createJobFunctions(db: Kysely<unknown>): Promise<void> {
  // The first job of every workspace before the second of any, counting those that run, so that a workspace with many
  // jobs does not delay the others. Jobs of many parts are last in their workspace: they take longest.
  await sql`
    create function due_stored_jobs(kind_of_job text, max_jobs integer, max_of_workspace integer)
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
        ) j
      ) due
      where not due.is_leased and due.turn <= max_of_workspace
      order by due.turn, due.not_before
      limit max_jobs
    $$`.execute(db);
  // What can be requested again is deleted after a day without a worker. An approval waits.
  await sql`
    create function delete_old_stored_jobs() returns void
    language sql ${asOwner} as $$
      delete from stored_jobs
      where finished_at < now() - lifetime
        or kind in ('export', 'preview') and started_at < now() - interval '1 day'
    $$`.execute(db);
  await grantToService(db, ['due_stored_jobs(text, integer, integer)', 'delete_old_stored_jobs()']);
}
