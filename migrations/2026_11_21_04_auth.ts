import { type Kysely, sql } from 'kysely';
import { appRole } from './tenant-table.js';

/** Signing in: codes by e-mail, states of an identity provider, sessions that idle out, mail that waits to be sent. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tokens add column last_used_at timestamptz`.execute(db);
  await sql`create index tokens_by_rep on tokens (workspace_id, rep_id) where rep_id is not null`.execute(db);
  // Who signs in names an address and no workspace.
  await sql`create index reps_by_email on reps (email)`.execute(db);
  await createTables(db);
  await replaceFindToken(db);
  await createCodeCrossings(db);
  await createSignInCrossings(db);
  await createMailCrossings(db);
  await createHousekeeping(db);
  for (const crossing of crossings) {
    await sql`revoke all on function ${sql.raw(crossing)} from public`.execute(db);
    await sql`grant execute on function ${sql.raw(crossing)} to ${sql.raw(appRole)}`.execute(db);
  }
}

const crossings = [
  'find_token(bytea)',
  'issue_sign_in_code(text, bytea, uuid, uuid, bytea, bytea, uuid, text, bytea)',
  'try_sign_in_code(bytea)',
  'return_sign_in_try(uuid)',
  'use_sign_in_code(uuid)',
  'find_sign_ins(text, uuid)',
  'refuse_sign_in(text, bytea, text)',
  'keep_sign_in_state(bytea, uuid, bytea)',
  'take_sign_in_state(bytea)',
  'count_attempt(text, integer)',
  'post_mail(uuid, text, text, bytea)',
  'take_mail(uuid)',
  'settle_mail(uuid, text, text)',
  'due_mails(integer)',
  'forget_old_sign_ins()',
];

/** Tables that no workspace leads: the service has no rights on them but through the functions below. */
async function createTables(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sign_in_codes (
      code_id uuid primary key,
      -- keyed hash of the address: addresses of strangers are asked for too, and are nobody's business
      email_hash bytea not null,
      workspace_id uuid,
      salt bytea not null,
      code_hmac bytea not null,
      attempts integer not null default 0,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null default now() + interval '10 minutes',
      used_at timestamptz,
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
      -- nonce and PKCE verifier, sealed with a key that is not in the database
      secrets bytea not null,
      expires_at timestamptz not null default now() + interval '10 minutes'
    )`.execute(db);
  await sql`
    create unlogged table attempt_counters (
      counter_key text not null,
      window_start timestamptz not null,
      attempts integer not null,
      primary key (counter_key, window_start)
    )`.execute(db);
  await sql`
    create table mail_outbox (
      mail_id uuid primary key,
      workspace_id uuid,
      -- null: nobody has the address that was asked for, and the row only costs the time that a real one does
      recipient text,
      subject text not null,
      -- text and HTML, sealed; gone when they have been sent
      body bytea,
      attempts integer not null default 0,
      not_before timestamptz not null default now(),
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      sent_at timestamptz,
      last_error text
    )`.execute(db);
  await sql`create index mail_outbox_due on mail_outbox (not_before) where sent_at is null`.execute(db);
  for (const table of ['sign_in_codes', 'sign_in_failures', 'sign_in_states', 'attempt_counters', 'mail_outbox']) {
    await sql`alter table ${sql.table(table)} enable row level security`.execute(db);
  }
}

/** A session ends 12 hours after its last use, and 30 days after its start; its use is written once a minute. */
async function replaceFindToken(db: Kysely<unknown>): Promise<void> {
  await sql`drop function find_token(bytea)`.execute(db);
  await sql`
    create function find_token(hash bytea)
    returns table (workspace_id uuid, token_id uuid, kind text, rep_id uuid, role text, active boolean)
    language sql volatile security definer set search_path = public, pg_temp as $$
      with found as (
        select t.workspace_id, t.token_id, t.kind, t.rep_id, t.last_used_at
        from tokens t
        where t.token_hash = hash and (t.expires_at is null or t.expires_at > now())
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
      select f.workspace_id, f.token_id, f.kind, f.rep_id, r.role, r.active
      from found f
      left join reps r on r.workspace_id = f.workspace_id and r.rep_id = f.rep_id
    $$`.execute(db);
}

async function createCodeCrossings(db: Kysely<unknown>): Promise<void> {
  // Does the same for every address, known or not: which it is shows in neither the answer nor the work.
  await sql`
    create function issue_sign_in_code(address text, hash bytea, asked_workspace uuid, new_code uuid, new_salt bytea,
      new_hmac bytea, new_mail uuid, mail_subject text, mail_body bytea)
    returns boolean
    language plpgsql volatile security definer set search_path = public, pg_temp as $$
    declare
      in_hour integer;
      in_day integer;
    begin
      perform pg_advisory_xact_lock(hashtextextended(encode(hash, 'hex'), 7301));
      select count(*) filter (where c.created_at > now() - interval '1 hour'), count(*) into in_hour, in_day
      from sign_in_codes c where c.email_hash = hash and c.created_at > now() - interval '1 day';
      if in_hour >= 5 or in_day >= 10 then return false; end if;
      update sign_in_codes c set ended_at = now() where c.email_hash = hash and c.ended_at is null;
      insert into sign_in_codes (code_id, email_hash, workspace_id, salt, code_hmac)
      values (new_code, hash, asked_workspace, new_salt, new_hmac);
      insert into mail_outbox (mail_id, recipient, subject, body, expires_at)
      values (new_mail, (select min(r.email) from reps r where r.email = address and r.active
          and (asked_workspace is null or r.workspace_id = asked_workspace)),
        mail_subject, mail_body, now() + interval '10 minutes');
      return true;
    end $$`.execute(db);
  // The try is counted before anything is compared, so guesses that come at once count one by one.
  await sql`
    create function try_sign_in_code(hash bytea)
    returns table (code_id uuid, salt bytea, code_hmac bytea, workspace_id uuid)
    language sql volatile security definer set search_path = public, pg_temp as $$
      update sign_in_codes c set attempts = c.attempts + 1
      where c.email_hash = hash and c.attempts < 5 and c.used_at is null and c.ended_at is null and c.expires_at > now()
      returning c.code_id, c.salt, c.code_hmac, c.workspace_id
    $$`.execute(db);
  await sql`
    create function return_sign_in_try(code uuid) returns void
    language sql volatile security definer set search_path = public, pg_temp as $$
      update sign_in_codes set attempts = attempts - 1 where code_id = code and used_at is null and attempts > 0
    $$`.execute(db);
  await sql`
    create function use_sign_in_code(code uuid) returns boolean
    language sql volatile security definer set search_path = public, pg_temp as $$
      with used as (
        update sign_in_codes set used_at = now()
        where code_id = code and used_at is null and ended_at is null and expires_at > now()
        returning 1
      )
      select exists (select from used)
    $$`.execute(db);
}

async function createSignInCrossings(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function find_sign_ins(address text, asked_workspace uuid)
    returns table (workspace_id uuid, workspace_name text, rep_id uuid)
    language sql stable security definer set search_path = public, pg_temp as $$
      select r.workspace_id, w.name, r.rep_id
      from reps r join workspaces w on w.workspace_id = r.workspace_id
      where r.email = address and r.active and (asked_workspace is null or r.workspace_id = asked_workspace)
      order by w.created_at, r.workspace_id
    $$`.execute(db);
  // Told in the audit log of every workspace that knows the address, until it is only noise.
  await sql`
    create function refuse_sign_in(address text, hash bytea, used_method text) returns integer
    language plpgsql volatile security definer set search_path = public, pg_temp as $$
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
    create function keep_sign_in_state(hash bytea, asked_workspace uuid, sealed bytea) returns void
    language sql volatile security definer set search_path = public, pg_temp as $$
      insert into sign_in_states (state_hash, workspace_id, secrets) values (hash, asked_workspace, sealed)
    $$`.execute(db);
  await sql`
    create function take_sign_in_state(hash bytea) returns table (workspace_id uuid, secrets bytea)
    language sql volatile security definer set search_path = public, pg_temp as $$
      with taken as (
        delete from sign_in_states s where s.state_hash = hash returning s.workspace_id, s.secrets, s.expires_at
      )
      select t.workspace_id, t.secrets from taken t where t.expires_at > now()
    $$`.execute(db);
  await sql`
    create function count_attempt(what text, window_seconds integer)
    returns table (attempts integer, seconds_left integer)
    language sql volatile security definer set search_path = public, pg_temp as $$
      insert into attempt_counters as c (counter_key, window_start, attempts)
      values (what, to_timestamp(floor(extract(epoch from now()) / window_seconds) * window_seconds), 1)
      on conflict (counter_key, window_start) do update set attempts = c.attempts + 1
      returning c.attempts,
        greatest(1, ceil(extract(epoch from c.window_start) + window_seconds - extract(epoch from now())))::integer
    $$`.execute(db);
}

async function createMailCrossings(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function post_mail(new_mail uuid, address text, mail_subject text, mail_body bytea) returns void
    language sql volatile security definer set search_path = public, pg_temp as $$
      insert into mail_outbox (mail_id, workspace_id, recipient, subject, body)
      values (new_mail, current_setting('app.workspace_id')::uuid, address, mail_subject, mail_body)
    $$`.execute(db);
  // Whoever takes a mail has two minutes to send it; then it is anybody's again.
  await sql`
    create function take_mail(mail uuid)
    returns table (recipient text, subject text, body bytea)
    language plpgsql volatile security definer set search_path = public, pg_temp as $$
    begin
      delete from mail_outbox m where m.mail_id = mail and m.recipient is null;
      return query
        update mail_outbox m set attempts = m.attempts + 1, not_before = now() + interval '2 minutes'
        where m.mail_id = mail and m.sent_at is null and m.not_before <= now() and m.attempts < 8
          and (m.expires_at is null or m.expires_at > now())
        returning m.recipient, m.subject, m.body;
    end $$`.execute(db);
  await sql`
    create function settle_mail(mail uuid, outcome text, error text) returns void
    language sql volatile security definer set search_path = public, pg_temp as $$
      update mail_outbox set
        sent_at = case when outcome = 'sent' then now() end,
        body = case when outcome = 'sent' then null else body end,
        not_before = case outcome
          when 'held' then 'infinity' else now() + interval '5 seconds' * power(3, least(attempts, 8) - 1) end,
        last_error = error
      where mail_id = mail and sent_at is null
    $$`.execute(db);
  await sql`
    create function due_mails(at_most integer) returns table (mail_id uuid)
    language sql stable security definer set search_path = public, pg_temp as $$
      select m.mail_id from mail_outbox m
      where m.sent_at is null and m.not_before < now() - interval '2 seconds' and m.attempts < 8
        and (m.expires_at is null or m.expires_at > now())
      order by m.not_before
      limit at_most
    $$`.execute(db);
}

async function createHousekeeping(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function forget_old_sign_ins() returns void
    language plpgsql volatile security definer set search_path = public, pg_temp as $$
    begin
      delete from sign_in_codes where created_at < now() - interval '2 days';
      delete from sign_in_failures where day < (now() at time zone 'UTC')::date - 2;
      delete from sign_in_states where expires_at < now();
      delete from attempt_counters where window_start < now() - interval '1 day';
      delete from mail_outbox where created_at < now() - interval '7 days'
        or (recipient is null and created_at < now() - interval '10 minutes');
      delete from tokens where kind = 'sess' and (expires_at < now()
        or coalesce(last_used_at, created_at) < now() - interval '12 hours' or created_at < now() - interval '30 days');
    end $$`.execute(db);
}
