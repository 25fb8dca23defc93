import { factsOf } from '../../platform/files/facts.js';
import { type Holiday } from './holiday.js';
import { removeHolidays, storeHolidays } from './holiday-store.js';
import { listHolidays } from './holiday-views.js';

/** Holidays decide no commission: only the pace of quotas reads them. */
export const holidayFacts = factsOf<Holiday>({
  key: ['day'],
  terms: ['name'],
  load: (tx) => listHolidays(tx),
  async store(tx, changes) {
    await removeHolidays(
      tx,
      changes.flatMap(({ before, after }) => (after === null ? (before?.day ?? []) : [])),
    );
    await storeHolidays(
      tx,
      changes.flatMap(({ after }) => after ?? []),
    );
    return [];
  },
});
