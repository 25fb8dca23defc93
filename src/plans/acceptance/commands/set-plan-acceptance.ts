import { sql } from 'kysely';
import { z } from 'zod';
import { fields, pathIds } from '../../../api/resource-fields.js';
import { recordAuditEntry } from '../../../audit/audit-entry.js';
import { Failure } from '../../../kernel/failure.js';
import { isUuid } from '../../../kernel/ids.js';
import { type Transaction, UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { planNotFound } from '../../plan.js';
import { type AcceptanceMode, acceptanceExample, acceptanceMode } from '../acceptance.js';
import { requestAcceptances } from '../request-acceptances.js';

const body = z.strictObject({ acceptance: acceptanceMode });

/** A version keeps its own setting; a new one begins with that of the version before. */
async function set(tx: Transaction, planVersionId: string, mode: AcceptanceMode): Promise<string> {
  if (!isUuid(planVersionId)) throw planNotFound();
  const updated = await tx.db
    .updateTable('plan_versions')
    .set({ acceptance: mode })
    .where('workspace_id', '=', tx.workspaceId)
    .where('plan_version_id', '=', planVersionId)
    .returning('plan_id')
    .executeTakeFirst();
  if (updated === undefined) throw planNotFound();
  return updated.plan_id;
}

async function assertPayouts(tx: Transaction): Promise<void> {
  const { rows } = await sql<{ isOn: boolean }>`
    select payouts is not null as "isOn" from workspaces where workspace_id = ${tx.workspaceId}`.execute(tx.db);
  if (rows[0]?.isOn !== true)
    throw new Failure('payouts_required', 'Without payouts nothing can be held: enable them, or choose required.');
}

export const setPlanAcceptance = operation({
  id: 'setPlanAcceptance',
  summary:
    'Set whether people accept a plan version, and whether its pay waits for that. New versions of the plan begin with the same setting',
  method: 'put',
  path: '/v1/plans/:planVersionId/acceptance',
  access: 'admin',
  params: z.strictObject({ planVersionId: pathIds.planVersionId }),
  body,
  response: z.object({
    planId: fields.planId,
    planVersionId: fields.planVersionId,
    acceptance: acceptanceMode,
    requested: z.int().describe('Number of people whose acceptance was requested'),
  }),
  failures: { plan_not_found: 404, payouts_required: 400 },
  example: {
    params: { planVersionId: acceptanceExample.planVersionId },
    body: { acceptance: 'required' },
    response: {
      planId: acceptanceExample.planId,
      planVersionId: acceptanceExample.planVersionId,
      acceptance: 'required',
      requested: 1,
    },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { planVersionId }, body: { acceptance: mode } }, caller, { unitOfWork }) {
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      if (mode === 'hold_pay') await assertPayouts(tx);
      const planId = await set(tx, planVersionId, mode);
      await recordAuditEntry(tx, caller, {
        trigger: 'plan_acceptance_set',
        scope: 'plan',
        details: { planId, planVersionId, acceptance: mode },
      });
      const requested = mode === 'none' ? 0 : await requestAcceptances(tx, { planRef: planVersionId });
      return { planId, planVersionId, acceptance: mode, requested };
    });
  },
});
