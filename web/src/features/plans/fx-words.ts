import { formatDay } from '../../shared/format/dates.js';
import { type PlanFx } from './draft.js';

/** Whose exchange rate converts a deal. */
export const fxDateWords = {
  close_date: 'the day on which the deal closed',
  period_start: 'the first day of the period',
  period_end: 'the last day of the period',
  fixed: 'one day for all deals, as in a budget',
} as const satisfies Record<PlanFx['date'], string>;

/** What happens with deals in other currencies. */
export function fxWords(fx: PlanFx | undefined): string {
  if (fx === undefined) return 'not paid';
  const { date, day, table } = fx;
  const of = date === 'fixed' && day !== undefined ? formatDay(day, 'long') : fxDateWords[date];
  return `converted at the rate of ${of}${table === undefined ? '' : ` from the table ${table}`}`;
}
