import { type DayRange, hull } from '../../kernel/day.js';
import { newId } from '../../kernel/ids.js';
import { loadCalendar } from '../../ledger/input/calendar.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type AffectedDays, type FactChange, factsOf } from '../../platform/files/facts.js';
import { type Absence } from './absence.js';
import { removeAbsence, storeAbsence } from './absence-store.js';
import { listAbsences } from './absence-views.js';

/** An absence as a file states it: absences are identified by their first day. */
export type AbsenceFact = Omit<Absence, 'absenceId'> & { readonly absenceId?: string };

export const absenceFacts = factsOf<AbsenceFact>({
  key: ['repId', 'from'],
  terms: ['to', 'quotaRelief', 'variableRelief', 'note'],
  load: (tx, absences) => listAbsences(tx, { repIds: absences.map(({ repId }) => repId) }),
  store: storeAbsences,
});

/** An absence changes the target of whole attainment periods, also for the deals before it. */
export async function storeAbsences(
  tx: Transaction,
  changes: readonly FactChange<AbsenceFact>[],
): Promise<readonly AffectedDays[]> {
  const calendar = await loadCalendar(tx);
  for (const { before, after } of changes) {
    const absenceId = before?.absenceId ?? after?.absenceId ?? newId();
    if (after === null) await removeAbsence(tx, { ...(before as AbsenceFact), absenceId });
    else await storeAbsence(tx, { ...after, absenceId });
  }
  return changes.map(({ before, after }) => {
    const [first, ...others] = [before, after].flatMap((absence) => absence ?? []) as [AbsenceFact, ...DayRange[]];
    return { repId: first.repId, days: calendar.yearsAround(others.reduce(hull, first)) };
  });
}
