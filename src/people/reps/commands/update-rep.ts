import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { type Caller } from '../../../kernel/caller.js';
import { type Clock } from '../../../kernel/clock.js';
import { allDays } from '../../../kernel/day.js';
import { invalid, rejectAny } from '../../../kernel/failure.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { flag, requireUuid } from '../../../platform/operations/schemas.js';
import { previewWrite } from '../../../simulation/preview-write.js';
import { personalEffect, toPersonalEffect } from '../../../simulation/write-effect.js';
import { replaceManagers } from '../change-managers.js';
import { changedEmployment, managerChange, type PersonChange, personChange, storeChange } from '../change-person.js';
import { storeEmployments } from '../employment-store.js';
import { leftBehind, listLeftBehind } from '../left-behind.js';
import { type Rep, rep, repExample, repNotFound } from '../rep.js';
import { findRep } from '../rep-store.js';
import { listReps, workspaceToday } from '../rep-views.js';

const params = z.strictObject({ repId: pathIds.repId });
type Change = PersonChange;

const query = z.strictObject({
  dryRun: flag
    .default(false)
    .describe(
      'true: say what hireDate, endDate and managerId would do to commission, and change nothing; only with these fields',
    ),
});

const response = z.object({
  ...rep.shape,
  ...leftBehind,
  effect: personalEffect
    .nullable()
    .optional()
    .describe('With dryRun. null: the person has more deals than can be calculated at once'),
});

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

const previewed = new Set(['hireDate', 'endDate', 'managerId', 'managerFrom']);

/** What the employment dates and the manager would do to commission; they are rolled back. */
function previewTerms(
  uses: { readonly changes: CommissionChanges; readonly clock: Clock },
  caller: Caller,
  repId: string,
  change: Change,
): Promise<z.input<typeof response>> {
  const others = Object.keys(change).filter((field) => !previewed.has(field));
  rejectAny(others.map((path) => ({ path, message: 'cannot be previewed; send it without dryRun' })));
  return previewWrite(uses, caller, toPersonalEffect, async (tx, today) => {
    if ((await findRep(tx, repId)) === undefined) throw repNotFound();
    const next = await changedEmployment(tx, repId, change);
    if (next !== null) await storeEmployments(tx, [{ repId, ...next }]);
    const affected = await replaceManagers(tx, today, await managerChange(tx, repId, change));
    if (next !== null) affected.set(repId, allDays);
    const [result] = await listReps(tx, today, { repIds: [repId] });
    return { result: result as Rep, affected };
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
  body: personChange,
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
    if (dryRun) return previewTerms({ changes, clock }, caller, repId, change);
    await storeChange(caller, repId, change, { changes, clock });
    return unitOfWork.read(caller, async (tx) => {
      const today = await workspaceToday(tx, clock);
      const [updated] = await listReps(tx, today, { repIds: [repId] });
      return {
        ...(updated as Rep),
        ...(await listLeftBehind(tx, today, [{ ...change, repId }])),
      };
    });
  },
});
