import { currencyDigits } from '../../kernel/currency.js';
import { Decimal } from '../../kernel/decimal.js';
import { grouped as plainGrouped, money as plainMoney } from '../../kernel/money-text.js';
import { type Period, periodKind } from '../../kernel/period.js';
import { isFiscalPeriod } from '../../kernel/period-calendar.js';
import { knownZone } from '../../kernel/time-zone.js';

/** A number with grouped thousands and a true minus sign. */
export function grouped(number: string): string {
  return plainGrouped(number).replace('-', '−');
}

/** The amount with grouped thousands, the decimals of its currency and a true minus sign. */
export function money(amount: string | Decimal, currency: string): string {
  return plainMoney(amount, currency).replace('-', '−');
}

/** A count or a sum that is not necessarily money. */
export function quantity(amount: Decimal): string {
  return grouped(amount.rounded(2).toString());
}

/** `1 line`, `3 lines`. */
export function counted(count: number, what: string): string {
  return `${quantity(Decimal.of(count))} ${what}${count === 1 ? '' : 's'}`;
}

/** Rounds a base for display to the decimals of its currency, at least two. */
export function roundBase(amount: Decimal, currency: string): Decimal {
  return amount.rounded(Math.max(2, currencyDigits(currency)));
}

/** `1`, `1 and 2`, `1, 2 and 3`. */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** `USD 5.00 and EUR 3.00`; a dash for an amount without an exchange rate. */
export function amountList(amounts: readonly { readonly currency: string; readonly amount: Decimal | null }[]): string {
  return listed(
    amounts.map(({ currency, amount }) => `${currency} ${amount === null ? '–' : money(amount, currency)}`),
  );
}

/** 0.085 as `8.5%`. */
export function percent(ratio: Decimal, decimals = 6): string {
  return `${grouped(ratio.times(Decimal.of(100)).rounded(decimals).toString())}%`;
}

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** `2026-03` as `March 2026`, `2026-Q1` as `Q1 2026`, `FY2026-P03` as `P03 FY2026`. */
export function periodName(period: Period): string {
  const [year = '', part = ''] = period.split('-');
  if (part === '') return isFiscalPeriod(period) ? `Fiscal year ${year.slice(2)}` : `Year ${year}`;
  return periodKind(period) === 'monthly' ? `${months[Number(part) - 1]} ${year}` : `${part} ${year}`;
}

/** `2026-03-05` as `5 Mar 2026`. */
export function dayName(day: string): string {
  const [year, month, number] = day.split('-');
  return `${Number(number)} ${months[Number(month) - 1]?.slice(0, 3)} ${year}`;
}

/** A text of the service as documents write it: days in words, and true minus signs. */
export function asPrinted(text: string): string {
  return text.replace(/(?<![\w-])\d{4}-\d{2}-\d{2}(?![\w-])/g, dayName).replace(/(?<![^\s(])-(?=\d)/g, '−');
}

/** {@link localMinute} with the name of the zone. */
export function minute(instant: Date, timeZone: string): string {
  return `${localMinute(instant, timeZone)} ${knownZone(timeZone)}`;
}

/** Date and time to the minute in the time zone, where the document names it. */
export function localMinute(instant: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: knownZone(timeZone),
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(instant);
  const part = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  return `${dayName(`${part('year')}-${part('month')}-${part('day')}`)} ${part('hour')}:${part('minute')}`;
}
