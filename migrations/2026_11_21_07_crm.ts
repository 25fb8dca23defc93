import { type Kysely, sql } from 'kysely';
import { appRole, tenantTable } from './tenant-table.js';

/** CRMs for real: what opens them, what they send, what is pulled from them, and what must not come back. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createInbox(db);
  await createLeases(db);
  await extendConnections(db);
  await createPulls(db);
  await createFields(db);
  await createTombstones(db);
  await createCrossings(db);
  for (const crossing of crossings) {
    await sql`revoke all on function ${sql.raw(crossing)} from public`.execute(db);
    await sql`grant execute on function ${sql.raw(crossing)} to ${sql.raw(appRole)}`.execute(db);
  }
}

const crossings = [
  'find_route(text, text)',
  'receive_news(text[], text[], uuid[], text[], text[])',
  'due_inboxes(interval)',
  'due_pulls()',
  'due_polls(text[])',
  'forget_old_news()',
];

/** Whose an incoming delivery is, and what it said: kept before the sender is told that it arrived. */
async function createInbox(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table inbound_routes (
      workspace_id uuid not null references workspaces,
      source text not null check (source in ('crma', 'crmb', 'crmc', 'billing')),
      -- how deliveries name the account: a webhook id, a portal, the hash of a secret, a customer
      route text not null check (length(route) between 1 and 500),
      -- what they are signed with, sealed; null where that is not the account's own
      secret bytea,
      created_at timestamptz not null default now(),
      primary key (workspace_id, source, route)
    )`.execute(db);
  await tenantTable(db, 'inbound_routes');
  // A delivery names an account and no workspace; two workspaces may have connected the same one.
  await sql`create index inbound_routes_by_route on inbound_routes (source, route)`.execute(db);
  await sql`
    create table inbox (
      workspace_id uuid not null,
      source text not null,
      -- the same for news that are told again
      news_key uuid not null,
      -- the deal or the subscription that it is about
      subject text not null,
      payload jsonb not null,
      received_at timestamptz not null default now(),
      attempts integer not null default 0,
      not_before timestamptz not null default now(),
      settled_at timestamptz,
      outcome text,
      error text,
      primary key (workspace_id, source, news_key)
    )`.execute(db);
  await tenantTable(db, 'inbox');
  await sql`create index inbox_pending on inbox (workspace_id, source, received_at) where settled_at is null`.execute(
    db,
  );
  await sql`create index inbox_by_subject on inbox (workspace_id, source, subject)`.execute(db);
}

/** One at a time for work that talks to others and so cannot hold a lock: a lease that its holder keeps extending. */
async function createLeases(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table work_leases (
      workspace_id uuid not null,
      work text not null,
      lease_id uuid not null,
      -- how often it was taken: a wake that names the next turn cannot be taken for one of an earlier
      turn integer not null default 1,
      leased_until timestamptz not null,
      primary key (workspace_id, work)
    )`.execute(db);
  await tenantTable(db, 'work_leases');
}

async function extendConnections(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table crm_connections
      add column account_id text,
      -- tokens and addresses, sealed
      add column credentials bytea,
      add column connected_by text,
      -- set when the CRM refuses what was given to us; somebody must connect anew
      add column broken_at timestamptz,
      add column broken_reason text,
      add column webhook_id text,
      add column last_sync_at timestamptz,
      -- everything that changed before is here, by the clock of the CRM
      add column polled_through timestamptz,
      add column poll_due_at timestamptz,
      -- when a reconcile was refused because too much would go; asked again soon, it is done
      add column reconcile_refused_at timestamptz`.execute(db);
  // Who somebody is in each CRM. The member id that a rep carries is the first of them, or was given by hand.
  await sql`
    create table crm_members (
      workspace_id uuid not null,
      crm_id text not null,
      provider text not null check (provider in ('crma', 'crmb', 'crmc')),
      rep_id uuid not null,
      primary key (workspace_id, crm_id, provider),
      foreign key (workspace_id, rep_id) references reps (workspace_id, rep_id)
    )`.execute(db);
  await tenantTable(db, 'crm_members');
  // Whether the CRM counted the member active when last asked: only a change of that changes the rep.
  await sql`alter table reps add column crm_active boolean`.execute(db);
}

/** A sync or a poll under way, with the place where it goes on after a crash. */
async function createPulls(db: Kysely<unknown>): Promise<void> {
  // A job that pulls is not over when nothing is left to calculate.
  await sql`alter table jobs add column pulling boolean not null default false`.execute(db);
  await sql`
    create table crm_pulls (
      workspace_id uuid not null,
      pull_id uuid not null,
      provider text not null check (provider in ('crma', 'crmb', 'crmc')),
      kind text not null check (kind in ('sync', 'poll')),
      actor text not null,
      reconcile boolean not null default false,
      recalculate boolean not null default false,
      phase text not null default 'people' check (phase in ('people', 'fields', 'deals', 'missing', 'finish')),
      modified_from timestamptz,
      -- everything that changed before is in the listing, by the CRM's clock
      covered_until timestamptz,
      cursor text,
      deals integer not null default 0,
      total integer,
      counts jsonb not null default '{}',
      attempts integer not null default 0,
      restarts integer not null default 0,
      not_before timestamptz not null default now(),
      started_at timestamptz not null default now(),
      primary key (workspace_id, pull_id)
    )`.execute(db);
  await tenantTable(db, 'crm_pulls');
  await sql`create unique index crm_pulls_one on crm_pulls (workspace_id, provider, kind)`.execute(db);
  await sql`
    create table crm_pull_deals (
      workspace_id uuid not null,
      pull_id uuid not null,
      deal_id text not null,
      primary key (workspace_id, pull_id, deal_id),
      foreign key (workspace_id, pull_id) references crm_pulls on delete cascade
    )`.execute(db);
  await tenantTable(db, 'crm_pull_deals');
}

/** What the CRM says its deal fields are, as it was last asked. */
async function createFields(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table crm_fields (
      workspace_id uuid not null,
      provider text not null check (provider in ('crma', 'crmb', 'crmc')),
      slug text not null,
      position integer not null,
      label text not null,
      type text not null,
      options jsonb,
      primary key (workspace_id, provider, slug)
    )`.execute(db);
  await tenantTable(db, 'crm_fields');
}

/** Deals that were removed for good: older news of the CRM must not bring them back. */
async function createTombstones(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table deal_tombstones (
      workspace_id uuid not null,
      deal_id text not null,
      erased_at timestamptz not null,
      primary key (workspace_id, deal_id)
    )`.execute(db);
  await tenantTable(db, 'deal_tombstones');
}

async function createCrossings(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function find_route(from_source text, by_route text)
    returns table (workspace_id uuid, secret bytea)
    language sql stable security definer set search_path = public, pg_temp as $$
      select r.workspace_id, r.secret from inbound_routes r where r.source = from_source and r.route = by_route
    $$`.execute(db);
  // One statement, so one transaction: what it answers for is on disk. In the order of the key, so that two
  // deliveries of the same news wait for each other and never for ever.
  await sql`
    create function receive_news(sources text[], routes text[], keys uuid[], subjects text[], payloads text[])
    returns table (source text, route text, workspace_id uuid)
    language sql volatile security definer set search_path = public, pg_temp as $$
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
      select distinct n.source, n.route, n.workspace_id from news n
    $$`.execute(db);
  await sql`
    create function due_inboxes(older_than interval)
    returns table (workspace_id uuid, source text, turn integer)
    language sql stable security definer set search_path = public, pg_temp as $$
      select due.workspace_id, due.source, coalesce(l.turn, 0)
      from (
        select i.workspace_id, i.source from inbox i
        where i.settled_at is null and i.not_before <= now() and i.received_at < now() - older_than
        group by i.workspace_id, i.source
      ) due
      left join work_leases l on l.workspace_id = due.workspace_id and l.work = 'inbox ' || due.source
      where l.leased_until is null or l.leased_until < now()
    $$`.execute(db);
  await sql`
    create function due_pulls()
    returns table (workspace_id uuid, pull_id uuid, turn integer)
    language sql stable security definer set search_path = public, pg_temp as $$
      select p.workspace_id, p.pull_id, coalesce(l.turn, 0)
      from crm_pulls p
      left join work_leases l on l.workspace_id = p.workspace_id and l.work = 'pull ' || p.pull_id
      where p.not_before <= now() and (l.leased_until is null or l.leased_until < now())
    $$`.execute(db);
  await sql`
    create function due_polls(providers text[])
    returns table (workspace_id uuid, provider text)
    language sql stable security definer set search_path = public, pg_temp as $$
      select c.workspace_id, c.provider from crm_connections c
      where c.provider = any(providers) and c.connected_at is not null and c.credentials is not null and c.sync_enabled
        and c.broken_at is null and (c.poll_due_at is null or c.poll_due_at <= now())
        and not exists (select from crm_pulls p
          where p.workspace_id = c.workspace_id and p.provider = c.provider and p.kind = 'poll')
    $$`.execute(db);
  await sql`
    create function forget_old_news() returns void
    language sql volatile security definer set search_path = public, pg_temp as $$
      delete from inbox where settled_at < now() - interval '30 days';
      delete from work_leases where leased_until < now() - interval '1 day'
    $$`.execute(db);
}
