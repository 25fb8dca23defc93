import { type Kysely, sql } from 'kysely';
import { bumpCacheVersion, bumpConfigurationRevision, recordRowChanges } from './change-triggers.js';
import { tenantTable } from './tenant-table.js';

/** Values of dated fields of people, which keys of rate tables read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table person_values (
      workspace_id uuid not null,
      rep_id uuid not null,
      -- a dated field of the workspace, or title, team or location
      slug text not null check (length(slug) between 1 and 50),
      -- [{from, value}] in the order of days; without from it holds from the beginning
      dated_values jsonb not null check (jsonb_typeof(dated_values) = 'array'),
      primary key (workspace_id, rep_id, slug),
      foreign key (workspace_id, rep_id) references reps
    )`.execute(db);
  await tenantTable(db, 'person_values');
  await bumpConfigurationRevision(db, 'person_values');
  await bumpCacheVersion(db, 'person_values');
  await recordRowChanges(db, 'person_values', { ids: ['rep_id', 'slug'], hidden: ['dated_values'] });
  await keepValuesOfProfiles(db);
}

/**
 * The title, the team and the location become dated when a table reads them: a new one holds from today on, and the one
 * before it until then. One that is removed holds on.
 */
async function keepValuesOfProfiles(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function keep_person_values() returns trigger
    language plpgsql as $$
    declare
      today text := (
        select coalesce(w.test_day, (now() at time zone known_zone(w.timezone))::date)::text
        from workspaces w where w.workspace_id = new.workspace_id);
    begin
      insert into person_values as v (workspace_id, rep_id, slug, dated_values)
      select new.workspace_id, new.rep_id, s.slug, s.before || s.after
      from (
        select x.slug,
          case when x.old_value is null then '[]' else jsonb_build_array(jsonb_build_object('value', x.old_value)) end,
          case when x.new_value is null then '[]'
            else jsonb_build_array(jsonb_build_object('from', today, 'value', x.new_value)) end
        from (values
          ('title', old.title, new.title), ('team', old.team, new.team), ('location', old.location, new.location)
        ) x (slug, old_value, new_value)
        where x.old_value is distinct from x.new_value and exists (
          select from rate_tables t cross join jsonb_array_elements(t.keys) k
          where t.workspace_id = new.workspace_id and lower(k ->> 'field') = 'rep.' || x.slug)
      ) s (slug, before, after)
      on conflict (workspace_id, rep_id, slug) do update set dated_values = (
        select jsonb_agg(e order by coalesce(e ->> 'from', ''))
        from (
          select e from jsonb_array_elements(v.dated_values) e where e ->> 'from' is distinct from today
          union all
          select e from jsonb_array_elements(excluded.dated_values) e where e ->> 'from' = today
        ) kept (e))
      where excluded.dated_values -> -1 ->> 'from' = today;
      return null;
    end $$`.execute(db);
  await sql`
    create trigger keep_person_values after update of title, team, location on reps
    for each row when ((old.title, old.team, old.location) is distinct from (new.title, new.team, new.location))
    execute function keep_person_values()`.execute(db);
}
