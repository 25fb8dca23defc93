import { type Kysely, sql } from 'kysely';
import { tenantTable } from './tenant-table.js';

/** Targets of reps. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table quotas (
      workspace_id uuid not null,
      quota_id uuid not null,
      rep_id uuid not null,
      plan_id uuid not null,
      plan_rule_id uuid not null,
      attainment_key text not null,
      period text not null,
      target numeric(20, 6) not null check (target >= 0 and target <> 'NaN'),
      variable_target numeric(20, 6) check (variable_target >= 0 and variable_target <> 'NaN'),
      -- the credit in the period; calculations write it
      current_value numeric not null default 0 check (current_value <> 'NaN'),
      updated_at timestamptz not null default now(),
      primary key (workspace_id, quota_id),
      constraint quotas_natural unique (workspace_id, rep_id, plan_id, attainment_key, period),
      foreign key (workspace_id, rep_id) references reps,
      foreign key (workspace_id, plan_id) references plans on delete cascade
    )`.execute(db);
  await tenantTable(db, 'quotas');
}
