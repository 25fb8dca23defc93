import { z } from 'zod';
import { sampleIds } from '../../kernel/sample-ids.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { asOfQuery } from '../../platform/operations/schemas.js';
import { dealCredits, describeCredits } from '../credits-response.js';
import { dealId } from '../deal.js';
import { findCreditedDeal } from '../deal-credit-views.js';
import { creditsExample } from '../deal-credits.js';

const params = z.strictObject({ dealId: dealId.describe('Id of the deal in the CRM') });

export const getDealCredits = operation({
  id: 'getDealCredits',
  summary: 'Who is credited on a deal, with which share, and where each line comes from',
  method: 'get',
  path: '/v1/deals/:dealId/credits',
  access: 'rep',
  params,
  query: z.strictObject({ asOf: asOfQuery }),
  response: dealCredits,
  failures: { deal_not_found: 404 },
  tool: {
    name: 'get_deal_credits',
    title: 'Get deal credits',
    hints: effects.reads,
    description: {
      purpose: 'Who is credited on a deal: splits and overlays with percent, role and source of each line.',
      useWhen: 'a deal is shared, or has the reason no_credit.',
      notFor: 'what it paid (get_commissions).',
      changes: 'nothing.',
    },
    arguments: { dealId: 'The deal', asOf: 'Earlier instant' },
    list: 'credits',
    summary: ({ credits, source }) => `Credit lines: ${credits.length}. Splits come from: ${source}.`,
  },
  example: {
    params: { dealId: sampleIds.dealId },
    response: {
      dealId: sampleIds.dealId,
      dealName: null,
      closeDate: '2026-02-10',
      ownerRepId: sampleIds.repId,
      source: 'api',
      credits: creditsExample,
      warnings: [],
    },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { dealId: id }, query: { asOf } }, caller, { unitOfWork }) {
    const options = { lock: 'none', access: 'read', ...(asOf === undefined ? {} : { asOf }) } as const;
    return unitOfWork.run(caller, options, async (tx) => describeCredits(tx, await findCreditedDeal(tx, caller, id)));
  },
});
