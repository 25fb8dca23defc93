import { expect } from 'chai';
import { type AssumedRate, defaultRateTable, ExchangeRates, type RateSeries } from '#src/engine/exchange-rates.js';

const euros = { table: defaultRateTable, from: 'EUR', to: 'USD' };
const stored: RateSeries = { ...euros, rates: '2026-01-02 1.08,2026-01-09 1.1,2026-01-16 1.12' };

function ratesOf(
  series: readonly RateSeries[],
  assumed: readonly AssumedRate[] = [],
  maxAgeDays: number | null = null,
) {
  const rates = new ExchangeRates(series, assumed, { workspaceCurrency: 'USD', maxAgeDays });
  return (day: string) =>
    rates.find(defaultRateTable, 'EUR', 'USD', { day, isProvisional: false })?.numerator.toString() ?? null;
}

describe('the stored rates of a pair', () => {
  it('hold from their day on until the next one', () => {
    const days = ['2026-01-01', '2026-01-02', '2026-01-08', '2026-01-09', '2026-12-31'];
    expect(days.map(ratesOf([stored]))).to.deep.equal([null, '1.08', '1.08', '1.1', '1.12']);
  });

  it('are the same for every calculation that reads their text', () => {
    expect([ratesOf([stored])('2026-01-09'), ratesOf([stored])('2026-01-09')]).to.deep.equal(['1.1', '1.1']);
  });

  it('hold no longer than the workspace allows', () => {
    const rate = ratesOf([stored], [], 10);
    expect([rate('2026-01-26'), rate('2026-01-27')]).to.deep.equal(['1.12', null]);
  });

  it('are replaced by assumed rates of their day, and of all days by one without a day', () => {
    const days = ['2026-01-02', '2026-01-09'];
    expect(days.map(ratesOf([stored], [{ ...euros, day: '2026-01-09', rate: '1.3' }]))).to.deep.equal(['1.08', '1.3']);
    expect(days.map(ratesOf([stored], [{ ...euros, day: null, rate: '1.5' }]))).to.deep.equal(['1.5', '1.5']);
  });
});
