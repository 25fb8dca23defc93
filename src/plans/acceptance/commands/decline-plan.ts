import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { text } from '../../../platform/operations/schemas.js';
import { acceptance, acceptanceExample } from '../acceptance.js';
import { decidePlan } from '../decide-plan.js';

export const declinePlan = operation({
  id: 'declinePlan',
  summary: 'Decline the own document of a plan version, with a reason for the admins. It can still be accepted later',
  method: 'post',
  path: '/v1/plans/:planVersionId/decline',
  access: 'rep',
  scope: null,
  params: z.strictObject({ planVersionId: pathIds.planVersionId }),
  body: z.strictObject({ reason: text(1000).describe('Why, for the admins') }),
  response: acceptance,
  failures: { acceptance_not_needed: 409, document_changed: 409 },
  example: {
    params: { planVersionId: acceptanceExample.planVersionId },
    body: { reason: 'The quota of the second quarter is not the one we agreed on' },
    response: {
      ...acceptanceExample,
      status: 'declined',
      reason: 'The quota of the second quarter is not the one we agreed on',
      decidedAt: '2026-02-20T09:00:00.000Z',
    },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { planVersionId }, body }, caller, { unitOfWork, clock }) {
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, (tx) =>
      decidePlan(tx, caller, planVersionId, { decision: 'declined', ...body }, clock.now()),
    );
  },
});
