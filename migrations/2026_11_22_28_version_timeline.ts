import { type Kysely, sql } from 'kysely';

/**
 * A plan has a status of its own beside those of its versions, and a version names the one that it supersedes. The
 * status of an existing plan follows from its versions: active if one of them is, otherwise that of the latest. Until
 * now the highest active version whose dates contain a day applied, so a version is taken to supersede the one before
 * it unless it starts later.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table plans
      add column status text not null default 'active' check (status in ('draft', 'active', 'archived', 'deleted'))`.execute(
    db,
  );
  await sql`
    alter table plan_versions
      add column supersedes uuid,
      add foreign key (workspace_id, supersedes) references plan_versions,
      add check (supersedes <> plan_version_id)`.execute(db);
  await sql`
    update plans p set status = latest.status
    from (
      select distinct on (v.workspace_id, v.plan_id) v.workspace_id, v.plan_id, v.status
      from plan_versions v
      order by v.workspace_id, v.plan_id, (v.status = 'active') desc, v.version desc
    ) latest
    where latest.workspace_id = p.workspace_id and latest.plan_id = p.plan_id and latest.status <> 'active'`.execute(
    db,
  );
  await sql`
    update plan_versions v set supersedes = previous.plan_version_id
    from plan_versions previous
    where previous.workspace_id = v.workspace_id and previous.plan_id = v.plan_id and previous.version = v.version - 1
      and coalesce(v.effective_start, '-infinity') <= coalesce(previous.effective_start, '-infinity')`.execute(db);
  await sql`create index plan_versions_superseding on plan_versions (workspace_id, supersedes)`.execute(db);
  await sql`
    create trigger move_configuration_revision after insert or delete or truncate or update of status on plans
    for each statement execute function move_configuration_revision()`.execute(db);
}
