import { type Kysely, sql } from 'kysely';

/** Who approved a statement, by name as it was at that time: people are renamed, and keys are replaced. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table statement_periods add column approver jsonb`.execute(db);
  await sql`
    update statement_periods s
    set approver = jsonb_strip_nulls(jsonb_build_object('repId', r.rep_id, 'name', coalesce(r.name, 'workspace key')))
    from statement_periods p
    left join reps r on r.workspace_id = p.workspace_id and p.approved_by = 'rep:' || r.rep_id
    where s.status = 'approved' and p.workspace_id = s.workspace_id and p.rep_id = s.rep_id and p.period = s.period`.execute(
    db,
  );
}
