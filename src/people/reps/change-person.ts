import { z } from 'zod';
import { recovery } from '../../access/workspaces/workspace.js';
import { type Caller, peopleBehind, roles } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { assertDayOrder } from '../../kernel/day-order.js';
import { Failure, rejectAny } from '../../kernel/failure.js';
import { type CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { type Recalculate } from '../../ledger/requests/recalculate.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { day, uuid } from '../../platform/operations/schemas.js';
import { changeManagers, type ManagerChange, movesAnyone } from './change-managers.js';
import { assertNotOwnRates, changesReadFields } from './dated-value-views.js';
import { storeEmployments } from './employment-store.js';
import { type Employment, isSameEmployment } from './employment-views.js';
import { assertHeadcount, countHeads } from './headcount.js';
import { lockPeople } from './lock-people.js';
import { payCurrencyChange, storePayCurrencies } from './pay-currency-store.js';
import { assertNotOwnPayrollId, takenPayrollIds } from './payroll-ids.js';
import { changedValues } from './person-field.js';
import { listPersonFields } from './person-field-views.js';
import { changedProfile, isSameProfile, profileChange } from './profile.js';
import { payrollId, repNotFound } from './rep.js';
import { endSessions, findRep, type KnownRep, loadHierarchy, updateReps } from './rep-store.js';
import { findRepName, workspaceToday } from './rep-views.js';

/** What may be changed of a person; fields that are absent stay. */
export const personChange = z.strictObject({
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
export type PersonChange = z.infer<typeof personChange>;

/**
 * Stores the role before the rest: commission depends on reporting lines and employment and not on roles, so that a
 * person loses rights without waiting for a calculation. The first transaction also checks the rest, which is stored
 * together.
 */
export async function storeChange(
  caller: Caller,
  repId: string,
  change: PersonChange,
  { changes, clock }: { readonly changes: CommissionChanges; readonly clock: Clock },
): Promise<void> {
  const affectsCommission = await changes.run(caller, 'none', async (tx, recalculate) => {
    await changePerson(tx, caller, repId, change);
    if (await changesReadFields(tx, change)) await recalculate.reps([repId], 'person');
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

export async function managerChange(tx: Transaction, repId: string, change: PersonChange): Promise<ManagerChange[]> {
  const { managerId, managerFrom: from } = change;
  if (managerId === undefined) return [];
  if (managerId !== null && (await findRepName(tx, managerId)) === null) throw repNotFound([managerId]);
  return [{ repId, managerId, from, path: 'managerId' }];
}

export async function changePerson(
  tx: Transaction,
  caller: Caller,
  repId: string,
  change: PersonChange,
): Promise<void> {
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
  const changes = [{ known: stored, next }];
  assertNotOwnPayrollId(caller, changes);
  await assertNotOwnRates(tx, caller, changes);
  rejectAny(await takenPayrollIds(tx, caller, changes, () => 'payrollId'));
  const before = await countHeads(tx);
  await updateReps(tx, [next]);
  assertHeadcount(before, await countHeads(tx));
  if (next.role !== stored.role || !next.active) await endSessions(tx, [stored.repId]);
}

function isSame(a: KnownRep, b: KnownRep): boolean {
  return a.role === b.role && a.active === b.active && a.payrollId === b.payrollId && isSameProfile(a, b);
}

/** No person decides how much of their own pay is kept. */
async function storeRecovery(tx: Transaction, caller: Caller, repId: string, { recovery: limit }: PersonChange) {
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
export async function changedEmployment(
  tx: Transaction,
  repId: string,
  { hireDate, endDate }: PersonChange,
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
  change: PersonChange,
): Promise<void> {
  const next = await changedEmployment(tx, repId, change);
  if (next === null) return;
  await storeEmployments(tx, [{ repId, ...next }]);
  await recalculate.reps([repId], 'rep_change');
}
