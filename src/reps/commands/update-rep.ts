import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { type Caller, roles } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { invalid, rejectAny } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { type Recalculate } from '../../ledger/requests/recalculate.js';
import { UnitOfWork, type Work } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { day, requireUuid, uuid } from '../../platform/operations/schemas.js';
import { changeManagers, type ManagerChange, movesAnyone } from '../change-managers.js';
import { assertHeadcount, countHeads } from '../headcount.js';
import { listPersonalKeys, mayLeaveKeys, validKeys } from '../keys-of-people.js';
import { lockPeople } from '../lock-people.js';
import { assertNotOwnPayrollId, takenPayrollIds } from '../payroll-ids.js';
import { payrollId, type Rep, rep, repExample, repNotFound } from '../rep.js';
import { endSessions, findRep, loadHierarchy, updateReps } from '../rep-store.js';
import { findRepName, listReps, workspaceToday } from '../rep-views.js';

const params = z.strictObject({ repId: pathIds.repId });
const body = z.strictObject({
  role: z.enum(roles).optional().describe('New role of the rep'),
  active: z.boolean().optional().describe('false: the rep cannot sign in, and their sessions end'),
  payrollId: payrollId.optional(),
  managerId: uuid.nullable().optional().describe('Manager from managerFrom on (UUID); null for none'),
  hireDate: day.nullable().optional().describe('First day of employment, YYYY-MM-DD; prorated quotas begin on it'),
  endDate: day.nullable().optional().describe('Last day of employment, YYYY-MM-DD; null for none'),
  managerFrom: day.optional().describe('First day of the new manager, YYYY-MM-DD; today by default'),
});
type Change = z.infer<typeof body>;

async function move(
  repId: string,
  change: Change,
  caller: Caller,
  changes: CommissionChanges,
  clock: Clock,
): Promise<void> {
  const { workspaceId } = caller;
  await changes.run(caller, 'exclusive', async (trx, recalculate) => {
    await lockPeople(trx, workspaceId);
    const today = await workspaceToday(trx, workspaceId, clock);
    const moves = await managerChange(trx, workspaceId, repId, change);
    await changeManagers(trx, recalculate, workspaceId, today, moves);
  });
}

async function managerChange(trx: Work, workspaceId: string, repId: string, change: Change): Promise<ManagerChange[]> {
  const { managerId, managerFrom: from } = change;
  if (managerId === undefined) return [];
  if (managerId !== null && (await findRepName(trx, workspaceId, managerId)) === null) throw repNotFound([managerId]);
  return [{ repId, managerId, from, path: 'managerId' }];
}

function assertNotEmpty(change: Change): void {
  if (change.managerFrom !== undefined && change.managerId === undefined) {
    throw invalid({ path: 'managerFrom', message: 'needs a managerId, or null to end the reporting line' });
  }
  if (Object.values(change).every((value) => value === undefined)) {
    throw invalid({ path: '', message: 'give at least one of role, active, payrollId, managerId, hireDate, endDate' });
  }
}

async function changePerson(trx: Work, caller: Caller, repId: string, change: Change): Promise<void> {
  const { workspaceId } = caller;
  await lockPeople(trx, workspaceId);
  const stored = await findRep(trx, workspaceId, repId);
  if (stored === undefined) throw repNotFound();
  const next = {
    ...stored,
    role: change.role ?? stored.role,
    active: change.active ?? stored.active,
    payrollId: change.payrollId === undefined ? stored.payrollId : change.payrollId,
  };
  if (next.role === stored.role && next.active === stored.active && next.payrollId === stored.payrollId) return;
  const payrollIds = [{ known: stored, next }];
  assertNotOwnPayrollId(caller, payrollIds);
  rejectAny(await takenPayrollIds(trx, caller, payrollIds, () => 'payrollId'));
  const before = await countHeads(trx, workspaceId);
  await updateReps(trx, workspaceId, [next]);
  assertHeadcount(before, await countHeads(trx, workspaceId));
  if (next.role !== stored.role || !next.active) await endSessions(trx, workspaceId, [stored.repId]);
}

/** Stores the employment. It changes the quotas of the periods in which it begins and ends. */
async function changeEmployment(
  trx: Work,
  recalculate: Recalculate,
  workspaceId: string,
  repId: string,
  { hireDate, endDate }: Change,
): Promise<void> {
  const { hire_date: hiredOn, end_date: endedOn } = await trx
    .selectFrom('reps')
    .select(['hire_date', 'end_date'])
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .executeTakeFirstOrThrow();
  const next = {
    hireDate: hireDate === undefined ? hiredOn : hireDate,
    endDate: endDate === undefined ? endedOn : endDate,
  };
  if (next.hireDate === hiredOn && next.endDate === endedOn) return;
  if (next.hireDate !== null && next.endDate !== null && next.endDate < next.hireDate)
    throw invalid({ path: 'endDate', message: 'must not be before hireDate' });
  await trx
    .updateTable('reps')
    .set({ hire_date: next.hireDate, end_date: next.endDate })
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .execute();
  await recalculate.reps([repId], 'rep_change');
}

export const updateRep = operation({
  id: 'updateRep',
  summary: "Change a rep's role, active status, payroll id, or manager from a day on",
  method: 'patch',
  path: '/v1/reps/:repId',
  access: 'admin',
  stepUp: ({ body: { role, active, payrollId: id } }) => [role, active, id].some((value) => value !== undefined),
  params,
  body,
  response: z.object({ ...rep.shape, validKeys: validKeys.optional() }),
  failures: { rep_not_found: 404, rep_limit_reached: 403, last_admin: 409 },
  example: {
    params: { repId: sampleIds.repId },
    body: { managerId: sampleIds.managerId, managerFrom: '2026-01-01' },
    answer: repExample,
  },
  uses: { unitOfWork: UnitOfWork, changes: CommissionChanges, clock: CLOCK },
  async execute({ params: { repId: rawId }, body: change }, caller, { unitOfWork, changes, clock }) {
    const repId = requireUuid(rawId, 'rep_not_found', repNotFound().message);
    assertNotEmpty(change);
    const { workspaceId } = caller;
    // Commission depends on reporting lines and not on roles: the role is stored first and waits for no calculation.
    const isMoved = await changes.run(caller, 'none', async (trx) => {
      await changePerson(trx, caller, repId, change);
      const today = await workspaceToday(trx, workspaceId, clock);
      const moves = await managerChange(trx, workspaceId, repId, change);
      return moves.length > 0 && movesAnyone(await loadHierarchy(trx, workspaceId), moves, today);
    });
    if (isMoved) await move(repId, change, caller, changes, clock);
    if (change.hireDate !== undefined || change.endDate !== undefined)
      await changes.run(caller, 'exclusive', (trx, recalculate) =>
        changeEmployment(trx, recalculate, workspaceId, repId, change),
      );
    return unitOfWork.read(caller, async (trx) => {
      const today = await workspaceToday(trx, workspaceId, clock);
      const [updated] = await listReps(trx, workspaceId, today, { repIds: [repId] });
      return {
        ...(updated as Rep),
        ...(mayLeaveKeys(change) ? { validKeys: await listPersonalKeys(trx, workspaceId, [repId]) } : {}),
      };
    });
  },
});
