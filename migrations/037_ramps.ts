import { type Kysely, sql } from 'kysely';
import { tenantTable } from './tenant-table.js';

/** Ramps of assignments, quotas that nothing prorates, and the factor below which no target falls. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table ramps (
      workspace_id uuid not null references workspaces on delete cascade,
      ramp_id uuid not null,
      name text not null check (length(name) between 1 and 200),
      steps jsonb not null,
      created_at timestamptz not null default now(),
      primary key (workspace_id, ramp_id)
    )`.execute(db);
  await sql`create unique index ramps_by_name on ramps (workspace_id, lower(name))`.execute(db);
  await tenantTable(db, 'ramps');
  for (const name of ['bump_configuration_revision', 'bump_workspace_cache_version'])
    await sql`
      create trigger ${sql.raw(name)} after insert or update or delete or truncate on ramps
      for each statement execute function ${sql.raw(name)}()`.execute(db);
  await sql`
    create trigger record_row_change after insert or update or delete on ramps
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change('ramp_id', '', '')`.execute(db);
  await sql`
    alter table assignments add column ramp_id uuid, add column ramp_from date,
      add constraint assignments_ramp_fkey foreign key (workspace_id, ramp_id) references ramps,
      add constraint assignments_ramp_check check (ramp_from is null or ramp_id is not null)`.execute(db);
  await sql`create index assignments_by_ramp on assignments (workspace_id, ramp_id) where ramp_id is not null`.execute(
    db,
  );
  await sql`alter table quotas add column prorate boolean not null default true`.execute(db);
  await sql`
    create trigger bump_configuration_revision_of_proration after update of prorate on quotas
    for each statement execute function bump_configuration_revision()`.execute(db);
  await sql`
    alter table workspaces add column min_quota_percent numeric(9, 6) not null default 25
      check (min_quota_percent between 1 and 100)`.execute(db);
  await sql`
    create trigger bump_configuration_revision_of_proration before update of min_quota_percent on workspaces
    for each row execute function bump_own_configuration_revision()`.execute(db);
  await sql`
    create trigger bump_workspace_cache_version_of_proration after update of min_quota_percent on workspaces
    for each statement execute function bump_workspace_cache_version()`.execute(db);
}
