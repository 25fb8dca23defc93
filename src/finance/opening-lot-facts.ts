import { workspaceToday } from '../people/reps/rep-views.js';
import { storedFacts } from '../platform/files/stored-facts.js';
import { type BookCalendar } from './book-calendar.js';
import { assertOpenMonth, loadBookMonths } from './book-months.js';
import { type Month, nextMonth } from './month.js';
import { type OpeningLot } from './opening-lot.js';

/** The month in which the lot is in the books for the first time. */
export function entersIn(
  { amortisedTo }: Pick<OpeningLot, 'amortisedTo'>,
  { monthOf }: Pick<BookCalendar, 'monthOf'>,
): Month {
  return nextMonth(monthOf(amortisedTo));
}

/** Lots that other systems have begun enter and leave in months that are open. */
export const openingLotFacts = storedFacts<OpeningLot>({
  table: 'accounting_facts',
  fixed: { kind: 'opening_lot' },
  key: { dealId: ['deal_id', 'text'], lotId: ['name', 'text'] },
  terms: ['entity', 'repId', 'cost', 'amortised', 'amortisedTo', 'start', 'length', 'convention'],
  async assertStorable(tx, changes, { clock }) {
    const months = await loadBookMonths(tx, await workspaceToday(tx, clock));
    for (const { before, after } of changes)
      for (const lot of [before, after]) {
        if (lot === null) continue;
        const month = entersIn(lot, months.calendar);
        assertOpenMonth(months, month, `${month} is closed. A lot enters in a month that is open.`);
      }
  },
});
