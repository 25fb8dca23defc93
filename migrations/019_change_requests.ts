import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';
import { tenantTable } from './tenant-table.js';

/** Changes that agents have requested and people decide about. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table change_requests (
      workspace_id uuid not null references workspaces,
      request_id uuid not null,
      -- the person for whom the agent acts; null for a key
      rep_id uuid,
      -- who requested the change, with the rights that they had
      caller jsonb not null,
      tool text not null,
      title text not null,
      -- path, query and body of the operation
      input jsonb not null,
      -- what the change would do, as calculated when it was requested or later; null for a change without figures
      preview jsonb,
      -- running: approved, without an outcome yet
      status text not null check (status in ('pending', 'running', 'done', 'failed', 'rejected')),
      -- the actor of the decision
      decided_by text check ((status = 'pending') = (decided_by is null)),
      decided_at timestamptz check ((status = 'pending') = (decided_at is null)),
      reason text,
      -- the response or the error; null for a large response, and for one that was lost with its process
      outcome jsonb,
      -- the run of an approved change; no other run may write
      run_id uuid,
      -- whether a transaction of the run has committed
      has_written boolean not null default false,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      primary key (workspace_id, request_id)
    )`.execute(db);
  await sql`create index change_requests_in_order on change_requests (workspace_id, created_at)`.execute(db);
  await sql`create index change_requests_running on change_requests (workspace_id) where status = 'running'`.execute(
    db,
  );
  await tenantTable(db, 'change_requests');
  // Longer than any change takes, so the process has ended. A run that continues nevertheless cannot write any more.
  await sql`
    create function end_lost_change_requests() returns void
    language sql volatile ${asOwner} as $$
      update change_requests set
        status = case when has_written then 'done' else 'pending' end,
        decided_by = case when has_written then decided_by end,
        decided_at = case when has_written then decided_at end,
        run_id = null
      where status = 'running' and decided_at < now() - interval '2 minutes'
    $$`.execute(db);
  await sql`
    create function delete_old_change_requests() returns void
    language sql volatile ${asOwner} as $$
      delete from change_requests where created_at < now() - interval '90 days' and status <> 'running'
    $$`.execute(db);
  await grantToService(db, ['end_lost_change_requests()', 'delete_old_change_requests()']);
}
