import { sql } from 'kysely';
import { type Role } from '../kernel/caller.js';
import { type Day } from '../kernel/day.js';
import { groupBy } from '../kernel/group-by.js';
import { unnestRows } from '../platform/database/columns.js';
import { forceCustomPlans } from '../platform/database/force-custom-plans.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { withoutNestedLoops } from '../platform/database/without-nested-loops.js';
import { type Hierarchy, type ReportingLine } from './reporting-lines.js';

/** The fields of a rep that commands write. */
export interface StoredRep {
  readonly repId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly active: boolean;
  readonly crmMemberId: string | null;
  readonly payrollId: string | null;
}

const columns = [
  'reps.rep_id as repId',
  'reps.email',
  'reps.name',
  'reps.role',
  'reps.active',
  'reps.crm_member_id as crmMemberId',
  'reps.payroll_id as payrollId',
] as const;

export async function findRep(trx: Work, workspaceId: string, repId: string): Promise<StoredRep | undefined> {
  return trx
    .selectFrom('reps')
    .select(columns)
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .executeTakeFirst();
}

/** The reps who have one of the addresses or one of the CRM member ids. */
export async function findRepsBy(
  trx: Work,
  workspaceId: string,
  emails: readonly string[],
  crmMemberIds: readonly string[],
): Promise<StoredRep[]> {
  return trx
    .selectFrom('reps')
    .select(columns)
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`(email = any(${emails}::text[]) or crm_member_id = any(${crmMemberIds}::text[]))`)
    .execute();
}

/** Inserts the reps and their lanes. */
export async function insertReps(trx: Work, workspaceId: string, reps: readonly StoredRep[]): Promise<void> {
  if (reps.length === 0) return;
  await forceCustomPlans(trx);
  await sql`
    insert into reps (workspace_id, rep_id, email, name, role, active, crm_member_id, payroll_id)
    select ${workspaceId}::uuid, rep_id, email, name, role, active, crm_member_id, payroll_id
    from ${repRows(reps)}`.execute(trx);
  await sql`insert into lanes (workspace_id, rep_id) select ${workspaceId}::uuid, rep_id from ${repRows(reps)}`.execute(
    trx,
  );
}

export async function updateReps(trx: Work, workspaceId: string, reps: readonly StoredRep[]): Promise<void> {
  if (reps.length === 0) return;
  // Two reps may swap their member ids, which a single statement cannot do because of the unique index.
  await sql`
    update reps r set crm_member_id = null from ${repRows(reps)}
    where r.workspace_id = ${workspaceId} and r.rep_id = rows_from.rep_id
      and r.crm_member_id is distinct from rows_from.crm_member_id`.execute(trx);
  await sql`
    update reps r set name = rows_from.name, role = rows_from.role, active = rows_from.active,
      crm_member_id = rows_from.crm_member_id, payroll_id = rows_from.payroll_id
    from ${repRows(reps)}
    where r.workspace_id = ${workspaceId} and r.rep_id = rows_from.rep_id`.execute(trx);
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
  ]);
}

/** Marks the reps as invited and activates them. */
export async function markInvited(trx: Work, workspaceId: string, repIds: readonly string[]): Promise<void> {
  if (repIds.length === 0) return;
  await sql`
    update reps set invite_status = 'invited', active = true
    where workspace_id = ${workspaceId} and rep_id = any(${repIds}::uuid[])`.execute(trx);
}

/** The mail that invited each rep last. */
export async function recordInviteMails(
  trx: Work,
  workspaceId: string,
  mailIds: ReadonlyMap<string, string>,
): Promise<void> {
  if (mailIds.size === 0) return;
  await sql`
    update reps r set invite_mail_id = posted.mail_id
    from unnest(${[...mailIds.keys()]}::uuid[], ${[...mailIds.values()]}::uuid[]) as posted (rep_id, mail_id)
    where r.workspace_id = ${workspaceId} and r.rep_id = posted.rep_id`.execute(trx);
}

/** The reps with the ids; unknown ids are left out. */
export async function findRepsById(trx: Work, workspaceId: string, repIds: readonly string[]): Promise<StoredRep[]> {
  return trx
    .selectFrom('reps')
    .select(columns)
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`rep_id = any(${repIds}::uuid[])`)
    .execute();
}

/** Deletes all sessions of the reps, and the agents that they have connected. */
export async function endSessions(trx: Work, workspaceId: string, repIds: readonly string[]): Promise<void> {
  if (repIds.length === 0) return;
  await sql`
    delete from tokens
    where workspace_id = ${workspaceId} and kind = 'sess' and rep_id = any(${repIds}::uuid[])`.execute(trx);
  await sql`
    delete from agent_connections where workspace_id = ${workspaceId} and rep_id = any(${repIds}::uuid[])`.execute(trx);
}

/** Assigns deals without an owner to the reps that they name as owner; returns the reps who received any. */
export async function claimUnresolvedDeals(
  trx: Work,
  workspaceId: string,
  reps: readonly StoredRep[],
): Promise<string[]> {
  if (reps.length === 0) return [];
  // Equal values are joined by hash: comparing every deal with every rep takes minutes for thousands of both.
  const { rows } = await withoutNestedLoops(trx, () =>
    sql<{ rep_id: string }>`
      with given as materialized (select rep_id, email, lower(crm_member_id) as member from ${repRows(reps)}),
      unresolved as materialized (
        select deal_id, lower(owner_id) as owner_id, lower(owner_email) as owner_email from deals
        where workspace_id = ${workspaceId} and rep_id is null
      ),
      -- the owner's id takes precedence over the owner's address
      matches as (
        select deal_id, given.rep_id, 1 as precedence from unresolved join given on member = owner_id
        union all select deal_id, given.rep_id, 1 from unresolved join given on member = owner_email
        union all select deal_id, given.rep_id, 2 from unresolved join given on email = owner_email
        union all select deal_id, given.rep_id, 2 from unresolved join given on email = owner_id
      ),
      owners as (
        select distinct on (deal_id) deal_id, rep_id from matches order by deal_id, precedence, rep_id
      ),
      claimed as (
        update deals d set rep_id = owners.rep_id from owners
        where d.workspace_id = ${workspaceId} and d.deal_id = owners.deal_id and d.rep_id is null
        returning d.rep_id
      )
      select distinct rep_id from claimed`.execute(trx),
  );
  return rows.map((row) => row.rep_id);
}

export async function loadHierarchy(trx: Work, workspaceId: string): Promise<Hierarchy> {
  const lines = await trx
    .selectFrom('reporting_lines')
    .select(['rep_id as repId', 'from_day as from', 'to_day as to', 'manager_id as managerId'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('from_day')
    .execute();
  return groupBy(lines, ({ repId }) => repId);
}

/** Replaces all reporting lines of the reps. */
export async function replaceReportingLines(trx: Work, workspaceId: string, hierarchy: Hierarchy): Promise<void> {
  await sql`
    delete from reporting_lines
    where workspace_id = ${workspaceId} and rep_id = any(${[...hierarchy.keys()]}::uuid[])`.execute(trx);
  const lines = [...hierarchy].flatMap(([repId, ofRep]) => ofRep.map((line) => ({ ...line, repId })));
  if (lines.length === 0) return;
  await forceCustomPlans(trx);
  await sql`
    insert into reporting_lines (workspace_id, rep_id, from_day, to_day, manager_id)
    select ${workspaceId}::uuid, rep_id, from_day, to_day, manager_id
    from ${unnestRows<ReportingLine & { repId: string }>(lines, [
      ['rep_id', 'uuid', (line) => line.repId],
      ['from_day', 'date', (line): Day => line.from],
      ['to_day', 'date', (line) => line.to],
      ['manager_id', 'uuid', (line) => line.managerId],
    ])}`.execute(trx);
}

/** The reps who have one of the member ids as their own and were active in the CRM at the last import. */
export async function wereActiveInCrm(
  trx: Work,
  workspaceId: string,
  crmIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (crmIds.length === 0) return new Set();
  const { rows } = await sql<{ rep_id: string }>`
    select rep_id from reps
    where workspace_id = ${workspaceId} and crm_member_id = any(${crmIds}::text[])
      and crm_active is not false`.execute(trx);
  return new Set(rows.map((row) => row.rep_id));
}

/** The reps with an active member in a CRM other than this one. */
export async function activeInOtherCrms(
  trx: Work,
  workspaceId: string,
  provider: string,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ rep_id: string }>`
    select distinct rep_id from crm_members
    where workspace_id = ${workspaceId} and provider <> ${provider} and active`.execute(trx);
  return new Set(rows.map((row) => row.rep_id));
}

/** Stores the reps' link to the CRM as of this import. */
export async function linkMembers(
  trx: Work,
  workspaceId: string,
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
    where r.workspace_id = ${workspaceId} and r.rep_id = n.rep_id`.execute(trx);
}

/** The reps of the CRM's members, by member id. */
export async function findMembers(
  trx: Work,
  workspaceId: string,
  provider: string,
  crmIds: readonly string[],
): Promise<ReadonlyMap<string, StoredRep>> {
  const rows = await trx
    .selectFrom('crm_members as m')
    .innerJoin('reps', (join) =>
      join.onRef('reps.workspace_id', '=', 'm.workspace_id').onRef('reps.rep_id', '=', 'm.rep_id'),
    )
    .select(columns)
    .select('m.crm_id as crmId')
    .where('m.workspace_id', '=', workspaceId)
    .where(sql<boolean>`m.provider = ${provider} and m.crm_id = any(${crmIds}::text[])`)
    .execute();
  return new Map(rows.map(({ crmId, ...rep }) => [crmId, rep]));
}

export async function saveMembers(
  trx: Work,
  workspaceId: string,
  provider: string,
  members: readonly { readonly crmId: string; readonly repId: string; readonly active: boolean }[],
): Promise<void> {
  if (members.length === 0) return;
  await sql`
    insert into crm_members (workspace_id, crm_id, provider, rep_id, active)
    select ${workspaceId}::uuid, crm_id, ${provider}, rep_id, active
    from ${unnestRows(members, [
      ['crm_id', 'text', (member) => member.crmId],
      ['rep_id', 'uuid', (member) => member.repId],
      ['active', 'boolean', (member) => String(member.active)],
    ])}
    on conflict (workspace_id, crm_id, provider) do update
    set rep_id = excluded.rep_id, active = excluded.active`.execute(trx);
}
