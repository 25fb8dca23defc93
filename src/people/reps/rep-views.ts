import { type RawBuilder, sql } from 'kysely';
import { type Role } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { currentDay, type Day, dayInZone } from '../../kernel/day.js';
import { isUuid } from '../../kernel/ids.js';
import { mapInSlices } from '../../kernel/waiting.js';
import { anyOf } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type OptionalPage } from '../../platform/operations/schemas.js';
import { type PersonFilter } from './person-filter.js';
import { type Rep, repNotFound } from './rep.js';

/** The rep's name, or null when the workspace has no such rep. */
export async function findRepName(tx: Transaction, repId: string): Promise<string | null> {
  return (await findPerson(tx, repId))?.name ?? null;
}

/** The rep's name. Fails without such a rep in the workspace, also where the id is none. */
export async function requireRepName(tx: Transaction, repId: string): Promise<string> {
  const name = isUuid(repId) ? await findRepName(tx, repId) : null;
  if (name === null) throw repNotFound();
  return name;
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
    where workspace_id = ${tx.workspaceId} and rep_id = ${anyOf('uuid', repIds.filter(isUuid))}`.execute(tx.db);
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

/** The day of the state that the transaction reads: that of `asOf`, otherwise the current day. */
export function dayOfState(tx: Transaction, clock: Clock): Promise<Day> {
  return workspaceToday(tx, { now: () => tx.asOf ?? clock.now() });
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
  /** Words that are all part of what is known of a person, whatever their case and accents. */
  readonly words?: string | undefined;
  readonly roles?: readonly Role[] | undefined;
  /** Only people whom payroll files need and who have no payroll id. */
  readonly withoutPayrollId?: boolean | undefined;
  /** Only people with an assignment to the plan. */
  readonly planId?: string | undefined;
  /** Only people with an assignment to any plan, or without one. */
  readonly assigned?: boolean | undefined;
  /** Only people with a quota, or without one. */
  readonly hasQuota?: boolean | undefined;
  readonly page?: OptionalPage;
}

/** What reps `r` with the reporting line `l` are filtered by. */
function isMeant(tx: Transaction, filter: RepFilter): RawBuilder<unknown> {
  const { email, repIds, profile = {}, query, words = '', roles, withoutPayrollId = false } = filter;
  const { planId, assigned, hasQuota } = filter;
  const onPlan = sql`exists (select from assignments a
    where a.workspace_id = r.workspace_id and a.rep_id = r.rep_id and a.deleted_at is null
      ${planId === undefined ? sql`` : sql`and a.plan_id = ${planId}`})`;
  const withQuota = sql`exists (select from quotas q where q.workspace_id = r.workspace_id and q.rep_id = r.rep_id)`;
  // Each text is joined once for all words: `offset 0` stops PostgreSQL from writing it into each comparison.
  const isFound = sql`(
    select bool_and(position(word in known.text) > 0)
    from unnest((select array_agg(search_text(entered)) from unnest(${words.trim().split(/\s+/)}::text[]) entered)) word,
      (select search_text(joined.text) as text from (
        select concat_ws(' ', r.name, r.email, r.role, r.title, r.team, r.location,
          case when r.fields <> '{}' then (select string_agg(value, ' ') from jsonb_each_text(r.fields)) end,
          (select m.name from reps m where m.workspace_id = r.workspace_id and m.rep_id = l.manager_id)) as text
        offset 0) joined offset 0) known)`;
  return sql`r.workspace_id = ${tx.workspaceId}
    ${email === undefined ? sql`` : sql`and r.email = ${email}`}
    ${repIds === undefined ? sql`` : sql`and r.rep_id = any(${repIds}::uuid[])`}
    ${query === undefined ? sql`` : sql`and position(lower(${query}) in lower(r.name || ' ' || r.email)) > 0`}
    ${words.trim() === '' ? sql`` : sql`and ${isFound}`}
    ${roles === undefined ? sql`` : sql`and r.role = any(${roles}::text[])`}
    ${withoutPayrollId ? sql`and r.payroll_id is null and r.active and r.role in ('rep', 'manager')` : sql``}
    ${planId === undefined && assigned === undefined ? sql`` : sql`and ${onPlan} = ${assigned ?? true}`}
    ${hasQuota === undefined ? sql`` : sql`and ${withQuota} = ${hasQuota}`}
    ${hasProfile(profile)}`;
}

/** More values are not offered as choices. */
const maxChoices = 1000;

export interface RepChoices {
  readonly count: number;
  readonly roles: readonly Role[];
  readonly teams: readonly string[];
  readonly titles: readonly string[];
  readonly locations: readonly string[];
  readonly managers: readonly { readonly id: string; readonly name: string }[];
  readonly fields: Readonly<Record<string, readonly (string | number)[]>>;
}

/** The ids of the reps who pass the filter with their manager on that day. */
export async function findRepIds(tx: Transaction, today: Day, filter: RepFilter): Promise<string[]> {
  const { rows } = await sql<{ repId: string }>`
    select r.rep_id as "repId" from reps r ${lineJoin(today)} where ${isMeant(tx, filter)}`.execute(tx.db);
  return rows.map(({ repId }) => repId);
}

/** The number of reps who pass the filter with their manager on that day. */
export async function countReps(tx: Transaction, today: Day, filter: RepFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from reps r ${lineJoin(today)} where ${isMeant(tx, filter)}`.execute(tx.db);
  return rows[0]?.count ?? 0;
}

const orderColumns: Readonly<Record<string, RawBuilder<unknown>>> = {
  name: sql`search_text(r.name)`,
  email: sql`r.email`,
  role: sql`r.role`,
  team: sql`search_text(r.team)`,
  manager: sql`(select search_text(m.name) from reps m where m.workspace_id = r.workspace_id and m.rep_id = l.manager_id)`,
  crmMemberId: sql`r.crm_member_id`,
  payrollId: sql`r.payroll_id`,
};

/** The orders of {@link listRepPage}: these, or `field` and the slug of a field of people, with `-` for the opposite direction. */
export const repOrder = new RegExp(`^-?(${Object.keys(orderColumns).join('|')}|field [^ ]{1,100})$`);

/** A page of the reps in the order, with the number on all pages. People without the value are last. */
export async function listRepPage(
  tx: Transaction,
  today: Day,
  { page = {}, ...filter }: RepFilter,
  order: string,
): Promise<{ readonly reps: Rep[]; readonly count: number }> {
  const { limit, offset = 0 } = page;
  const by = order.replace(/^-/, '');
  const column = orderColumns[by] ?? sql`r.fields -> ${by.replace('field ', '')}`;
  const direction = order.startsWith('-') ? sql`desc` : sql`asc`;
  const inOrder = (rows: string) =>
    sql`${sql.ref(`${rows}.value`)} ${direction} nulls last, ${sql.ref(`${rows}.name`)}, ${sql.ref(`${rows}.email`)}`;
  const { rows } = await sql<{ repId: string | null; count: number }>`
    with found as materialized (
      select r.rep_id, r.email, search_text(r.name) as name, ${column} as value
      from reps r ${lineJoin(today)} where ${isMeant(tx, filter)}
    )
    select page.rep_id as "repId", counted.count
    from (select count(*)::int as count from found) counted
    left join lateral (
      select * from found order by ${inOrder('found')} limit ${limit ?? null} offset ${offset}
    ) page on true
    order by ${inOrder('page')}`.execute(tx.db);
  const repIds = rows.flatMap(({ repId }) => repId ?? []);
  const byId = new Map((await listReps(tx, today, { repIds })).map((rep) => [rep.id, rep]));
  return { reps: repIds.flatMap((repId) => byId.get(repId) ?? []), count: rows[0]?.count ?? 0 };
}

/** The values by which the reps can be filtered, sorted without regard to case and accents. */
export async function listRepChoices(tx: Transaction, today: Day, filter: RepFilter): Promise<RepChoices> {
  const found = sql`found as materialized (
    select r.rep_id, r.role, r.team, r.title, r.location, r.fields, l.manager_id
    from reps r ${lineJoin(today)} where ${isMeant(tx, filter)})`;
  const valuesOf = (column: string) => sql`(
    select coalesce(jsonb_agg(value order by search_text(value)), '[]') from (
      select distinct ${sql.ref(column)} as value from found where ${sql.ref(column)} is not null limit ${maxChoices}
    ) listed)`;
  const { rows } = await sql<RepChoices>`
    with ${found}
    select (select count(*)::int from found) as count,
      ${valuesOf('role')} as roles, ${valuesOf('team')} as teams, ${valuesOf('title')} as titles,
      ${valuesOf('location')} as locations,
      (select coalesce(jsonb_agg(jsonb_build_object('id', m.rep_id, 'name', m.name) order by search_text(m.name)), '[]')
        from (select distinct manager_id from found limit ${maxChoices}) managing
        join reps m on m.workspace_id = ${tx.workspaceId} and m.rep_id = managing.manager_id) as managers,
      (select coalesce(jsonb_object_agg(slug, values), '{}') from (
        select slug, jsonb_agg(value order by value) as values
        from (
          select distinct on (f.key, f.value) f.key as slug, f.value,
            dense_rank() over (partition by f.key order by f.value) as place
          from found, jsonb_each(found.fields) f
        ) known where place <= ${maxChoices} group by slug
      ) of_fields) as fields`.execute(tx.db);
  return rows[0] as RepChoices;
}

/** Reps by name, each with the manager on that day. */
export async function listReps(tx: Transaction, today: Day, { page = {}, ...filter }: RepFilter): Promise<Rep[]> {
  const { limit, offset = 0 } = page;
  const { rows } = await sql<RepRow<Rep> & PayColumns>`
    select ${repColumns}, r.recovery_percent::float8 as "recoveryPercent",
      (select jsonb_agg(jsonb_build_object('from', c.from_day, 'currency', c.currency) order by c.from_day)
        from rep_pay_currencies c where c.workspace_id = r.workspace_id and c.rep_id = r.rep_id) as currencies
    from reps r ${withInviteMail} ${managerJoin(today)}
    where ${isMeant(tx, filter)}
    order by lower(r.name), r.email
    ${limit === undefined ? sql`` : sql`limit ${limit}`} offset ${offset}`.execute(tx.db);
  return mapInSlices(rows, ({ recoveryPercent, currencies, ...row }) => ({
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

/** The reporting line `l` of reps `r` on the day. */
export function lineJoin(today: Day): RawBuilder<unknown> {
  return sql`left join reporting_lines l on l.workspace_id = r.workspace_id and l.rep_id = r.rep_id
    and l.from_day <= ${today}::date and (l.to_day is null or l.to_day >= ${today}::date)`;
}

export function managerJoin(today: Day): RawBuilder<unknown> {
  return sql`${lineJoin(today)}
    left join lateral (
      select manager_id, from_day from reporting_lines n
      where n.workspace_id = r.workspace_id and n.rep_id = r.rep_id and n.from_day > ${today}::date
      order by from_day limit 1
    ) n on true`;
}
