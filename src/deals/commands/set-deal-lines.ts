import { z } from 'zod';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { flag } from '../../platform/operations/schemas.js';
import { dealId } from '../deal.js';
import { linesExample, sentDealLines, toDealLines } from '../deal-lines.js';
import { changedDealLines, changeLinesOfDeal } from '../lines-response.js';

const params = z.strictObject({ dealId: dealId.describe('Id of the deal in the CRM') });
const query = z.strictObject({
  dryRun: flag.default(false).describe('true: return the effect on each person; writes nothing'),
});
const body = z.strictObject({ lines: sentDealLines });

export const setDealLines = operation({
  id: 'setDealLines',
  summary: 'Give the products of a deal, in place of all lines that were given before; lines of the CRM step back',
  method: 'put',
  path: '/v1/deals/:dealId/lines',
  access: 'admin',
  params,
  query,
  body,
  response: changedDealLines,
  failures: { line_repeated: 400, too_many_lines: 400, deal_not_found: 404 },
  example: {
    params: { dealId: sampleIds.dealId },
    body: { lines: [{ lineId: '1', family: 'software', amount: 30_000 }] },
    response: { ...linesExample, warnings: [], jobId: sampleIds.jobId },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ params: { dealId: id }, query: { dryRun }, body: { lines } }, caller, uses) {
    return changeLinesOfDeal(uses, caller, { dealId: id, lines: toDealLines(lines), dryRun });
  },
});
