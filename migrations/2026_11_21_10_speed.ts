import { type Kysely, sql } from 'kysely';

/** What an unchanged workspace is known by, so that a recalculation of it has nothing to do. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table workspaces add column
      -- moves with everything that decides what reps earn, but for their deals
      configuration_revision bigint not null default 0`.execute(db);
  await sql`
    alter table lanes
      -- What the last run said of the rep, when it was over all days and nothing held it back. It stands until a request
      -- comes, the configuration moves, the day is over (where periodic rules wait for it) or other code calculates.
      add column settled_revision bigint,
      add column settled_until date,
      add column settled_code uuid,
      add column settled_deals integer,
      add column settled_skipped integer,
      add check (num_nulls(settled_revision, settled_until, settled_code, settled_deals, settled_skipped) in (0, 5))`.execute(
    db,
  );
  await createRevisionTriggers(db);
}

const configurationTables = ['plan_versions', 'plan_rules', 'plan_overrides', 'assignments', 'reporting_lines'];

/**
 * In the database and not in the commands: whoever changes a plan or a quota by whatever way moves the revision. Once a
 * statement, however many rows it changes; a change that names no workspace, by the owner's hand, moves all of them.
 */
async function createRevisionTriggers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function move_configuration_revision()
    returns trigger
    language plpgsql as $$
    begin
      update workspaces set configuration_revision = configuration_revision + 1
      where workspace_id = coalesce(nullif(current_setting('app.workspace_id', true), '')::uuid, workspace_id);
      return null;
    end $$`.execute(db);
  for (const table of configurationTables)
    await sql`
      create trigger move_configuration_revision after insert or update or delete or truncate on ${sql.table(table)}
      for each statement execute function move_configuration_revision()`.execute(db);
  // The counter of a quota is what calculations write, and decides nothing.
  await sql`
    create trigger move_configuration_revision
    after insert or delete or truncate or update of rep_id, plan_id, attainment_key, period, target, variable_target on quotas
    for each statement execute function move_configuration_revision()`.execute(db);
  await sql`
    create function move_own_configuration_revision()
    returns trigger
    language plpgsql as $$
    begin
      new.configuration_revision := old.configuration_revision + 1;
      return new;
    end $$`.execute(db);
  await sql`
    create trigger move_configuration_revision before update of currency, timezone, field_mapping on workspaces
    for each row execute function move_own_configuration_revision()`.execute(db);
}
