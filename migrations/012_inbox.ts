import { type Kysely, sql } from 'kysely';
import { asOwner, asOwnerWithIndexes, grantToService } from './owner-functions.js';
import { tenantTable } from './tenant-table.js';

/** Webhook deliveries, stored before the sender receives the response, and leases for the work on them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTables(db);
  await createFunctions(db);
  await grantToService(db, [
    'find_route(text, text)',
    'receive_messages(text[], text[], uuid[], text[], text[])',
    'note_deliveries(text[], text[], integer[], integer[])',
    'due_inboxes(interval)',
    'delete_old_messages()',
  ]);
}

async function createTables(db: Kysely<unknown>): Promise<void> {
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

  // For work that waits for other servers and therefore cannot hold a lock.
  await sql`
    create table work_leases (
      workspace_id uuid not null,
      work text not null,
      lease_id uuid not null,
      -- how often the lease was taken: a wake-up for the next generation is not a duplicate of an earlier one
      generation integer not null default 1,
      leased_until timestamptz not null,
      primary key (workspace_id, work)
    )`.execute(db);
  await tenantTable(db, 'work_leases');
}

async function createFunctions(db: Kysely<unknown>): Promise<void> {
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
}
