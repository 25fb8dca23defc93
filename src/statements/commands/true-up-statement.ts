import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { period } from '../../platform/operations/schemas.js';
import { assertNotOwnStatement } from '../approvers.js';
import { findDifference, payTrueUp, type TrueUpResponse, trueUpResponse } from '../pay-difference.js';
import { lockRep } from '../rep-lane.js';

const params = z.strictObject({ repId: pathIds.repId });
const body = z.strictObject({
  period: period.describe('The approved period'),
  force: z.boolean().default(false).describe('true: pay also a delta above the approval threshold'),
});

export const trueUpStatement = operation({
  id: 'trueUpStatement',
  summary:
    'Pay the difference between the approved total and a new calculation of the period for the rep and everyone below, listed by deal and rule, with one event for each currency',
  method: 'post',
  path: '/v1/statements/:repId/true-up',
  access: 'manager',
  params,
  body,
  response: trueUpResponse,
  failures: { rep_not_found: 404, statement_not_approved: 409, fx_rate_missing: 409 },
  example: {
    params: { repId: sampleIds.repId },
    body: { period: '2026-02' },
    response: { action: 'requires_approval', currency: 'USD', delta: 620, approvalThreshold: 500 },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  /** The difference is read and written while holding the rep's lane, so a concurrent true-up finds no difference. */
  async execute({ params: { repId }, body: request }, caller, { changes, clock }): Promise<TrueUpResponse> {
    const key = { repId, period: request.period };
    return changes.run(caller, 'shared', async (tx, recalculate) => {
      await lockRep(tx, repId);
      assertNotOwnStatement(caller, repId);
      const at = clock.now();
      const difference = await findDifference(tx, key, at);
      return payTrueUp(tx, recalculate, key, difference, { caller, reason: null, force: request.force, at });
    });
  },
});
