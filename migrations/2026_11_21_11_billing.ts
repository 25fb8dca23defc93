import { type Kysely, sql } from 'kysely';
import { appRole, tenantTable } from './tenant-table.js';

/** Who pays for a workspace, and what for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table billing_customers (
      workspace_id uuid not null references workspaces,
      customer_id text not null check (length(customer_id) between 1 and 255),
      linked_at timestamptz not null default now(),
      -- when the provider is asked again without an event: a grace period ends, or events may have been missed
      check_at timestamptz not null default now(),
      primary key (workspace_id, customer_id)
    )`.execute(db);
  await tenantTable(db, 'billing_customers');
  await sql`
    create table billing_subscriptions (
      workspace_id uuid not null,
      customer_id text not null,
      subscription_id text not null,
      -- in the provider's words, which it may add to
      status text not null,
      -- null: its prices say nothing that is understood
      tier text check (tier in ('free', 'pro', 'enterprise')),
      past_due_since timestamptz,
      asked_at timestamptz not null,
      primary key (workspace_id, customer_id, subscription_id),
      foreign key (workspace_id, customer_id) references billing_customers on delete cascade
    )`.execute(db);
  await tenantTable(db, 'billing_subscriptions');
  await sql`
    create table billing_recovery (
      one boolean primary key default true check (one),
      -- all events of the provider before this have been taken in
      recovered_through timestamptz,
      claimed_until timestamptz not null default '-infinity'
    )`.execute(db);
  await sql`alter table billing_recovery enable row level security`.execute(db);
  await sql`insert into billing_recovery default values`.execute(db);
  await createCrossings(db);
}

async function createCrossings(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function due_billing_checks(at_most integer)
    returns table (workspace_id uuid, customer_id text, check_at timestamptz)
    language sql stable security definer set search_path = public, pg_temp as $$
      select c.workspace_id, c.customer_id, c.check_at from billing_customers c
      where c.check_at <= now() order by c.check_at limit at_most
    $$`.execute(db);
  // One process at a time, and again only after the pause: whoever claims it and dies is followed by the next.
  await sql`
    create function claim_billing_recovery(pause interval)
    returns table (recovered_through timestamptz)
    language sql volatile security definer set search_path = public, pg_temp as $$
      update billing_recovery r set claimed_until = now() + pause
      where r.claimed_until < now()
      returning r.recovered_through
    $$`.execute(db);
  await sql`
    create function settle_billing_recovery(through timestamptz) returns void
    language sql volatile security definer set search_path = public, pg_temp as $$
      update billing_recovery set recovered_through = greatest(recovered_through, through)
    $$`.execute(db);
  for (const crossing of [
    'due_billing_checks(integer)',
    'claim_billing_recovery(interval)',
    'settle_billing_recovery(timestamptz)',
  ]) {
    await sql`revoke all on function ${sql.raw(crossing)} from public`.execute(db);
    await sql`grant execute on function ${sql.raw(crossing)} to ${sql.raw(appRole)}`.execute(db);
  }
}
