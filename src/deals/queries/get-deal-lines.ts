import { z } from 'zod';
import { sampleIds } from '../../kernel/sample-ids.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { asOfQuery } from '../../platform/operations/schemas.js';
import { dealId } from '../deal.js';
import { linesExample } from '../deal-lines.js';
import { describeLines, linesOfOneDeal } from '../lines-response.js';

const params = z.strictObject({ dealId: dealId.describe('Id of the deal in the CRM') });

export const getDealLines = operation({
  id: 'getDealLines',
  summary: 'The products of a deal with their amounts, and where they come from',
  method: 'get',
  path: '/v1/deals/:dealId/lines',
  access: 'rep',
  params,
  query: z.strictObject({ asOf: asOfQuery }),
  response: linesOfOneDeal,
  failures: { deal_not_found: 404 },
  example: { params: { dealId: sampleIds.dealId }, response: { ...linesExample, warnings: [] } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { dealId: id }, query: { asOf } }, caller, { unitOfWork }) {
    const options = { lock: 'none', access: 'read', ...(asOf === undefined ? {} : { asOf }) } as const;
    return unitOfWork.run(caller, options, async (tx) => describeLines(tx, caller, id));
  },
});
