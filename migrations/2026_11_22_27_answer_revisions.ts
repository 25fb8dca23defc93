import { type Kysely, sql } from 'kysely';
import { appRole, tenantTable } from './tenant-table.js';

/**
 * What tells whether an answer that was read before would be read again. A workspace is divided into parts: its reps,
 * spread over some, deals of nobody, and everyone; see src/platform/database/revisions.ts. Revisions are random, since
 * after a restore or a failover a counter gives the same number to other data.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table answer_revisions (
      workspace_id uuid not null,
      part smallint not null,
      revision uuid not null default gen_random_uuid(),
      primary key (workspace_id, part)
    ) with (fillfactor = 50)`.execute(db);
  await tenantTable(db, 'answer_revisions');
  await createRaise(db);
  await createRaiseForOthers(db);
  await createRevisionsOf(db);
  await createFindTokens(db);
  await createCountRequests(db);
  await createAdmitRequests(db);
  for (const crossing of crossings) {
    await sql`revoke all on function ${sql.raw(crossing)} from public`.execute(db);
    await sql`grant execute on function ${sql.raw(crossing)} to ${sql.raw(appRole)}`.execute(db);
  }
}

const crossings = ['answer_revisions_of(uuid)', 'admit_requests(bytea[], integer[], boolean[], integer)'];

const settings = sql.raw('security definer set search_path = public, pg_temp set enable_seqscan = off');

/** In the order of the parts, so that two transactions that raise several never wait for each other. */
async function createRaise(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function raise_answer_revisions(workspace uuid, parts smallint[])
    returns void
    language plpgsql as $$
    begin
      insert into answer_revisions (workspace_id, part)
      select workspace, p from unnest(parts) p order by p
      on conflict (workspace_id, part) do update set revision = gen_random_uuid();
    end $$`.execute(db);
}

/**
 * Transactions that say for themselves whom they concern do so at their end, when others wait for them least. Whoever
 * else writes what answers are read from, a process of the version before, an operator by hand or a change of the
 * configuration, concerns everyone, at once.
 */
async function createRaiseForOthers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function raise_answer_revisions_of_everyone()
    returns trigger
    language plpgsql as $$
    begin
      if coalesce(current_setting('app.raises_revisions', true), '') <> 'on' then
        insert into answer_revisions (workspace_id, part)
        select w.workspace_id, ${sql.raw(String(everyone))} from workspaces w
        where w.workspace_id = coalesce(nullif(current_setting('app.workspace_id', true), '')::uuid, w.workspace_id)
        order by w.workspace_id
        on conflict (workspace_id, part) do update set revision = gen_random_uuid();
      end if;
      return null;
    end $$`.execute(db);
  for (const table of readTables)
    await sql`
      create trigger raise_answer_revisions after insert or update or delete or truncate on ${sql.table(table)}
      for each statement execute function raise_answer_revisions_of_everyone()`.execute(db);
  // Not of what a sign-in notes: it would wait for a change of the configuration that is under way.
  await sql`
    create trigger raise_answer_revisions
    after insert or delete or truncate or update of email, name, role, active on reps
    for each statement execute function raise_answer_revisions_of_everyone()`.execute(db);
  await sql`
    create trigger raise_answer_revisions after update of name, currency, timezone, field_mapping on workspaces
    for each statement execute function raise_answer_revisions_of_everyone()`.execute(db);
}

const everyone = 65;

const readTables = [
  'reporting_lines',
  'plans',
  'plan_versions',
  'plan_rules',
  'plan_overrides',
  'assignments',
  'quotas',
  'deals',
  'commission_events',
  'rep_months',
  'statement_periods',
];

/** Of all parts of the workspace: `part:revision part:revision ...`. */
async function createRevisionsOf(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function answer_revisions_of(workspace uuid)
    returns text
    language plpgsql stable ${settings} as $$
    begin
      return (
        select coalesce(string_agg(r.part || ':' || r.revision, ' ' order by r.part), '')
        from answer_revisions r where r.workspace_id = workspace
      );
    end $$`.execute(db);
}

/** As before, but that nothing is locked or written for tokens whose use has been noted within the minute. */
async function createFindTokens(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function find_tokens(hashes bytea[])
    returns table (hash bytea, workspace_id uuid, token_id uuid, kind text, rep_id uuid, role text, active boolean)
    language plpgsql volatile ${settings} as $$
    #variable_conflict use_column
    declare
      is_news boolean;
    begin
      for hash, workspace_id, token_id, kind, rep_id, role, active, is_news in
        select t.token_hash, t.workspace_id, t.token_id, t.kind, t.rep_id, r.role, r.active,
          t.last_used_at is null or t.last_used_at < now() - interval '1 minute'
        from tokens t left join reps r on r.workspace_id = t.workspace_id and r.rep_id = t.rep_id
        where t.token_hash = any(hashes) and (t.expires_at is null or t.expires_at > now())
          and (t.kind <> 'sess' or (coalesce(t.last_used_at, t.created_at) > now() - interval '12 hours'
            and t.created_at > now() - interval '30 days'))
        order by t.token_id
      loop
        if is_news then
          update tokens t set last_used_at = now() from (
            select s.workspace_id, s.token_id from tokens s
            where s.workspace_id = find_tokens.workspace_id and s.token_id = find_tokens.token_id
            for update skip locked
          ) s
          where t.workspace_id = s.workspace_id and t.token_id = s.token_id;
        end if;
        return next;
      end loop;
    end $$`.execute(db);
}

/** As before, in statements that are short enough to be planned and begun in a moment. */
async function createCountRequests(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function count_requests(workspaces uuid[], tokens uuid[], asked integer[], most integer[], at timestamptz[])
    returns table (admitted integer, remaining integer, reset_second bigint, now_second double precision)
    language plpgsql volatile ${settings} as $$
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
          insert into rate_windows (workspace_id, token_id, second, counts, accepted)
          values (workspaces[i], tokens[i], this_second, none, false) on conflict do nothing;
          select * into w from rate_windows r where r.workspace_id = workspaces[i] and r.token_id = tokens[i] for update;
        end if;
        if this_second - w.second > 60 then
          w.counts := none;
        elsif this_second > w.second then
          w.counts := w.counts[1 + (this_second - w.second)::integer : 61] || none[1 : (this_second - w.second)::integer];
        end if;
        w.second := greatest(w.second, this_second);
        select sum(c), min(n) filter (where c > 0) into used, oldest from unnest(w.counts) with ordinality as u (c, n);
        admitted := least(asked[i], greatest(most[i] - used, 0));
        w.counts[61] := w.counts[61] + admitted;
        update rate_windows r set second = w.second, counts = w.counts, accepted = count_requests.admitted > 0,
          admitted = count_requests.admitted
        where r.workspace_id = workspaces[i] and r.token_id = tokens[i];
        remaining := greatest(most[i] - used - admitted, 0);
        reset_second := w.second + coalesce(oldest, 61);
        return next;
      end loop;
    end $$`.execute(db);
}

/**
 * What every request asks the database, in one statement for many of them: who bears the token, how many requests it
 * has made lately, where they are counted here (`most` is not null), and where it is asked for, what answers rest on.
 * Tokens in an order that is the same everywhere: each count is locked until the end.
 */
async function createAdmitRequests(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function admit_requests(hashes bytea[], asked integer[], with_revisions boolean[], most integer)
    returns table (hash bytea, workspace_id uuid, token_id uuid, kind text, rep_id uuid, role text, active boolean,
      admitted integer, remaining integer, reset_second bigint, now_second double precision, revisions text)
    language plpgsql volatile ${settings} as $$
    #variable_conflict use_column
    declare
      place integer;
    begin
      for hash, workspace_id, token_id, kind, rep_id, role, active in select * from find_tokens(hashes) loop
        place := array_position(hashes, hash);
        if most is not null then
          select c.admitted, c.remaining, c.reset_second, c.now_second
          into admitted, remaining, reset_second, now_second
          from count_requests(array[workspace_id], array[token_id], asked[place : place], array[most],
            array[null::timestamptz]) c;
        end if;
        revisions := case when with_revisions[place] then answer_revisions_of(workspace_id) end;
        return next;
      end loop;
    end $$`.execute(db);
}
