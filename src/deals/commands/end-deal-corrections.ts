import { z } from 'zod';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { flag, text } from '../../platform/operations/schemas.js';
import { commissionEffect } from '../../simulation/write-effect.js';
import { correctionName, maxCorrectionNameLength } from '../correction-fields.js';
import { dealId } from '../deal.js';
import { changeDeals } from '../deal-write-effect.js';
import { endCorrections } from '../end-corrections.js';

const query = z.strictObject({
  dryRun: flag.default(false).describe('true: count without writing'),
  effect: flag.default(false).describe('true with dryRun: also the effect on commission'),
});
const body = z.strictObject({
  corrections: z
    .array(
      z
        .strictObject({
          dealId: dealId.describe('Id of the deal in the CRM'),
          name: text(maxCorrectionNameLength).describe(correctionName.description ?? ''),
        })
        .describe('One corrected value'),
    )
    .min(1)
    .max(10_000)
    .describe('The corrections to end. Those that do not exist are ignored'),
});
const response = z.object({
  ended: z.int().describe('Number of corrections that ended. Later syncs and imports change these values again'),
  changed: z.int().describe('Number of deals whose values became those that a source reported last'),
  dryRun: z.literal(true).optional().describe('Present for a dry run, which writes nothing'),
  effect: commissionEffect
    .nullable()
    .optional()
    .describe('With effect=true. null: more deals change than can be calculated at once'),
});
type Response = z.input<typeof response>;

export const endDealCorrections = operation({
  id: 'endDealCorrections',
  summary: 'End corrections of deals: the values that sources reported last return',
  method: 'post',
  path: '/v1/deal-corrections/end',
  access: 'admin',
  query,
  body,
  response,
  failures: {},
  example: {
    query: { dryRun: 'false' },
    body: { corrections: [{ dealId: sampleIds.dealId, name: 'amount' }] },
    response: { ended: 1, changed: 1 },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ query, body: { corrections } }, caller, uses): Promise<Response> {
    return changeDeals(uses, caller, {
      ...query,
      trigger: 'deal_change',
      write: (tx) => endCorrections(tx, corrections),
      count: ({ ended, accepted: changed }) => ({ ended, changed }),
      audit: ({ changed }) => ({ changed }),
    });
  },
});
