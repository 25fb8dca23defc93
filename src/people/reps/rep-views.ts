import { type RawBuilder, sql } from 'kysely';
import { type Role } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { currentDay, type Day, dayInZone } from '../../kernel/day.js';
import { isUuid } from '../../kernel/ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type OptionalPage } from '../../platform/operations/schemas.js';
import { type PersonFilter } from './person-filter.js';
import { type Rep, repNotFound } from './rep.js';

/** The rep's name, or null when the workspace has no such rep. */
export async function findRepName(tx: Transaction, repId: string): Promise<string | null> {
  return (await findPerson(tx, repId))?.name ?? null;
}

/** The ids of everyone, also of people who are inactive. */
export async function listRepIds(tx: Transaction): Promise<string[]> {
  const rows = await tx.db.selectFrom('reps').select('rep_id').where('workspace_id', '=', tx.workspaceId).execute();
  return rows.map(({ rep_id: repId }) => repId);
}

/** The names of the reps, by id. An id may be given twice. */
export async function findRepNames(tx: Transaction, repIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (repIds.length === 0) return new Map();
  const { rows } = await sql<{ repId: string; name: string }>`
    select rep_id as "repId", name from reps
    where workspace_id = ${tx.workspaceId} and rep_id = any(${[...new Set(repIds)]}::uuid[])`.execute(tx.db);
  return new Map(rows.map(({ repId, name }) => [repId, name]));
}

/** Throws if the workspace has no rep with the id. */
export async function assertRepExists(tx: Transaction, repId: string): Promise<void> {
  if ((await findPerson(tx, repId)) === null) throw repNotFound();
}

/** The rep's name and address, or null when the workspace has no such rep. */
export async function findPerson(
  tx: Transaction,
  repId: string,
): Promise<{ readonly name: string; readonly email: string } | null> {
  if (!isUuid(repId)) return null;
  const rep = await tx.db
    .selectFrom('reps')
    .select(['name', 'email'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .executeTakeFirst();
  return rep ?? null;
}

/** Returns the ids that belong to reps of the workspace. */
export async function knownReps(tx: Transaction, repIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ repId: string }>`
    select rep_id as "repId" from reps
    where workspace_id = ${tx.workspaceId} and rep_id = any(${repIds.filter(isUuid)}::uuid[])`.execute(tx.db);
  return new Set(rows.map(({ repId }) => repId));
}

/** The manager and everyone below them today. */
export async function findPeopleBelow(tx: Transaction, managerId: string): Promise<string[]> {
  const { rows } = await sql<{ people: string[] | null }>`
    select people_below(${tx.workspaceId}, ${managerId}) as people`.execute(tx.db);
  return rows[0]?.people ?? [];
}

/** The reps that a manager may see; null if the workspace does not restrict managers. */
export async function findVisibleTeam(tx: Transaction, managerId: string): Promise<string[] | null> {
  const { rows } = await sql<{ team: string[] | null }>`
    select case when manager_scope = 'reports' then people_below(workspace_id, ${managerId}) end as team
    from workspaces where workspace_id = ${tx.workspaceId}`.execute(tx.db);
  return rows[0]?.team ?? null;
}

/** The rep's current role and activation; undefined if there is no such rep. */
export async function findRoleAndActivity(
  tx: Transaction,
  repId: string,
): Promise<{ readonly role: Role; readonly active: boolean } | undefined> {
  return tx.db
    .selectFrom('reps')
    .select(['role', 'active'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .executeTakeFirst();
}

/** Returns the ids that belong to no rep of the workspace. */
export async function unknownReps(tx: Transaction, repIds: readonly string[]): Promise<string[]> {
  const known = await knownReps(tx, repIds);
  return repIds.filter((repId) => !known.has(repId));
}

/** Ids of the reps with those e-mail addresses, in lower case, by address. */
export async function findRepIdsByEmail(tx: Transaction, emails: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ rep_id: string; email: string }>`
    select rep_id, email from reps where workspace_id = ${tx.workspaceId} and email = any(${emails}::text[])`.execute(
    tx.db,
  );
  return new Map(rows.map((row) => [row.email, row.rep_id]));
}

/** The current day in the workspace's time zone. It decides who manages whom now. */
export async function workspaceToday(tx: Transaction, clock: Clock): Promise<Day> {
  const workspace = await tx.db
    .selectFrom('workspaces')
    .select(['timezone as timeZone', 'test_day as testDay'])
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  return tx.asOf === null ? currentDay(workspace, clock.now()) : dayInZone(clock.now(), workspace.timeZone);
}

function hasProfile({ title, team, location, managerId, role, active, fields }: PersonFilter): RawBuilder<unknown> {
  const sameText = (column: RawBuilder<unknown>, value: string | undefined) =>
    value === undefined ? sql`` : sql`and lower(${column}) = lower(${value})`;
  return sql`
    ${sameText(sql`r.title`, title)} ${sameText(sql`r.team`, team)} ${sameText(sql`r.location`, location)}
    ${managerId === undefined ? sql`` : sql`and l.manager_id = ${managerId}`}
    ${role === undefined ? sql`` : sql`and r.role = ${role}`}
    ${active === undefined ? sql`` : sql`and r.active = ${active}`}
    ${sql.join(
      Object.entries(fields ?? {}).map(([slug, value]) => sameText(sql`r.fields ->> ${slug}`, String(value))),
      sql` `,
    )}`;
}

interface RepFilter {
  readonly email?: string | undefined;
  readonly repIds?: readonly string[] | undefined;
  readonly profile?: PersonFilter | undefined;
  /** Part of the name or of the e-mail address, in any case. */
  readonly query?: string | undefined;
  readonly page?: OptionalPage;
}

/** Reps by name, each with the manager on that day. */
export async function listReps(
  tx: Transaction,
  today: Day,
  { email, repIds, profile = {}, query, page = {} }: RepFilter,
): Promise<Rep[]> {
  const { limit, offset = 0 } = page;
  const { rows } = await sql<RepRow<Rep> & PayColumns>`
    select ${repColumns}, r.recovery_percent::float8 as "recoveryPercent",
      (select jsonb_agg(jsonb_build_object('from', c.from_day, 'currency', c.currency) order by c.from_day)
        from rep_pay_currencies c where c.workspace_id = r.workspace_id and c.rep_id = r.rep_id) as currencies
    from reps r ${withInviteMail} ${managerJoin(today)}
    where r.workspace_id = ${tx.workspaceId}
      ${email === undefined ? sql`` : sql`and r.email = ${email}`}
      ${repIds === undefined ? sql`` : sql`and r.rep_id = any(${repIds}::uuid[])`}
      ${query === undefined ? sql`` : sql`and position(lower(${query}) in lower(r.name || ' ' || r.email)) > 0`}
      ${hasProfile(profile)}
    order by lower(r.name), r.email
    ${limit === undefined ? sql`` : sql`limit ${limit}`} offset ${offset}`.execute(tx.db);
  return rows.map(({ recoveryPercent, currencies, ...row }) => ({
    ...withoutAbsent<Rep>(row),
    ...(recoveryPercent === null ? {} : { recovery: { maxPercent: recoveryPercent } }),
    ...(currencies === null ? {} : { payCurrencies: currencies }),
  }));
}

interface PayColumns {
  readonly recoveryPercent: number | null;
  readonly currencies: NonNullable<Rep['payCurrencies']> | null;
}

type RepRow<T extends Rep> = Omit<T, 'nextManager' | 'fields'> & {
  readonly nextManager: Rep['nextManager'] | null;
  readonly fields: Rep['fields'] | null;
};

function withoutAbsent<T extends Rep>({ nextManager, fields, ...rep }: RepRow<T>): T {
  return {
    ...rep,
    ...(fields === null ? {} : { fields }),
    ...(nextManager == null ? {} : { nextManager }),
  } as unknown as T;
}

/** A rep with the link to the CRM. */
interface LinkedRep extends Rep {
  readonly provider: string | null;
  readonly crmId: string | null;
  readonly syncedAt: Date | null;
  readonly lastDealOwnedAt: Date | null;
}

export async function findLinkedRep(tx: Transaction, today: Day, repId: string): Promise<LinkedRep | null> {
  if (!isUuid(repId)) return null;
  const { rows } = await sql<RepRow<LinkedRep>>`
    select ${repColumns}, r.provider, r.crm_member_id as "crmId", r.synced_at as "syncedAt",
      (select max(d.snapshot_at) from deals d
        where d.workspace_id = r.workspace_id and d.rep_id = r.rep_id and d.deleted_at is null) as "lastDealOwnedAt"
    from reps r ${withInviteMail} ${managerJoin(today)}
    where r.workspace_id = ${tx.workspaceId} and r.rep_id = ${repId}`.execute(tx.db);
  const [row] = rows;
  return row === undefined ? null : withoutAbsent<LinkedRep>(row);
}

const repColumns = sql`
  r.rep_id as id, r.email, r.name, r.role, r.active, r.crm_member_id as "crmMemberId", r.avatar, r.invite_status,
  case when r.invite_status is distinct from 'invited' or r.invite_mail_id is null then null
    when unsent.mail_id is null then 'sent' when unsent.attempts = 0 then 'sending' else 'not_sent' end as "inviteMail",
  r.payroll_id as "payrollId", r.title, r.team, r.location, nullif(r.fields, '{}') as fields, l.manager_id as "managerId", r.hire_date as "hireDate", r.end_date as "endDate",
  case
    when l.to_day is not null and (n.from_day is null or n.from_day > l.to_day + 1)
      then jsonb_build_object('managerId', null, 'from', l.to_day + 1)
    when n.from_day is not null then jsonb_build_object('managerId', n.manager_id, 'from', n.from_day)
  end as "nextManager"`;

const withInviteMail = sql`left join unsent_mails() unsent on unsent.mail_id = r.invite_mail_id`;

export function managerJoin(today: Day): RawBuilder<unknown> {
  return sql`left join reporting_lines l on l.workspace_id = r.workspace_id and l.rep_id = r.rep_id
    and l.from_day <= ${today}::date and (l.to_day is null or l.to_day >= ${today}::date)
    left join lateral (
      select manager_id, from_day from reporting_lines n
      where n.workspace_id = r.workspace_id and n.rep_id = r.rep_id and n.from_day > ${today}::date
      order by from_day limit 1
    ) n on true`;
}
