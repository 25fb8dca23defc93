import { type Kysely, sql } from 'kysely';
import { recordRowChanges } from './change-triggers.js';
import { asOwner, asOwnerWithIndexes, grantToService } from './owner-functions.js';
import { forceRowSecurity, tenantTable } from './tenant-table.js';

/** Tokens, sign-in codes, states of identity providers and the limits of attempts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTokens(db);
  await createFindTokens(db);
  await createSignInTables(db);
  await createCodeFunctions(db);
  await createGuessFunctions(db);
  await createSignInFunctions(db);
  await createDeletion(db);
  await grantToService(db, [
    'issue_sign_in_code(text, bytea, bytea, uuid, uuid, bytea, bytea, uuid, text, bytea)',
    'try_sign_in_code(bytea, bytea, uuid)',
    'return_sign_in_try(uuid, boolean, bytea)',
    'use_sign_in_code(uuid)',
    'find_sign_ins(text, uuid)',
    'record_failed_sign_in(text, bytea, text)',
    'store_sign_in_state(bytea, uuid, bytea)',
    'take_sign_in_state(bytea)',
    'count_attempt(text, integer)',
    'delete_old_sign_ins()',
  ]);
}

async function createTokens(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table tokens (
      workspace_id uuid not null references workspaces,
      token_id uuid not null,
      kind text not null check (kind in ('ws', 'sess', 'conn', 'int', 'agt')),
      -- SHA-256 of the token: the token itself is shown once and never stored
      token_hash bytea not null check (length(token_hash) = 32),
      rep_id uuid,
      label text,
      -- the person who created or rotated a key; null for keys of the command line
      created_by uuid,
      -- what an integration key permits
      scopes text[] check ((kind = 'int') = (scopes is not null)
        and scopes <@ array['read', 'deals', 'plans', 'payroll', 'scim'] and cardinality(scopes) > 0),
      -- an integration key that an agent uses, which changes nothing over REST
      is_agent boolean not null default false constraint tokens_of_agents check (not is_agent or kind = 'int'),
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      last_used_at timestamptz,
      -- when the person of a session last entered a code or signed in at an identity provider
      proved_at timestamptz,
      -- the connected agent whose access token this is
      connection_id uuid check ((kind = 'agt') = (connection_id is not null)),
      primary key (workspace_id, token_id),
      foreign key (workspace_id, connection_id) references agent_connections on delete cascade
    )`.execute(db);
  // A request shows a token before its workspace is known.
  await sql`create index tokens_by_hash on tokens (token_hash)`.execute(db);
  await sql`create index tokens_by_rep on tokens (workspace_id, rep_id) where rep_id is not null`.execute(db);
  await sql`create index tokens_by_connection on tokens (workspace_id, connection_id) where connection_id is not null`.execute(
    db,
  );
  await tenantTable(db, 'tokens');
  await recordRowChanges(db, 'tokens', {
    ids: ['token_id'],
    hidden: ['token_hash', 'label'],
    ignored: ['last_used_at'],
  });
  await sql`
    create trigger end_change_requests after delete on tokens for each row when (old.kind in ('ws', 'int'))
    execute function end_change_requests_of_key()`.execute(db);
}

async function createFindTokens(db: Kysely<unknown>): Promise<void> {
  // A session ends 12 hours after its last use and 30 days after its start. The last use is written once a minute, and
  // not at all while another request writes it. The order of the tokens is the order in which admit_callers locks
  // their counters: it must be the same in all processes.
  await sql`
    create function find_tokens(hashes bytea[])
    returns table (hash bytea, workspace_id uuid, token_id uuid, kind text, rep_id uuid, role text, active boolean,
      created_by uuid, scopes text[], agent jsonb, is_agent boolean)
    language plpgsql volatile ${asOwnerWithIndexes} as $$
    #variable_conflict use_column
    declare
      is_stale boolean;
    begin
      for hash, workspace_id, token_id, kind, rep_id, role, active, created_by, scopes, agent, is_agent,
        is_stale in
        select t.token_hash, t.workspace_id, t.token_id, t.kind, t.rep_id, r.role, r.active, t.created_by, t.scopes,
          case when t.kind = 'agt' then (
            select jsonb_build_object('connectionId', a.connection_id, 'clientName', a.client_name,
              'audience', a.audience, 'scopes', a.scopes)
            from agent_connections a where a.workspace_id = t.workspace_id and a.connection_id = t.connection_id) end,
          t.is_agent, t.last_used_at is null or t.last_used_at < now() - interval '1 minute'
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
  await grantToService(db, ['find_tokens(bytea[])']);
}

/** These tables belong to no workspace: the service accesses them only through the functions below. */
async function createSignInTables(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sign_in_codes (
      code_id uuid primary key,
      -- A keyed hash: codes are also requested for addresses that no workspace contains, and those are not stored.
      email_hash bytea not null,
      -- a keyed hash of the network that requested the code
      network_hash bytea not null,
      workspace_id uuid,
      salt bytea not null,
      code_hmac bytea not null,
      -- without the nonce of the request for the code: from its network, and from others
      attempts integer not null default 0,
      other_attempts integer not null default 0,
      -- with the nonce
      nonce_attempts integer not null default 0,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null default now() + interval '10 minutes',
      used_at timestamptz,
      -- when a newer code for the same network replaced it; since then it works only with its nonce
      ended_at timestamptz
    )`.execute(db);
  await sql`create index sign_in_codes_by_email on sign_in_codes (email_hash, created_at)`.execute(db);
  await sql`
    create table sign_in_failures (
      email_hash bytea not null,
      day date not null,
      failures integer not null,
      primary key (email_hash, day)
    )`.execute(db);
  await sql`
    create table sign_in_states (
      state_hash bytea primary key,
      workspace_id uuid,
      -- nonce and PKCE verifier, encrypted with a key that is not in the database
      secrets bytea not null,
      expires_at timestamptz not null default now() + interval '10 minutes'
    )`.execute(db);
  // Unlogged: a crash of the server deletes the counts, which is acceptable, and counting does not wait for the disk.
  await sql`
    create unlogged table attempt_counters (
      counter_key text not null,
      window_start timestamptz not null,
      attempts integer not null,
      primary key (counter_key, window_start)
    )`.execute(db);
  for (const table of ['sign_in_codes', 'sign_in_failures', 'sign_in_states', 'attempt_counters'])
    await forceRowSecurity(db, table);
}

async function createCodeFunctions(db: Kysely<unknown>): Promise<void> {
  // Does the same work for an address without a rep, so that neither the response nor its duration reveals whether the
  // address has one. Another network exhausts only its own limit, up to the limits of the address, which bound guessing.
  await sql`
    create function issue_sign_in_code(address text, hash bytea, network bytea, in_workspace uuid, new_code uuid, new_salt bytea,
      new_hmac bytea, new_mail uuid, mail_subject text, mail_body bytea)
    returns boolean
    language plpgsql volatile ${asOwner} as $$
    declare
      in_hour integer;
      in_day integer;
      all_in_hour integer;
      all_in_day integer;
    begin
      perform pg_advisory_xact_lock(hashtextextended(encode(hash, 'hex'), 7301));
      select count(*) filter (where c.network_hash = network and c.created_at > now() - interval '1 hour'),
        count(*) filter (where c.network_hash = network),
        count(*) filter (where c.created_at > now() - interval '1 hour'), count(*)
      into in_hour, in_day, all_in_hour, all_in_day
      from sign_in_codes c where c.email_hash = hash and c.created_at > now() - interval '1 day';
      if in_hour >= 5 or in_day >= 10 or all_in_hour >= 20 or all_in_day >= 40 then return false; end if;
      update sign_in_codes c set ended_at = now()
      where c.email_hash = hash and c.network_hash = network and c.ended_at is null;
      insert into sign_in_codes (code_id, email_hash, network_hash, workspace_id, salt, code_hmac)
      values (new_code, hash, network, in_workspace, new_salt, new_hmac);
      insert into mail_outbox (mail_id, recipient, subject, body, expires_at)
      values (new_mail, (select min(r.email) from reps r where r.email = address and r.active
          and (in_workspace is null or r.workspace_id = in_workspace)),
        mail_subject, mail_body, now() + interval '10 minutes');
      return true;
    end $$`.execute(db);
}

async function createGuessFunctions(db: Kysely<unknown>): Promise<void> {
  // Counts the attempt before the caller compares the code, so that concurrent guesses count one by one. The nonce names
  // the code; otherwise it is the newest that the same network requested, or the newest of all. Guesses without a nonce
  // from another network than that of the code have their own count.
  await sql`
    create function try_sign_in_code(hash bytea, network bytea, by_nonce uuid)
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
  await sql`
    create function use_sign_in_code(code uuid) returns boolean
    language sql volatile ${asOwner} as $$
      with used as (
        update sign_in_codes set used_at = now()
        where code_id = code and used_at is null and expires_at > now()
        returning 1
      )
      select exists (select from used)
    $$`.execute(db);
}

async function createSignInFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function find_sign_ins(address text, in_workspace uuid)
    returns table (workspace_id uuid, workspace_name text, rep_id uuid)
    language sql stable ${asOwner} as $$
      select r.workspace_id, w.name, r.rep_id
      from reps r join workspaces w on w.workspace_id = r.workspace_id
      where r.email = address and r.active
        and (case when in_workspace is null then not w.is_sandbox else r.workspace_id = in_workspace end)
      order by w.created_at, r.workspace_id
    $$`.execute(db);
  // Writes an audit entry in every workspace that contains the address, up to 100 a day.
  await sql`
    create function record_failed_sign_in(address text, hash bytea, used_method text) returns integer
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
        from reps r where r.email = address;
      end if;
      return today;
    end $$`.execute(db);
  await sql`
    create function store_sign_in_state(hash bytea, in_workspace uuid, sealed bytea) returns void
    language sql volatile ${asOwner} as $$
      insert into sign_in_states (state_hash, workspace_id, secrets) values (hash, in_workspace, sealed)
    $$`.execute(db);
  // A state is valid once.
  await sql`
    create function take_sign_in_state(hash bytea) returns table (workspace_id uuid, secrets bytea)
    language sql volatile ${asOwner} as $$
      with taken as (
        delete from sign_in_states s where s.state_hash = hash returning s.workspace_id, s.secrets, s.expires_at
      )
      select t.workspace_id, t.secrets from taken t where t.expires_at > now()
    $$`.execute(db);
  await sql`
    create function count_attempt(what text, window_seconds integer)
    returns table (attempts integer, seconds_left integer)
    language sql volatile ${asOwner} as $$
      insert into attempt_counters as c (counter_key, window_start, attempts)
      values (what, to_timestamp(floor(extract(epoch from now()) / window_seconds) * window_seconds), 1)
      on conflict (counter_key, window_start) do update set attempts = c.attempts + 1
      returning c.attempts,
        greatest(1, ceil(extract(epoch from c.window_start) + window_seconds - extract(epoch from now())))::integer
    $$`.execute(db);
}

async function createDeletion(db: Kysely<unknown>): Promise<void> {
  // An invitation that was not sent stays, because the state of its person depends on it.
  await sql`
    create function delete_old_sign_ins() returns void
    language plpgsql volatile ${asOwner} as $$
    begin
      delete from sign_in_codes where created_at < now() - interval '2 days';
      delete from sign_in_failures where day < (now() at time zone 'UTC')::date - 2;
      delete from sign_in_states where expires_at < now();
      delete from attempt_counters where window_start < now() - interval '1 day';
      delete from mail_outbox m where m.created_at < now() - interval '7 days'
        and (m.sent_at is not null or not exists (
          select from reps r where r.workspace_id = m.workspace_id and r.invite_mail_id = m.mail_id));
      delete from mail_outbox where recipient is null and created_at < now() - interval '10 minutes';
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
