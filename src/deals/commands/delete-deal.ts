import { z } from 'zod';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { type Recalculate } from '../../ledger/requests/recalculate.js';
import { setAuditCounts } from '../../platform/database/audit-counts.js';
import { isStorable } from '../../platform/database/columns.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { flag } from '../../platform/operations/schemas.js';
import { affectedByDeletions } from '../affected-reps.js';
import { repsIn } from '../deal-credits.js';
import { lockDeals, softDeleteDeals } from '../deal-store.js';
import { dealEarnings } from '../deal-views.js';
import { purgeDeal, REMOVE_PAY_FACTS, type RemovedFacts, type RemovePayFacts, removedFacts } from '../purge-deal.js';

/** The CRM's id of the deal, unchanged; an id that cannot be stored matches no deal. */
const params = z.strictObject({ dealId: z.string().max(200).describe('Id of the deal in the CRM') });
const query = z.strictObject({
  hard: flag
    .default(false)
    .describe(
      'true: also delete the history of the deal, its credit lines, refunds, invoices and corrections; false: mark the deal as deleted and keep them',
    ),
});
const response = z.object({
  reversed: z.int().describe('Number of commission events that this deletion reversed'),
  statementLocked: z.boolean().describe('Whether approved statements blocked changes'),
  softDeleted: z.boolean().describe('Whether the deal was marked as deleted'),
  hardDeleted: z.boolean().describe('Whether the deal and its history were deleted'),
  removed: removedFacts.optional().describe('What was deleted with the deal; present if `hardDeleted` is true'),
});

const nothingDeleted = { reversed: 0, statementLocked: false, softDeleted: false, hardDeleted: false };

/**
 * Deletes the deal and requests the calculation of every rep who earned on it in the same transaction. `earned` is
 * the number of earned events, 0 for a deal that was deleted before: that deletion counts their reversal. Null if there
 * is no such deal.
 */
async function remove(
  tx: Transaction,
  recalculate: Recalculate,
  { dealId, hard, at }: { readonly dealId: string; readonly hard: boolean; readonly at: Date },
  removePayFacts: RemovePayFacts,
): Promise<{ readonly earned: number; readonly removed: RemovedFacts | null } | null> {
  const deal = (await lockDeals(tx, [dealId])).get(dealId);
  tx.markAffected(deal === undefined ? [] : [deal.repId, ...repsIn(deal.credits)]);
  if (deal === undefined) return null;
  const { earned } = deal.deleted ? { earned: 0 } : await dealEarnings(tx, dealId);
  const affected = (await affectedByDeletions(tx, [deal])).get(dealId) ?? new Map();
  await failpoint('delete.afterEarners');
  const removed = hard ? await purgeDeal(tx, deal, at, removePayFacts) : null;
  if (!hard && !deal.deleted) await softDeleteDeals(tx, [{ dealId, at, isOfCrm: false }]);
  await failpoint('delete.afterSoftDelete');
  setAuditCounts(tx, { deleted: deal.deleted && !hard ? 0 : 1 });
  await recalculate([...affected].map(([repId, days]) => ({ repId, days, trigger: 'deal_deletion', dealId })));
  return { earned, removed };
}

export const deleteDeal = operation({
  id: 'deleteDeal',
  summary: 'Mark a deal as deleted, or purge it with its history and facts, and reverse every earned event on it',
  method: 'delete',
  path: '/v1/deals/:dealId',
  access: 'admin',
  params,
  query,
  response,
  failures: { already_paid: 409 },
  example: {
    params: { dealId: sampleIds.dealId },
    query: { hard: 'false' },
    response: { reversed: 1, statementLocked: false, softDeleted: true, hardDeleted: false },
  },
  uses: { unitOfWork: UnitOfWork, changes: CommissionChanges, clock: CLOCK, removePayFacts: REMOVE_PAY_FACTS },
  /**
   * Deletes the deal and reverses its events before the response is sent. The response reports events that approved
   * periods keep.
   */
  async execute(
    { params: { dealId: rawId }, query: { hard } },
    caller,
    { unitOfWork, changes, clock, removePayFacts },
  ) {
    const dealId = rawId.trim();
    if (!isStorable(dealId)) return nothingDeleted;
    const deleted = await changes.runAndCalculate(caller, 'shared', (tx, recalculate) =>
      remove(tx, recalculate, { dealId, hard, at: clock.now() }, removePayFacts),
    );
    if (deleted === null) return nothingDeleted;
    const { earned, removed } = deleted;
    const left = await unitOfWork.read(caller, (tx) => dealEarnings(tx, dealId));
    return {
      reversed: Math.max(0, earned - left.earned),
      statementLocked: left.frozen,
      softDeleted: !hard,
      hardDeleted: hard,
      ...(removed === null ? {} : { removed }),
    };
  },
});
