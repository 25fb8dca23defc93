import { z } from 'zod';
import { sampleIds } from '../../kernel/sample-ids.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { effects } from '../../platform/mcp/tool.js';
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
  tool: {
    name: 'get_deal_lines',
    title: 'Get deal lines',
    hints: effects.reads,
    description: {
      purpose: 'Products of a deal. differs: they do not add up to it.',
      useWhen: 'a deal has the reason no_lines or lines_differ.',
      notFor: 'what they paid (get_commissions).',
      changes: 'nothing.',
    },
    arguments: { dealId: 'The deal', asOf: { always: undefined } },
    list: 'lines',
    summary: ({ lines, differs }) => `Lines: ${lines.length}.${differs ? ' They differ from the deal.' : ''}`,
  },
  example: { params: { dealId: sampleIds.dealId }, response: { ...linesExample, warnings: [] } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { dealId: id }, query: { asOf } }, caller, { unitOfWork }) {
    const options = { lock: 'none', access: 'read', ...(asOf === undefined ? {} : { asOf }) } as const;
    return unitOfWork.run(caller, options, async (tx) => describeLines(tx, caller, id));
  },
});
