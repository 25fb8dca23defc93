import { sql } from 'kysely';
import { type Signers } from '../../access/workspaces/approval-steps.js';
import { addDays, type Day, isWithin } from '../../kernel/day.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Hierarchy, managerOn, managersAbove } from '../../people/reps/reporting-lines.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** The people who may sign steps, as they are now. */
export interface People {
  /** Active managers and admins, by id. */
  readonly approvers: ReadonlyMap<string, { readonly name: string; readonly role: 'admin' | 'manager' }>;
  /** Whether managers approve only for people below them. */
  readonly isScoped: boolean;
  /** The managers above the people of the statements. */
  readonly hierarchy: Hierarchy;
  readonly today: Day;
  readonly delegations: readonly Delegation[];
}

interface Delegation {
  readonly fromRepId: string;
  readonly delegateId: string;
}

/** Of the people above the reps, or of everyone if null. */
export async function loadPeople(tx: Transaction, repIds: readonly string[] | null, today: Day): Promise<People> {
  const { rows: approvers } = await sql<{ repId: string; name: string; role: 'admin' | 'manager'; isScoped: boolean }>`
    select r.rep_id as "repId", r.name, r.role, w.manager_scope = 'reports' as "isScoped"
    from reps r join workspaces w on w.workspace_id = r.workspace_id
    where r.workspace_id = ${tx.workspaceId} and r.active and r.role in ('admin', 'manager')
    order by lower(r.name), r.rep_id`.execute(tx.db);
  const delegations = await tx.db
    .selectFrom('delegations')
    .select(['from_rep_id as fromRepId', 'delegate_id as delegateId', 'from_day as from', 'to_day as to'])
    .where('workspace_id', '=', tx.workspaceId)
    .orderBy('created_at')
    .execute();
  return {
    approvers: new Map(approvers.map(({ repId, name, role }) => [repId, { name, role }])),
    isScoped: approvers.some(({ isScoped }) => isScoped),
    hierarchy: await loadLinesAbove(tx, repIds),
    today,
    delegations: delegations.filter((delegation) => isWithin(today, delegation)),
  };
}

async function loadLinesAbove(tx: Transaction, repIds: readonly string[] | null): Promise<Hierarchy> {
  const { rows } = await sql<{ repId: string; from: Day; to: Day | null; managerId: string }>`
    with recursive people (rep_id) as (
      ${repIds === null ? sql`select rep_id from reps where workspace_id = ${tx.workspaceId}` : sql`select unnest(${repIds}::uuid[])`}
      union
      select l.manager_id from people p
      join reporting_lines l on l.workspace_id = ${tx.workspaceId} and l.rep_id = p.rep_id
    )
    select l.rep_id as "repId", l.from_day as "from", l.to_day as "to", l.manager_id as "managerId"
    from people p join reporting_lines l on l.workspace_id = ${tx.workspaceId} and l.rep_id = p.rep_id
    order by l.from_day`.execute(tx.db);
  return groupBy(rows, ({ repId }) => repId);
}

/** Whether the person may approve statements of the rep at all, as a manager or an admin. */
export function mayApproveFor({ approvers, isScoped, hierarchy, today }: People, id: string, repId: string): boolean {
  const approver = approvers.get(id);
  if (approver === undefined || id === repId) return false;
  if (!isScoped || approver.role === 'admin') return true;
  return managersAbove(hierarchy, repId, { from: today, to: today }).has(id);
}

/** The people who sign for the rep, whose period ends on `lastDay`: never the rep, and no one who has lost the right. */
export function findSigners(people: People, by: Signers, repId: string, lastDay: Day): string[] {
  return listNamed(people, by, repId, lastDay).filter((id) => mayApproveFor(people, id, repId));
}

function listNamed({ approvers, hierarchy }: People, by: Signers, repId: string, lastDay: Day): readonly string[] {
  if ('rep' in by) return [];
  if ('repIds' in by) return by.repIds;
  if ('role' in by) return [...approvers].filter(([, { role }]) => role === by.role).map(([id]) => id);
  let above: string | null = repId;
  const levels = 'level' in by ? by.level : 1;
  for (let level = 0; level < levels && above !== null; level += 1)
    above = managerOn(hierarchy.get(above) ?? [], lastDay);
  return above === null ? [] : [above];
}

/** The people whose delegate the person is today. */
export function listDelegators({ delegations }: People, delegateId: string): string[] {
  return delegations.filter((each) => each.delegateId === delegateId).map(({ fromRepId }) => fromRepId);
}

/** A delegation lasts at most so many days. */
export const maxDelegationDays = 92;

export function lastDayOfDelegation(from: Day): Day {
  return addDays(from, maxDelegationDays - 1);
}
