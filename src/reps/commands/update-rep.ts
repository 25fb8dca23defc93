import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { type Caller, peopleBehind, roles } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { type Day } from '../../kernel/day.js';
import { assertDayOrder } from '../../kernel/day-order.js';
import { Failure, invalid, rejectAny } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { type Recalculate } from '../../ledger/requests/recalculate.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { day, requireUuid, uuid } from '../../platform/operations/schemas.js';
import { recovery } from '../../workspaces/workspace.js';
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
  recovery: recovery
    .nullable()
    .optional()
    .describe('How much a statement of the rep may keep of what it releases; null for what the workspace says'),
  managerFrom: day.optional().describe('First day of the new manager, YYYY-MM-DD; today by default'),
});
type Change = z.infer<typeof body>;

/**
 * Stores the role before the rest: commission depends on reporting lines and employment and not on roles, so that a
 * person loses rights without waiting for a calculation. The first transaction also checks the rest, which is stored
 * together.
 */
async function storeChange(
  caller: Caller,
  repId: string,
  change: Change,
  { changes, clock }: { readonly changes: CommissionChanges; readonly clock: Clock },
): Promise<void> {
  const affectsCommission = await changes.run(caller, 'none', async (tx) => {
    await changePerson(tx, caller, repId, change);
    await storeRecovery(tx, caller, repId, change);
    const moves = await managerChange(tx, repId, change);
    const isMoved = moves.length > 0 && movesAnyone(await loadHierarchy(tx), moves, await workspaceToday(tx, clock));
    return (await changedEmployment(tx, repId, change)) !== null || isMoved;
  });
  if (!affectsCommission) return;
  await changes.run(caller, 'exclusive', async (tx, recalculate) => {
    await lockPeople(tx);
    await changeManagers(tx, recalculate, await workspaceToday(tx, clock), await managerChange(tx, repId, change));
    await storeEmployment(tx, recalculate, repId, change);
  });
}

async function managerChange(tx: Transaction, repId: string, change: Change): Promise<ManagerChange[]> {
  const { managerId, managerFrom: from } = change;
  if (managerId === undefined) return [];
  if (managerId !== null && (await findRepName(tx, managerId)) === null) throw repNotFound([managerId]);
  return [{ repId, managerId, from, path: 'managerId' }];
}

function assertNotEmpty(change: Change): void {
  if (change.managerFrom !== undefined && change.managerId === undefined) {
    throw invalid({ path: 'managerFrom', message: 'needs a managerId, or null to end the reporting line' });
  }
  if (Object.values(change).every((value) => value === undefined)) {
    throw invalid({
      path: '',
      message: 'give at least one of role, active, payrollId, managerId, hireDate, endDate, recovery',
    });
  }
}

async function changePerson(tx: Transaction, caller: Caller, repId: string, change: Change): Promise<void> {
  await lockPeople(tx);
  const stored = await findRep(tx, repId);
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
  rejectAny(await takenPayrollIds(tx, caller, payrollIds, () => 'payrollId'));
  const before = await countHeads(tx);
  await updateReps(tx, [next]);
  assertHeadcount(before, await countHeads(tx));
  if (next.role !== stored.role || !next.active) await endSessions(tx, [stored.repId]);
}

/** No person decides how much of their own pay is kept. */
async function storeRecovery(tx: Transaction, caller: Caller, repId: string, { recovery: limit }: Change) {
  if (limit === undefined) return;
  if (peopleBehind(caller).includes(repId))
    throw new Failure('forbidden', 'You cannot change how much of your own pay is kept. Another admin must do it.');
  await tx.db
    .updateTable('reps')
    .set({ recovery_percent: limit === null ? null : String(limit.maxPercent) })
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .execute();
}

interface Employment {
  readonly hireDate: Day | null;
  readonly endDate: Day | null;
}

/** The employment after the change; null if it stays. */
async function changedEmployment(
  tx: Transaction,
  repId: string,
  { hireDate, endDate }: Change,
): Promise<Employment | null> {
  if (hireDate === undefined && endDate === undefined) return null;
  const { hire_date: hiredOn, end_date: endedOn } = await tx.db
    .selectFrom('reps')
    .select(['hire_date', 'end_date'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .executeTakeFirstOrThrow();
  const next = {
    hireDate: hireDate === undefined ? hiredOn : hireDate,
    endDate: endDate === undefined ? endedOn : endDate,
  };
  if (next.hireDate === hiredOn && next.endDate === endedOn) return null;
  assertDayOrder(['hireDate', next.hireDate], ['endDate', next.endDate]);
  return next;
}

/** Stores the employment. It changes the quotas of the periods in which it begins and ends. */
async function storeEmployment(
  tx: Transaction,
  recalculate: Recalculate,
  repId: string,
  change: Change,
): Promise<void> {
  const next = await changedEmployment(tx, repId, change);
  if (next === null) return;
  await tx.db
    .updateTable('reps')
    .set({ hire_date: next.hireDate, end_date: next.endDate })
    .where('workspace_id', '=', tx.workspaceId)
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
    response: repExample,
  },
  uses: { unitOfWork: UnitOfWork, changes: CommissionChanges, clock: CLOCK },
  async execute({ params: { repId: rawId }, body: change }, caller, { unitOfWork, changes, clock }) {
    const repId = requireUuid(rawId, 'rep_not_found', repNotFound().message);
    assertNotEmpty(change);
    await storeChange(caller, repId, change, { changes, clock });
    return unitOfWork.read(caller, async (tx) => {
      const today = await workspaceToday(tx, clock);
      const [updated] = await listReps(tx, today, { repIds: [repId] });
      return {
        ...(updated as Rep),
        ...(mayLeaveKeys(change) ? { validKeys: await listPersonalKeys(tx, [repId]) } : {}),
      };
    });
  },
});
