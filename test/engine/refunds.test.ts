import { expect } from 'chai';
import fc from 'fast-check';
import { sum } from '#src/kernel/decimal.js';
import { paid, run } from './scenario.js';

const rates = [
  { tierIndex: 0, minThreshold: 0, rate: 0.08, name: 'Base' },
  { tierIndex: 1, minThreshold: 1, rate: 0.12, name: 'Quota' },
];
const amounts = [
  { tierIndex: 0, minThreshold: 0, flatAmount: 500, name: 'Base' },
  { tierIndex: 1, minThreshold: 1, flatAmount: 2000, name: 'Quota' },
];
const rule = { name: 'New', measure: 'amount', tiers: rates };
const quotas = { 'New 2026-Q1': { target: 100_000 } };
const refundFirst = `
  R1 | 2026-01-10 | -45000
  D2 | 2026-02-10 | 60000`;

const paidBy = (terms: object, deals: string) => paid({ config: { rules: [{ ...rule, ...terms }] }, deals, quotas });

describe('a refund that takes attainment below 0', () => {
  it('is taken back at the rate of the tier that attainment 0 reaches', () => {
    expect(paidBy({}, refundFirst)).to.deep.equal(['R1 | New | Base | -3600', 'D2 | New | Base | 4800']);
  });

  it('widens the lowest band under marginal tiers', () => {
    expect(paidBy({ tierMode: 'marginal' }, refundFirst)).to.deep.equal([
      'R1 | New | Base | -3600',
      'D2 | New | Base | 4800',
    ]);
    expect(paidBy({ tierMode: 'marginal' }, 'D1 | 2026-01-05 | 120000 \n R2 | 2026-02-01 | -150000')).to.deep.equal([
      'D1 | New | Quota | 10400',
      'R2 | New | Base | -12800',
    ]);
  });

  it('under marginal tiers gives the same sum in any order of deals', () => {
    const amount = fc.integer({ min: -300_000, max: 300_000 });
    fc.assert(
      fc.property(fc.array(amount, { minLength: 2, maxLength: 6 }), fc.infiniteStream(fc.nat()), (values, seeds) => {
        const total = (order: readonly number[]) => {
          const deals = order.map((value, index) => `D${index} | 2026-01-0${index + 1} | ${value}`).join('\n');
          const { decisions } = run({ config: { rules: [{ ...rule, tierMode: 'marginal' }] }, deals, quotas });
          return sum(decisions.map((decision) => decision.amount)).toString();
        };
        const shuffled = [...values].sort(() => ((seeds.next().value as number) % 2 === 0 ? 1 : -1));
        expect(total(shuffled)).to.equal(total(values));
      }),
      { numRuns: 300 },
    );
  });

  it('moves every deal of a retroactive rule to the lowest tier when the whole period is below 0', () => {
    const deals = 'D1 | 2026-01-05 | 20000 \n R2 | 2026-02-01 | -50000';
    expect(paidBy({ tierMode: 'retroactive' }, deals)).to.deep.equal([
      'D1 | New | Base | 1600',
      'R2 | New | Base | -4000',
    ]);
  });

  it('reaches nothing if the tier of attainment 0 pays a fixed amount', () => {
    for (const terms of [
      { tiers: amounts },
      { tiers: amounts, tierMode: 'marginal' },
      { tiers: amounts, tierMode: 'retroactive' },
      { tiers: amounts, payoutMode: 'flat_per_event' },
      { tiers: amounts, payoutMode: 'flat_per_tier' },
      { tiers: amounts, payoutMode: 'stepped_bonus' },
    ]) {
      expect(paidBy(terms, 'R1 | 2026-01-10 | -45000'), JSON.stringify(terms)).to.deep.equal(['R1 | New | - | 0']);
    }
  });

  it('reaches nothing if no tier starts at 0', () => {
    expect(paidBy({ tiers: rates.slice(1) }, 'R1 | 2026-01-10 | -45000')).to.deep.equal(['R1 | New | - | 0']);
  });

  it('does not use up a band of flat_per_tier or a step of stepped_bonus', () => {
    const deals =
      'R1 | 2026-01-10 | -45000 \n D2 | 2026-01-11 | 50000 \n D3 | 2026-01-12 | 100000 \n R4 | 2026-01-13 | -90000';
    expect(paidBy({ tiers: amounts, payoutMode: 'flat_per_tier' }, deals)).to.deep.equal([
      'R1 | New | - | 0',
      'D2 | New | Base | 500',
      'D3 | New | Quota | 2000',
      'R4 | New | Base | 0',
    ]);
    expect(paidBy({ tiers: amounts, payoutMode: 'stepped_bonus' }, deals)).to.deep.equal([
      'R1 | New | - | 0',
      'D2 | New | Base | 500',
      'D3 | New | Quota | 1500',
      'R4 | New | Quota | 0',
    ]);
  });

  it('pays a deal without credit at the tier of attainment 0 while attainment is below 0', () => {
    const terms = { tierMode: 'marginal', quotaMeasure: 'counts' };
    const deals = 'R1 | 2026-01-10 | -1000 | counts=-1000 \n D2 | 2026-01-11 | 1000 | counts=0';
    expect(paidBy(terms, deals)).to.deep.equal(['R1 | New | Base | -80', 'D2 | New | Base | 80']);
  });

  it('records in the trace that attainment went below 0', () => {
    const [refund, sale] = run({ config: { rules: [rule] }, deals: refundFirst, quotas }).decisions;
    expect(JSON.parse(refund?.trace ?? '').at(-1)).to.equal(1);
    expect(JSON.parse(sale?.trace ?? '').length).to.be.lessThan(17);
  });
});

describe('the minimum attainment and the floor on refunds', () => {
  const floorAttainment = 0.5;
  const sales = 'D1 | 2026-01-05 | 30000 \n D2 | 2026-01-06 | 40000';

  it('a refund that falls below the minimum attainment takes back what was paid above it', () => {
    expect(paidBy({ floorAttainment }, `${sales} \n R3 | 2026-01-07 | -40000`)).to.deep.equal([
      'D1 | New | Base | 0',
      'D2 | New | Base | 3200',
      'R3 | New | Base | -3200',
    ]);
  });

  it('a refund that begins and ends below the minimum attainment takes nothing back', () => {
    expect(paidBy({ floorAttainment }, 'D1 | 2026-01-05 | 30000 \n R2 | 2026-01-07 | -10000')).to.deep.equal([
      'D1 | New | Base | 0',
      'R2 | New | Base | 0',
    ]);
  });

  it('a retroactive rule uses the attainment of the whole period', () => {
    expect(paidBy({ floorAttainment, tierMode: 'retroactive' }, sales)).to.deep.equal([
      'D1 | New | Base | 2400',
      'D2 | New | Base | 3200',
    ]);
    expect(paidBy({ floorAttainment, tierMode: 'retroactive' }, `${sales} \n R3 | 2026-01-07 | -40000`)).to.deep.equal([
      'D1 | New | Base | 0',
      'D2 | New | Base | 0',
      'R3 | New | Base | 0',
    ]);
  });

  it('a floor raises a small payout and leaves a refund as it is', () => {
    expect(paidBy({ floor: 100 }, 'D1 | 2026-01-05 | 500 \n R2 | 2026-01-06 | -1000')).to.deep.equal([
      'D1 | New | Base | 100',
      'R2 | New | Base | -80',
    ]);
  });
});
