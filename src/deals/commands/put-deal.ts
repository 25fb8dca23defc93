import { z } from 'zod';
import { Failure, invalid } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { setAuditCounts } from '../../platform/database/audit-counts.js';
import { failpoint } from '../../platform/failpoint.js';
import { operation, Reply } from '../../platform/operations/operation.js';
import { affectedReps, merge } from '../affected-reps.js';
import { changeLines } from '../change-lines.js';
import { asMarks, corrections } from '../correction-fields.js';
import {
  amountBound,
  type DealRecord,
  dealBody,
  dealBodyExample,
  dealExample,
  dealId,
  dealRecord,
  findAmountOutOfRange,
  readContent,
  toContent,
} from '../deal.js';
import { sentDealLines, toDealLines } from '../deal-lines.js';
import { findDeal } from '../deal-views.js';
import { loadDealTerms } from '../load-deal-terms.js';
import { OpportunityIds } from '../opportunity-ids.js';
import { recordDeals } from '../record-deals.js';

const params = z.strictObject({ dealId: dealId.describe('Id of the deal in the CRM') });
const response = dealRecord.extend({
  stale: z.literal(true).optional().describe('Present if the stored snapshot is newer, so that nothing was changed'),
});

export const putDeal = operation({
  id: 'putDeal',
  summary: 'Create or replace a deal; data older than the stored deal changes nothing',
  method: 'put',
  path: '/v1/deals/:dealId',
  access: 'admin',
  params,
  query: z.strictObject({ corrections }),
  body: dealBody.extend({
    lines: sentDealLines.optional().describe('All products of the deal, at most 500; absent leaves them unchanged'),
  }),
  response,
  otherStatus: 201,
  failures: { line_repeated: 400, too_many_lines: 400, rep_not_found: 404 },
  example: {
    params: { dealId: sampleIds.dealId },
    query: { corrections: 'keep' },
    body: dealBodyExample,
    response: dealExample,
  },
  uses: { changes: CommissionChanges },
  /** The body is the whole deal: absent fields are removed. */
  async execute({ params: { dealId: sentId }, query, body: { lines, ...body } }, caller, { changes }) {
    const dealLines = lines === undefined ? null : toDealLines(lines);
    const sourceUpdatedAt = body.sourceUpdatedAt ? new Date(body.sourceUpdatedAt) : null;
    return changes.run(caller, 'shared', async (tx, recalculate) => {
      const content = toContent(body);
      const terms = await loadDealTerms(tx);
      const slug = findAmountOutOfRange(content, terms);
      if (slug !== null) throw invalid({ path: `fields.${slug}`, message: amountBound });
      const read = readContent(content, terms);
      const dealId = (await new OpportunityIds(tx).complete([sentId])).completed.get(sentId) ?? sentId;
      const {
        outcomes: [outcome],
        changes: recorded,
      } = await recordDeals(tx, [{ dealId, ...read, sourceUpdatedAt, provider: null, ...asMarks(query, caller) }]);
      if (outcome === 'unknown_rep') throw new Failure('rep_not_found', 'There is no such rep in this workspace.');
      await failpoint('put.afterRecord');
      const affected = await affectedReps(tx, recorded);
      if (dealLines !== null && outcome !== 'stale') {
        const { affected: byLines } = await changeLines(tx, caller, new Map([[dealId, dealLines]]));
        merge(affected, byLines.get(dealId) ?? new Map());
      }
      recalculate.withCommit([...affected].map(([repId, days]) => ({ repId, days, trigger: 'deal_change', dealId })));
      setAuditCounts(tx, { [outcome as string]: 1 });
      const deal = await findDeal(tx, dealId);
      await failpoint('put.afterRequests');
      return new Reply(outcome === 'created' ? 201 : 200, {
        ...(deal as DealRecord),
        ...(outcome === 'stale' ? { stale: true as const } : {}),
      });
    });
  },
});
