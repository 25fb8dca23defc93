import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { type Caller, peopleBehind, roles } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { allDays } from '../../kernel/day.js';
import { assertDayOrder } from '../../kernel/day-order.js';
import { Failure, invalid, rejectAny } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { type Recalculate } from '../../ledger/requests/recalculate.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { day, flag, requireUuid, uuid } from '../../platform/operations/schemas.js';
import { previewPersonalWrite } from '../../simulation/preview-write.js';
import { loadAffectedWithin, personalEffect } from '../../simulation/write-effect.js';
import { recovery } from '../../workspaces/workspace.js';
import { changeManagers, type ManagerChange, movesAnyone } from '../change-managers.js';
import { storeEmployments } from '../employment-store.js';
import { type Employment, isSameEmployment } from '../employment-views.js';
import { assertHeadcount, countHeads } from '../headcount.js';
import { listPersonalKeys, mayLeaveKeys, validKeys } from '../keys-of-people.js';
import { lockPeople } from '../lock-people.js';
import { payCurrencyChange, storePayCurrencies } from '../pay-currency-store.js';
import { assertNotOwnPayrollId, takenPayrollIds } from '../payroll-ids.js';
import { changedValues } from '../person-field.js';
import { listPersonFields } from '../person-field-views.js';
import { changedProfile, isSameProfile, profileChange } from '../profile.js';
import { payrollId, type Rep, rep, repExample, repNotFound } from '../rep.js';
import { endSessions, findRep, type KnownRep, loadHierarchy, updateReps } from '../rep-store.js';
import { findRepName, listReps, workspaceToday } from '../rep-views.js';

const params = z.strictObject({ repId: pathIds.repId });
const body = z.strictObject({
  role: z.enum(roles).optional().describe('New role of the rep'),
  active: z.boolean().optional().describe('false: the rep cannot sign in, and their sessions end'),
  payrollId: payrollId.optional(),
  ...profileChange,
  managerId: uuid.nullable().optional().describe('Manager from managerFrom on (UUID); null for none'),
  hireDate: day.nullable().optional().describe('First day of employment, YYYY-MM-DD; prorated quotas begin on it'),
  endDate: day.nullable().optional().describe('Last day of employment, YYYY-MM-DD; null for none'),
  recovery: recovery
    .nullable()
    .optional()
    .describe('How much a statement of the rep may keep of what it releases; null for what the workspace says'),
  ...payCurrencyChange,
  managerFrom: day.optional().describe('First day of the new manager, YYYY-MM-DD; today by default'),
});
type Change = z.infer<typeof body>;

const query = z.strictObject({
  dryRun: flag
    .default(false)
    .describe('true: say what hireDate and endDate would do to commission, and change nothing; only with these fields'),
});

const response = z.object({
  ...rep.shape,
  validKeys: validKeys.optional(),
  effect: personalEffect
    .nullable()
    .optional()
    .describe('With dryRun. null: the person has more deals than can be calculated at once'),
});

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
    const { payCurrency: currency, payCurrencyFrom: from = await workspaceToday(tx, clock) } = change;
    await storePayCurrencies(tx, caller, currency === undefined ? [] : [{ repId, from, currency }]);
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
  if (change.payCurrencyFrom !== undefined && change.payCurrency === undefined) {
    throw invalid({ path: 'payCurrencyFrom', message: 'needs a payCurrency, or null to end it' });
  }
  if (Object.values(change).every((value) => value === undefined)) {
    throw invalid({
      path: '',
      message:
        'give at least one of role, active, payrollId, title, team, location, fields, managerId, hireDate, endDate, recovery, payCurrency',
    });
  }
}

async function changePerson(tx: Transaction, caller: Caller, repId: string, change: Change): Promise<void> {
  await lockPeople(tx);
  const stored = await findRep(tx, repId);
  if (stored === undefined) throw repNotFound();
  const definitions = change.fields === undefined ? [] : await listPersonFields(tx);
  const { values, issues } = changedValues(definitions, change.fields, stored.fields, 'fields');
  rejectAny(issues);
  const next = {
    ...stored,
    role: change.role ?? stored.role,
    active: change.active ?? stored.active,
    payrollId: change.payrollId === undefined ? stored.payrollId : change.payrollId,
    ...changedProfile(change, stored, values),
  };
  if (isSame(stored, next)) return;
  const payrollIds = [{ known: stored, next }];
  assertNotOwnPayrollId(caller, payrollIds);
  rejectAny(await takenPayrollIds(tx, caller, payrollIds, () => 'payrollId'));
  const before = await countHeads(tx);
  await updateReps(tx, [next]);
  assertHeadcount(before, await countHeads(tx));
  if (next.role !== stored.role || !next.active) await endSessions(tx, [stored.repId]);
}

function isSame(a: KnownRep, b: KnownRep): boolean {
  return a.role === b.role && a.active === b.active && a.payrollId === b.payrollId && isSameProfile(a, b);
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

/** The employment after the change; null if it stays. */
async function changedEmployment(
  tx: Transaction,
  repId: string,
  { hireDate, endDate }: Change,
): Promise<Employment | null> {
  if (hireDate === undefined && endDate === undefined) return null;
  const stored = (await findRep(tx, repId)) as KnownRep;
  const next = {
    hireDate: hireDate === undefined ? stored.hireDate : hireDate,
    endDate: endDate === undefined ? stored.endDate : endDate,
  };
  if (isSameEmployment(stored, next)) return null;
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
  await storeEmployments(tx, [{ repId, ...next }]);
  await recalculate.reps([repId], 'rep_change');
}

/** What the employment dates would do to commission; they are rolled back. */
function previewEmployment(
  uses: { readonly changes: CommissionChanges; readonly clock: Clock },
  caller: Caller,
  repId: string,
  change: Change,
): Promise<z.input<typeof response>> {
  const others = Object.keys(change).filter((field) => field !== 'hireDate' && field !== 'endDate');
  rejectAny(others.map((path) => ({ path, message: 'cannot be previewed; send it without dryRun' })));
  return previewPersonalWrite(uses, caller, async (tx, today) => {
    if ((await findRep(tx, repId)) === undefined) throw repNotFound();
    const next = await changedEmployment(tx, repId, change);
    if (next !== null) await storeEmployments(tx, [{ repId, ...next }]);
    const [result] = await listReps(tx, today, { repIds: [repId] });
    return { result: result as Rep, affected: await loadAffectedWithin(tx, new Map([[repId, allDays]])) };
  });
}

export const updateRep = operation({
  id: 'updateRep',
  summary: "Change a rep's role, active status, payroll id, title, team, or manager from a day on",
  method: 'patch',
  path: '/v1/reps/:repId',
  access: 'admin',
  stepUp: ({ body: { role, active, payrollId: id } }) => [role, active, id].some((value) => value !== undefined),
  params,
  query,
  body,
  response,
  failures: { rep_not_found: 404, rep_limit_reached: 403, last_admin: 409 },
  example: {
    params: { repId: sampleIds.repId },
    body: { managerId: sampleIds.managerId, managerFrom: '2026-01-01' },
    response: repExample,
  },
  uses: { unitOfWork: UnitOfWork, changes: CommissionChanges, clock: CLOCK },
  async execute(
    { params: { repId: rawId }, query: { dryRun }, body: change },
    caller,
    { unitOfWork, changes, clock },
  ): Promise<z.input<typeof response>> {
    const repId = requireUuid(rawId, 'rep_not_found', repNotFound().message);
    assertNotEmpty(change);
    if (dryRun) return previewEmployment({ changes, clock }, caller, repId, change);
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
