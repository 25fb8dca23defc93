import { type Kysely, sql } from 'kysely';
import { appRole, tenantTable } from './tenant-table.js';

/** What every request may need: how many a token has made lately, and answers kept for those who ask again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create unlogged table rate_windows (
      workspace_id uuid not null,
      token_id uuid not null,
      -- the newest second counted; counts holds it and the sixty before, oldest first
      second bigint not null,
      counts integer[] not null check (cardinality(counts) = 61),
      accepted boolean not null,
      primary key (workspace_id, token_id)
    ) with (fillfactor = 40)`.execute(db);
  await tenantTable(db, 'rate_windows');

  await sql`
    create table idempotency_keys (
      workspace_id uuid not null,
      -- SHA-256 of the key and the path that it was sent to
      key_hash bytea not null check (length(key_hash) = 32),
      lease_id uuid not null,
      leased_until timestamptz not null,
      created_at timestamptz not null default now(),
      request_hash bytea,
      status smallint,
      -- absent for answers that hold a secret: that they were given is remembered, what they said is not
      answer text,
      primary key (workspace_id, key_hash)
    )`.execute(db);
  await sql`create index idempotency_keys_by_age on idempotency_keys (workspace_id, created_at)`.execute(db);
  await tenantTable(db, 'idempotency_keys');

  await createCrossings(db);
}

/** Counting must cost one short statement, and forgetting goes over all workspaces at once. */
async function createCrossings(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function count_request(workspace uuid, token uuid, most integer, at timestamptz)
    returns table (accepted boolean, remaining integer, reset_second bigint, now_second double precision)
    language plpgsql security definer set search_path = public, pg_temp as $$
    declare
      told constant double precision := extract(epoch from coalesce(at, clock_timestamp()));
      this_second constant bigint := floor(told);
      none constant integer[] := array_fill(0, array[61]);
      counted rate_windows;
      used integer;
    begin
      insert into rate_windows as w values (workspace, token, this_second, none[2:61] || least(most, 1), most > 0)
      on conflict (workspace_id, token_id) do update set (second, counts, accepted) = (
        select moved.second, moved.counts[1:60] || moved.counts[61] + (used.sum < most)::integer, used.sum < most
        from (
          select greatest(w.second, this_second) as second,
            case
              when this_second <= w.second then w.counts
              when this_second - w.second > 60 then none
              else w.counts[1 + (this_second - w.second)::integer : 61] || none[1 : (this_second - w.second)::integer]
            end as counts
        ) moved, lateral (select sum(c) from unnest(moved.counts) c) used
      )
      returning * into counted;
      select sum(c), min(n) filter (where c > 0) + counted.second
      into used, reset_second
      from unnest(counted.counts) with ordinality as u (c, n);
      accepted := counted.accepted;
      remaining := greatest(most - used, 0);
      now_second := told;
      return next;
    end $$`.execute(db);
  await sql`
    create function forget_old_requests()
    returns void
    language sql security definer set search_path = public, pg_temp as $$
      delete from idempotency_keys k using workspaces w
      where k.workspace_id = w.workspace_id and k.created_at < now() - interval '24 hours'
        and k.leased_until < now();
      delete from rate_windows where second < extract(epoch from now()) - 3600
    $$`.execute(db);
  for (const crossing of ['count_request(uuid, uuid, integer, timestamptz)', 'forget_old_requests()']) {
    await sql`revoke all on function ${sql.raw(crossing)} from public`.execute(db);
    await sql`grant execute on function ${sql.raw(crossing)} to ${sql.raw(appRole)}`.execute(db);
  }
}
