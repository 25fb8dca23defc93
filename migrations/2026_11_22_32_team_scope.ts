import { type Kysely, sql } from 'kysely';
import { appRole } from './tenant-table.js';

/**
 * The role `payroll`, and the workspace setting that restricts managers to the people below them. Whom a manager may see is
 * read with the token of every request, so that a change of the setting or of a reporting line applies to the next one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table reps drop constraint reps_role_check`.execute(db);
  await sql`
    alter table reps add constraint reps_role_check check (role in ('admin', 'manager', 'payroll', 'rep'))`.execute(db);
  await sql`
    alter table workspaces add column manager_scope text not null default 'workspace'
      check (manager_scope in ('workspace', 'reports'))`.execute(db);
  await sql`
    create trigger raise_answer_revisions_of_scope after update of manager_scope on workspaces
    for each statement execute function raise_answer_revisions_of_everyone()`.execute(db);
  await createPeopleBelow(db);
  await createVisibleTeam(db);
  await createAdmitRequests(db);
  await scopeDocuments(db);
}

const settings = sql.raw('security definer set search_path = public, pg_temp set enable_seqscan = off');

/** The manager and everyone below them on the current day of the workspace. */
async function createPeopleBelow(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function people_below(workspace uuid, manager uuid)
    returns uuid[]
    language sql stable as $$
      with recursive today (day) as (
        select (now() at time zone w.timezone)::date from workspaces w where w.workspace_id = workspace
      ),
      people (rep_id) as (
        select manager
        union
        select l.rep_id from people p
        join reporting_lines l on l.workspace_id = workspace and l.manager_id = p.rep_id
        where l.from_day <= (select day from today) and coalesce(l.to_day, 'infinity') >= (select day from today)
      )
      select array_agg(rep_id order by rep_id) from people
    $$`.execute(db);
}

/** Null where the setting does not restrict managers. */
async function createVisibleTeam(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function visible_team(workspace uuid, manager uuid)
    returns uuid[]
    language plpgsql stable ${settings} as $$
    begin
      if not exists (select from workspaces w where w.workspace_id = workspace and w.manager_scope = 'reports') then
        return null;
      end if;
      return people_below(workspace, manager);
    end $$`.execute(db);
  await sql`revoke all on function visible_team(uuid, uuid) from public`.execute(db);
}

/** As before, with the people whom a session of a manager is restricted to. */
async function createAdmitRequests(db: Kysely<unknown>): Promise<void> {
  await sql`drop function admit_requests(bytea[], integer[], boolean[], integer)`.execute(db);
  await sql`
    create function admit_requests(hashes bytea[], asked integer[], with_revisions boolean[], most integer)
    returns table (hash bytea, workspace_id uuid, token_id uuid, kind text, rep_id uuid, role text, active boolean,
      admitted integer, remaining integer, reset_second bigint, now_second double precision, revisions text, team uuid[])
    language plpgsql volatile ${settings} as $$
    #variable_conflict use_column
    declare
      place integer;
    begin
      for hash, workspace_id, token_id, kind, rep_id, role, active in select * from find_tokens(hashes) loop
        place := array_position(hashes, hash);
        if most is not null then
          select c.admitted, c.remaining, c.reset_second, c.now_second
          into admitted, remaining, reset_second, now_second
          from count_requests(array[workspace_id], array[token_id], asked[place : place], array[most],
            array[null::timestamptz]) c;
        end if;
        revisions := case when with_revisions[place] then answer_revisions_of(workspace_id) end;
        team := case when kind = 'sess' and role = 'manager' then visible_team(workspace_id, rep_id) end;
        return next;
      end loop;
    end $$`.execute(db);
  const crossing = sql.raw('admit_requests(bytea[], integer[], boolean[], integer)');
  await sql`revoke all on function ${crossing} from public`.execute(db);
  await sql`grant execute on function ${crossing} to ${sql.raw(appRole)}`.execute(db);
}

/** A team document that a restricted manager ordered holds the people below that manager. */
async function scopeDocuments(db: Kysely<unknown>): Promise<void> {
  await sql`alter table documents add column manager_id uuid`.execute(db);
  await sql`
    alter table documents add foreign key (workspace_id, manager_id) references reps (workspace_id, rep_id)`.execute(
    db,
  );
  await sql`drop index documents_waiting`.execute(db);
  await sql`
    create unique index documents_waiting on documents (workspace_id, kind, rep_id, period, manager_id) nulls not distinct
    where status = 'waiting'`.execute(db);
}
