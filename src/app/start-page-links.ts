import { sql } from 'kysely';
import { StartLinks } from '../access/auth/start-links.js';
import { type Database } from '../platform/database/pool.js';
import { type Service } from './composition.js';

/** A link of the terminal: what it is for, and its path below the address of the service. */
export interface StartPageLink {
  readonly label: string;
  readonly path: string;
}

interface Person {
  readonly workspaceId: string;
  readonly repId: string;
  readonly name: string;
  readonly role: string;
}

/**
 * Links that sign in as people of the demo and as an admin of every other workspace, or, without a workspace, create
 * the first one.
 */
export async function loadStartPageLinks({ parts }: Service, owner: Database): Promise<readonly StartPageLink[]> {
  const startLinks = parts.resolve(StartLinks);
  const { rows: workspaces } = await sql`select 1 from workspaces limit 1`.execute(owner);
  if (workspaces.length === 0)
    return [{ label: 'Set up your workspace', path: `/setup#${startLinks.create({ kind: 'set_up' })}` }];
  const linkFor = ({ workspaceId, repId }: Person, label: string): StartPageLink => ({
    label,
    path: `/start#${startLinks.create({ kind: 'sign_in', workspaceId, repId })}`,
  });
  const admins = await loadAdmins(owner);
  const people = await loadDemoPeople(owner);
  return [
    ...admins.map((admin) => linkFor(admin, `${admin.name}, admin of ${admin.workspace}`)),
    ...people.map((person) =>
      linkFor(person, `${person.name}, ${person.role}${admins.length > 0 ? ' of the demo' : ''}`),
    ),
  ];
}

const maxWorkspaces = 5;

/** The first admin of each workspace, the latest workspaces first. */
async function loadAdmins(owner: Database): Promise<readonly (Person & { readonly workspace: string })[]> {
  const { rows } = await sql<Person & { workspace: string }>`
    select w.workspace_id as "workspaceId", w.name as workspace, admin.rep_id as "repId", admin.name, admin.role
    from workspaces w
    cross join lateral (
      select r.rep_id, r.name, r.role from reps r
      where r.workspace_id = w.workspace_id and r.active and r.role = 'admin'
      order by r.created_at, r.rep_id limit 1
    ) admin
    where not w.is_demo
    order by w.created_at desc, w.workspace_id limit ${maxWorkspaces}`.execute(owner);
  return rows;
}

/** One person for each role, among them the owner of the demo's first deal and that person's manager. */
async function loadDemoPeople(owner: Database): Promise<readonly Person[]> {
  const { rows } = await sql<Person>`
    select distinct on (r.role) r.workspace_id as "workspaceId", r.rep_id as "repId", r.name, r.role
    from reps r join workspaces w on w.workspace_id = r.workspace_id
    left join lateral (
      select d.rep_id from deals d where d.workspace_id = w.workspace_id and d.rep_id is not null order by d.deal_id limit 1
    ) seller on true
    where w.is_demo and r.active
    order by r.role, w.created_at, r.rep_id = seller.rep_id desc nulls last, exists (
      select 1 from reporting_lines l
      where l.workspace_id = w.workspace_id and l.rep_id = seller.rep_id and l.manager_id = r.rep_id
    ) desc, r.rep_id`.execute(owner);
  return rows.sort((a, b) => roleOrder.indexOf(a.role) - roleOrder.indexOf(b.role));
}

const roleOrder = ['admin', 'manager', 'rep', 'payroll', 'finance', 'auditor'];
