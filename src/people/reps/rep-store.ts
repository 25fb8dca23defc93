import { sql } from 'kysely';
import { type Role } from '../../kernel/caller.js';
import { type Day } from '../../kernel/day.js';
import { Failure } from '../../kernel/failure.js';
import { groupBy } from '../../kernel/group-by.js';
import { unnestRows } from '../../platform/database/columns.js';
import { isForeignKeyViolation } from '../../platform/database/database-errors.js';
import { forceCustomPlans } from '../../platform/database/force-custom-plans.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { withoutNestedLoops } from '../../platform/database/without-nested-loops.js';
import { type Employment } from './employment-views.js';
import { type Profile } from './profile.js';
import { type Hierarchy, type ReportingLine } from './reporting-lines.js';

/** The fields of a rep that commands write. */
export interface StoredRep extends Profile {
  readonly repId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly active: boolean;
  readonly crmMemberId: string | null;
  readonly payrollId: string | null;
}

/** A rep with the days of employment, which are stored with their history. */
export type KnownRep = StoredRep & Employment;

const columns = [
  'reps.rep_id as repId',
  'reps.email',
  'reps.name',
  'reps.role',
  'reps.active',
  'reps.crm_member_id as crmMemberId',
  'reps.payroll_id as payrollId',
  'reps.title',
  'reps.team',
  'reps.location',
  'reps.fields',
  'reps.hire_date as hireDate',
  'reps.end_date as endDate',
] as const;

export async function findRep(tx: Transaction, repId: string): Promise<KnownRep | undefined> {
  return tx.db
    .selectFrom('reps')
    .select(columns)
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .executeTakeFirst();
}

/** The reps who have one of the addresses or one of the CRM member ids. */
export async function findRepsBy(
  tx: Transaction,
  emails: readonly string[],
  crmMemberIds: readonly string[],
): Promise<KnownRep[]> {
  return tx.db
    .selectFrom('reps')
    .select(columns)
    .where('workspace_id', '=', tx.workspaceId)
    .where(sql<boolean>`(email = any(${emails}::text[]) or crm_member_id = any(${crmMemberIds}::text[]))`)
    .execute();
}

/** Inserts the reps and their lanes. */
export async function insertReps(tx: Transaction, reps: readonly StoredRep[]): Promise<void> {
  if (reps.length === 0) return;
  await forceCustomPlans(tx);
  await sql`
    insert into reps (workspace_id, rep_id, email, name, role, active, crm_member_id, payroll_id, title, team,
      location, fields)
    select ${tx.workspaceId}::uuid, rep_id, email, name, role, active, crm_member_id, payroll_id, title, team, location,
      fields
    from ${repRows(reps)}`.execute(tx.db);
  await sql`insert into lanes (workspace_id, rep_id) select ${tx.workspaceId}::uuid, rep_id from ${repRows(reps)}`.execute(
    tx.db,
  );
}

export async function updateReps(tx: Transaction, reps: readonly StoredRep[]): Promise<void> {
  if (reps.length === 0) return;
  // Two reps may swap their member ids, which a single statement cannot do because of the unique index.
  await sql`
    update reps r set crm_member_id = null from ${repRows(reps)}
    where r.workspace_id = ${tx.workspaceId} and r.rep_id = input.rep_id
      and r.crm_member_id is distinct from input.crm_member_id`.execute(tx.db);
  await sql`
    update reps r set name = input.name, role = input.role, active = input.active,
      crm_member_id = input.crm_member_id, payroll_id = input.payroll_id,
      title = input.title, team = input.team, location = input.location,
      fields = input.fields
    from ${repRows(reps)}
    where r.workspace_id = ${tx.workspaceId} and r.rep_id = input.rep_id`.execute(tx.db);
}

function repRows(reps: readonly StoredRep[]) {
  return unnestRows(reps, [
    ['rep_id', 'uuid', (rep) => rep.repId],
    ['email', 'text', (rep) => rep.email],
    ['name', 'text', (rep) => rep.name],
    ['role', 'text', (rep) => rep.role],
    ['active', 'boolean', (rep) => String(rep.active)],
    ['crm_member_id', 'text', (rep) => rep.crmMemberId],
    ['payroll_id', 'text', (rep) => rep.payrollId],
    ['title', 'text', (rep) => rep.title],
    ['team', 'text', (rep) => rep.team],
    ['location', 'text', (rep) => rep.location],
    ['fields', 'jsonb', (rep) => JSON.stringify(rep.fields)],
  ]);
}

/** Marks the reps as invited and activates them. */
export async function markInvited(tx: Transaction, repIds: readonly string[]): Promise<void> {
  if (repIds.length === 0) return;
  await sql`
    update reps set invite_status = 'invited', active = true
    where workspace_id = ${tx.workspaceId} and rep_id = any(${repIds}::uuid[])`.execute(tx.db);
}

/** The mail that invited each rep last. */
export async function recordInviteMails(tx: Transaction, mailIds: ReadonlyMap<string, string>): Promise<void> {
  if (mailIds.size === 0) return;
  await sql`
    update reps r set invite_mail_id = posted.mail_id
    from unnest(${[...mailIds.keys()]}::uuid[], ${[...mailIds.values()]}::uuid[]) as posted (rep_id, mail_id)
    where r.workspace_id = ${tx.workspaceId} and r.rep_id = posted.rep_id`.execute(tx.db);
}

/** The reps with the ids; unknown ids are left out. */
export async function findRepsById(tx: Transaction, repIds: readonly string[]): Promise<StoredRep[]> {
  return tx.db
    .selectFrom('reps')
    .select(columns)
    .where('workspace_id', '=', tx.workspaceId)
    .where(sql<boolean>`rep_id = any(${repIds}::uuid[])`)
    .execute();
}

/** Deletes all sessions of the reps, and the agents that they have connected. */
export async function endSessions(tx: Transaction, repIds: readonly string[]): Promise<void> {
  if (repIds.length === 0) return;
  await sql`
    delete from tokens
    where workspace_id = ${tx.workspaceId} and kind = 'sess' and rep_id = any(${repIds}::uuid[])`.execute(tx.db);
  await sql`
    delete from agent_connections where workspace_id = ${tx.workspaceId} and rep_id = any(${repIds}::uuid[])`.execute(
    tx.db,
  );
}

/** Assigns deals without an owner to the reps that they name as owner; returns the reps who received any. */
export async function claimUnresolvedDeals(tx: Transaction, reps: readonly StoredRep[]): Promise<string[]> {
  if (reps.length === 0) return [];
  // Equal values are joined by hash: comparing every deal with every rep takes minutes for thousands of both.
  const { rows } = await withoutNestedLoops(tx, () =>
    sql<{ rep_id: string }>`
      with changed as materialized (select rep_id, email, lower(crm_member_id) as member from ${repRows(reps)}),
      unresolved as materialized (
        select deal_id, lower(owner_id) as owner_id, lower(owner_email) as owner_email from deals
        where workspace_id = ${tx.workspaceId} and rep_id is null
      ),
      -- the owner's id takes precedence over the owner's address
      matches as (
        select deal_id, changed.rep_id, 1 as precedence from unresolved join changed on member = owner_id
        union all select deal_id, changed.rep_id, 1 from unresolved join changed on member = owner_email
        union all select deal_id, changed.rep_id, 2 from unresolved join changed on email = owner_email
        union all select deal_id, changed.rep_id, 2 from unresolved join changed on email = owner_id
      ),
      owners as (
        select distinct on (deal_id) deal_id, rep_id from matches order by deal_id, precedence, rep_id
      ),
      claimed as (
        update deals d set rep_id = owners.rep_id from owners
        where d.workspace_id = ${tx.workspaceId} and d.deal_id = owners.deal_id and d.rep_id is null
        returning d.rep_id
      )
      select distinct rep_id from claimed`.execute(tx.db),
  );
  return rows.map((row) => row.rep_id);
}

export async function loadHierarchy(tx: Transaction): Promise<Hierarchy> {
  const lines = await tx.db
    .selectFrom('reporting_lines')
    .select(['rep_id as repId', 'from_day as from', 'to_day as to', 'manager_id as managerId'])
    .where('workspace_id', '=', tx.workspaceId)
    .orderBy('from_day')
    .execute();
  return groupBy(lines, ({ repId }) => repId);
}

/** Replaces all reporting lines of the reps. */
export async function replaceReportingLines(tx: Transaction, hierarchy: Hierarchy): Promise<void> {
  await sql`
    delete from reporting_lines
    where workspace_id = ${tx.workspaceId} and rep_id = any(${[...hierarchy.keys()]}::uuid[])`.execute(tx.db);
  const lines = [...hierarchy].flatMap(([repId, ofRep]) => ofRep.map((line) => ({ ...line, repId })));
  if (lines.length === 0) return;
  await forceCustomPlans(tx);
  await sql`
    insert into reporting_lines (workspace_id, rep_id, from_day, to_day, manager_id)
    select ${tx.workspaceId}::uuid, rep_id, from_day, to_day, manager_id
    from ${unnestRows<ReportingLine & { repId: string }>(lines, [
      ['rep_id', 'uuid', (line) => line.repId],
      ['from_day', 'date', (line): Day => line.from],
      ['to_day', 'date', (line) => line.to],
      ['manager_id', 'uuid', (line) => line.managerId],
    ])}`.execute(tx.db);
}

/**
 * The reps whom an earlier import from the CRM found active with one of the member ids, or who have one as their own and
 * were not found inactive.
 */
export async function wereActiveInCrm(
  tx: Transaction,
  provider: string,
  crmIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (crmIds.length === 0) return new Set();
  const { rows } = await sql<{ rep_id: string }>`
    select rep_id from crm_members
    where workspace_id = ${tx.workspaceId} and provider = ${provider} and crm_id = any(${crmIds}::text[]) and active
    union
    select rep_id from reps
    where workspace_id = ${tx.workspaceId} and crm_member_id = any(${crmIds}::text[])
      and crm_active is not false`.execute(tx.db);
  return new Set(rows.map((row) => row.rep_id));
}

/** The reps with an active member in a connected CRM other than this one. */
export async function activeInOtherCrms(tx: Transaction, provider: string): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ rep_id: string }>`
    select distinct m.rep_id from crm_members m
    join crm_connections c on c.workspace_id = m.workspace_id and c.provider = m.provider
    where m.workspace_id = ${tx.workspaceId} and m.provider <> ${provider} and m.active
      and c.connected_at is not null`.execute(tx.db);
  return new Set(rows.map((row) => row.rep_id));
}

/** Stores the reps' link to the CRM as of this import. */
export async function linkMembers(
  tx: Transaction,
  provider: string,
  links: readonly { readonly repId: string; readonly avatar: string | null; readonly active: boolean }[],
): Promise<void> {
  if (links.length === 0) return;
  await sql`
    update reps r set provider = ${provider}, synced_at = now(), avatar = n.avatar, crm_active = n.active
    from (select * from ${unnestRows(links, [
      ['rep_id', 'uuid', (link) => link.repId],
      ['avatar', 'text', (link) => link.avatar],
      ['active', 'boolean', (link) => String(link.active)],
    ])}) n
    where r.workspace_id = ${tx.workspaceId} and r.rep_id = n.rep_id`.execute(tx.db);
}

/** The reps of the CRM's members, by member id. */
export async function findMembers(
  tx: Transaction,
  provider: string,
  crmIds: readonly string[],
): Promise<ReadonlyMap<string, StoredRep>> {
  const rows = await tx.db
    .selectFrom('crm_members as m')
    .innerJoin('reps', (join) =>
      join.onRef('reps.workspace_id', '=', 'm.workspace_id').onRef('reps.rep_id', '=', 'm.rep_id'),
    )
    .select(columns)
    .select('m.crm_id as crmId')
    .where('m.workspace_id', '=', tx.workspaceId)
    .where(sql<boolean>`m.provider = ${provider} and m.crm_id = any(${crmIds}::text[])`)
    .execute();
  return new Map(rows.map(({ crmId, ...rep }) => [crmId, rep]));
}

export async function saveMembers(
  tx: Transaction,
  provider: string,
  members: readonly { readonly crmId: string; readonly repId: string; readonly active: boolean }[],
): Promise<void> {
  if (members.length === 0) return;
  await sql`
    insert into crm_members (workspace_id, crm_id, provider, rep_id, active)
    select ${tx.workspaceId}::uuid, crm_id, ${provider}, rep_id, active
    from ${unnestRows(members, [
      ['crm_id', 'text', (member) => member.crmId],
      ['rep_id', 'uuid', (member) => member.repId],
      ['active', 'boolean', (member) => String(member.active)],
    ])}
    on conflict (workspace_id, crm_id, provider) do update
    set rep_id = excluded.rep_id, active = excluded.active`.execute(tx.db);
}

/** Removes people of whom there is nothing but what they are. */
export async function removeReps(tx: Transaction, repIds: readonly string[]): Promise<void> {
  if (repIds.length === 0) return;
  const { rows } = await sql<{ hasDeals: boolean }>`
    select exists (select from deals where workspace_id = ${tx.workspaceId} and rep_id = any(${repIds}::uuid[]))
      or exists (
        select from commission_events where workspace_id = ${tx.workspaceId} and rep_id = any(${repIds}::uuid[])
      ) as "hasDeals"`.execute(tx.db);
  if (rows[0]?.hasDeals === true) throw personInUse;
  await endSessions(tx, repIds);
  for (const table of ['calculation_requests', 'reps'])
    await sql`
      delete from ${sql.table(table)} where workspace_id = ${tx.workspaceId} and rep_id = any(${repIds}::uuid[])`
      .execute(tx.db)
      .catch((error: unknown) => {
        throw isForeignKeyViolation(error) ? personInUse : error;
      });
}

const personInUse = new Failure(
  'person_in_use',
  'Deals, plans, quotas or people below name this person. Deactivate the person instead.',
);
