import { type Kysely, sql } from 'kysely';
import { bumpCacheVersion, recordRowChanges } from './change-triggers.js';
import { tenantTable } from './tenant-table.js';

/** Exceptions: deals that did not pay. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createAcceptedExceptions(db);
  await createExceptionRows(db);
}

/** What did not pay and is right so: one deal, or every deal for which a rule pays nothing, for one reason. */
async function createAcceptedExceptions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table accepted_exceptions (
      workspace_id uuid not null references workspaces on delete cascade,
      acceptance_id uuid not null,
      reason text not null check (length(reason) between 1 and 100),
      deal_id text,
      plan_id uuid,
      rule_name text,
      note text not null check (length(note) between 1 and 1000),
      accepted_by text not null,
      accepted_at timestamptz not null default now(),
      primary key (workspace_id, acceptance_id),
      foreign key (workspace_id, plan_id) references plans,
      check ((deal_id is null) = (plan_id is not null)),
      check ((rule_name is null) = (plan_id is null))
    )`.execute(db);
  await sql`
    create unique index accepted_exceptions_of_deals on accepted_exceptions (workspace_id, deal_id, reason)
    where deal_id is not null`.execute(db);
  await sql`
    create unique index accepted_exceptions_of_rules on accepted_exceptions (workspace_id, plan_id, rule_name, reason)
    where plan_id is not null`.execute(db);
  await tenantTable(db, 'accepted_exceptions');
  await bumpCacheVersion(db, 'accepted_exceptions');
  await recordRowChanges(db, 'accepted_exceptions', { ids: ['acceptance_id'], hidden: ['note'] });
}

/** The list of a job for a large workspace. */
async function createExceptionRows(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table exception_job_rows (
      workspace_id uuid not null,
      job_id uuid not null,
      position integer not null,
      reason text not null,
      deal_id text not null,
      rep_id uuid,
      currency text,
      amount numeric,
      content jsonb not null,
      primary key (workspace_id, job_id, position),
      foreign key (workspace_id, job_id) references stored_jobs on delete cascade
    )`.execute(db);
  await sql`create index exception_job_rows_by_reason on exception_job_rows (workspace_id, job_id, reason)`.execute(db);
  await tenantTable(db, 'exception_job_rows');
}
