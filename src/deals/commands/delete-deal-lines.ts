import { z } from 'zod';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { flag } from '../../platform/operations/schemas.js';
import { dealId } from '../deal.js';
import { changedDealLines, changeLinesOfDeal } from '../lines-response.js';

const params = z.strictObject({ dealId: dealId.describe('Id of the deal in the CRM') });
const query = z.strictObject({
  dryRun: flag.default(false).describe('true: return the effect on each person; writes nothing'),
});

export const deleteDealLines = operation({
  id: 'deleteDealLines',
  summary: 'Remove the products that were given for a deal: those of the CRM count again, if there are any',
  method: 'delete',
  path: '/v1/deals/:dealId/lines',
  access: 'admin',
  params,
  query,
  response: changedDealLines,
  failures: { deal_not_found: 404 },
  example: {
    params: { dealId: sampleIds.dealId },
    response: {
      dealId: sampleIds.dealId,
      source: null,
      lines: [],
      total: [],
      differs: false,
      warnings: [],
      jobId: sampleIds.jobId,
    },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ params: { dealId: id }, query: { dryRun } }, caller, uses) {
    return changeLinesOfDeal(uses, caller, { dealId: id, lines: [], dryRun });
  },
});
