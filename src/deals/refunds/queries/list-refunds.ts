import { z } from 'zod';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { listOf } from '../../../platform/operations/list-of.js';
import { asOfQuery } from '../../../platform/operations/schemas.js';
import { dealParams, refund, refundExample } from '../refund.js';
import { listRefunds as loadRefunds } from '../refund-views.js';

export const listRefunds = listOf(
  {
    id: 'listRefunds',
    summary: 'List the refunds of a deal with their waivers, in the order in which they count',
    path: '/v1/deals/:dealId/refunds',
    access: 'admin',
    payroll: true,
    params: dealParams,
    query: z.strictObject({ asOf: asOfQuery }),
    list: { name: 'refunds', items: z.array(refund).describe('The refunds of the deal') },
    example: {
      params: { dealId: sampleIds.dealId },
      items: [{ ...refundExample, waivers: [] }],
    },
  },
  (tx, { params: { dealId } }) => loadRefunds(tx, [dealId]),
);
