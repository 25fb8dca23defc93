import { type Kysely, sql } from 'kysely';

/**
 * A reversed row of an approved period pays nothing and holds nothing, so its deal may take it up again on a day that is
 * open: then it stands there. Whatever is earned on an approved day, and whatever would be, is refused as before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const frozenAmong = (rows: string, exempt: string) =>
    sql.raw(`
      select s.period into frozen
      from (select distinct workspace_id, rep_id from ${rows}) r
      join statement_periods s on s.workspace_id = r.workspace_id and s.rep_id = r.rep_id and s.status = 'approved'
      where exists (select from ${rows} e where e.workspace_id = s.workspace_id and e.rep_id = s.rep_id
        and e.earned_on between s.from_day and s.to_day ${exempt})
      limit 1;`);
  await sql`
    create or replace function refuse_events_of_approved_periods() returns trigger language plpgsql as $$
    declare frozen text;
    begin
      if tg_op = 'INSERT' then ${frozenAmong('new_rows', "and e.kind <> 'true_up'")}
      elsif tg_op = 'DELETE' then ${frozenAmong('old_rows', '')}
      else ${frozenAmong('old_rows', "and e.status <> 'reversed'")}
      end if;
      if frozen is null and tg_op = 'UPDATE' then ${frozenAmong('new_rows', '')}
      end if;
      if frozen is not null then
        raise exception 'statement_locked: commission of the approved period % cannot be written', frozen;
      end if;
      return null;
    end $$`.execute(db);
}
