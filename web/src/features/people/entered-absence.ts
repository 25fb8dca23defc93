import { type Absence, type AbsenceTerms } from '../../api/people-queries.js';
import { isDay } from '../../shared/format/dates.js';
import { readNumber } from '../../shared/format/entered-numbers.js';
import { formatNumber } from '../../shared/format/numbers.js';

/** The texts of an absence while it is entered. */
export type EnteredAbsence = Readonly<Record<keyof AbsenceTerms, string>>;

export function toEnteredAbsence(absence: Absence | null): EnteredAbsence {
  return {
    from: absence?.from ?? '',
    to: absence?.to ?? '',
    quotaRelief: formatNumber(absence?.quotaRelief ?? 100),
    variableRelief: formatNumber(absence?.variableRelief ?? 100),
    note: absence?.note ?? '',
  };
}

/** The absence as it is sent; null while it is incomplete or a percentage is outside of 0 to 100. */
export function readAbsence({ from, to, note, ...reliefs }: EnteredAbsence): AbsenceTerms | null {
  const [quotaRelief, variableRelief] = [readNumber(reliefs.quotaRelief), readNumber(reliefs.variableRelief)];
  if (!isDay(from) || !isDay(to) || to < from) return null;
  if (!isPercentage(quotaRelief) || !isPercentage(variableRelief)) return null;
  return { from, to, quotaRelief, variableRelief, note: note.trim() || null };
}

function isPercentage(value: number | null): value is number {
  return value !== null && value >= 0 && value <= 100;
}
