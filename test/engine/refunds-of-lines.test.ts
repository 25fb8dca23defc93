import { expect } from 'chai';
import { type Refund } from '#src/engine/clawback.js';
import { type DealLine } from '#src/engine/deal-line.js';
import { defaultRateTable, ExchangeRates } from '#src/engine/exchange-rates.js';
import { refundConverter, withAmountsOfLines } from '#src/engine/line-refunds.js';
import { type Deal } from '#src/engine/slug.js';

const rates = new ExchangeRates(
  [{ table: defaultRateTable, from: 'EUR', to: 'USD', rates: '2026-02-01 1.1,2026-03-01 1.2' }],
  [],
  { workspaceCurrency: 'USD', maxAgeDays: null },
);
const lines: readonly DealLine[] = [
  { lineId: '1', amount: 300, currency: 'EUR' },
  { lineId: '2', amount: 100 },
];

/** The amount of a refund of whole lines of a deal in dollars. */
function amountOf(day: string, known: ExchangeRates | null, ...lineIds: readonly string[]): string | null | undefined {
  const refund: Refund = {
    refundId: 'R',
    day,
    cause: 'refund',
    amount: null,
    waivers: [],
    lines: lineIds.map((lineId) => ({ lineId, amount: null })),
  };
  const standard = { dealAmount: 1_000, currency: 'USD' };
  const deal: Deal = { dealId: 'D', closeDate: '2026-01-10', fields: {}, standard, lines, refunds: [refund] };
  return withAmountsOfLines(deal, refundConverter(known))[0]?.amount;
}

describe('a refund of a line in another currency than its deal', () => {
  it('gives back its amount at the rate of the day of the refund', () => {
    expect(amountOf('2026-02-10', rates, '1')).to.equal('330');
    expect(amountOf('2026-03-10', rates, '1', '2')).to.equal('460');
  });

  it('gives back nothing without a rate', () => {
    expect(amountOf('2026-01-10', rates, '1', '2')).to.equal('100');
    expect(amountOf('2026-02-10', null, '1')).to.equal('0');
  });
});
