import { addMonths, type Day } from '../kernel/day.js';
import { periodRange } from '../kernel/period.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { contractFacts } from './contract-facts.js';
import { loadLots } from './load-books.js';
import { type Month, monthOf } from './month.js';
import { compareRenewals } from './renewal-test.js';

/** The test of each policy over the twelve months that end with the month. */
export async function loadRenewalTests(tx: Transaction, last: Month, today: Day) {
  const first = monthOf(addMonths(periodRange(last).from, -11));
  const lots = (await loadLots(tx, today)).flatMap(({ lot: { row, policy, cost } }) => {
    const earnedIn = monthOf(row.day);
    return policy === null || row.dealKey === null || earnedIn < first || earnedIn > last
      ? []
      : [{ policy, dealId: row.dealKey, cost }];
  });
  const contracts = await contractFacts.list(tx, { dealId: [...new Set(lots.map(({ dealId }) => dealId))] });
  return compareRenewals(lots, new Map(contracts.map((contract) => [contract.dealId, contract])));
}
