import { type Kysely, sql } from 'kysely';

/** Time zones of workspaces that PostgreSQL does not know get the name that it has, and count as UTC until then. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function known_zone(zone text) returns text
    language plpgsql stable as $$
    begin
      perform now() at time zone zone;
      return zone;
    exception when invalid_parameter_value then
      return 'UTC';
    end $$`.execute(db);
  await sql`
    create or replace function people_below(workspace uuid, manager uuid) returns uuid[]
    language sql stable as $$
      with recursive today (day) as (
        select (now() at time zone known_zone(w.timezone))::date from workspaces w where w.workspace_id = workspace
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
  await renameUnknownZones(db);
}

/** Days followed Node.js, so a zone keeps what Node.js means by it. */
async function renameUnknownZones(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ timezone: string }>`
    select distinct timezone from workspaces
    where timezone not in (select name from pg_timezone_names)`.execute(db);
  for (const { timezone } of rows)
    await sql`
      update workspaces set timezone = coalesce(
        (select name from pg_timezone_names where lower(name) = lower(${timezone}) limit 1),
        (select name from pg_timezone_names where name = ${nodeZone(timezone)}),
        'UTC')
      where timezone = ${timezone}`.execute(db);
}

function nodeZone(timezone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}
