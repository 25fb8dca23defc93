import { z } from 'zod';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { setAuditCounts } from '../../platform/database/audit-counts.js';
import { withDryRun } from '../../platform/database/dry-run.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { flag } from '../../platform/operations/schemas.js';
import { commissionEffect } from '../../simulation/write-effect.js';
import { dealId } from '../deal.js';
import { writeForEffect } from '../deal-write-effect.js';
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
  async execute({ query: { dryRun, effect: withEffect }, body }, caller, { changes, clock }): Promise<Response> {
    const dealIds = [...new Set(body.dealIds)];
    const toResponse = (deleted: number) => ({ deleted, notFound: dealIds.length - deleted });
    return withDryRun<Response>(dryRun, (end) =>
      changes.run(caller, 'shared', async (tx, recalculate) => {
        const remove = () => removeDeals(tx, dealIds, clock);
        if (dryRun && withEffect) {
          const { result, effect } = await writeForEffect(tx, clock, remove);
          return end({ ...toResponse(result.accepted), dryRun, effect });
        }
        const { accepted, affected } = await remove();
        if (dryRun) return end({ ...toResponse(accepted), dryRun });
        setAuditCounts(tx, { deleted: accepted });
        await recalculate([...affected].map(([repId, days]) => ({ repId, days, trigger: 'deal_deletion' })));
        return toResponse(accepted);
      }),
    );
  },
});
