import { z } from 'zod';
import { defaultRateTable, type StoredRate } from '../../engine/exchange-rates.js';
import { rateTable } from '../../engine/plan-fx.js';
import { Decimal } from '../../kernel/decimal.js';
import { Failure } from '../../kernel/failure.js';
import { currency, day } from '../../platform/operations/schemas.js';

export const tableName = rateTable.describe('Table of exchange rates; default when absent');

export const fxRate = z
  .object({
    table: z.string().describe('Table of exchange rates'),
    from: z.string().describe('ISO 4217 code of the currency that is converted'),
    to: z.string().describe('ISO 4217 code of the currency into which it is converted'),
    day: z
      .string()
      .describe('First day of the rate, YYYY-MM-DD; it is that of the days until the next rate of the pair'),
    rate: z.number().describe('Units of to for one unit of from'),
  })
  .describe('An exchange rate');
export type FxRate = z.input<typeof fxRate>;

/** A rate in requests. Its value is checked apart from the rest, so that a wrong one has its own code. */
export const rateTerms = z
  .strictObject({
    from: currency.describe('ISO 4217 code of the currency that is converted'),
    to: currency.describe('ISO 4217 code of the currency into which it is converted'),
    day: day.describe('First day of the rate, YYYY-MM-DD'),
    rate: z
      .union([z.number(), z.string().max(40)])
      .describe('Units of to for one unit of from: above 0, at most 10 digits before and after the point'),
  })
  .describe('An exchange rate');

/** What identifies a rate. */
export type RateKey = Omit<StoredRate, 'rate'>;

export function keyOf({ table, from, to, day: first }: RateKey): string {
  return `${table}|${from}|${to}|${first}`;
}

const limit = Decimal.of(10_000_000_000);

/** The exact text of the rate. Rejects what cannot be stored. */
export function readRate({ from, to, rate }: Pick<z.output<typeof rateTerms>, 'from' | 'to' | 'rate'>): string {
  if (from === to) throw invalidRate(`${from} has no rate to itself`);
  const value = Decimal.parse(String(rate).trim());
  if (value === null || value.sign() <= 0) throw invalidRate(`the rate of ${from} to ${to} must be above 0`);
  if (!value.isLessThan(limit) || !value.rounded(10).equals(value))
    throw invalidRate(`the rate of ${from} to ${to} must have at most 10 digits before and after the point`);
  return value.toString();
}

/** The rates of a request. A pair has one rate on a day. */
export function readRates(rates: readonly z.output<typeof rateTerms>[], table = defaultRateTable): StoredRate[] {
  const read = rates.map(({ from, to, day: first, rate }) => ({
    table,
    from,
    to,
    day: first,
    rate: readRate({ from, to, rate }),
  }));
  const keys = new Set(read.map(keyOf));
  if (keys.size < read.length) throw invalidRate('a pair of currencies has two rates on one day');
  return read;
}

function invalidRate(reason: string): Failure {
  return new Failure('invalid_rate', `A rate cannot be stored: ${reason}.`);
}

export const fxRateExample = { table: 'default', from: 'EUR', to: 'USD', day: '2026-02-02', rate: 1.0837 };
