import { type Kysely, sql } from 'kysely';
import { bumpCacheVersion, bumpConfigurationRevision, recordRowChanges } from './change-triggers.js';
import { asOwner, grantToService } from './owner-functions.js';
import { tenantTable } from './tenant-table.js';
import { ofWritable } from './writable-workspaces.js';

/** Dated fields of people, holidays, what is new since a visit, weekly mails about pay, and searches in lists. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createSearchText(db);
  await createHolidays(db);
  await createDatedFields(db);
  await createVisits(db);
  await createRepDigests(db);
}

/** Lists are searched and sorted without regard to case and accents: Jürgen Großmann is jurgen grossmann. */
async function createSearchText(db: Kysely<unknown>): Promise<void> {
  // Most texts have only characters for which the first branch, which takes a tenth of the time, is enough.
  await sql`
    create function search_text(text) returns text
    language sql immutable parallel safe as $$
      select case when $1 ~ '^[ -~]*$' then lower($1) else
        replace(replace(replace(replace(
          translate(regexp_replace(lower(normalize($1, NFKD)), '[\u0300-\u036f]', '', 'g'), 'øđðłı', 'oddli'),
          'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') end
    $$`.execute(db);
}

/** Days on which the company does not work. No commission depends on them. */
async function createHolidays(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table holidays (
      workspace_id uuid not null references workspaces,
      day date not null,
      name text not null check (length(name) between 1 and 200),
      primary key (workspace_id, day)
    )`.execute(db);
  await tenantTable(db, 'holidays');
  await bumpCacheVersion(db, 'holidays');
  await recordRowChanges(db, 'holidays', { ids: ['day'], hidden: ['name'] });
}

/** Values of dated fields of people, which keys of rate tables read. */
async function createDatedFields(db: Kysely<unknown>): Promise<void> {
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
 * before it until then. One that is removed holds on. Dated values of a person are kept when no table reads them any
 * longer, because a table that is made later reads them.
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
        where x.old_value is distinct from x.new_value and (
          exists (
            select from rate_tables t cross join jsonb_array_elements(t.keys) k
            where t.workspace_id = new.workspace_id and lower(k ->> 'field') = 'rep.' || x.slug)
          or exists (
            select from person_values p
            where p.workspace_id = new.workspace_id and p.rep_id = new.rep_id and p.slug = x.slug))
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

/** When people last looked at their pay. A visit has one row and no history, and no response that is cached reads it. */
async function createVisits(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table visits (
      workspace_id uuid not null,
      rep_id uuid not null,
      -- when the visit before this one ended; null in the first one
      since timestamptz,
      visited_at timestamptz not null,
      primary key (workspace_id, rep_id),
      foreign key (workspace_id, rep_id) references reps on delete cascade
    )`.execute(db);
  await tenantTable(db, 'visits');
}

/** The weekly mails to people about their pay: one row for each person, which is written with the mail of a week. */
async function createRepDigests(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table rep_digests (
      workspace_id uuid not null,
      rep_id uuid not null,
      -- the Monday of the last week for which the person had one
      week date not null,
      -- until when its changes are
      until timestamptz not null,
      primary key (workspace_id, rep_id),
      foreign key (workspace_id, rep_id) references reps on delete cascade
    )`.execute(db);
  await tenantTable(db, 'rep_digests');
  // {from, quietHours}: from a Monday on; null while it is off
  await sql`alter table workspaces add column rep_digest jsonb`.execute(db);
  await sql`
    create function workspaces_with_rep_digests()
    returns table (workspace_id uuid, timezone text, rep_digest jsonb)
    language sql stable ${asOwner} as $$
      select w.workspace_id, w.timezone, w.rep_digest from workspaces w
      where w.rep_digest is not null and not w.is_sandbox and ${ofWritable('w.workspace_id')}
    $$`.execute(db);
  await grantToService(db, ['workspaces_with_rep_digests()']);
}
