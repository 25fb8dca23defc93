import { factsOf } from '../../platform/files/facts.js';
import { type Holiday } from './holiday.js';
import { removeHoliday, storeHoliday } from './holiday-store.js';
import { listHolidays } from './holiday-views.js';

/** Holidays decide no commission: only the pace of quotas reads them. */
export const holidayFacts = factsOf<Holiday>({
  key: ['day'],
  terms: ['name'],
  load: (tx) => listHolidays(tx),
  async store(tx, changes) {
    for (const { before, after } of changes) {
      if (after !== null) await storeHoliday(tx, after);
      else if (before !== null) await removeHoliday(tx, before.day);
    }
    return [];
  },
});
