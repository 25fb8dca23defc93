import { type Kysely, sql } from 'kysely';
import { appRole } from './tenant-table.js';

/**
 * A deal's standing version is the deal itself, and its history holds only what was replaced: storing a deal writes one
 * row instead of two. What was kept twice so far goes; `deal_versions` still shows every version, the standing one last.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    delete from deal_snapshots s using deals d
    where d.workspace_id = s.workspace_id and d.deal_id = s.deal_id and s.snapshot_id = (
      select max(same.snapshot_id) from deal_snapshots same
      where same.workspace_id = d.workspace_id and same.deal_id = d.deal_id and same.fields = d.fields
        and same.given = d.given and same.deleted = (d.deleted_at is not null))`.execute(db);
  await sql`
    create view deal_versions with (security_invoker = true) as
    select workspace_id, deal_id, snapshot_id, taken_at, source_updated_at, provider, fields, given, deleted
    from deal_snapshots
    union all
    select workspace_id, deal_id, null, snapshot_at, source_updated_at, provider, fields, given, deleted_at is not null
    from deals`.execute(db);
  await sql`grant select on deal_versions to ${sql.raw(appRole)}`.execute(db);
}
