import { formatNumber } from '../../shared/format/numbers.js';
import { type Rule } from './draft.js';
import { fieldWords } from './words.js';

export type Payout = NonNullable<Rule['payout']>;
export type PayoutPart = Extract<Payout, { readonly schedule: unknown }>['schedule'][number];
type PayingRule = Pick<Rule, 'payout' | 'executionPhase'>;

/** What a part of a schedule may wait for, other than a date of the deal. */
export const waitWords: Readonly<Record<string, string>> = {
  close: 'the close date',
  paid: 'each payment of the customer',
  paid_in_full: 'the last payment of the customer',
};

/** When what the rule earns is paid, such as "50 % on the close date, 50 % as the customer pays". */
export function payoutWords({ payout, executionPhase }: PayingRule): string {
  const close = executionPhase === 'periodic' ? 'the last day of the period' : 'the close date';
  if (payout === undefined) return executionPhase === 'cascade' ? 'as the amounts below are paid' : `on ${close}`;
  if ('parts' in payout) {
    const every = payout.everyMonths === 1 ? 'month' : `${payout.everyMonths} months`;
    return payout.parts === 1 ? `on ${close}` : `in ${payout.parts} equal parts, one each ${every} from ${close} on`;
  }
  return payout.schedule.map((part) => `${formatNumber(part.percent, 6)} % ${partWords(part, close)}`).join(', ');
}

/** The same as sentences for the person who is paid; none for a rule that pays at once. */
export function payoutSentences(rule: PayingRule): string[] {
  return rule.payout === undefined ? [] : [`What it earns is paid ${payoutWords(rule)}.`];
}

function partWords({ on, offsetDays = 0 }: PayoutPart, close: string): string {
  const event = on === 'close' ? close : (waitWords[on] ?? `the date ${fieldWords(on)}`);
  if (offsetDays > 0) return `${offsetDays} ${offsetDays === 1 ? 'day' : 'days'} after ${event}`;
  if (on === 'paid') return 'as the customer pays';
  return on === 'paid_in_full' ? 'when the customer has paid everything' : `on ${event}`;
}

/** Whether the parts of a schedule are the whole amount, exactly: percentages have at most six decimals. */
export function isWhole(payout: Payout): boolean {
  if ('parts' in payout) return true;
  return payout.schedule.reduce((sum, { percent }) => sum + Math.round(percent * millionth), 0) === 100 * millionth;
}

const millionth = 1_000_000;
