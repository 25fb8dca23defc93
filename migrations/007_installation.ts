import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';
import { forceRowSecurity } from './tenant-table.js';

/**
 * What belongs to the installation and to no workspace: the mail server, the identity providers, the workspace whose
 * admins operate it, and the directory of a service with several databases. Mails sign people in to every workspace, so
 * only the admins of that workspace may change how they are sent.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createInstallation(db);
  await createOperatorFunctions(db);
  await createMailFunctions(db);
  await createProviderFunctions(db);
  await grantToService(db, [
    'is_operator()',
    'claim_installation()',
    'is_mail_set_up()',
    'mail_server()',
    'save_mail_server(jsonb, bytea)',
    'mails_of_installation()',
    'list_identity_providers()',
    'save_identity_provider(uuid, jsonb, bytea)',
    'delete_identity_provider(uuid)',
  ]);
  await createDirectory(db);
  await createDirectoryFunctions(db);
}

async function createInstallation(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table installation (
      singleton boolean primary key default true check (singleton),
      operator_workspace_id uuid,
      mail_settings jsonb,
      -- encrypted
      mail_password bytea,
      check (mail_password is null or mail_settings is not null)
    )`.execute(db);
  await forceRowSecurity(db, 'installation');
  await sql`
    create table identity_providers (
      provider_id uuid primary key,
      terms jsonb not null,
      -- encrypted
      client_secret bytea not null,
      created_at timestamptz not null default now()
    )`.execute(db);
  await forceRowSecurity(db, 'identity_providers');
}

async function createOperatorFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function is_operator() returns boolean
    language sql stable ${asOwner} as $$
      select exists (
        select from installation i
        where i.operator_workspace_id = nullif(current_setting('app.workspace_id', true), '')::uuid)
    $$`.execute(db);
  // Only the first workspace that claims it gets it.
  await sql`
    create function claim_installation() returns void
    language sql volatile ${asOwner} as $$
      insert into installation (operator_workspace_id) values (current_setting('app.workspace_id')::uuid)
      on conflict (singleton) do update set operator_workspace_id = excluded.operator_workspace_id
      where installation.operator_workspace_id is null
    $$`.execute(db);
}

async function createMailFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function is_mail_set_up() returns boolean
    language sql stable ${asOwner} as $$
      select exists (select from installation i where i.mail_settings is not null)
    $$`.execute(db);
  await sql`
    create function mail_server() returns table (settings jsonb, password bytea)
    language sql stable ${asOwner} as $$
      select i.mail_settings, i.mail_password from installation i where i.mail_settings is not null
    $$`.execute(db);
  // False if the workspace does not operate the installation. Without settings there is no mail server any more.
  await sql`
    create function save_mail_server(new_settings jsonb, new_password bytea) returns boolean
    language sql volatile ${asOwner} as $$
      with saved as (
        update installation set mail_settings = new_settings, mail_password = new_password
        where is_operator() returning 1
      )
      select exists (select from saved)
    $$`.execute(db);
  await sql`
    create function mails_of_installation()
    returns table (waiting bigint, held bigint, last_sent_at timestamptz, last_error text)
    language sql stable ${asOwner} as $$
      select count(*) filter (where m.sent_at is null and m.not_before < 'infinity' and m.attempts < 8),
        count(*) filter (where m.sent_at is null and (m.not_before = 'infinity' or m.attempts >= 8)), max(m.sent_at),
        (select f.last_error from mail_outbox f where f.attempts > 0 and f.recipient is not null
          order by f.created_at desc limit 1)
      from mail_outbox m
      where is_operator() and m.recipient is not null
      having is_operator()
    $$`.execute(db);
}

async function createProviderFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function list_identity_providers() returns table (provider_id uuid, terms jsonb, client_secret bytea)
    language sql stable ${asOwner} as $$
      select p.provider_id, p.terms, p.client_secret from identity_providers p order by p.created_at, p.provider_id
    $$`.execute(db);
  await sql`
    create function save_identity_provider(provider uuid, new_terms jsonb, secret bytea) returns boolean
    language sql volatile ${asOwner} as $$
      with saved as (
        insert into identity_providers (provider_id, terms, client_secret)
        select provider, new_terms, secret where is_operator()
        on conflict (provider_id) do update set terms = excluded.terms, client_secret = excluded.client_secret
        returning 1
      )
      select exists (select from saved)
    $$`.execute(db);
  await sql`
    create function delete_identity_provider(provider uuid) returns boolean
    language sql volatile ${asOwner} as $$
      with deleted as (delete from identity_providers p where p.provider_id = provider and is_operator() returning 1)
      select exists (select from deleted)
    $$`.execute(db);
}

/**
 * Only the directory of the first database is used. It names a workspace in columns of its own, since its rows belong to
 * the service: they stay when a workspace moves.
 */
async function createDirectory(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table directory_workspaces (
      workspace uuid primary key,
      shard text not null check (length(shard) between 1 and 40),
      -- between two databases: no process serves the workspace
      is_moving boolean not null default false
    )`.execute(db);
  await forceRowSecurity(db, 'directory_workspaces');
  await sql`
    create table directory_keys (
      kind text not null check (kind in ('token', 'email', 'route')),
      -- SHA-256, or a keyed hash of an e-mail address
      key_hash bytea not null check (length(key_hash) = 32),
      workspace uuid not null,
      noted_at timestamptz not null default now(),
      primary key (kind, key_hash, workspace)
    )`.execute(db);
  await sql`create index directory_keys_by_workspace on directory_keys (workspace, kind)`.execute(db);
  await sql`create index directory_keys_by_age on directory_keys (kind, noted_at)`.execute(db);
  await forceRowSecurity(db, 'directory_keys');
}

/** What processes read from the directory and write to it. */
async function createDirectoryFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function directory_find(of_kind text, hash bytea)
    returns table (workspace uuid, shard text, is_moving boolean)
    language sql stable ${asOwner} as $$
      select k.workspace, w.shard, w.is_moving
      from directory_keys k join directory_workspaces w on w.workspace = k.workspace
      where k.kind = of_kind and k.key_hash = hash
      order by k.noted_at, k.workspace
    $$`.execute(db);
  await sql`
    create function directory_place(of_workspace uuid) returns table (shard text, is_moving boolean)
    language sql stable ${asOwner} as $$
      select w.shard, w.is_moving from directory_workspaces w where w.workspace = of_workspace
    $$`.execute(db);
  // A workspace that is listed stays where it is listed. The hash is null to note the workspace alone.
  await sql`
    create function directory_note(of_kind text, hash bytea, of_workspace uuid, in_shard text) returns void
    language plpgsql volatile ${asOwner} as $$
    begin
      insert into directory_workspaces (workspace, shard) values (of_workspace, in_shard) on conflict do nothing;
      if hash is not null then
        insert into directory_keys (kind, key_hash, workspace) values (of_kind, hash, of_workspace)
        on conflict do nothing;
      end if;
    end $$`.execute(db);
  // Keys that stay keep the time at which they were noted, which orders them.
  await sql`
    create function directory_replace(of_kind text, of_workspace uuid, in_shard text, hashes bytea[]) returns void
    language plpgsql volatile ${asOwner} as $$
    begin
      insert into directory_workspaces (workspace, shard) values (of_workspace, in_shard) on conflict do nothing;
      if not exists (select from directory_workspaces w where w.workspace = of_workspace and w.shard = in_shard) then
        return;
      end if;
      delete from directory_keys k
      where k.workspace = of_workspace and k.kind = of_kind and k.key_hash <> all(hashes);
      insert into directory_keys (kind, key_hash, workspace)
      select of_kind, h, of_workspace from unnest(hashes) h order by h
      on conflict do nothing;
    end $$`.execute(db);
  // A token that is still used is found in its database and noted again.
  await sql`
    create function directory_delete_old() returns void
    language sql volatile ${asOwner} as $$
      delete from directory_keys k where k.kind = 'token' and k.noted_at < now() - interval '30 days'
    $$`.execute(db);
  // What the directory takes from each database. The version changes with every change of a person; see cache_versions.
  await sql`
    create function listed_workspaces() returns table (workspace uuid, version uuid)
    language sql stable ${asOwner} as $$
      select w.workspace_id, v.version
      from workspaces w left join cache_versions v on v.workspace_id = w.workspace_id and v.scope = 65
    $$`.execute(db);
  await grantToService(db, [
    'directory_find(text, bytea)',
    'directory_place(uuid)',
    'directory_note(text, bytea, uuid, text)',
    'directory_replace(text, uuid, text, bytea[])',
    'directory_delete_old()',
    'listed_workspaces()',
  ]);
}
