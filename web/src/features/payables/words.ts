import { type Payable } from '../../api/payout-queries.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { fieldWords } from '../plans/words.js';
import { sumByCurrency, sumWords } from '../statements/pay-sums.js';
import { reasonWords } from './hold-words.js';

const statusWords: Readonly<Record<Payable['status'], string>> = {
  waiting: 'Waiting',
  held: 'Held',
  payable: 'Coming',
  approved: 'Approved',
  paid: 'Paid',
};

/** The status of a sum that is not paid: a negative one is taken back by a statement, or by later pay if none has as much. */
export function openWords(status: Payable['status'], isNegative: boolean): string {
  return isNegative ? 'To be taken back' : statusWords[status];
}

/** Why an amount is not paid yet, or when it was paid. */
export function describePayable({ status, period, waitsFor = [], heldBy = [], paidOn }: Payable): string {
  if (status === 'paid') return paidOn === undefined ? 'paid' : `on ${formatDay(paidOn, 'year')}`;
  if (status === 'held') return heldBy.map(({ reason }) => reasonWords(reason)).join('; ');
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

/** How much of what a deal has earned is released, such as "Titan: $2,480.00 of $6,200.00"; null if all of it is. */
export function releasedWords(
  name: string,
  payables: readonly Pick<Payable, 'status' | 'currency' | 'amount'>[],
): string | null {
  const released = payables.filter(({ status }) => status !== 'waiting' && status !== 'held');
  const [first] = payables;
  if (first === undefined || released.length === payables.length) return null;
  const sums = (of: typeof payables) => sumWords(sumByCurrency(of, first.currency), ' and ');
  return `${name}: ${sums(released)} of ${sums(payables)}`;
}
