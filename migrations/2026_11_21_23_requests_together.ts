import { type Kysely, sql } from 'kysely';
import { appRole } from './tenant-table.js';

/**
 * What every request asks the database, asked for many requests in one statement. In plpgsql, which keeps its plans for
 * the life of the connection; these may be made while the tables are empty, so they are told to take the index. The
 * functions for one request stay for processes of the version before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createFindTokens(db);
  await createCountRequests(db);
  await createReceiveNews(db);
  for (const crossing of crossings) {
    await sql`revoke all on function ${sql.raw(crossing)} from public`.execute(db);
    await sql`grant execute on function ${sql.raw(crossing)} to ${sql.raw(appRole)}`.execute(db);
  }
}

const crossings = ['find_tokens(bytea[])', 'count_requests(uuid[], uuid[], integer[], integer[], timestamptz[])'];

const settings = sql.raw('security definer set search_path = public, pg_temp set enable_seqscan = off');

async function createFindTokens(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function find_tokens(hashes bytea[])
    returns table (hash bytea, workspace_id uuid, token_id uuid, kind text, rep_id uuid, role text, active boolean)
    language plpgsql volatile ${settings} as $$
    #variable_conflict use_column
    begin
      return query
      with found as (
        select t.token_hash, t.workspace_id, t.token_id, t.kind, t.rep_id, t.last_used_at
        from tokens t
        where t.token_hash = any(hashes) and (t.expires_at is null or t.expires_at > now())
          and (t.kind <> 'sess' or (coalesce(t.last_used_at, t.created_at) > now() - interval '12 hours'
            and t.created_at > now() - interval '30 days'))
      ), stale as (
        select t.workspace_id, t.token_id
        from tokens t join found f on f.workspace_id = t.workspace_id and f.token_id = t.token_id
        where f.last_used_at is null or f.last_used_at < now() - interval '1 minute'
        for update of t skip locked
      ), touched as (
        update tokens t set last_used_at = now() from stale s
        where t.workspace_id = s.workspace_id and t.token_id = s.token_id
      )
      select f.token_hash, f.workspace_id, f.token_id, f.kind, f.rep_id, r.role, r.active
      from found f
      left join reps r on r.workspace_id = f.workspace_id and r.rep_id = f.rep_id;
    end $$`.execute(db);
}

/** Tokens in the order in which they are given, which has to be the same everywhere: each is locked until the end. */
async function createCountRequests(db: Kysely<unknown>): Promise<void> {
  await sql`alter table rate_windows add column admitted integer not null default 0`.execute(db);
  await sql`
    create function count_requests(workspaces uuid[], tokens uuid[], asked integer[], most integer[], at timestamptz[])
    returns table (admitted integer, remaining integer, reset_second bigint, now_second double precision)
    language plpgsql volatile ${settings} as $$
    declare
      none constant integer[] := array_fill(0, array[61]);
      this_second bigint;
      counted rate_windows;
      used integer;
    begin
      for i in 1 .. cardinality(tokens) loop
        now_second := extract(epoch from coalesce(at[i], clock_timestamp()));
        this_second := floor(now_second);
        insert into rate_windows as w (workspace_id, token_id, second, counts, accepted, admitted)
        values (workspaces[i], tokens[i], this_second, none[2:61] || least(most[i], asked[i]), most[i] > 0,
          least(most[i], asked[i]))
        on conflict (workspace_id, token_id) do update set (second, counts, accepted, admitted) = (
          select moved.second, moved.counts[1:60] || moved.counts[61] + fit.n, fit.n > 0, fit.n
          from (
            select greatest(w.second, this_second) as second,
              case
                when this_second <= w.second then w.counts
                when this_second - w.second > 60 then none
                else w.counts[1 + (this_second - w.second)::integer : 61] || none[1 : (this_second - w.second)::integer]
              end as counts
          ) moved, lateral (
            select least(asked[i], greatest(most[i] - sum(c), 0))::integer as n from unnest(moved.counts) c
          ) fit
        )
        returning * into counted;
        select sum(c), min(n) filter (where c > 0) + counted.second
        into used, reset_second
        from unnest(counted.counts) with ordinality as u (c, n);
        admitted := counted.admitted;
        remaining := greatest(most[i] - used, 0);
        return next;
      end loop;
    end $$`.execute(db);
}

async function createReceiveNews(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function receive_news(sources text[], routes text[], keys uuid[], subjects text[], payloads text[])
    returns table (source text, route text, workspace_id uuid)
    language plpgsql volatile ${settings} as $$
    #variable_conflict use_column
    begin
      return query
      with news as materialized (
        select n.source, n.route, n.key, n.subject, n.payload, r.workspace_id
        from unnest(sources, routes, keys, subjects, payloads) as n (source, route, key, subject, payload)
        join inbound_routes r on r.source = n.source and r.route = n.route
      ), kept as (
        insert into inbox (workspace_id, source, news_key, subject, payload)
        select n.workspace_id, n.source, n.key, n.subject, n.payload::jsonb from news n
        order by n.workspace_id, n.source, n.key
        on conflict do nothing
      )
      select distinct n.source, n.route, n.workspace_id from news n;
    end $$`.execute(db);
}
