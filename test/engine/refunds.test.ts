import { expect } from 'chai';
import fc from 'fast-check';
import { compileRefundTerms, type IdentifiedRule } from '#src/engine/compiled-plan.js';
import { readPlanConfig } from '#src/engine/plan-config.js';
import { type Deal } from '#src/engine/slug.js';
import { sum } from '#src/kernel/decimal.js';
import { run } from './scenario.js';
import { amountsOf, rule as ruleOf, version, world } from './small-world.js';

const rates = [
  { tierIndex: 0, minThreshold: 0, rate: 0.08, name: 'Base' },
  { tierIndex: 1, minThreshold: 1, rate: 0.12, name: 'Quota' },
];
const rule = { name: 'New', measure: 'amount', tiers: rates };
const quotas = { 'New 2026-Q1': { target: 100_000 } };
const refundFirst = `
  R1 | 2026-01-10 | -45000
  D2 | 2026-02-10 | 60000`;

describe('a refund that takes attainment below 0', () => {
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

  it('records in the trace that attainment went below 0', () => {
    const [refund, sale] = run({ config: { rules: [rule] }, deals: refundFirst, quotas }).decisions;
    expect(JSON.parse(refund?.trace ?? '').at(-1)).to.equal(1);
    expect(JSON.parse(sale?.trace ?? '').length).to.be.lessThan(17);
  });
});

describe('a refund of a deal that two plans pay under one name of a rule', () => {
  const flat = [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }];

  it('takes from the manager the share that each plan takes, not the share of their sum', () => {
    const plan = (planId: string, ...config: [rule: object, terms?: object]) => {
      const [only, terms = {}] = config;
      const planVersionId = `${planId}-v1`;
      return { planId, status: 'active' as const, versions: [version({ rules: [only], ...terms }, { planVersionId })] };
    };
    const cascade = { name: 'Team', executionPhase: 'cascade', payoutMode: 'flat_per_event', dependsOn: '_total' };
    const assigned = { effectiveStart: null, effectiveEnd: null };
    const rows = world([], {
      reps: [
        { repId: 'm', lines: [] },
        { repId: 'r', lines: [{ managerId: 'm', from: null, to: null }] },
      ],
      plans: [
        plan('p', ruleOf({ tiers: flat }), { clawback: {} }),
        plan('q', ruleOf({ tiers: flat, measure: 'costs' })),
        plan('t', { ...cascade, tiers: [{ tierIndex: 0, minThreshold: 0, flatAmount: 60 }] }),
      ],
      assignments: [
        { repId: 'r', planId: 'p', ...assigned },
        { repId: 'r', planId: 'q', ...assigned },
        { repId: 'm', planId: 't', ...assigned },
      ],
      quotas: [],
      deals: [
        {
          dealId: 'D',
          repId: 'r',
          closeDate: '2026-01-15',
          fields: { amount: 100, costs: -500 },
          refunds: [{ refundId: 'x', day: '2026-02-01', cause: 'cancellation' }],
        },
      ],
    });
    // Below, 10 of 10 and 0 of −50 are taken back: 10 of 60 by their weights.
    expect(amountsOf(rows, 'Team', 'm')).to.deep.equal({ D: '60', 'refund:D:x': '-10' });
  });
});

function readRules(config: unknown): IdentifiedRule[] {
  const read = readPlanConfig(config);
  if ('issues' in read) throw new Error(JSON.stringify(read.issues));
  return read.terms.rules.map((one) => ({ ...one, id: one.name }));
}

describe('the window of a refund', () => {
  const terms = { tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] };
  const policy = (from?: string) => ({ window: { days: 30, ...(from === undefined ? {} : { from }) } });
  const deal: Deal = {
    dealId: 'D',
    closeDate: '2026-01-10',
    fields: { go_live: '2026-03-01', note: 'soon' },
    standard: { closeDate: '2026-01-10' },
  };
  /** The day from which a stored event counts it. */
  const startOf = (from?: string) => {
    const [only] = readRules({ rules: [{ ...rule, ...terms, clawback: policy(from) }] });
    const { readWindowDay } = compileRefundTerms(only as IdentifiedRule, { fieldMapping: {} }, {}, 'UTC');
    return readWindowDay === null ? 'the close date' : readWindowDay(deal);
  };

  it('begins with the close date, or with the day in the field that the rule names', () => {
    expect(startOf()).to.equal('the close date');
    expect(startOf('close_date')).to.equal('the close date');
    expect(startOf('go_live')).to.equal('2026-03-01');
    expect(startOf('note')).to.equal(null);
  });
});
