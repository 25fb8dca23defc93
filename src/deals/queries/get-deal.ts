import { z } from 'zod';
import { sampleIds } from '../../kernel/sample-ids.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { dealExample, dealId, dealRecord } from '../deal.js';
import { dealNotFound, findCreditedDeal } from '../deal-credit-views.js';
import { findDeal } from '../deal-views.js';

export const getDeal = operation({
  id: 'getDeal',
  summary: 'A deal, also a deleted one that is stored',
  method: 'get',
  path: '/v1/deals/:dealId',
  access: 'rep',
  params: z.strictObject({ dealId: dealId.describe('Id of the deal in the CRM') }),
  response: dealRecord,
  failures: { deal_not_found: 404 },
  example: { params: { dealId: sampleIds.dealId }, response: dealExample },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { dealId: id } }, caller, { unitOfWork }) {
    return unitOfWork.read(caller, async (tx) => {
      await findCreditedDeal(tx, caller, id);
      const deal = await findDeal(tx, id);
      if (deal === null) throw dealNotFound();
      return deal;
    });
  },
});
