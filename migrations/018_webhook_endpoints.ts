import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';
import { tenantTable } from './tenant-table.js';

/** Webhook endpoints of other systems, and the deliveries of outgoing events to them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createEndpoints(db);
  await createPreviousSecrets(db);
  await createDeliveries(db);
  await createFunctions(db);
  await grantToService(db, ['due_webhook_endpoints(integer)', 'delete_old_deliveries()', 'workspaces_with_managers()']);
}

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
  await sql`
    create trigger record_row_change after insert or update or delete on webhook_endpoints
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change('endpoint_id', 'url,description,secret', 'failures,not_before,attempted_at')`.execute(
    db,
  );
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

async function createFunctions(db: Kysely<unknown>): Promise<void> {
  // The endpoints that were attempted least recently come first, so that none waits for others.
  await sql`
    create function due_webhook_endpoints(max_endpoints integer)
    returns table (workspace_id uuid, endpoint_id uuid)
    language sql stable ${asOwner} as $$
      select e.workspace_id, e.endpoint_id from webhook_endpoints e
      where e.enabled and e.not_before <= now() and exists (
        select from webhook_deliveries d
        where d.workspace_id = e.workspace_id and d.endpoint_id = e.endpoint_id and d.status = 'pending'
          and (e.failures > 0 or d.not_before <= now())
          and not exists (
            select from webhook_deliveries f
            where f.workspace_id = d.workspace_id and f.endpoint_id = d.endpoint_id and f.sequence_id = d.sequence_id
              and f.status = 'pending' and f.position < d.position))
      order by e.attempted_at nulls first
      limit max_endpoints
    $$`.execute(db);
  // For the weekly digest.
  await sql`
    create function workspaces_with_managers()
    returns table (workspace_id uuid, timezone text, digest_of date)
    language sql stable ${asOwner} as $$
      select w.workspace_id, w.timezone, w.digest_of from workspaces w
      where exists (select from reps r
        where r.workspace_id = w.workspace_id and r.active and r.role in ('manager', 'admin'))
    $$`.execute(db);
  await sql`
    create function delete_old_deliveries() returns void
    language sql volatile ${asOwner} as $$
      delete from webhook_previous_secrets where valid_until < now();
      delete from webhook_deliveries where created_at < now() - interval '30 days'
    $$`.execute(db);
}
