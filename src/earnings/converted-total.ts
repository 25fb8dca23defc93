import { z } from 'zod';
import { convertAmount, defaultRateTable, type ExchangeRates, type RateDay } from '../engine/exchange-rates.js';
import { displayedRate } from '../engine/fx-trace.js';
import { roundToCurrency } from '../kernel/currency.js';
import { type Day, type DayRange } from '../kernel/day.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { fxInput } from '../ledger/input/exchange-rates.js';
import { type WorkspaceTerms } from '../ledger/input/rep-terms.js';
import { type sumByCurrency } from './earnings.js';

export const convertedTotal = z
  .object({
    total: z
      .number()
      .nullable()
      .describe('Everything in `currency`, rounded once; null while a rate is missing, so that no sum lacks a part'),
    rates: z
      .array(
        z
          .object({
            from: z.string().describe('Currency that was converted, ISO 4217 code'),
            to: z.string().describe('Currency of the workspace, ISO 4217 code'),
            day: z.string().describe('Day of the rate: the last one of the period, YYYY-MM-DD'),
            rate: z.number().describe('Units of to for one unit of from, to 10 decimals'),
            provisional: z
              .literal(true)
              .optional()
              .describe('The period has not ended: the latest rate counts for now'),
          })
          .describe('The rate of one currency'),
      )
      .describe('The rates of the sum, of the table default'),
    missing: z.array(z.string()).describe('Currencies without a rate, ISO 4217 codes'),
  })
  .describe('The sum of all currencies in that of the workspace; absent without other currencies or exchange rates');
export type ConvertedTotal = z.input<typeof convertedTotal>;

/** The rates of sums of a period in the currency of the workspace. */
export interface TotalRates {
  readonly rates: ExchangeRates;
  readonly currency: string;
  readonly on: RateDay;
}

/** Null in a workspace without exchange rates. */
export function ratesOfTotals(workspace: WorkspaceTerms, { to }: DayRange, today: Day): TotalRates | null {
  const { fx } = fxInput({ workspace });
  if (fx === undefined) return null;
  return { rates: fx.rates, currency: workspace.currency, on: { day: to, isProvisional: to >= today } };
}

/** The sums with their total in the currency of the workspace, if there is something to convert. */
export function withConvertedTotal<Sums extends ReturnType<typeof sumByCurrency>>(
  sums: Sums,
  rates: TotalRates | null,
): Sums & { readonly converted?: ConvertedTotal } {
  if (rates === null || sums.otherCurrencies.length === 0) return sums;
  return { ...sums, converted: convertTotal(sums, rates) };
}

function convertTotal(
  { earnings, otherCurrencies }: ReturnType<typeof sumByCurrency>,
  { rates, currency, on }: TotalRates,
): ConvertedTotal {
  const parts = otherCurrencies.map((other) => ({
    from: other.currency,
    amount: Decimal.of(other.earnings.total),
    rate: rates.find(defaultRateTable, other.currency, currency, on),
  }));
  const missing = parts.filter(({ rate, amount }) => rate === null && !amount.isZero()).map(({ from }) => from);
  const found = parts.flatMap(({ amount, rate }) => (rate === null ? [] : [{ amount, rate }]));
  const converted = found.map(({ amount, rate }) => convertAmount(amount, rate));
  const total = roundToCurrency(sum([Decimal.of(earnings.total), ...converted]), currency).toNumber();
  return {
    total: missing.length > 0 ? null : total,
    rates: found.map(({ rate }) => ({
      from: rate.from,
      to: currency,
      day: on.day,
      rate: displayedRate(rate).toNumber(),
      ...(on.isProvisional ? { provisional: true as const } : {}),
    })),
    missing,
  };
}
