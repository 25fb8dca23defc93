import { expect } from 'chai';
import { type Refund } from '#src/engine/clawback.js';
import { type FixedEvent } from '#src/engine/model.js';
import { Decimal } from '#src/kernel/decimal.js';
import { tiersOf } from './one-deal.js';
import { run, type Scenario } from './scenario.js';

/** 10 % of each deal, and at most 1,000 in a quarter. */
const rule = {
  name: 'New',
  measure: 'amount',
  cap: 1_000,
  clawback: { window: { days: 365 } },
  tiers: tiersOf({ minThreshold: 0, rate: 0.1 }),
};
const refund = (day: string): Refund => ({ refundId: 'R', day, cause: 'refund', amount: null, waivers: [] });

function paid(scenario: Omit<Scenario, 'config'>): Record<string, number> {
  const { decisions } = run({ config: { rules: [rule] }, ...scenario });
  return Object.fromEntries(decisions.map(({ dealKey, amount }) => [dealKey, amount.toNumber()]));
}

/** A row as it was recorded when January was approved. */
const approved = (dealKey: string, amount: number, more: Partial<FixedEvent> = {}): FixedEvent => ({
  planId: 'plan',
  ruleName: 'New',
  dealKey,
  phase: 'per_deal',
  kind: 'frozen',
  earnedOn: '2026-01-10',
  period: '2026-Q1',
  attainmentKey: 'New',
  credit: Decimal.of(amount * 10),
  base: Decimal.of(amount * 10),
  amount: Decimal.of(amount),
  tierName: null,
  ...more,
});

describe('the room under a cap', () => {
  it('is given back by a refund of the same period', () => {
    const deals = 'D1 | 2026-01-10 | 10000\nD2 | 2026-03-10 | 15000';
    expect(paid({ deals, refunds: { D1: [refund('2026-02-01')] } })).to.deep.equal({
      D1: 1_000,
      D2: 1_000,
      'refund:D1:R': -1_000,
    });
  });

  it('is not given back by a refund of an earlier period', () => {
    const deals = 'D1 | 2026-01-10 | 10000\nD2 | 2026-04-10 | 15000';
    expect(paid({ deals, refunds: { D1: [refund('2026-04-01')] } })).to.deep.equal({
      D1: 1_000,
      D2: 1_000,
      'refund:D1:R': -1_000,
    });
  });

  it('is given back by an approved refund that the deal no longer has', () => {
    const deals = 'D1 | 2026-01-10 | 10000\nD2 | 2026-03-10 | 15000';
    const fixed = [approved('refund:D1:R', -400, { share: '-0.4 -0.4' })];
    expect(paid({ deals, refunds: { D1: [] }, fixed })).to.deep.equal({ D1: 1_000, D2: 400 });
  });

  it('is what approved rows left, with what the cap cut off them when they were approved', () => {
    const deals = 'D1 | 2026-01-10 | 10000\nN | 2026-02-10 | -7000';
    const fixed = [approved('D1', 1_000, { cutOff: Decimal.of(500) })];
    expect(paid({ deals, frozen: ['2026-01'], fixed })).to.deep.equal({ N: -200 });
    expect(paid({ deals })).to.deep.equal({ D1: 1_000, N: -700 });
  });
});
