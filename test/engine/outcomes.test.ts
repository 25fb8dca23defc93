import { expect } from 'chai';
import { type Refund } from '#src/engine/clawback.js';
import { type FixedEvent } from '#src/engine/model.js';
import { Decimal } from '#src/kernel/decimal.js';
import { workedTiers } from '#test/support/worked-example.js';
import { run } from './scenario.js';

const rule = { name: 'New', measure: 'amount', tiers: workedTiers };
const quotas = { 'New 2026-Q1': { target: 100_000 } };
const deals = `
  D1 | 2026-01-15 | 60000
  D2 | 2026-02-10 | 60000
  D3 | 2026-03-05 | 30000`;

/** D1 as it was recorded when January was approved. */
const fixed: FixedEvent = {
  planId: 'plan',
  ruleName: 'New',
  dealKey: 'D1',
  phase: 'per_deal',
  kind: 'frozen',
  earnedOn: '2026-01-15',
  period: '2026-Q1',
  attainmentKey: 'New',
  credit: Decimal.of(60_000),
  base: Decimal.of(60_000),
  amount: Decimal.of(4800),
  tierName: 'Base',
};

describe('the changes that an approved period blocks', () => {
  const corrected = deals.replace('D1 | 2026-01-15 | 60000', 'D1 | 2026-01-15 | 20000');

  it('are reported: a corrected deal keeps its event and its credit', () => {
    const result = run({ config: { rules: [rule] }, deals: corrected, quotas, frozen: ['2026-01'], fixed: [fixed] });
    expect(result.decisions.map((event) => `${event.dealKey} ${event.amount}`)).to.deep.equal(['D2 7200', 'D3 4500']);
    expect(result.blocked).to.deep.equal([
      { period: '2026-01', planId: 'plan', ruleName: 'New', dealKey: 'D1', change: 'change' },
    ]);
  });

  it('are reported: what an approved period has of a deal is not earned again elsewhere', () => {
    const owned: FixedEvent = { ...fixed, kind: 'owned', frozenPeriod: '2025-12', amount: Decimal.zero };
    const { decisions, blocked, outcomes } = run({ config: { rules: [rule] }, deals, quotas, fixed: [owned] });
    expect(decisions.map((event) => `${event.dealKey} ${event.amount}`)).to.deep.equal(['D2 4800', 'D3 2400']);
    expect(blocked).to.deep.equal([
      { period: '2025-12', planId: 'plan', ruleName: 'New', dealKey: 'D1', change: 'insert' },
    ]);
    expect(outcomes.find(({ dealKey }) => dealKey === 'D1')).to.include({ paid: false, reason: 'statement_locked' });
  });

  it('are reported: what an approved period has of a refund is not taken back again', () => {
    const refund: Refund = { refundId: 'R', day: '2026-02-01', cause: 'refund', amount: null, waivers: [] };
    const { decisions, blocked, outcomes } = run({
      config: { rules: [{ ...rule, clawback: { window: { days: 365 } } }] },
      deals: 'D1 | 2026-01-15 | 60000',
      quotas,
      refunds: { D1: [refund] },
      fixed: [{ ...fixed, dealKey: 'refund:D1:R', kind: 'owned', frozenPeriod: '2025-12' }],
    });
    expect(decisions.map(({ dealKey }) => dealKey)).to.deep.equal(['D1']);
    expect(blocked.map(({ period, dealKey, change }) => [period, dealKey, change])).to.deep.equal([
      ['2025-12', 'refund:D1:R', 'insert'],
    ]);
    expect(outcomes.find(({ dealKey }) => dealKey === 'refund:D1:R')?.reason).to.equal('statement_locked');
  });

  it('are none without a change', () => {
    expect(
      run({ config: { rules: [rule] }, deals, quotas, frozen: ['2026-01'], fixed: [fixed] }).blocked,
    ).to.deep.equal([]);
  });

  it('are none without a change of a periodic rule, which adds no credit to its group', () => {
    const periodic = {
      name: 'Kicker',
      measure: 'amount',
      executionPhase: 'periodic',
      tiers: [{ tierIndex: 0, minThreshold: 0, flatAmount: 500 }],
    };
    const scenario = {
      config: { rules: [rule, periodic].map((each) => ({ ...each, quotaGroup: 'All' })) },
      deals,
      quotas: { 'All 2026-Q1': { target: 100_000 } },
    };
    const { decisions } = run(scenario);
    expect(decisions.map(({ ruleName }) => ruleName)).to.include('Kicker');
    const stored = decisions.map((decision): FixedEvent => ({ ...decision, kind: 'frozen' }));
    expect(run({ ...scenario, frozen: ['2026-Q1'], fixed: stored }).blocked).to.deep.equal([]);
  });
});

describe('the reasons for an amount of 0', () => {
  const condition = { field: 'region', fieldType: 'text', operator: 'equals', value: 'EMEA' };
  const flat = { name: 'Flat', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] };
  const reasons = (scenario: Parameters<typeof run>[0]) =>
    run(scenario).outcomes.map((outcome) => `${outcome.dealKey} ${outcome.ruleName}: ${outcome.reason}`);
  const one = 'D1 | 2026-01-15 | 1000';

  it('a failed condition is reported with the value seen', () => {
    const [outcome] = run({
      config: { rules: [{ ...flat, conditions: [condition] }] },
      deals: `${one} | region=APAC`,
    }).outcomes;
    expect(outcome).to.deep.include({ paid: false, reason: 'rule_condition_failed' });
    expect(outcome?.conditions).to.deep.equal([
      { field: 'region', operator: 'equals', value: 'EMEA', seen: 'APAC', passed: false },
    ]);
  });

  it('every candidate rule gives an outcome', () => {
    const rules = [
      flat,
      { ...flat, name: 'Missing', measure: 'margin' },
      { ...flat, name: 'Target', payoutBase: 'variable_target' },
      { ...flat, name: 'Tiered', tiers: [{ tierIndex: 0, minThreshold: 0.5, rate: 0.1 }] },
    ];
    expect(reasons({ config: { rules }, deals: one }).sort()).to.deep.equal([
      'D1 Flat: null',
      'D1 Missing: field_missing',
      'D1 Target: variable_target_missing',
      'D1 Tiered: quota_missing',
    ]);
    expect(reasons({ config: { dealConditions: [condition], rules: [flat] }, deals: one })).to.deep.equal([
      'D1 Flat: deal_condition_failed',
    ]);
    expect(reasons({ config: { rules: [flat] }, deals: `${one} | currency=EUR`, currency: 'JPY' })).to.deep.equal([
      'D1 Flat: null',
    ]);
    expect(
      reasons({ config: { rules: [flat] }, deals: one, assigned: { start: '2026-02-01', end: null } }),
    ).to.deep.equal(['D1 null: outside_effective_dates']);
    expect(reasons({ config: { rules: [flat] }, deals: one, frozen: ['2026-01'] })).to.deep.equal([
      'D1 Flat: statement_locked',
    ]);
  });

  it('limits that reduced the amount to 0 are the reason', () => {
    const capped = run({ config: { rules: [{ ...flat, cap: 100 }] }, deals: `${one}\n D2 | 2026-01-16 | 500` });
    expect(capped.outcomes.map((outcome) => outcome.reason)).to.deep.equal([null, 'cap_exhausted']);
    const floored = run({
      config: { rules: [{ ...flat, floorAttainment: 0.5 }] },
      deals: one,
      quotas: { 'Flat 2026-Q1': { target: 10_000 } },
    });
    expect(floored.outcomes.map((outcome) => outcome.reason)).to.deep.equal(['below_floor_attainment']);
    const low = run({
      config: { rules: [{ ...flat, tiers: [{ tierIndex: 0, minThreshold: 0.5, rate: 0.1 }] }] },
      deals: one,
      quotas: { 'Flat 2026-Q1': { target: 10_000 } },
    });
    expect(low.outcomes.map((outcome) => outcome.reason)).to.deep.equal(['below_lowest_tier']);
  });

  it('a periodic rule says that its period has not ended', () => {
    const periodic = { ...flat, executionPhase: 'periodic' };
    expect(reasons({ config: { rules: [periodic] }, deals: one, asOf: '2026-02-01' })).to.deep.equal([
      '2026-Q1 Flat: period_not_ended',
    ]);
    expect(reasons({ config: { rules: [periodic] }, deals: one, asOf: '2026-04-01' }).sort()).to.deep.equal([
      '2026-Q1 Flat: null',
      '2026-Q2 Flat: period_not_ended',
    ]);
  });
});
