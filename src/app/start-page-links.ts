import { sql } from 'kysely';
import { type Database } from '../platform/database/pool.js';
import { type Service } from './composition.js';

/** A link of the terminal: what it is for, and its path below the address of the service. */
export interface StartPageLink {
  readonly label: string;
  readonly path: string;
}

/**
 * Links that sign in as people of the demo, among them the owner of its first deal and that person's manager, or, without a workspace, create the first one. None if there are workspaces
 * but no demo.
 */
export async function startPageLinks({ startLinks }: Service, owner: Database): Promise<readonly StartPageLink[]> {
  const { rows: workspaces } = await sql`select 1 from workspaces limit 1`.execute(owner);
  if (workspaces.length === 0)
    return [{ label: 'Set up your workspace', path: `/setup#${startLinks.create({ kind: 'set_up' })}` }];
  const { rows: people } = await sql<{ workspaceId: string; repId: string; name: string; role: string }>`
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
  return people
    .sort((a, b) => roleOrder.indexOf(a.role) - roleOrder.indexOf(b.role))
    .map(({ workspaceId, repId, name, role }) => ({
      label: `${name}, ${role}`,
      path: `/start#${startLinks.create({ kind: 'sign_in', workspaceId, repId })}`,
    }));
}

const roleOrder = ['admin', 'manager', 'rep', 'payroll'];
