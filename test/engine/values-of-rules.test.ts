import { expect } from 'chai';
import { type CreditLine } from '#src/engine/credit-lines.js';
import { type UpstreamEvent } from '#src/engine/model.js';
import { Decimal } from '#src/kernel/decimal.js';
import { payLines, tiersOf } from './one-deal.js';
import { run } from './scenario.js';

const flat = { tiers: tiersOf({ minThreshold: 0, rate: 0.1 }) };

describe('the credit of a rule with lines', () => {
  const lines = [
    { amount: 1_000, family: 'software' },
    { amount: 500, family: 'services' },
    { amount: 200, family: 'software' },
  ];
  const creditOf = (...quotaCredit: readonly object[]) => payLines({ ...flat, quotaCredit }, lines).credit.toNumber();

  it('counts a field of lines for each line, and a field of the deal once', () => {
    expect(creditOf({ field: '_lines' })).to.equal(3);
    expect(creditOf({ field: 'line.amount', weight: 0.5 })).to.equal(850);
    expect(creditOf({ field: 'amount' })).to.equal(1_700);
    expect(creditOf({ field: '_lines', weight: 10 }, { field: 'amount' })).to.equal(1_730);
  });

  it('counts no line that fails the conditions of the rule', () => {
    const conditions = [{ field: 'line.family', fieldType: 'text', operator: 'equals', value: 'software' }];
    const terms = { ...flat, lines: { conditions }, quotaCredit: [{ field: 'line.amount' }] };
    expect(payLines(terms, lines).credit.toNumber()).to.equal(1_200);
  });

  it('sums both kinds of fields over a period', () => {
    const quotaCredit = [{ field: 'line.amount' }, { field: 'amount', weight: 0.1 }];
    const { credit } = payLines({ ...flat, executionPhase: 'periodic', quotaCredit }, lines);
    expect(credit.toNumber()).to.equal(1_870);
  });
});

describe('the share of a person', () => {
  it('divides credit and base of a deal, and what a quarter sums of it', () => {
    const half: CreditLine = { repId: 'rep', kind: 'split', role: null, percent: '50', affects: 'both', source: 'api' };
    const quotaOnly: CreditLine = { ...half, percent: '20', affects: 'quota' };
    for (const executionPhase of ['per_deal', 'periodic']) {
      const [decision] = run({
        config: { rules: [{ name: 'New', measure: 'amount', executionPhase, ...flat }] },
        deals: 'D | 2026-01-10 | 1000',
        credits: { D: [half, quotaOnly] },
      }).decisions;
      const { base, credit, amount } = decision ?? {};
      expect([base, credit, amount].map(Number), executionPhase).to.deep.equal([500, 700, 50]);
    }
  });
});

describe('the share of a manager', () => {
  const earned = (terms: object) => {
    const names = { repId: 'below', planId: 'plan', ruleName: 'Own' };
    const event: UpstreamEvent = {
      ...names,
      phase: 'per_deal',
      currency: 'USD',
      amount: Decimal.of(50),
      share: '0.4 0.5',
    };
    const [decision] = run({
      config: { rules: [{ name: 'Team', executionPhase: 'cascade', ...flat, ...terms }] },
      deals: '',
      team: {
        deals: 'D | 2026-01-15 | 1000',
        upstream: () => [event],
      },
    }).decisions;
    const { base, credit } = decision ?? {};
    return [base, credit].map(Number);
  };

  it('leaves what the people below earned as it is', () => {
    expect(earned({ measure: '_earned' })).to.deep.equal([50, 50]);
  });

  it('divides fields of the deal, as base and as credit', () => {
    expect(earned({ measure: 'amount' })).to.deep.equal([50, 400]);
    expect(earned({ measure: 'amount', payoutBase: 'amount' })).to.deep.equal([500, 400]);
    expect(earned({ measure: '_earned', quotaCredit: [{ field: 'amount' }] })).to.deep.equal([50, 400]);
  });
});
