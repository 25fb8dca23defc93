import { type Kysely, sql } from 'kysely';
import { asOwner, asOwnerWithIndexes, grantToService } from './owner-functions.js';

/** Counts strangers separately: registrations of agents by network, guesses of codes by network, agents by connection. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await countRegistrationsByNetwork(db);
  await countGuessesByNetwork(db);
  await countRequestsByConnection(db);
  await deleteUnusedClients(db);
  await grantToService(db, ['register_agent_client(text, jsonb, bytea)', 'return_sign_in_try(uuid, boolean, bytea)']);
}

/** Replaces the function with two parameters, which processes of the previous release call. */
async function countRegistrationsByNetwork(db: Kysely<unknown>): Promise<void> {
  // A keyed hash; null for clients that a process of the previous release has registered.
  await sql`alter table agent_clients add column network_hash bytea`.execute(db);
  await sql`create index agent_clients_by_network on agent_clients (network_hash, created_at)`.execute(db);
  // A network that has reached its limit does not count against the limit of all.
  await sql`
    create function register_agent_client(id text, client_metadata jsonb, network bytea)
    returns text
    language plpgsql volatile ${asOwner} as $$
    begin
      perform pg_advisory_xact_lock(hashtextextended(encode(network, 'hex'), 7302));
      if (select count(*) from agent_clients c
          where c.network_hash = network and c.created_at > now() - interval '1 hour') >= 100 then
        return 'network_limit';
      end if;
      if (select count(*) from agent_clients c where c.created_at > now() - interval '1 hour') >= 20000 then
        return 'limit';
      end if;
      insert into agent_clients (client_id, metadata, network_hash) values (id, client_metadata, network);
      return 'registered';
    end $$`.execute(db);
}

/** Guesses without a nonce from another network than that of the code have their own count. */
async function countGuessesByNetwork(db: Kysely<unknown>): Promise<void> {
  await sql`alter table sign_in_codes add column other_attempts integer not null default 0`.execute(db);
  await sql`
    create or replace function try_sign_in_code(hash bytea, network bytea, by_nonce uuid)
    returns table (code_id uuid, salt bytea, code_hmac bytea, workspace_id uuid)
    language sql volatile ${asOwner} as $$
      update sign_in_codes c set
        nonce_attempts = c.nonce_attempts + (by_nonce is not null)::integer,
        attempts = c.attempts + (by_nonce is null and c.network_hash = network)::integer,
        other_attempts = c.other_attempts + (by_nonce is null and c.network_hash <> network)::integer
      where c.email_hash = hash and c.used_at is null and c.expires_at > now()
        and case
          when by_nonce is not null then c.nonce_attempts < 5
          when c.network_hash = network then c.attempts < 5 and c.ended_at is null
          else c.other_attempts < 5 and c.ended_at is null
        end
        and c.code_id = coalesce(by_nonce, (
          select n.code_id from sign_in_codes n
          where n.email_hash = hash and n.ended_at is null and n.used_at is null and n.expires_at > now()
          order by n.network_hash = network desc, n.created_at desc limit 1))
      returning c.code_id, c.salt, c.code_hmac, c.workspace_id
    $$`.execute(db);
  await sql`
    create function return_sign_in_try(code uuid, with_nonce boolean, network bytea) returns void
    language sql volatile ${asOwner} as $$
      update sign_in_codes c set
        nonce_attempts = greatest(0, c.nonce_attempts - with_nonce::integer),
        attempts = greatest(0, c.attempts - (not with_nonce and c.network_hash = network)::integer),
        other_attempts = greatest(0, c.other_attempts - (not with_nonce and c.network_hash <> network)::integer)
      where c.code_id = code and c.used_at is null
    $$`.execute(db);
}

/** An agent that refreshes its token gets no further requests. */
async function countRequestsByConnection(db: Kysely<unknown>): Promise<void> {
  // As in 003_auth, in the order of the counters.
  await sql`
    create or replace function find_tokens(hashes bytea[])
    returns table (hash bytea, workspace_id uuid, token_id uuid, kind text, rep_id uuid, role text, active boolean,
      created_by uuid, scopes text[], agent jsonb)
    language plpgsql volatile ${asOwnerWithIndexes} as $$
    #variable_conflict use_column
    declare
      is_stale boolean;
    begin
      for hash, workspace_id, token_id, kind, rep_id, role, active, created_by, scopes, agent, is_stale in
        select t.token_hash, t.workspace_id, t.token_id, t.kind, t.rep_id, r.role, r.active, t.created_by, t.scopes,
          case when t.kind = 'agt' then (
            select jsonb_build_object('connectionId', a.connection_id, 'clientName', a.client_name,
              'audience', a.audience, 'scopes', a.scopes)
            from agent_connections a where a.workspace_id = t.workspace_id and a.connection_id = t.connection_id) end,
          t.last_used_at is null or t.last_used_at < now() - interval '1 minute'
        from tokens t left join reps r on r.workspace_id = t.workspace_id and r.rep_id = t.rep_id
        where t.token_hash = any(hashes) and (t.expires_at is null or t.expires_at > now())
          and (t.kind <> 'sess' or (coalesce(t.last_used_at, t.created_at) > now() - interval '12 hours'
            and t.created_at > now() - interval '30 days'))
        order by coalesce(t.connection_id, t.token_id)
      loop
        if is_stale then
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
  await sql`
    create or replace function admit_requests(hashes bytea[], requested integer[], with_cache_versions boolean[],
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
          from count_requests(array[workspace_id], array[coalesce((agent ->> 'connectionId')::uuid, token_id)],
            requested[place : place], array[max_requests], array[null::timestamptz]) c;
        end if;
        cache_versions := case when with_cache_versions[place] then cache_versions_of(workspace_id) end;
        team := case when kind in ('sess', 'agt') and role = 'manager' then visible_team(workspace_id, rep_id) end;
        return next;
      end loop;
    end $$`.execute(db);
}

/** Clients that no person has used are deleted after an hour; anyone can register one. */
async function deleteUnusedClients(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function delete_old_sign_ins() returns void
    language plpgsql volatile ${asOwner} as $$
    begin
      delete from sign_in_codes where created_at < now() - interval '2 days';
      delete from sign_in_failures where day < (now() at time zone 'UTC')::date - 2;
      delete from sign_in_states where expires_at < now();
      delete from attempt_counters where window_start < now() - interval '1 day';
      delete from mail_outbox where created_at < now() - interval '7 days'
        or (recipient is null and created_at < now() - interval '10 minutes');
      delete from tokens where kind = 'sess' and (expires_at < now()
        or coalesce(last_used_at, created_at) < now() - interval '12 hours' or created_at < now() - interval '30 days');
      delete from tokens where kind = 'agt' and expires_at < now();
      delete from agent_grants where expires_at < now();
      -- a connection whose refresh tokens have all expired
      delete from agent_connections c where not exists (
        select from agent_grants g where g.workspace_id = c.workspace_id and g.connection_id = c.connection_id);
      delete from agent_clients where coalesce(used_at, created_at) < now() - case when used_at is null
        then interval '1 hour' else interval '90 days' end;
    end $$`.execute(db);
}
