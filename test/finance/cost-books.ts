import { expect } from 'chai';
import { type Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { Closings } from './closings.js';

const clawback = { window: { from: 'close_date', days: 365 } };

/** Ben earns 8 % of every deal, which a policy of 36 months capitalises. */
export async function capitalising(service: Service, terms: object | null = {}, options: object = {}) {
  const rules = [flatRule('New business', 0.08, { clawback })];
  const closings = await Closings.open(service, { payout: null, rules, ...options });
  if (terms !== null) await closings.capitalise(terms);
  return closings;
}

/** The roll-forward of the asset, whose rows are checked to close. */
export async function costs({ books }: Closings, month: string, query = '') {
  const found = await books.get(`/contract-costs?month=${month}${query}`);
  for (const row of found.contractCosts) {
    const { opening, imported, additions, corrections, amortised, clawedBack, impaired, closing } = row;
    const sum = opening + imported + additions + corrections + amortised + clawedBack + impaired;
    expect(sum).to.be.closeTo(closing, 0.001);
    if (query === '') expect(found.current + found.nonCurrent).to.be.closeTo(closing, 0.001);
  }
  return { ...found, total: found.contractCosts[0] };
}

/** What of the asset each deal has moved in the month. */
export async function costsByDeal(closings: Closings, month: string) {
  const { contractCosts } = await costs(closings, month, '&groupBy=deal');
  return Object.fromEntries(contractCosts.map((row: { readonly dealId: string }) => [row.dealId, row]));
}

/** The amortisation of each of the months, as positive amounts. */
export async function amortisedIn(closings: Closings, ...months: readonly string[]): Promise<number[]> {
  const amounts: number[] = [];
  for (const month of months) amounts.push(0 - ((await costs(closings, month)).total?.amortised ?? 0));
  return amounts;
}

export async function refund({ work }: Closings, day: string, amount: number, refundId = 'R1') {
  await work.api.expect(200, 'PUT', `/v1/deals/D1/refunds/${refundId}`, { day, cause: 'refund', amount });
  await work.calculated();
}

export function contract({ work }: Closings, terms: object, dealId = 'D1') {
  return work.api.expect(200, 'PUT', `/v1/deals/${dealId}/contract`, terms);
}
