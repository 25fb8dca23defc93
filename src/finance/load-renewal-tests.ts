import { type Day } from '../kernel/day.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type BookMonths } from './book-months.js';
import { contractFacts } from './contract-facts.js';
import { loadLots } from './load-books.js';
import { type Month, moveMonth } from './month.js';
import { compareRenewals } from './renewal-test.js';

/** The test of each policy over the twelve months that end with the month. */
export async function loadRenewalTests(
  tx: Transaction,
  last: Month,
  { calendar }: Pick<BookMonths, 'calendar'>,
  today: Day,
) {
  const first = moveMonth(last, -11);
  const lots = (await loadLots(tx, today)).flatMap(({ lot: { row, policy, cost } }) => {
    const earnedIn = calendar.monthOf(row.day);
    return policy === null || row.dealKey === null || earnedIn < first || earnedIn > last
      ? []
      : [{ policy, dealId: row.dealKey, cost }];
  });
  const contracts = await contractFacts.list(tx, { dealId: [...new Set(lots.map(({ dealId }) => dealId))] });
  return compareRenewals(lots, new Map(contracts.map((contract) => [contract.dealId, contract])));
}
