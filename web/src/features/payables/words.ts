import { type Payable } from '../../api/payout-queries.js';
import { type Statement } from '../../api/queries.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatMoney, formatNumber } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { fieldWords } from '../plans/words.js';

export const statusWords: Readonly<Record<Payable['status'], string>> = {
  waiting: 'Waiting',
  held: 'Held',
  payable: 'In the next statement',
  approved: 'Approved',
  paid: 'Paid',
};

/** Why an amount is not paid yet, or when it was paid. */
export function describePayable({ status, period, waitsFor = [], heldBy = [], paidOn }: Payable): string {
  if (status === 'paid') return paidOn === undefined ? 'paid' : `on ${formatDay(paidOn, 'year')}`;
  if (status === 'held') return heldBy.map(({ reason }) => reason).join('; ');
  if (status !== 'waiting') return period === null ? '' : `with the statement of ${formatPeriod(period)}`;
  return waitsFor.map(describeWait).join('; ');
}

type Wait = NonNullable<Payable['waitsFor']>[number];

function describeWait({ because, on, expectedOn }: Wait): string {
  if (because === 'customer_not_paid')
    return on === 'paid_in_full' ? 'until the customer has paid in full' : 'until the customer pays';
  if (expectedOn !== null) return `until ${formatDay(expectedOn, 'year')}`;
  return `until the deal has the date ${fieldWords(on)}`;
}

type PayPart = NonNullable<NonNullable<Statement['payable']>['pay']>['parts'][number];

/** How an amount is converted, such as "$6,200.00 × 0.7901 of 31 January 2026". */
export function describeRate({ currency, payable, rate, legs }: PayPart, payCurrency: string): string {
  const earned = formatMoney(payable, currency, { unit: 'code' });
  if (currency === payCurrency) return earned;
  if (rate === null) return `${earned}, without a rate`;
  const days = [...new Set(legs.map(({ day }) => formatDay(day, 'year')))];
  return `${earned} × ${formatNumber(rate, 10)} of ${days.join(' and ')}`;
}
