import { type Kysely, sql } from 'kysely';
import { bumpCacheVersion, bumpConfigurationRevision, recordRowChanges } from './change-triggers.js';
import { asOwner, asOwnerWithIndexes, grantToService } from './owner-functions.js';
import { insertOnly, tenantTable } from './tenant-table.js';

/**
 * Reps, who reports to whom, when they work, and in which currency they are paid. Rows that say only what a person is go
 * with the person, if an import that created the person is taken back.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createReps(db);
  await createPayrollIds(db);
  await createReportingLines(db);
  await createTeamFunctions(db);
  await createScimUsers(db);
  await createAbsences(db);
  await createEmploymentHistory(db);
  await createRamps(db);
  await createPayCurrencies(db);
}

async function createReps(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table reps (
      workspace_id uuid not null references workspaces,
      rep_id uuid not null,
      email text not null check (email = lower(email) and length(email) <= 254),
      name text not null check (length(name) between 1 and 200),
      role text not null check (role in ('admin', 'manager', 'payroll', 'finance', 'auditor', 'rep')),
      active boolean not null default true,
      title text check (length(title) between 1 and 200),
      team text check (length(team) between 1 and 200),
      location text check (length(location) between 1 and 200),
      -- the values of the fields that the workspace defines
      fields jsonb not null default '{}' check (jsonb_typeof(fields) = 'object'),
      hire_date date,
      end_date date,
      recovery_percent numeric(9, 6) check (recovery_percent between 0 and 100),
      crm_member_id text,
      -- Whether the CRM listed the member as active at the last sync. Only a change of this value changes "active", so
      -- that a sync does not undo the decision of an administrator.
      crm_active boolean,
      avatar text,
      invite_status text check (invite_status in ('invited', 'accepted')),
      invite_mail_id uuid,
      provider text,
      payroll_id text check (length(payroll_id) between 1 and 50),
      -- null for a person without an id, and for one who shares the id of another person
      payroll_key text,
      payroll_id_changed_at timestamptz,
      -- the kinds of mail that the person does not receive
      mail_opt_outs text[] not null default '{}',
      -- the views of lists that the person has saved
      saved_views jsonb not null default '[]',
      synced_at timestamptz,
      created_at timestamptz not null default now(),
      primary key (workspace_id, rep_id),
      constraint reps_email unique (workspace_id, email),
      constraint reps_crm_member unique (workspace_id, crm_member_id),
      -- Checked at the end of a statement, so that two people may swap their ids.
      constraint reps_payroll_key unique (workspace_id, payroll_key) deferrable initially immediate,
      constraint reps_employment_check check (end_date >= hire_date)
    )`.execute(db);
  // A sign-in names an address and no workspace.
  await sql`create index reps_by_email on reps (email)`.execute(db);
  await sql`
    create index reps_sharing_payroll_ids on reps (workspace_id)
    where payroll_id is not null and payroll_key is null`.execute(db);
  await tenantTable(db, 'reps');
  await bumpConfigurationRevision(db, 'reps', 'update of hire_date, end_date');
  // Not of columns that a sign-in writes: it would wait for a running change of the configuration.
  await bumpCacheVersion(
    db,
    'reps',
    'insert or delete or truncate or update of email, name, role, active, hire_date, end_date, recovery_percent',
  );
  await recordRowChanges(db, 'reps', {
    ids: ['rep_id'],
    hidden: ['email', 'name', 'avatar', 'payroll_id', 'crm_member_id', 'title', 'team', 'location', 'fields'],
    ignored: ['synced_at', 'payroll_key', 'saved_views'],
  });
}

/** Payroll ids belong to one person of a workspace, and it is known when they changed. */
async function createPayrollIds(db: Kysely<unknown>): Promise<void> {
  // Readers and payroll systems do not distinguish letter case, widths and spaces.
  await sql`
    create function payroll_key(payroll_id text) returns text
    language sql immutable parallel safe as $$
      select nullif(regexp_replace(lower(normalize(payroll_id, NFKC)), '[[:space:]]', '', 'g'), '')
    $$`.execute(db);
  await sql`
    create function record_payroll_id_change() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        if new.payroll_id is not distinct from old.payroll_id then return new; end if;
      elsif new.payroll_id is null then
        return new;
      end if;
      new.payroll_key := payroll_key(new.payroll_id);
      new.payroll_id_changed_at := now();
      return new;
    end $$`.execute(db);
  await sql`
    create trigger record_payroll_id_change before insert or update of payroll_id on reps
    for each row execute function record_payroll_id_change()`.execute(db);
}

async function createReportingLines(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table reporting_lines (
      workspace_id uuid not null,
      rep_id uuid not null,
      from_day date not null,
      to_day date,
      manager_id uuid not null,
      primary key (workspace_id, rep_id, from_day),
      foreign key (workspace_id, rep_id) references reps on delete cascade,
      foreign key (workspace_id, manager_id) references reps,
      check (rep_id <> manager_id),
      check (to_day is null or to_day >= from_day)
    )`.execute(db);
  await sql`create index reporting_lines_by_manager on reporting_lines (workspace_id, manager_id)`.execute(db);
  await tenantTable(db, 'reporting_lines');
  await bumpConfigurationRevision(db, 'reporting_lines');
  await bumpCacheVersion(db, 'reporting_lines');
  await recordRowChanges(db, 'reporting_lines', { ids: ['rep_id', 'from_day'] });
}

async function createTeamFunctions(db: Kysely<unknown>): Promise<void> {
  // The manager and all people below on the current day of the workspace.
  await sql`
    create function people_below(workspace uuid, manager uuid) returns uuid[]
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
  // The reps that the manager may see; null if the workspace does not restrict managers. Only admit_callers calls it,
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
  // For the weekly digest.
  await sql`
    create function workspaces_with_managers()
    returns table (workspace_id uuid, timezone text, digest_of date)
    language sql stable ${asOwner} as $$
      select w.workspace_id, w.timezone, w.digest_of from workspaces w
      where exists (select from reps r
        where r.workspace_id = w.workspace_id and r.active and r.role in ('manager', 'admin'))
    $$`.execute(db);
  await grantToService(db, ['workspaces_with_managers()']);
}

/** People that an identity provider provisions. */
async function createScimUsers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table scim_users (
      workspace_id uuid not null,
      rep_id uuid not null,
      -- The id and the parts of the name as the provider has them, which it compares with later.
      external_id text check (length(external_id) <= 500),
      given_name text check (length(given_name) <= 200),
      family_name text check (length(family_name) <= 200),
      -- Set while the provider has deleted the person. The person stays here, without a right to sign in.
      removed_at timestamptz,
      primary key (workspace_id, rep_id),
      foreign key (workspace_id, rep_id) references reps
    )`.execute(db);
  await sql`create index scim_users_by_external_id on scim_users (workspace_id, external_id)`.execute(db);
  await tenantTable(db, 'scim_users');
}

/** Absences, from which prorated quotas are computed. A row of a history is the state since then. */
async function createAbsences(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table absences (
      workspace_id uuid not null,
      absence_id uuid not null,
      rep_id uuid not null,
      from_day date not null,
      to_day date not null,
      -- in percent of the target and of the variable target
      quota_relief numeric(9, 6) not null check (quota_relief between 0 and 100),
      variable_relief numeric(9, 6) not null check (variable_relief between 0 and 100),
      note text check (length(note) <= 500),
      created_at timestamptz not null default now(),
      primary key (workspace_id, absence_id),
      constraint absences_natural unique (workspace_id, rep_id, from_day),
      foreign key (workspace_id, rep_id) references reps,
      check (to_day >= from_day)
    )`.execute(db);
  await tenantTable(db, 'absences');
  await bumpConfigurationRevision(db, 'absences');
  await bumpCacheVersion(db, 'absences');
  await recordRowChanges(db, 'absences', { ids: ['absence_id', 'rep_id'], hidden: ['note'] });
  await sql`
    create table absence_history (
      workspace_id uuid not null,
      position bigint generated always as identity,
      changed_at timestamptz not null default now(),
      absence_id uuid not null,
      rep_id uuid not null,
      -- null after a deletion, as all that follow
      from_day date,
      to_day date,
      quota_relief numeric(9, 6),
      variable_relief numeric(9, 6),
      primary key (workspace_id, absence_id, position),
      foreign key (workspace_id, rep_id) references reps
    )`.execute(db);
  await tenantTable(db, 'absence_history');
  await insertOnly(db, 'absence_history');
}

async function createEmploymentHistory(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table employment_history (
      workspace_id uuid not null,
      position bigint generated always as identity,
      changed_at timestamptz not null default now(),
      rep_id uuid not null,
      hire_date date,
      end_date date,
      primary key (workspace_id, rep_id, position),
      foreign key (workspace_id, rep_id) references reps on delete cascade,
      check (hire_date <= end_date)
    )`.execute(db);
  await tenantTable(db, 'employment_history');
  await insertOnly(db, 'employment_history');
}

/** Ramps of assignments. */
async function createRamps(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table ramps (
      workspace_id uuid not null references workspaces on delete cascade,
      ramp_id uuid not null,
      name text not null check (length(name) between 1 and 200),
      steps jsonb not null,
      created_at timestamptz not null default now(),
      primary key (workspace_id, ramp_id)
    )`.execute(db);
  await sql`create unique index ramps_by_name on ramps (workspace_id, lower(name))`.execute(db);
  await tenantTable(db, 'ramps');
  await bumpConfigurationRevision(db, 'ramps');
  await bumpCacheVersion(db, 'ramps');
  await recordRowChanges(db, 'ramps', { ids: ['ramp_id'] });
  await sql`
    create table ramp_history (
      workspace_id uuid not null references workspaces on delete cascade,
      position bigint generated always as identity,
      changed_at timestamptz not null default now(),
      ramp_id uuid not null,
      -- null after a deletion, as the steps
      name text,
      steps jsonb,
      primary key (workspace_id, ramp_id, position),
      check ((name is null) = (steps is null))
    )`.execute(db);
  await tenantTable(db, 'ramp_history');
  await insertOnly(db, 'ramp_history');
}

/** The currencies in which people are paid. Each row of the history is the state of its day since then. */
async function createPayCurrencies(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table rep_pay_currencies (
      workspace_id uuid not null,
      rep_id uuid not null,
      from_day date not null,
      -- null: from that day on, each amount is paid in the currency in which it is earned
      currency text check (currency ~ '^[A-Z]{3}$'),
      primary key (workspace_id, rep_id, from_day),
      foreign key (workspace_id, rep_id) references reps on delete cascade
    )`.execute(db);
  await tenantTable(db, 'rep_pay_currencies');
  await bumpCacheVersion(db, 'rep_pay_currencies');
  await recordRowChanges(db, 'rep_pay_currencies', { ids: ['rep_id', 'from_day'] });
  await sql`
    create table rep_pay_currency_history (
      workspace_id uuid not null,
      position bigint generated always as identity,
      changed_at timestamptz not null default now(),
      rep_id uuid not null,
      from_day date not null,
      currency text check (currency ~ '^[A-Z]{3}$'),
      primary key (workspace_id, rep_id, from_day, position),
      foreign key (workspace_id, rep_id) references reps on delete cascade
    )`.execute(db);
  await tenantTable(db, 'rep_pay_currency_history');
  await insertOnly(db, 'rep_pay_currency_history');
}
