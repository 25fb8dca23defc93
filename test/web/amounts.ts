import { type Decimal } from '#src/kernel/decimal.js';

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** An amount in dollars as the app displays it: −$1,234.50. */
export function money(amount: number | Decimal): string {
  return dollars.format(Number(amount)).replace('-', '−');
}

/** An amount in a table with one currency: −1,234.50. */
export function plain(amount: number): string {
  return money(amount).replace('$', '');
}
