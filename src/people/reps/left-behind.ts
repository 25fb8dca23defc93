import { sql } from 'kysely';
import { z } from 'zod';
import { type Role } from '../../kernel/caller.js';
import { type Day } from '../../kernel/day.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { managerJoin } from './rep-views.js';

/** A key or a scheduled import stays valid when its creator loses their access: other systems depend on it. */
const personalKey = z
  .object({
    id: z.string().describe('Id of the key or scheduled import (UUID)'),
    kind: z
      .enum(['workspace', 'integration', 'scheduled_import'])
      .describe(
        'workspace: the key of the workspace, to be rotated; integration: a key of another system, to be revoked; scheduled_import: a scheduled import, to be deleted or confirmed again',
      ),
    name: z.string().describe('Name of the key or scheduled import'),
    createdBy: z.string().describe('The person who created or rotated the key, or confirmed the import (UUID)'),
  })
  .describe('A valid key, or a scheduled import that stays active');
type PersonalKey = z.input<typeof personalKey>;

const validKeys = z
  .array(personalKey)
  .describe(
    'Valid keys created, and scheduled imports confirmed, by a person of the request who may not sign in, or is no admin: they stay valid until they are revoked, rotated or deleted',
  );

const reports = z
  .array(
    z.object({
      managerId: z.string().describe('The manager who may not sign in (UUID)'),
      count: z.int().describe('Active people who report to them today'),
    }),
  )
  .describe(
    'Active people whose manager was deactivated by the request: give them another manager; absent if none are',
  );

/** What stays behind when people lose their access, in the response to the change. */
export const leftBehind = { validKeys: validKeys.optional(), reports: reports.optional() };

interface AccessChange {
  readonly active?: boolean | undefined;
  readonly role?: Role | undefined;
}

/** What the changed people leave behind. A change that takes no access is not looked at. */
export async function listLeftBehind(
  tx: Transaction,
  today: Day,
  changes: readonly (AccessChange & { readonly repId: string })[],
): Promise<z.input<z.ZodObject<typeof leftBehind>>> {
  const deprived = changes.filter(({ active, role }) => active === false || (role !== undefined && role !== 'admin'));
  if (deprived.length === 0) return {};
  const deactivated = deprived.flatMap(({ repId, active }) => (active === false ? [repId] : []));
  const managed = await countReports(tx, today, deactivated);
  return {
    validKeys: await listPersonalKeys(
      tx,
      deprived.map(({ repId }) => repId),
    ),
    ...(managed.length === 0 ? {} : { reports: managed }),
  };
}

async function countReports(
  tx: Transaction,
  today: Day,
  managerIds: readonly string[],
): Promise<z.input<typeof reports>> {
  if (managerIds.length === 0) return [];
  const { rows } = await sql<{ managerId: string; count: number }>`
    select l.manager_id as "managerId", count(*)::int as count
    from reps r ${managerJoin(today)}
    where r.workspace_id = ${tx.workspaceId} and r.active and l.manager_id = any(${managerIds}::uuid[])
    group by l.manager_id order by l.manager_id`.execute(tx.db);
  return rows;
}

/** The valid keys and imports of those of these people who are no active admins, or of all such people for null; by name. */
export async function listPersonalKeys(tx: Transaction, repIds: readonly string[] | null): Promise<PersonalKey[]> {
  if (repIds?.length === 0) return [];
  const { rows } = await sql<PersonalKey>`
    select t.token_id as id, case t.kind when 'ws' then 'workspace' else 'integration' end as kind,
      coalesce(t.label, '') as name, t.created_by as "createdBy"
    from tokens t join reps r on r.workspace_id = t.workspace_id and r.rep_id = t.created_by
    where t.workspace_id = ${tx.workspaceId} and t.kind in ('ws', 'int') and (not r.active or r.role <> 'admin')
      and (t.expires_at is null or t.expires_at > now())
      and (${repIds}::uuid[] is null or t.created_by = any(${repIds}::uuid[]))
    union all
    select s.scheduled_import_id, 'scheduled_import', s.name, s.confirmed_by
    from scheduled_imports s join reps r on r.workspace_id = s.workspace_id and r.rep_id = s.confirmed_by
    where s.workspace_id = ${tx.workspaceId} and not s.paused and (not r.active or r.role <> 'admin')
      and (${repIds}::uuid[] is null or s.confirmed_by = any(${repIds}::uuid[]))
    order by name, id`.execute(tx.db);
  return rows;
}
