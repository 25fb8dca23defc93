import { formatMoney, formatNumber } from '../format/numbers.js';
import { type Rule } from './draft.js';
import { attainmentPeriodWords, fieldWords } from './words.js';

/** Rates or amounts, and what they are paid on. */
export function summaryOf(rule: Rule, currency: string): string {
  const tiers = rule.tiers.filter(({ repId }) => repId === undefined);
  const rates = tiers.flatMap(({ rate }) => (rate === undefined ? [] : [formatNumber(Number(`${rate}e2`), 2)]));
  const amounts = tiers.flatMap(({ flatAmount }) =>
    flatAmount === undefined ? [] : [formatMoney(flatAmount, currency, { trim: true })],
  );
  const pay = [...(rates.length === 0 ? [] : [`${rates.join(', ')} %`]), ...amounts].join(', ');
  if (rule.executionPhase === 'cascade')
    return `${pay} of ${rule.dependsOn === undefined || rule.dependsOn === '_total' ? 'what the team earns' : rule.dependsOn}`;
  if (tiers.length > 1)
    return `${pay} by ${rule.tierBy === 'attainment' ? attainmentPeriodWords(rule.attainmentPeriod) : rule.tierBy}`;
  if (amounts.length > 0) return `${pay} a deal`;
  const base = rule.payoutBase ?? rule.measure;
  return `${pay} of ${fieldWords(base).toLowerCase()}`;
}
