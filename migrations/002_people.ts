import { type Kysely, sql } from 'kysely';
import { asOwnerWithIndexes } from './owner-functions.js';
import { tenantTable } from './tenant-table.js';

/** Reps and who reports to whom. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table reps (
      workspace_id uuid not null references workspaces,
      rep_id uuid not null,
      email text not null check (email = lower(email) and length(email) <= 254),
      name text not null check (length(name) between 1 and 200),
      role text not null check (role in ('admin', 'manager', 'payroll', 'rep')),
      active boolean not null default true,
      crm_member_id text,
      -- Whether the CRM listed the member as active at the last sync. Only a change of this value changes "active", so
      -- that a sync does not undo the decision of an administrator.
      crm_active boolean,
      avatar text,
      invite_status text check (invite_status in ('invited', 'accepted')),
      provider text,
      payroll_id text check (length(payroll_id) between 1 and 50),
      -- the kinds of mail that the person does not receive
      mail_opt_outs text[] not null default '{}',
      synced_at timestamptz,
      created_at timestamptz not null default now(),
      primary key (workspace_id, rep_id),
      constraint reps_email unique (workspace_id, email),
      constraint reps_crm_member unique (workspace_id, crm_member_id)
    )`.execute(db);
  // A sign-in names an address and no workspace.
  await sql`create index reps_by_email on reps (email)`.execute(db);
  await tenantTable(db, 'reps');

  await sql`
    create table reporting_lines (
      workspace_id uuid not null,
      rep_id uuid not null,
      from_day date not null,
      to_day date,
      manager_id uuid not null,
      primary key (workspace_id, rep_id, from_day),
      foreign key (workspace_id, rep_id) references reps,
      foreign key (workspace_id, manager_id) references reps,
      check (rep_id <> manager_id),
      check (to_day is null or to_day >= from_day)
    )`.execute(db);
  await sql`create index reporting_lines_by_manager on reporting_lines (workspace_id, manager_id)`.execute(db);
  await tenantTable(db, 'reporting_lines');
  await createTeamFunctions(db);
}

async function createTeamFunctions(db: Kysely<unknown>): Promise<void> {
  // The manager and all people below on the current day of the workspace.
  await sql`
    create function people_below(workspace uuid, manager uuid) returns uuid[]
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
  // The reps that the manager may see; null if the workspace does not restrict managers. Only admit_requests calls it,
  // for every request of a manager, so that a change of the setting or of a reporting line applies to the next request.
  await sql`
    create function visible_team(workspace uuid, manager uuid) returns uuid[]
    language plpgsql stable ${asOwnerWithIndexes} as $$
    begin
      if not exists (select from workspaces w where w.workspace_id = workspace and w.manager_scope = 'reports') then
        return null;
      end if;
      return people_below(workspace, manager);
    end $$`.execute(db);
  await sql`revoke all on function visible_team(uuid, uuid) from public`.execute(db);
}
