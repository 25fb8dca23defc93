import { type Kysely, sql } from 'kysely';
import { tenantTable } from './tenant-table.js';

/** The audit log: calculations, changes and sign-ins. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit_runs (
      workspace_id uuid not null,
      run_id uuid not null,
      actor text not null,
      trigger text not null,
      scope text not null,
      deal_id text,
      rep_id uuid,
      period text,
      outcome text not null check (outcome in ('written', 'no_change', 'skipped', 'statement_locked', 'failed')),
      events_written integer not null default 0,
      events_reversed integer not null default 0,
      statement_locked integer not null default 0,
      skipped integer not null default 0,
      deals integer not null default 0,
      blocked jsonb,
      details jsonb,
      error text,
      started_at timestamptz not null default now(),
      duration_ms integer not null default 0,
      primary key (workspace_id, run_id)
    )`.execute(db);
  await sql`create index audit_runs_by_time on audit_runs (workspace_id, started_at desc)`.execute(db);
  await tenantTable(db, 'audit_runs');

  // One run processes the requests of several deals and jobs.
  await sql`
    create table audit_run_deals (
      workspace_id uuid not null,
      deal_id text not null,
      run_id uuid not null,
      primary key (workspace_id, deal_id, run_id)
    )`.execute(db);
  await tenantTable(db, 'audit_run_deals');
  await sql`
    create table audit_run_jobs (
      workspace_id uuid not null,
      job_id uuid not null,
      run_id uuid not null,
      primary key (workspace_id, job_id, run_id)
    )`.execute(db);
  await tenantTable(db, 'audit_run_jobs');
}
