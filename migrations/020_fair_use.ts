import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';
import { tenantTable } from './tenant-table.js';

/** Divides what workspaces share, so that none of them delays the others. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createDueEndpoints(db);
  await createLimitedUses(db);
  await grantToService(db, ['due_webhook_endpoints(integer, integer)', 'delete_old_uses()']);
}

/**
 * Replaces the function with one parameter, which processes of the previous release call. The endpoints to which a
 * worker sends count for their workspace. Every workspace comes once before one comes a second time.
 */
async function createDueEndpoints(db: Kysely<unknown>): Promise<void> {
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
}

/** Uses that a workspace may make only so often, such as invitations of one address. */
async function createLimitedUses(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table limited_uses (
      workspace_id uuid not null references workspaces,
      use_id uuid not null,
      kind text not null,
      -- what is used: an id, or the hash of an address
      subject text not null,
      used_at timestamptz not null default now(),
      primary key (workspace_id, use_id)
    )`.execute(db);
  await sql`create index limited_uses_by_subject on limited_uses (workspace_id, kind, subject, used_at)`.execute(db);
  await tenantTable(db, 'limited_uses');
  await sql`
    create function delete_old_uses() returns void
    language sql volatile ${asOwner} as $$
      delete from limited_uses where used_at < now() - interval '1 day'
    $$`.execute(db);
}
