import { groupBy } from '../kernel/group-by.js';
import { sumsByCurrency } from '../kernel/sums-by-currency.js';
import { type UnreadDeals } from './exception-views.js';
import { type Exception, type ExceptionReason } from './exceptions.js';

/** The deals of one reason: all of them in number and amount, and a page of them by name. */
export interface ExceptionGroup {
  readonly reason: ExceptionReason;
  /** Distinct deals. */
  readonly count: number;
  /** Deals on all pages: one that did not pay two reps is listed for each. */
  readonly entries: number;
  readonly totals: { readonly currency: string; readonly amount: number }[];
  /** Everyone with a deal on any page, of people who were named by id. Absent for deals that no calculation reads. */
  readonly repIds?: string[];
  readonly listed: readonly Exception[];
}

/** Which deals of each reason are named, the largest amount first. */
export interface ExceptionPage {
  readonly limit: number;
  readonly skip: number;
  /** The people who are named by id, if they are. */
  readonly ids?: readonly string[] | undefined;
}

/** A deal that did not pay two reps is counted once and listed for each rep. */
export function groupByReason(
  found: readonly Exception[],
  currency: string,
  { limit, skip, ids }: ExceptionPage,
): Map<ExceptionReason, ExceptionGroup> {
  const groups = [...groupBy(found, ({ reason }) => reason)].map(([reason, ofReason]) => {
    const deals = [...new Map(ofReason.map((deal) => [deal.dealId, deal])).values()];
    const amounts = deals.map((deal) => ({ currency: deal.currency ?? currency, amount: String(deal.amount ?? 0) }));
    const listed = [...ofReason].sort(largestFirst).slice(skip, skip + limit);
    const totals = toTotals(amounts, currency);
    const named = ids === undefined ? {} : { repIds: peopleOf(ofReason) };
    return [reason, { reason, count: deals.length, entries: ofReason.length, totals, ...named, listed }] as const;
  });
  return new Map(groups);
}

/** The group of deals that no calculation reads, so that every one of them has this reason and no other. */
export function toGroup(
  reason: ExceptionReason,
  { count, totals, largest }: UnreadDeals,
  currency: string,
): ExceptionGroup {
  const listed = largest.map((deal) => ({ ...deal, reason, rules: [], missing: [] }));
  return { reason, count, entries: count, totals: toTotals(totals, currency), listed };
}

function peopleOf(exceptions: readonly Exception[]): string[] {
  return [...new Set(exceptions.flatMap(({ repId }) => repId ?? []))].sort();
}

export function toTotals(amounts: UnreadDeals['totals'], currency: string): ExceptionGroup['totals'] {
  return [...sumsByCurrency(amounts)]
    .map(([code, amount]) => ({ currency: code, amount: amount.toNumber() }))
    .sort(
      (a, b) => Number(b.currency === currency) - Number(a.currency === currency) || (a.currency < b.currency ? -1 : 1),
    );
}

function largestFirst(a: Exception, b: Exception): number {
  return Math.abs(b.amount ?? 0) - Math.abs(a.amount ?? 0) || (a.dealId < b.dealId ? -1 : 1);
}
