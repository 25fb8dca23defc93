import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { Decimal } from '../../kernel/decimal.js';
import { type Projection } from '../deal.js';

export const controlTotal = z
  .object({
    currency: fields.currency,
    rows: z.int().describe('Number of rows with an amount in this currency'),
    amount: z.number().describe('Sum of the amounts in this currency'),
  })
  .describe('The control total of one currency');

interface Sum {
  readonly rows: number;
  readonly amount: Decimal;
}

/** Sums of the amounts of a file by currency. An amount without a currency is in that of the workspace. */
export class ControlTotals {
  private readonly sums = new Map<string | null, Sum>();

  add({ amount, currency }: Pick<Projection, 'amount' | 'currency'>): void {
    if (amount !== null) this.addSum(currency, { rows: 1, amount: Decimal.of(amount) });
  }

  /** Whether the amount is the sum of two or more amounts before it, as that of the last row of a report. */
  isTotal({ amount, currency }: Pick<Projection, 'amount' | 'currency'>): boolean {
    const before = this.sums.get(currency);
    return amount !== null && before !== undefined && before.rows > 1 && before.amount.equals(Decimal.of(amount));
  }

  /** The sums, that of the workspace first. */
  list(workspaceCurrency: string): readonly (Sum & { readonly currency: string })[] {
    const own = new ControlTotals();
    for (const [currency, sum] of this.sums) own.addSum(currency ?? workspaceCurrency, sum);
    const sums = [...own.sums].map(([currency, sum]) => ({ currency: currency as string, ...sum }));
    const isOther = ({ currency }: { readonly currency: string }) => Number(currency !== workspaceCurrency);
    return sums.sort((a, b) => isOther(a) - isOther(b) || (a.currency < b.currency ? -1 : 1));
  }

  private addSum(currency: string | null, { rows, amount }: Sum): void {
    const before = this.sums.get(currency);
    this.sums.set(currency, {
      rows: (before?.rows ?? 0) + rows,
      amount: (before?.amount ?? Decimal.zero).plus(amount),
    });
  }
}
