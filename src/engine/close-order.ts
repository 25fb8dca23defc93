import { type Deal } from './slug.js';

/** Deals are taken by close date, then by id in plain string order. */
export function byCloseOrder(a: Deal, b: Deal): number {
  return compareText(a.closeDate, b.closeDate) || compareText(a.dealId, b.dealId);
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
