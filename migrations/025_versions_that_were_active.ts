import { type Kysely, sql } from 'kysely';

/** A plan version stores whether it was ever active: only then may events of its days have been earned. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table plan_versions add column has_been_active boolean not null default false`.execute(db);
  // A draft that pays nothing now was active if events that it earned have stayed.
  await sql`
    update plan_versions v set has_been_active = true
    where status <> 'draft' or exists (
      select from commission_events e
      where e.workspace_id = v.workspace_id and e.plan_version_id = v.plan_version_id)`.execute(db);
  // A trigger, so that a process of the previous release, which does not know the column, sets it too.
  await sql`
    create function note_active_version() returns trigger language plpgsql as $$
    begin
      new.has_been_active := new.has_been_active or new.status = 'active';
      return new;
    end $$`.execute(db);
  await sql`
    create trigger note_active_version before insert or update of status on plan_versions
    for each row execute function note_active_version()`.execute(db);
}
