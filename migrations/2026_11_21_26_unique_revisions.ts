import { type Kysely, sql } from 'kysely';

/**
 * A revision of the configuration that is never given twice. Counted, the same number could come again with other plans
 * behind it: after a restore, or a failover to a server that had not heard of the last change. Who remembers a revision
 * would then take the new plans for the old ones.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update lanes set settled_revision = null, settled_until = null, settled_code = null, settled_deals = null, settled_skipped = null
    where settled_revision is not null`.execute(db);
  await sql`alter table lanes alter column settled_revision type uuid using null::uuid`.execute(db);
  await sql`
    alter table workspaces
      alter column configuration_revision drop default,
      alter column configuration_revision type uuid using gen_random_uuid(),
      alter column configuration_revision set default gen_random_uuid()`.execute(db);
  await sql`
    create or replace function move_configuration_revision()
    returns trigger
    language plpgsql as $$
    begin
      update workspaces set configuration_revision = gen_random_uuid()
      where workspace_id = coalesce(nullif(current_setting('app.workspace_id', true), '')::uuid, workspace_id);
      return null;
    end $$`.execute(db);
  await sql`
    create or replace function move_own_configuration_revision()
    returns trigger
    language plpgsql as $$
    begin
      new.configuration_revision := gen_random_uuid();
      return new;
    end $$`.execute(db);
}
