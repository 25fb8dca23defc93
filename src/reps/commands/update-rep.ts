import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { type Caller, roles } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { invalid } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/commission-changes.js';
import { type Work } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { type Input, operation } from '../../platform/operation.js';
import { day, requireUuid, uuid } from '../../platform/schemas.js';
import { changeManagers } from '../change-managers.js';
import { assertHeadcount, countHeads } from '../headcount.js';
import { lockPeople } from '../lock-people.js';
import { payrollId, type Rep, rep, repExample, repNotFound } from '../rep.js';
import { endSessions, findRep, updateReps } from '../rep-store.js';
import { findRepName, listReps, workspaceToday } from '../rep-views.js';

const params = z.strictObject({ repId: pathIds.repId });
const body = z.strictObject({
  role: z.enum(roles).optional().describe('New role of the rep'),
  active: z.boolean().optional().describe('false: the rep cannot sign in, and their sessions end'),
  payrollId: payrollId.optional(),
  managerId: uuid.nullable().optional().describe('Manager from managerFrom on (UUID); null for none'),
  managerFrom: day.optional().describe('First day of the new manager, YYYY-MM-DD; today by default'),
});
type Change = z.infer<typeof body>;

@injectable()
export class UpdateRep {
  constructor(
    @inject(CommissionChanges) private readonly changes: CommissionChanges,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute(
    { params: { repId: rawId }, body: change }: Input<z.infer<typeof params>, unknown, Change>,
    caller: Caller,
  ): Promise<Rep> {
    const repId = requireUuid(rawId, 'rep_not_found', repNotFound().message);
    assertNotEmpty(change);
    const { workspaceId } = caller;
    // Only reporting lines decide commission, so only their change excludes calculations.
    const lock = change.managerId === undefined ? 'none' : 'exclusive';
    return this.changes.run(caller, lock, async (trx, recalculate) => {
      await changeRoleAndActivity(trx, workspaceId, repId, change);
      const today = await workspaceToday(trx, workspaceId, this.clock);
      if (change.managerId !== undefined) {
        if (change.managerId !== null && (await findRepName(trx, workspaceId, change.managerId)) === null)
          throw repNotFound([change.managerId]);
        await changeManagers(trx, recalculate, workspaceId, today, [
          { repId, managerId: change.managerId, from: change.managerFrom, path: 'managerId' },
        ]);
      }
      const [updated] = await listReps(trx, workspaceId, today, { repIds: [repId] });
      return updated as Rep;
    });
  }
}

function assertNotEmpty(change: Change): void {
  if (change.managerFrom !== undefined && change.managerId === undefined) {
    throw invalid({ path: 'managerFrom', message: 'needs a managerId, or null to end the reporting line' });
  }
  if (Object.values(change).every((value) => value === undefined)) {
    throw invalid({ path: '', message: 'give at least one of role, active, payrollId, managerId' });
  }
}

async function changeRoleAndActivity(trx: Work, workspaceId: string, repId: string, change: Change): Promise<void> {
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
  const before = await countHeads(trx, workspaceId);
  await updateReps(trx, workspaceId, [next]);
  assertHeadcount(before, await countHeads(trx, workspaceId));
  if (next.role !== stored.role || !next.active) await endSessions(trx, workspaceId, [stored.repId]);
}

export const updateRep = operation({
  id: 'updateRep',
  summary: "Change a rep's role, active status, payroll id, or manager from a day on",
  method: 'patch',
  path: '/v1/reps/:repId',
  access: 'admin',
  params,
  body,
  response: rep,
  failures: { rep_not_found: 404, rep_limit_reached: 403, last_admin: 409 },
  example: {
    params: { repId: sampleIds.repId },
    body: { managerId: sampleIds.managerId, managerFrom: '2026-01-01' },
    answer: repExample,
  },
  handler: UpdateRep,
});
