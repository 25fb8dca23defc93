import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { Failure, rejectAny } from '../../../kernel/failure.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { requireUuid } from '../../../platform/operations/schemas.js';
import { lockPeople } from '../lock-people.js';
import { assertNotOwnPayrollId, takenPayrollIds } from '../payroll-ids.js';
import { payrollId, type Rep, rep, repExample, repNotFound } from '../rep.js';
import { findRep, updateReps } from '../rep-store.js';
import { listReps, workspaceToday } from '../rep-views.js';

export const addPayrollId = operation({
  id: 'addPayrollId',
  summary: 'Add the payroll id of a rep who has none. Admins change it with PATCH /v1/reps/{repId}',
  method: 'post',
  path: '/v1/reps/:repId/payroll-id',
  access: 'admin',
  payroll: true,
  stepUp: 'always',
  params: z.strictObject({ repId: pathIds.repId }),
  body: z.strictObject({
    payrollId: payrollId.unwrap().describe('Id of the rep in the payroll system, which no other rep has'),
  }),
  response: rep,
  failures: { rep_not_found: 404, payroll_id_exists: 409 },
  example: { params: { repId: sampleIds.repId }, body: { payrollId: '004711' }, response: repExample },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  /** Payroll cannot change an id, and thus not redirect the pay of a person who is paid already. */
  async execute({ params: { repId: rawId }, body }, caller, { unitOfWork, clock }): Promise<Rep> {
    const repId = requireUuid(rawId, 'rep_not_found', repNotFound().message);
    return unitOfWork.write(caller, async (tx) => {
      await lockPeople(tx);
      const stored = await findRep(tx, repId);
      if (stored === undefined) throw repNotFound();
      const changes = [{ known: stored, next: { ...stored, payrollId: body.payrollId } }];
      assertNotOwnPayrollId(caller, changes);
      if (stored.payrollId !== null && stored.payrollId !== body.payrollId)
        throw new Failure('payroll_id_exists', 'This person has a payroll id. An admin can change it.');
      rejectAny(await takenPayrollIds(tx, caller, changes, () => 'payrollId'));
      await updateReps(
        tx,
        changes.map(({ next }) => next),
      );
      const [updated] = await listReps(tx, await workspaceToday(tx, clock), {
        repIds: [repId],
      });
      return updated as Rep;
    });
  },
});
