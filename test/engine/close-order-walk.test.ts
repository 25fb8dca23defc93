import { expect } from 'chai';
import { calculateRep } from '#src/engine/calculate.js';
import { CloseOrderWalk } from '#src/engine/close-order-walk.js';
import { type FixedEvent } from '#src/engine/model.js';
import { Decimal } from '#src/kernel/decimal.js';
import { inputOf, run } from './scenario.js';
import { amounts, deal, rule, world } from './small-world.js';

const quotas = { 'New 2026-Q1': { target: 100_000 } };
const example = ['D1 | 2026-01-15 | 60000', 'D2 | 2026-02-10 | 60000', 'D3 | 2026-03-05 | 30000'];

/** D1 as it was recorded when January was approved. */
const approved: FixedEvent = {
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

describe('the close order', () => {
  it('counts deals of one day one after the other, by id in string order', () => {
    const closed = (...ids: string[]) => ids.map((id) => deal(id, '2026-01-15', 60_000));
    for (const deals of [closed('D10', 'D9'), closed('D9', 'D10')])
      expect(amounts(world([rule()], { deals }))).to.deep.equal({ D10: '4800', D9: '7200' });
  });

  it('counts the events of one deal on two days as two deals', () => {
    const rules = ['New', 'Second'].map((name) => rule({ name, quotaGroup: 'New' }));
    const moved = 'D1 | 2026-02-20 | 60000';
    const { decisions } = run({ config: { rules }, deals: moved, quotas, frozen: ['2026-01'], fixed: [approved] });
    const [, , creditBefore] = JSON.parse(decisions[0]?.trace ?? '[]');
    expect(decisions.map(({ ruleName, amount }) => `${ruleName} ${amount}`)).to.deep.equal(['Second 7200']);
    expect(creditBefore).to.equal(60_000);
  });

  it('is the order of explanations too, whatever the order of the deals is', () => {
    const early = { start: '2027-01-01', end: null };
    const deals = ['D2 | 2026-02-10 | 1', 'D9 | 2026-01-15 | 1', 'D10 | 2026-01-15 | 1'];
    for (const lines of [deals, deals.toReversed()]) {
      const { outcomes } = run({ config: { rules: [rule()] }, deals: lines.join('\n'), assigned: early });
      expect(outcomes.map(({ dealKey }) => dealKey)).to.deep.equal(['D10', 'D9', 'D2']);
    }
  });

  it('returns the credit of every plan, key and period', () => {
    const { credits } = run({
      config: { rules: [rule()] },
      deals: `${example.join('\n')}\n D4 | 2026-04-01 | 5`,
      quotas,
    });
    expect([...credits].map(([key, credit]) => [key, credit.toString()])).to.deep.equal([
      ['plan|New|2026-Q1', '150000'],
      ['plan|New|2026-Q2', '5'],
    ]);
  });

  it('pauses after 200 entries', () => {
    const ignored = { decided: () => undefined, fixed: () => undefined, refunded: () => approved.amount };
    const pauses = (entries: number) => {
      const walk = new CloseOrderWalk(() => [], ignored, false);
      for (let index = 0; index < entries; index += 1) {
        const { earnedOn: day, period, ruleName, credit } = approved;
        const key = approved.attainmentKey;
        walk.add({
          day,
          dealKey: `D${index}`,
          position: 0,
          period,
          key,
          ruleName,
          credit,
          firing: null,
          fixed: approved,
          refund: null,
        });
      }
      return [...walk.advance()].length;
    };
    expect([199, 200, 399, 400, 1000].map(pauses)).to.deep.equal([0, 1, 1, 2, 5]);
  });
});

describe('a calculation that begins within a period', () => {
  const marginal = rule({ tierMode: 'marginal' });
  const whole = run({ config: { rules: [marginal] }, deals: example.join('\n'), quotas });
  const [, ...later] = whole.decisions;

  it('continues with the carried credit, and gives the same events', () => {
    const carried = [
      {
        planId: 'plan',
        attainmentKey: 'New',
        period: '2026-Q1',
        credit: Decimal.of(60_000),
      },
    ];
    const rest = inputOf({ config: { rules: [marginal] }, deals: example.slice(1).join('\n'), quotas });
    const result = calculateRep({ ...rest, window: { from: '2026-02-01', to: '2026-12-31' }, carried });
    expect(result.decisions).to.deep.equal(later);
    expect(result.credits).to.deep.equal(whole.credits);
  });

  it('adds what several rules of a key carry, and ignores other plans', () => {
    const sums = { planId: 'plan', attainmentKey: 'New', period: '2026-Q1', credit: Decimal.of(30_000) };
    const carried = [sums, sums, { ...sums, planId: 'other' }];
    const rest = inputOf({ config: { rules: [rule()] }, deals: 'D2 | 2026-02-10 | 90000', quotas });
    const { decisions } = calculateRep({ ...rest, carried });
    expect(decisions.map(({ amount, tierName }) => [amount.toString(), tierName])).to.deep.equal([['13500', 'Top']]);
  });

  it('counts a fixed row of an earlier day only once, as a part of what is carried', () => {
    const carried = [{ ...approved, credit: Decimal.of(60_000) }];
    const rest = inputOf({
      config: { rules: [rule()] },
      deals: 'D2 | 2026-02-10 | 20000',
      quotas,
      frozen: ['2026-01'],
      fixed: [approved],
    });
    const result = calculateRep({ ...rest, window: { from: '2026-02-01', to: '2026-12-31' }, carried });
    expect(result.decisions.map(({ tierName }) => tierName)).to.deep.equal(['Base']);
    expect(result.credits.get('plan|New|2026-Q1')?.toString()).to.equal('80000');
  });
});

describe('what a cascade rule pays on', () => {
  const override = { name: 'Team', executionPhase: 'cascade', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] };
  const event = {
    repId: 'below',
    planId: 'plan',
    ruleName: 'Own',
    phase: 'per_deal' as const,
    currency: 'USD',
    amount: Decimal.of(50),
    share: null,
  };
  const outcomes = (terms: object, ...upstream: (typeof event | object)[]) =>
    run({
      config: { rules: [{ ...override, ...terms }] },
      deals: '',
      team: { deals: 'D1 | 2026-01-15 | 1000', upstream: () => upstream.map((values) => ({ ...event, ...values })) },
    }).outcomes.map(({ amount, reason }) => [amount.toNumber(), reason]);

  it('is the sum of the commissions in the currency of the plan', () => {
    expect(outcomes({}, {}, { ruleName: 'Other' }, { currency: 'EUR' })).to.deep.equal([[10, null]]);
    expect(outcomes({}, { currency: 'EUR' })).to.deep.equal([[0, 'currency_mismatch']]);
  });

  it('is no commission of other cascades or of periods, unless it names a cascade', () => {
    const cascaded = { ruleName: 'Direct', phase: 'cascade' as const };
    const periodic = { ruleName: 'MBO', phase: 'periodic' as const };
    expect(outcomes({}, cascaded, periodic)).to.deep.equal([[0, 'no_downstream_commission']]);
    expect(outcomes({ dependsOn: 'Direct' }, {}, cascaded, periodic)).to.deep.equal([[5, null]]);
    expect(outcomes({ dependsOn: 'MBO' }, periodic)).to.deep.equal([[0, 'no_downstream_commission']]);
  });
});
