import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';
import { forceRowSecurity } from './tenant-table.js';

/**
 * What belongs to the installation and to no workspace: the mail server, the identity providers, and the workspace whose
 * admins operate it. Mails sign people in to every workspace, so only its admins may change how they are sent.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTables(db);
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
}

async function createTables(db: Kysely<unknown>): Promise<void> {
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
