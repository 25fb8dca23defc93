import { z } from 'zod';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { flag } from '../../platform/operations/schemas.js';
import { changedDealCredits, previewCreditsChange, runCreditsChange } from '../credits-response.js';
import { creditsSubject } from '../credits-subject.js';
import { dealId } from '../deal.js';
import { assertValidLines, creditsExample, sentLines } from '../deal-credits.js';
import { resolveLines } from '../resolve-lines.js';

const params = z.strictObject({ dealId: dealId.describe('Id of the deal in the CRM') });
const query = z.strictObject({
  dryRun: flag.default(false).describe('true: return the effect on each person; writes nothing'),
});
const body = z.strictObject({ credits: sentLines });

export const setDealCredits = operation({
  id: 'setDealCredits',
  summary:
    'Say who is credited on a deal, in place of all lines that were given before; lines of the CRM and of rules step back',
  method: 'put',
  path: '/v1/deals/:dealId/credits',
  access: 'admin',
  params,
  query,
  body,
  response: changedDealCredits,
  failures: { splits_must_total_100: 400, credit_repeated: 400, deal_not_found: 404, rep_not_found: 404 },
  tool: {
    name: 'set_deal_credits',
    title: 'Set deal credits',
    hints: effects.sets,
    description: {
      purpose: 'Say who is credited on a deal, in place of all lines that were given before.',
      useWhen: 'several people share a deal, or one supports it with an overlay.',
      notFor: 'the owner of a whole deal, whom the CRM names.',
      formats: 'split lines total 100; overlays are in addition.',
      changes: 'commission of everyone on the lines is recalculated; approved statements stay.',
    },
    arguments: {
      dealId: 'The deal',
      dryRun: 'true: only the effect on each person',
      credits: {
        description:
          'All lines: [{repId or email, percent, kind: split or overlay, role, affects: both, quota or payout}]',
        schema: () => ({ type: 'array', items: { type: 'object' } }),
      },
    },
    listsWithin: ['credits'],
    summary: ({ credits, jobId, blocked }) =>
      `Credit lines: ${credits.length}.${jobId === undefined ? ' Nothing was written.' : ' Commission is recalculated.'}${
        blocked === undefined ? '' : ` Approved statements that stay: ${blocked.people.length}.`
      }`,
  },
  subject: (tx, { params: { dealId: id }, body: { credits } }) => creditsSubject(tx, id, credits),
  example: {
    params: { dealId: sampleIds.dealId },
    body: { credits: [{ repId: sampleIds.repId, percent: 100 }] },
    response: {
      dealId: sampleIds.dealId,
      dealName: null,
      closeDate: '2026-02-10',
      ownerRepId: sampleIds.repId,
      source: 'api',
      credits: creditsExample,
      warnings: [],
      jobId: sampleIds.jobId,
    },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ params: { dealId: id }, query: { dryRun }, body: { credits } }, caller, { changes, clock }) {
    const change = dryRun ? previewCreditsChange : runCreditsChange;
    return change(changes, clock, caller, {
      dealId: id,
      lines: async (tx) => {
        const lines = await resolveLines(tx, credits);
        assertValidLines(lines);
        return lines;
      },
    });
  },
});
