import { z } from 'zod';
import { type AssumedRate, defaultRateTable } from '../engine/exchange-rates.js';
import { rateTable } from '../engine/plan-fx.js';
import { Decimal } from '../kernel/decimal.js';
import { currency, day } from '../platform/operations/schemas.js';

/** Exchange rates of a simulation or a test. */
export const assumedRates = z
  .array(
    z
      .strictObject({
        from: currency.describe('ISO 4217 code of the currency that is converted'),
        to: currency.describe('ISO 4217 code of the currency into which it is converted'),
        rate: z.number().gt(0).max(1e9).describe('Units of to for one unit of from'),
        day: day.optional().describe('First day of the rate, YYYY-MM-DD; absent: it is that of every day'),
        table: rateTable.optional().describe('Table of exchange rates; default when absent'),
      })
      .describe('An exchange rate'),
  )
  .max(500);

export function toAssumedRates(rates: z.output<typeof assumedRates>): AssumedRate[] {
  return rates.map(({ from, to, rate, day: first = null, table = defaultRateTable }) => ({
    table,
    from,
    to,
    day: first,
    rate: Decimal.of(rate).toString(),
  }));
}
