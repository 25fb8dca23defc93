import { type Kysely, sql } from 'kysely';
import { recordRowChanges } from './change-triggers.js';
import { asOwner, asOwnerWithIndexes, grantToService } from './owner-functions.js';
import { forceRowSecurity, tenantTable } from './tenant-table.js';

/** What other systems send to the service, and the mails and events that it sends. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createInbox(db);
  await createInboxFunctions(db);
  await createMails(db);
  await createMailFunctions(db);
  await createEndpoints(db);
  await createPreviousSecrets(db);
  await createDeliveries(db);
  await createDeliveryFunctions(db);
}

/** Webhook deliveries, stored before the sender receives the response. */
async function createInbox(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table inbound_routes (
      workspace_id uuid not null references workspaces,
      source text not null check (source in ('crma', 'crmb', 'crmc', 'billing')),
      -- how a delivery names the account: a webhook id, a portal, the hash of a secret or a customer
      route text not null check (length(route) between 1 and 500),
      -- the key that signs the deliveries, encrypted; null if the account has no key of its own
      secret bytea,
      created_at timestamptz not null default now(),
      -- the last delivery that named the route, the last one with a valid signature, and those without one
      last_received_at timestamptz,
      last_verified_at timestamptz,
      rejected integer not null default 0,
      last_rejected_at timestamptz,
      primary key (workspace_id, source, route)
    )`.execute(db);
  await tenantTable(db, 'inbound_routes');
  // A delivery names an account and no workspace. Two workspaces may have connected the same account.
  await sql`create index inbound_routes_by_route on inbound_routes (source, route)`.execute(db);

  await sql`
    create table inbox (
      workspace_id uuid not null,
      source text not null,
      -- equal for repeated deliveries of one message
      message_key uuid not null,
      -- the deal or the subscription that the message is about
      subject text not null,
      payload jsonb not null,
      received_at timestamptz not null default now(),
      attempts integer not null default 0,
      not_before timestamptz not null default now(),
      processed_at timestamptz,
      outcome text,
      error text,
      primary key (workspace_id, source, message_key)
    )`.execute(db);
  await sql`create index inbox_pending on inbox (workspace_id, source, received_at) where processed_at is null`.execute(
    db,
  );
  await sql`create index inbox_by_subject on inbox (workspace_id, source, subject)`.execute(db);
  await tenantTable(db, 'inbox');
}

async function createInboxFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function find_route(from_source text, by_route text)
    returns table (workspace_id uuid, secret bytea)
    language sql stable ${asOwner} as $$
      select r.workspace_id, r.secret from inbound_routes r where r.source = from_source and r.route = by_route
    $$`.execute(db);
  // One statement and therefore one transaction: what it returns is on disk. In the order of the key, so that two
  // deliveries of the same messages do not deadlock.
  await sql`
    create function receive_messages(sources text[], routes text[], keys uuid[], subjects text[], payloads text[])
    returns table (source text, route text, workspace_id uuid)
    language plpgsql volatile ${asOwnerWithIndexes} as $$
    #variable_conflict use_column
    begin
      return query
      with messages as materialized (
        select m.source, m.route, m.key, m.subject, m.payload, r.workspace_id
        from unnest(sources, routes, keys, subjects, payloads) as m (source, route, key, subject, payload)
        join inbound_routes r on r.source = m.source and r.route = m.route
      ), stored as (
        insert into inbox (workspace_id, source, message_key, subject, payload)
        select m.workspace_id, m.source, m.key, m.subject, m.payload::jsonb from messages m
        order by m.workspace_id, m.source, m.key
        on conflict do nothing
      )
      select distinct m.source, m.route, m.workspace_id from messages m;
    end $$`.execute(db);
  // In the order of the key, so that two processes do not deadlock.
  await sql`
    create function note_deliveries(sources text[], routes text[], verified integer[], rejected integer[]) returns void
    language sql volatile ${asOwner} as $$
      with noted as (
        select r.workspace_id, r.source, r.route, n.verified, n.rejected
        from unnest(sources, routes, verified, rejected) as n (source, route, verified, rejected)
        join inbound_routes r on r.source = n.source and r.route = n.route
        order by r.workspace_id, r.source, r.route
        for no key update of r
      )
      update inbound_routes r set
        last_received_at = now(),
        last_verified_at = case when n.verified > 0 then now() else r.last_verified_at end,
        rejected = least(r.rejected::bigint + n.rejected, 2147483647)::integer,
        last_rejected_at = case when n.rejected > 0 then now() else r.last_rejected_at end
      from noted n
      where r.workspace_id = n.workspace_id and r.source = n.source and r.route = n.route
    $$`.execute(db);
  await sql`
    create function due_inboxes(older_than interval)
    returns table (workspace_id uuid, source text, generation integer)
    language sql stable ${asOwner} as $$
      select due.workspace_id, due.source, coalesce(l.generation, 0)
      from (
        select i.workspace_id, i.source from inbox i
        where i.processed_at is null and i.not_before <= now() and i.received_at < now() - older_than
        group by i.workspace_id, i.source
      ) due
      left join work_leases l on l.workspace_id = due.workspace_id and l.work = 'inbox ' || due.source
      where l.leased_until is null or l.leased_until < now()
    $$`.execute(db);
  await sql`
    create function delete_old_messages() returns void
    language sql volatile ${asOwner} as $$
      delete from inbox where processed_at < now() - interval '30 days';
      delete from work_leases where leased_until < now() - interval '1 day'
    $$`.execute(db);
  // For the directory of a service with several databases.
  await sql`
    create function listed_routes() returns table (workspace uuid, source text, route text)
    language sql stable ${asOwner} as $$
      select r.workspace_id, r.source, r.route from inbound_routes r
    $$`.execute(db);
  await grantToService(db, [
    'find_route(text, text)',
    'receive_messages(text[], text[], uuid[], text[], text[])',
    'note_deliveries(text[], text[], integer[], integer[])',
    'due_inboxes(interval)',
    'delete_old_messages()',
    'listed_routes()',
  ]);
}

/** Outgoing mail. The table belongs to no workspace: the service accesses it only through the functions. */
async function createMails(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table mail_outbox (
      mail_id uuid primary key,
      workspace_id uuid,
      -- Null if no rep has the address. The row exists so that such a request does the same work as any other.
      recipient text,
      subject text not null,
      -- text and HTML, encrypted; null after the mail was sent
      body bytea,
      attempts integer not null default 0,
      not_before timestamptz not null default now(),
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      sent_at timestamptz,
      last_error text
    )`.execute(db);
  await sql`create index mail_outbox_due on mail_outbox (not_before) where sent_at is null`.execute(db);
  await sql`create index mail_outbox_unsent on mail_outbox (workspace_id) where sent_at is null`.execute(db);
  await forceRowSecurity(db, 'mail_outbox');
}

async function createMailFunctions(db: Kysely<unknown>): Promise<void> {
  // Sandboxes post no mails.
  await sql`
    create function post_mail(new_mail uuid, address text, mail_subject text, mail_body bytea) returns void
    language sql ${asOwner} as $$
      insert into mail_outbox (mail_id, workspace_id, recipient, subject, body)
      select new_mail, w.workspace_id, address, mail_subject, mail_body
      from workspaces w
      where w.workspace_id = current_setting('app.workspace_id')::uuid and not w.is_sandbox
    $$`.execute(db);
  await sql`
    create function delete_mails_to(address text) returns integer
    language sql volatile ${asOwner} as $$
      with deleted as (
        delete from mail_outbox m
        where m.workspace_id = current_setting('app.workspace_id')::uuid and m.recipient = address
        returning 1
      )
      select count(*)::integer from deleted
    $$`.execute(db);
  await createSendingFunctions(db);
  await sql`
    create function unsent_mails() returns table (mail_id uuid, attempts integer)
    language sql stable ${asOwner} as $$
      select m.mail_id, m.attempts from mail_outbox m
      where m.workspace_id = current_setting('app.workspace_id')::uuid and m.sent_at is null
    $$`.execute(db);
  // Null before the first attempt.
  await sql`
    create function was_last_mail_sent() returns boolean
    language sql stable ${asOwner} as $$
      select m.sent_at is not null from mail_outbox m
      where m.workspace_id = current_setting('app.workspace_id')::uuid and m.attempts > 0
      order by m.created_at desc limit 1
    $$`.execute(db);
  await grantToService(db, [
    'post_mail(uuid, text, text, bytea)',
    'delete_mails_to(text)',
    'take_mail(uuid)',
    'record_mail_result(uuid, text, text)',
    'due_mails(integer)',
    'unsent_mails()',
    'was_last_mail_sent()',
  ]);
}

async function createSendingFunctions(db: Kysely<unknown>): Promise<void> {
  // The worker that takes a mail has two minutes to send it; after that, any worker may take it.
  await sql`
    create function take_mail(mail uuid)
    returns table (recipient text, subject text, body bytea)
    language plpgsql volatile ${asOwner} as $$
    begin
      delete from mail_outbox m where m.mail_id = mail and m.recipient is null;
      return query
        update mail_outbox m set attempts = m.attempts + 1, not_before = now() + interval '2 minutes'
        where m.mail_id = mail and m.sent_at is null and m.not_before <= now() and m.attempts < 8
          and (m.expires_at is null or m.expires_at > now())
        returning m.recipient, m.subject, m.body;
    end $$`.execute(db);
  // A mail that failed is sent again after 5, 15, 45, ... seconds.
  await sql`
    create function record_mail_result(mail uuid, result text, error text) returns void
    language sql volatile ${asOwner} as $$
      update mail_outbox set
        sent_at = case when result = 'sent' then now() end,
        body = case when result = 'sent' then null else body end,
        not_before = case result
          when 'held' then 'infinity' else now() + interval '5 seconds' * power(3, least(attempts, 8) - 1) end,
        last_error = error
      where mail_id = mail and sent_at is null
    $$`.execute(db);
  await sql`
    create function due_mails(max_mails integer) returns table (mail_id uuid)
    language sql stable ${asOwner} as $$
      select m.mail_id from mail_outbox m
      where m.sent_at is null and m.not_before < now() - interval '2 seconds' and m.attempts < 8
        and (m.expires_at is null or m.expires_at > now())
      order by m.not_before
      limit max_mails
    $$`.execute(db);
}

/** Webhook endpoints of other systems, and the deliveries of outgoing events to them. */
async function createEndpoints(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table webhook_endpoints (
      workspace_id uuid not null references workspaces,
      endpoint_id uuid not null,
      url text not null check (length(url) between 1 and 2000),
      description text check (length(description) between 1 and 200),
      -- null for events of every type
      event_types text[] check (cardinality(event_types) > 0),
      -- the key that signs the deliveries, encrypted
      secret bytea not null,
      enabled boolean not null default true,
      -- why the service disabled the endpoint; null if it is enabled or a person disabled it
      disabled_reason text,
      -- attempts since the endpoint was last reachable; while it is not 0, one delivery at a time is attempted
      failures integer not null default 0 check (failures >= 0),
      not_before timestamptz not null default now(),
      attempted_at timestamptz,
      created_at timestamptz not null default now(),
      primary key (workspace_id, endpoint_id)
    )`.execute(db);
  await tenantTable(db, 'webhook_endpoints');
  await recordRowChanges(db, 'webhook_endpoints', {
    ids: ['endpoint_id'],
    hidden: ['url', 'description', 'secret'],
    ignored: ['failures', 'not_before', 'attempted_at'],
  });
}

async function createPreviousSecrets(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table webhook_previous_secrets (
      workspace_id uuid not null,
      endpoint_id uuid not null,
      secret_id uuid not null,
      -- a key that a rotation replaced; it signs deliveries in addition to the present one until valid_until
      secret bytea not null,
      valid_until timestamptz not null,
      primary key (workspace_id, endpoint_id, secret_id),
      foreign key (workspace_id, endpoint_id) references webhook_endpoints on delete cascade
    )`.execute(db);
  await tenantTable(db, 'webhook_previous_secrets');
}

async function createDeliveries(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table webhook_deliveries (
      workspace_id uuid not null,
      -- the webhook-id of every attempt
      delivery_id uuid not null,
      endpoint_id uuid not null,
      -- the order in which deliveries of one sequence are sent
      position bigint generated always as identity,
      -- the rep whom the event is about, otherwise the workspace
      sequence_id uuid not null,
      event_type text not null,
      -- null for changed commission, which is read from the history of the run
      data jsonb,
      run_id uuid,
      -- the changed events of the run; null if there are too many to list
      event_ids uuid[],
      status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
      attempts integer not null default 0,
      not_before timestamptz not null default now(),
      created_at timestamptz not null default now(),
      attempted_at timestamptz,
      duration_ms integer,
      -- of the last attempt
      response_status integer,
      response_body text,
      error text,
      primary key (workspace_id, delivery_id),
      foreign key (workspace_id, endpoint_id) references webhook_endpoints on delete cascade,
      check ((data is null) = (run_id is not null))
    )`.execute(db);
  await sql`
    create unique index webhook_deliveries_of_run on webhook_deliveries (workspace_id, endpoint_id, sequence_id, run_id)
    where run_id is not null`.execute(db);
  await sql`
    create index webhook_deliveries_pending on webhook_deliveries (workspace_id, endpoint_id, sequence_id, position)
    where status = 'pending'`.execute(db);
  await sql`create index webhook_deliveries_in_order on webhook_deliveries (workspace_id, endpoint_id, position)`.execute(
    db,
  );
  await tenantTable(db, 'webhook_deliveries');
}

/**
 * The endpoints to which a worker sends count for their workspace. Every workspace comes once before one comes a second
 * time.
 */
async function createDeliveryFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function due_webhook_endpoints(max_endpoints integer, max_of_workspace integer)
    returns table (workspace_id uuid, endpoint_id uuid)
    language sql stable ${asOwner} as $$
      with sending as materialized (
        select l.workspace_id, l.work from work_leases l where l.work like 'webhook %' and l.leased_until > now()
      ), due as (
        select e.workspace_id, e.endpoint_id, e.attempted_at,
          row_number() over (partition by e.workspace_id order by e.attempted_at nulls first, e.endpoint_id) as turn
        from webhook_endpoints e
        where e.enabled and e.not_before <= now() and exists (
          select from webhook_deliveries d
          where d.workspace_id = e.workspace_id and d.endpoint_id = e.endpoint_id and d.status = 'pending'
            and (e.failures > 0 or d.not_before <= now())
            and not exists (
              select from webhook_deliveries f
              where f.workspace_id = d.workspace_id and f.endpoint_id = d.endpoint_id and f.sequence_id = d.sequence_id
                and f.status = 'pending' and f.position < d.position))
          and not exists (
            select from sending s
            where s.workspace_id = e.workspace_id and s.work = 'webhook ' || e.endpoint_id)
      )
      select due.workspace_id, due.endpoint_id from due
      where due.turn <= max_of_workspace - (select count(*) from sending s where s.workspace_id = due.workspace_id)
      order by due.turn, due.attempted_at nulls first, due.endpoint_id
      limit max_endpoints
    $$`.execute(db);
  await sql`
    create function delete_old_deliveries() returns void
    language sql volatile ${asOwner} as $$
      delete from webhook_previous_secrets where valid_until < now();
      delete from webhook_deliveries where created_at < now() - interval '30 days'
    $$`.execute(db);
  await grantToService(db, ['due_webhook_endpoints(integer, integer)', 'delete_old_deliveries()']);
}
