import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { recordAuditEntry } from '../../../audit/audit-entry.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { acceptanceExample } from '../acceptance.js';
import { requestAcceptances } from '../request-acceptances.js';

export const remindAcceptances = operation({
  id: 'remindAcceptances',
  summary: 'Ask everyone on a plan again who has not accepted it as it is now, by mail and event',
  method: 'post',
  path: '/v1/plans/:planRef/acceptances/remind',
  access: 'admin',
  params: z.strictObject({ planRef: pathIds.planRef }),
  response: z.object({ requested: z.int().describe('Number of people who were reminded') }),
  failures: {},
  example: { params: { planRef: acceptanceExample.planId }, response: { requested: 3 } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { planRef } }, caller, { unitOfWork }) {
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      const requested = await requestAcceptances(tx, { planRef });
      // The id of no plan is not stored.
      if (requested === 0) return { requested };
      await recordAuditEntry(tx, caller, {
        trigger: 'plan_acceptances_requested',
        scope: 'plan',
        details: { planRef, requested },
      });
      return { requested };
    });
  },
});
