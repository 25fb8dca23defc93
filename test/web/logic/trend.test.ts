import { expect } from 'chai';
import { computeTrend, sumOthers } from '#web/features/lines/trend.js';

describe('the trend of earnings', () => {
  const months = [1, 2.5, 3.1, 4.2, 5, 6, 7, 8, 9, 10, 11, 12].map((total, index) => ({
    period: `2026-${String(index + 1).padStart(2, '0')}`,
    total,
  }));

  for (const [title, length, sum, before] of [
    ['a month with the month before', 1, '12', '11'],
    ['a quarter with the quarter before', 3, '33', '24'],
    ['a half-year with the half-year before', 6, '57', '21.8'],
    ['a year with nothing, because the trend has twelve months', 12, '78.8', null],
  ] as const)
    it(`compares ${title}`, () => {
      const trend = computeTrend(months, length);
      expect([trend.now.length, trend.sum, trend.before]).to.deep.equal([length, sum, before]);
    });

  it('sums other currencies apart', () => {
    const others = [
      { period: '2026-01', total: 1 },
      { period: '2026-02', total: 1, otherCurrencies: [{ currency: 'GBP', total: 0.1 }] },
      {
        period: '2026-03',
        total: 1,
        otherCurrencies: [
          { currency: 'EUR', total: 5 },
          { currency: 'GBP', total: 0.2 },
        ],
      },
    ];
    expect(sumOthers(others)).to.deep.equal([
      { currency: 'EUR', total: '5' },
      { currency: 'GBP', total: '0.3' },
    ]);
    expect(sumOthers(months)).to.deep.equal([]);
  });
});
