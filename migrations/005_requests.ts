import { type Kysely, sql } from 'kysely';
import { asOwner, asOwnerWithIndexes, grantToService } from './owner-functions.js';
import { tenantTable } from './tenant-table.js';

/** What the service reads and writes for each HTTP request: rate limits and stored responses. */
export async function up(db: Kysely<unknown>): Promise<void> {
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

  await createCountRequests(db);
  await createAdmitRequests(db);
  await sql`
    create function delete_old_request_data() returns void
    language sql ${asOwner} as $$
      delete from idempotency_keys k using workspaces w
      where k.workspace_id = w.workspace_id and k.created_at < now() - interval '24 hours'
        and k.leased_until < now();
      delete from rate_windows where second < extract(epoch from now()) - 3600
    $$`.execute(db);
  await grantToService(db, [
    'count_requests(uuid[], uuid[], integer[], integer[], timestamptz[])',
    'admit_requests(bytea[], integer[], boolean[], integer)',
    'delete_old_request_data()',
  ]);
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
}

/**
 * What the service reads for each request, in one statement for many requests: the caller of the token, the result of
 * counting (if `max_requests` is not null), the cache versions (where requested) and the reps that a manager may see.
 */
async function createAdmitRequests(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function admit_requests(hashes bytea[], requested integer[], with_cache_versions boolean[],
      max_requests integer)
    returns table (hash bytea, workspace_id uuid, token_id uuid, kind text, rep_id uuid, role text, active boolean,
      created_by uuid, scopes text[], agent jsonb, admitted integer, remaining integer, reset_second bigint, now_second double precision, cache_versions text,
      team uuid[])
    language plpgsql volatile ${asOwnerWithIndexes} as $$
    #variable_conflict use_column
    declare
      place integer;
    begin
      for hash, workspace_id, token_id, kind, rep_id, role, active, created_by, scopes, agent in
        select * from find_tokens(hashes)
      loop
        place := array_position(hashes, hash);
        if max_requests is not null then
          select c.admitted, c.remaining, c.reset_second, c.now_second
          into admitted, remaining, reset_second, now_second
          from count_requests(array[workspace_id], array[token_id], requested[place : place], array[max_requests],
            array[null::timestamptz]) c;
        end if;
        cache_versions := case when with_cache_versions[place] then cache_versions_of(workspace_id) end;
        team := case when kind in ('sess', 'agt') and role = 'manager' then visible_team(workspace_id, rep_id) end;
        return next;
      end loop;
    end $$`.execute(db);
}
