import { type Kysely, sql } from 'kysely';
import { appRole, tenantTable } from './tenant-table.js';

/** Files that take a moment to make: what was asked for, who makes it, and the bytes for an hour. With what payroll needs to know of people. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table reps add column payroll_id text check (length(payroll_id) between 1 and 50)`.execute(db);
  await sql`
    alter table workspaces
      add column paper text check (paper in ('A4', 'Letter')),
      add column payroll jsonb not null default '{}'`.execute(db);

  await sql`
    create table documents (
      workspace_id uuid not null,
      document_id uuid not null,
      kind text not null check (kind in ('statement.pdf', 'statement.xlsx', 'team.pdf', 'team.xlsx', 'team.zip')),
      -- null for documents of the team
      rep_id uuid,
      period text not null,
      status text not null default 'waiting' check (status in ('waiting', 'running', 'completed', 'failed')),
      total integer not null default 1,
      done integer not null default 0,
      -- who makes it, until when it is theirs alone
      lease_id uuid,
      leased_until timestamptz,
      attempts integer not null default 0,
      -- media type, file name and headers of the finished file
      file jsonb,
      error_code text,
      error text,
      actor text not null,
      started_at timestamptz not null default now(),
      finished_at timestamptz,
      primary key (workspace_id, document_id),
      foreign key (workspace_id, rep_id) references reps
    )`.execute(db);
  // Who asks for what nobody has begun to make gets the same.
  await sql`
    create unique index documents_waiting on documents (workspace_id, kind, rep_id, period) nulls not distinct
    where status = 'waiting'`.execute(db);
  await sql`create index documents_unfinished on documents (workspace_id, started_at) where finished_at is null`.execute(
    db,
  );
  await tenantTable(db, 'documents');

  await sql`
    create table document_parts (
      workspace_id uuid not null,
      document_id uuid not null,
      part integer not null,
      -- in an archive each part is a file: its name and whose it is; else the parts are one file in a row
      name text,
      rep_id uuid,
      content bytea not null,
      primary key (workspace_id, document_id, part),
      foreign key (workspace_id, document_id) references documents on delete cascade
    )`.execute(db);
  // PDFs and workbooks are compressed already.
  await sql`alter table document_parts alter column content set storage external`.execute(db);
  await tenantTable(db, 'document_parts');

  await createCrossings(db);
}

async function createCrossings(db: Kysely<unknown>): Promise<void> {
  // Workspaces take turns, so that one that asks for everything at once cannot keep the others waiting.
  await sql`
    create function due_documents(at_most integer)
    returns table (workspace_id uuid, document_id uuid)
    language sql stable security definer set search_path = public, pg_temp as $$
      select due.workspace_id, due.document_id
      from (
        select d.workspace_id, d.document_id, d.started_at,
          row_number() over (partition by d.workspace_id order by d.kind = 'team.zip', d.started_at) as turn
        from documents d
        where d.finished_at is null and (d.leased_until is null or d.leased_until < now())
      ) due
      order by due.turn, due.started_at
      limit at_most
    $$`.execute(db);
  await sql`
    create function forget_old_documents() returns void
    language sql volatile security definer set search_path = public, pg_temp as $$
      delete from documents where finished_at < now() - interval '1 hour' or started_at < now() - interval '1 day'
    $$`.execute(db);
  for (const crossing of ['due_documents(integer)', 'forget_old_documents()']) {
    await sql`revoke all on function ${sql.raw(crossing)} from public`.execute(db);
    await sql`grant execute on function ${sql.raw(crossing)} to ${sql.raw(appRole)}`.execute(db);
  }
}
