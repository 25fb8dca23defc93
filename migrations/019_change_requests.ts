import { type Kysely, sql } from 'kysely';
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
      -- running: approved, without an outcome yet
      status text not null check (status in ('pending', 'running', 'done', 'failed', 'rejected')),
      -- the actor of the decision
      decided_by text check ((status = 'pending') = (decided_by is null)),
      decided_at timestamptz check ((status = 'pending') = (decided_at is null)),
      reason text,
      -- the response or the error; null for a large response
      outcome jsonb,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      primary key (workspace_id, request_id)
    )`.execute(db);
  await sql`create index change_requests_in_order on change_requests (workspace_id, created_at)`.execute(db);
  await tenantTable(db, 'change_requests');
}
