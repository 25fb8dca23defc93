import { z } from 'zod';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { flag } from '../../platform/operations/schemas.js';
import { commissionEffect } from '../../simulation/write-effect.js';
import { dealId } from '../deal.js';
import { changeDeals } from '../deal-write-effect.js';
import { removeDeals } from '../remove-deals.js';

const query = z.strictObject({
  dryRun: flag.default(false).describe('true: count without deleting'),
  effect: flag.default(false).describe('true with dryRun: also the effect on commission'),
});
const body = z.strictObject({
  dealIds: z.array(dealId).min(1).max(10_000).describe('Ids of the deals in the CRM'),
});
const response = z.object({
  deleted: z.int().describe('Number of deals that were marked as deleted'),
  notFound: z.int().describe('Number of ids of which there is no deal, or which was deleted before'),
  dryRun: z.literal(true).optional().describe('Present for a dry run, which writes nothing'),
  effect: commissionEffect
    .nullable()
    .optional()
    .describe('With effect=true. null: more deals are deleted than can be calculated at once'),
});
type Response = z.input<typeof response>;

export const deleteDeals = operation({
  id: 'deleteDeals',
  summary: 'Mark up to 10,000 deals as deleted, all at once, and reverse what was earned on them',
  method: 'post',
  path: '/v1/deals/delete',
  access: 'admin',
  query,
  body,
  response,
  failures: {},
  example: { query: { dryRun: 'false' }, body: { dealIds: ['D-1', 'D-2'] }, response: { deleted: 2, notFound: 0 } },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ query, body }, caller, uses): Promise<Response> {
    const dealIds = [...new Set(body.dealIds)];
    return changeDeals(uses, caller, {
      ...query,
      trigger: 'deal_deletion',
      write: (tx) => removeDeals(tx, dealIds, uses.clock),
      count: ({ accepted }) => ({ deleted: accepted, notFound: dealIds.length - accepted }),
      audit: ({ deleted }) => ({ deleted }),
    });
  },
});
