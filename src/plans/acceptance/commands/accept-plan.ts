import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { text } from '../../../platform/operations/schemas.js';
import { acceptance, acceptanceExample } from '../acceptance.js';
import { decidePlan } from '../decide-plan.js';

export const acceptPlan = operation({
  id: 'acceptPlan',
  summary: 'Accept the own document of a plan version. It cannot be withdrawn',
  method: 'post',
  path: '/v1/plans/:planVersionId/acceptances',
  access: 'rep',
  scope: null,
  stepUp: 'always',
  params: z.strictObject({ planVersionId: pathIds.planVersionId }),
  body: z.strictObject({
    signedName: text(200).describe('Name of the person, as a signature'),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal')
      .describe('That of the document that was read. With another document, the request fails'),
  }),
  response: acceptance,
  failures: { acceptance_not_needed: 409, document_changed: 409 },
  example: {
    params: { planVersionId: acceptanceExample.planVersionId },
    body: { signedName: 'Ben Ito', sha256: acceptanceExample.sha256 },
    response: {
      ...acceptanceExample,
      status: 'accepted',
      signedName: 'Ben Ito',
      decidedAt: '2026-02-20T09:00:00.000Z',
    },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { planVersionId }, body }, caller, { unitOfWork, clock }) {
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, (tx) =>
      decidePlan(tx, caller, planVersionId, { decision: 'accepted', ...body }, clock.now()),
    );
  },
});
