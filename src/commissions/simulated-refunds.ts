import { type z } from 'zod';
import { findDealContents } from '../deals/deal-views.js';
import { loadDealAmounts } from '../deals/refunds/change-refunds.js';
import { madeUpRefunds, type RefundsByDeal, toRefundsByDeal, withRefunds } from '../deals/refunds/made-up-refunds.js';
import { toFact } from '../deals/refunds/refund.js';
import { listRefunds } from '../deals/refunds/refund-views.js';
import { type Refund } from '../engine/clawback.js';
import { asNumber } from '../engine/field-value.js';
import { type Deal } from '../engine/slug.js';
import { type Caller, mayActAs, visibleReps } from '../kernel/caller.js';
import { type DayRange, hull, isWithin } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { Failure } from '../kernel/failure.js';
import { groupBy } from '../kernel/group-by.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { uuid } from '../platform/operations/schemas.js';
import { widenToSources } from '../simulation/refunded-days.js';

export const simulatedRefunds = madeUpRefunds({
  repId: uuid.nullable().default(null).describe('Id of the rep (UUID); null for everyone without a separate waiver'),
});

/**
 * Returns the made-up deals with their stored refunds, and the requested refunds by deal. Rejects a refund of a deal that
 * is not made up and that the caller may not see.
 */
export async function readRefunds<Hypothetical extends { readonly deal: Deal }>(
  tx: Transaction,
  caller: Caller,
  requested: z.output<typeof simulatedRefunds> | undefined,
  deals: readonly Hypothetical[],
): Promise<{ readonly deals: Hypothetical[]; readonly refunds: RefundsByDeal }> {
  if (requested !== undefined && !mayActAs(caller, 'manager'))
    throw new Failure('forbidden', 'Only managers and admins can simulate refunds.');
  const refunds = requested ?? [];
  const ids = [...deals.map(({ deal }) => deal.dealId), ...refunds.map(({ dealId }) => dealId)];
  if (ids.length === 0) return { deals: [], refunds: new Map() };
  const visibleIds = [...(await findDealContents(tx, { repIds: visibleReps(caller) }, ids)).keys()];
  const stored = await loadDealAmounts(tx, visibleIds);
  const amounts = new Map([...stored].map(([id, amount]) => [id, amount === null ? null : Decimal.of(amount)]));
  for (const { deal } of deals) amounts.set(deal.dealId, asNumber(deal.standard.dealAmount));
  const facts = refunds.map(({ waivers, ...refund }) => ({
    ...refund,
    waivers: waivers.map(({ repId, percent }) => ({ repId, percent: String(percent) })),
  }));
  const storedRefunds = groupBy(await listRefunds(tx, visibleIds), ({ dealId }) => dealId);
  const storedFacts = new Map([...storedRefunds].map(([id, ofDeal]) => [id, ofDeal.map(toFact)]));
  return {
    deals: deals.map((hypothetical) => ({ ...hypothetical, deal: withRefunds(hypothetical.deal, storedFacts) })),
    refunds: toRefundsByDeal(facts, amounts, 'refunds'),
  };
}

/** Widens the days to the close dates of the deals that have a stored or a requested refund in the days. */
export async function widenToRefundedDeals(
  tx: Transaction,
  days: DayRange,
  repIds: readonly string[],
  { deals, refunds }: { readonly deals: readonly { readonly deal: Deal }[]; readonly refunds: RefundsByDeal },
): Promise<DayRange> {
  const isRefunded = (ofDeal: readonly Refund[]) => ofDeal.some(({ day }) => isWithin(day, days));
  const requestedIds = [...refunds].filter(([, ofDeal]) => isRefunded(ofDeal)).map(([dealId]) => dealId);
  const madeUp = deals
    .map(({ deal }) => withRefunds(deal, refunds))
    .filter((deal) => isRefunded(deal.refunds ?? []))
    .map(({ closeDate }) => ({ from: closeDate, to: closeDate }));
  return madeUp.reduce(hull, await widenToSources(tx, days, repIds, requestedIds));
}
