import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';
import { forceRowSecurity, tenantTable } from './tenant-table.js';

/** The billing provider's customers and subscriptions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table billing_customers (
      workspace_id uuid not null references workspaces,
      customer_id text not null check (length(customer_id) between 1 and 255),
      linked_at timestamptz not null default now(),
      -- when to read the provider without an event: a grace period ends, or events may be missing
      check_at timestamptz not null default now(),
      primary key (workspace_id, customer_id)
    )`.execute(db);
  await tenantTable(db, 'billing_customers');
  await sql`
    create table billing_subscriptions (
      workspace_id uuid not null,
      customer_id text not null,
      subscription_id text not null,
      -- the provider's value; the provider may add new ones
      status text not null,
      -- null if its prices name no tier
      tier text check (tier in ('free', 'pro', 'enterprise')),
      -- the quantity of prices that count seats; null if none does
      seats integer check (seats >= 0),
      past_due_since timestamptz,
      -- when the provider was read
      fetched_at timestamptz not null,
      primary key (workspace_id, customer_id, subscription_id),
      foreign key (workspace_id, customer_id) references billing_customers on delete cascade
    )`.execute(db);
  await tenantTable(db, 'billing_subscriptions');
  // The subscription that a checkout for the workspace created. A customer may pay for several workspaces.
  await sql`
    create table billing_bindings (
      workspace_id uuid not null references workspaces,
      subscription_id text not null check (length(subscription_id) between 1 and 255),
      bound_at timestamptz not null default now(),
      primary key (workspace_id, subscription_id)
    )`.execute(db);
  await sql`create index billing_bindings_by_subscription on billing_bindings (subscription_id)`.execute(db);
  await tenantTable(db, 'billing_bindings');
  // Payments that name no workspace. They belong to no workspace: the service writes them through a function.
  await sql`
    create table billing_unmatched (
      event_id text primary key,
      customer_id text not null,
      -- what the checkout names instead of a workspace; null for nothing
      reference text,
      received_at timestamptz not null default now()
    )`.execute(db);
  await forceRowSecurity(db, 'billing_unmatched');
  // One row for all workspaces.
  await sql`
    create table billing_recovery (
      one boolean primary key default true check (one),
      -- all events of the provider before this time are stored
      recovered_through timestamptz,
      claimed_until timestamptz not null default '-infinity'
    )`.execute(db);
  await forceRowSecurity(db, 'billing_recovery');
  await sql`insert into billing_recovery default values`.execute(db);
  await createFunctions(db);
}

async function createFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function due_billing_checks(max_customers integer)
    returns table (workspace_id uuid, customer_id text, check_at timestamptz)
    language sql stable ${asOwner} as $$
      select c.workspace_id, c.customer_id, c.check_at from billing_customers c
      where c.check_at <= now() order by c.check_at limit max_customers
    $$`.execute(db);
  // One process at a time, and the next one only after the pause. If the process dies, another claims it then.
  await sql`
    create function claim_billing_recovery(pause interval)
    returns table (recovered_through timestamptz)
    language sql volatile ${asOwner} as $$
      update billing_recovery r set claimed_until = now() + pause
      where r.claimed_until < now()
      returning r.recovered_through
    $$`.execute(db);
  await sql`
    create function complete_billing_recovery(through timestamptz) returns void
    language sql volatile ${asOwner} as $$
      update billing_recovery set recovered_through = greatest(recovered_through, through)
    $$`.execute(db);
  await sql`
    create function store_unmatched_payment(event text, customer text, named text) returns boolean
    language sql volatile ${asOwner} as $$
      with stored as (
        insert into billing_unmatched (event_id, customer_id, reference) values (event, customer, left(named, 500))
        on conflict do nothing returning 1
      )
      select exists (select from stored)
    $$`.execute(db);
  await sql`
    create function bound_elsewhere(subscriptions text[], workspace uuid) returns setof text
    language sql stable ${asOwner} as $$
      select b.subscription_id from billing_bindings b
      where b.subscription_id = any(subscriptions) and b.workspace_id <> workspace
        and not exists (select from billing_bindings o
          where o.workspace_id = workspace and o.subscription_id = b.subscription_id)
    $$`.execute(db);
  await grantToService(db, [
    'store_unmatched_payment(text, text, text)',
    'bound_elsewhere(text[], uuid)',
    'due_billing_checks(integer)',
    'claim_billing_recovery(interval)',
    'complete_billing_recovery(timestamptz)',
  ]);
}
