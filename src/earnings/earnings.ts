import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';

export const earnings = z
  .object({
    total: z.number().describe('Sum of commission, bonuses and adjustments'),
    commission: z.number().describe('Amounts that rules paid for deals'),
    bonus: z.number().describe('Amounts of bonus rules'),
    adjustments: z.number().describe('Adjustments, clawbacks and true-ups'),
  })
  .describe('What was earned in the period');

/** Amounts in currencies other than the workspace's. Different currencies are never added. */
export const otherEarnings = z
  .array(z.object({ currency: fields.currency, earnings }).describe('Earnings in one currency'))
  .describe("Earnings in other currencies; they are never added to those of the workspace's currency");

/** Totals of one month and currency. */
export interface EarningsRow {
  readonly currency: string;
  readonly commission: string;
  readonly bonus: string;
  readonly adjustments: string;
}

export function sumByCurrency(rows: readonly EarningsRow[], currency: string) {
  const byCurrency = groupBy(rows, (row) => row.currency);
  const others = [...byCurrency.keys()].filter((other) => other !== currency).sort();
  return {
    earnings: sumEarnings(byCurrency.get(currency) ?? []),
    otherCurrencies: others.map((other) => ({ currency: other, earnings: sumEarnings(byCurrency.get(other) ?? []) })),
  };
}

function sumEarnings(rows: readonly EarningsRow[]): z.input<typeof earnings> {
  const commission = sum(rows.map((row) => Decimal.of(row.commission)));
  const bonus = sum(rows.map((row) => Decimal.of(row.bonus)));
  const adjustments = sum(rows.map((row) => Decimal.of(row.adjustments)));
  return {
    total: commission.plus(bonus).plus(adjustments).toNumber(),
    commission: commission.toNumber(),
    bonus: bonus.toNumber(),
    adjustments: adjustments.toNumber(),
  };
}

export const earningsExample = { total: 10400, commission: 10400, bonus: 0, adjustments: 0 };
