import { z } from 'zod';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { flag } from '../../platform/operations/schemas.js';
import { changedDealCredits, previewCreditsChange, runCreditsChange } from '../credits-response.js';
import { dealId } from '../deal.js';

const params = z.strictObject({ dealId: dealId.describe('Id of the deal in the CRM') });
const query = z.strictObject({
  dryRun: flag.default(false).describe('true: return the effect on each person; writes nothing'),
});

export const deleteDealCredits = operation({
  id: 'deleteDealCredits',
  summary: 'Remove the lines that were given for a deal: those of the CRM, of credit rules or the owner count again',
  method: 'delete',
  path: '/v1/deals/:dealId/credits',
  access: 'admin',
  params,
  query,
  response: changedDealCredits,
  failures: { deal_not_found: 404 },
  example: {
    params: { dealId: sampleIds.dealId },
    response: {
      dealId: sampleIds.dealId,
      dealName: null,
      closeDate: '2026-02-10',
      ownerRepId: sampleIds.repId,
      source: 'owner',
      credits: [],
      warnings: [],
      jobId: sampleIds.jobId,
    },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ params: { dealId: id }, query: { dryRun } }, caller, { changes, clock }) {
    const change = dryRun ? previewCreditsChange : runCreditsChange;
    return change(changes, clock, caller, { dealId: id, lines: async () => [] });
  },
});
