import { expect } from 'chai';
import { calculateRep } from '#src/engine/calculate.js';
import { decodeTrace } from '#src/engine/trace.js';
import { engineInput } from '#test/support/engine-world.js';
import type { World, WorldFx, WorldRate } from '#test/support/oracle/world.js';
import { amounts, amountsOf, deal, ledgerOf, quota, rule, version, world } from './small-world.js';

const byCloseDate: WorldFx = { date: 'close_date' };

function rate(from: string, to: string, value: string, day = '2026-01-01'): WorldRate {
  return { from, to, day, rate: value };
}

function dealIn(currency: string, dealId: string, day: string, amount: number, repId = 'r') {
  return { ...deal(dealId, day, amount, repId), given: { currency } };
}

/** A world whose only plan converts. */
function converting(rules: object[], values: Partial<World> & { fx?: WorldFx; currency?: string }): World {
  const { fx = byCloseDate, currency = 'USD', ...rest } = values;
  const plans = [{ planId: 'p', status: 'active' as const, versions: [version({ rules }, { fx, currency })] }];
  return world(rules, { plans, ...rest });
}

const flat = (value: number) => ({ tiers: [{ tierIndex: 0, minThreshold: 0, rate: value }] });

/** The outcome of each deal that paid nothing. */
function reasons(of: World): Record<string, string | null> {
  const { outcomes } = calculateRep(engineInput(of, 'r', ledgerOf(of)));
  return Object.fromEntries(outcomes.filter(({ paid }) => !paid).map(({ dealKey, reason }) => [dealKey, reason]));
}

describe('exchange rates in the calculation', () => {
  it('X1: convert the amount at the rate of the close date', () => {
    const of = converting([rule()], {
      deals: [dealIn('EUR', 'D', '2026-01-15', 50_000)],
      fxRates: [rate('EUR', 'USD', '1.0837')],
    });
    expect(ledgerOf(of)).to.containSubset([{ base: '54185', credit: '54185', amount: '4334.8', currency: 'USD' }]);
  });

  it('X2: decide the tier after the conversion', () => {
    const at = (value: string) =>
      amounts(
        converting([rule()], {
          deals: [deal('D1', '2026-01-15', 60_000), dealIn('EUR', 'D2', '2026-02-10', 37_000)],
          fxRates: [rate('EUR', 'USD', value)],
        }),
      );
    expect(at('1.0837')).to.include({ D2: '4811.63' });
    expect(at('1.0790')).to.include({ D2: '3193.84' });
  });

  it('X3: round once, to the currency of the plan', () => {
    const of = converting([rule(flat(0.03))], {
      currency: 'JPY',
      deals: [dealIn('USD', 'D', '2026-01-15', 12_345.67)],
      fxRates: [rate('USD', 'JPY', '149.87')],
    });
    expect(ledgerOf(of)).to.containSubset([{ base: '1850245.5629', amount: '55507' }]);
  });

  it('X6: convert what was earned below, with the plan of the manager', () => {
    const rules = [rule({ name: 'Override', executionPhase: 'cascade', measure: undefined, ...flat(0.2) })];
    const below = (planId: string, currency: string) => ({
      planId,
      status: 'active' as const,
      versions: [version({ rules: [rule(flat(0.1))] }, { planVersionId: `${planId}-v1`, currency, fx: byCloseDate })],
    });
    const of = (fx: WorldFx | null): World =>
      world(rules, {
        reps: [
          { repId: 'm', lines: [] },
          { repId: 'r', lines: [{ managerId: 'm', from: null, to: null }] },
          { repId: 's', lines: [{ managerId: 'm', from: null, to: null }] },
        ],
        plans: [
          { planId: 'p', status: 'active', versions: [version({ rules }, { fx })] },
          below('e', 'EUR'),
          below('u', 'USD'),
        ],
        assignments: [
          { repId: 'm', planId: 'p', effectiveStart: null, effectiveEnd: null },
          { repId: 'r', planId: 'e', effectiveStart: null, effectiveEnd: null },
          { repId: 's', planId: 'u', effectiveStart: null, effectiveEnd: null },
        ],
        deals: [dealIn('EUR', 'D1', '2026-01-15', 40_000, 'r'), dealIn('USD', 'D2', '2026-01-20', 48_000, 's')],
        fxRates: [rate('EUR', 'USD', '1.0837')],
      });
    expect(amountsOf(of(byCloseDate), 'Override', 'm')).to.deep.equal({ D1: '866.96', D2: '960' });
    expect(amountsOf(of(null), 'Override', 'm'), 'without fx').to.deep.equal({ D2: '960' });
    const { decisions } = calculateRep(engineInput(of(byCloseDate), 'm', ledgerOf(of(byCloseDate))));
    const trace = decodeTrace(decisions[0]?.trace ?? '', {
      conditions: [],
      day: '2026-01-15',
      timeZone: 'UTC',
      tierName: null,
      amount: 0,
    });
    expect(trace.conversions?.[0]?.values).to.deep.equal([
      { repId: 'r', ruleName: 'New', value: 4000, converted: 4334.8 },
    ]);
  });

  it('X7: use the exact inverse of the opposite pair', () => {
    const of = converting([rule(flat(0.08))], {
      deals: [dealIn('EUR', 'D', '2026-01-15', 50_000)],
      fxRates: [rate('USD', 'EUR', '0.9228')],
    });
    expect(amounts(of)).to.deep.equal({ D: '4334.63' });
  });

  it('X8: pay nothing without a rate, and tier later deals again when it arrives', () => {
    const of = (fxRates: WorldRate[]) =>
      converting([rule()], {
        asOf: '2026-04-01',
        deals: [dealIn('EUR', 'D1', '2026-02-16', 50_000), deal('D2', '2026-03-05', 60_000)],
        fxRates,
      });
    const old = rate('EUR', 'USD', '1.05', '2026-01-01');
    expect(amounts(of([old]))).to.deep.equal({ D2: '4800' });
    expect(reasons(of([old]))).to.deep.equal({ D1: 'fx_rate_missing' });
    const now = of([old, rate('EUR', 'USD', '1.08', '2026-02-01')]);
    expect(amounts(now)).to.deep.equal({ D1: '4320', D2: '7200' });
  });

  it('X9: leave other fields as they are, with any currency', () => {
    const seats = { name: 'Seats', measure: 'seats', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 10 }] };
    const of = converting([seats, rule({ name: 'Big', ...flat(0.1) })], {
      deals: [{ ...dealIn('EUR', 'D', '2026-01-15', 0), fields: { seats: 180, amount: 7 } }],
    });
    expect(amountsOf(of, 'Seats')).to.deep.equal({ D: '1800' });
    expect(amountsOf(of, 'Big')).to.deep.equal({});
  });

  it('X10: convert through the currency of the workspace', () => {
    const of = converting([rule(flat(0.08))], {
      workspace: { currency: 'EUR', timeZone: 'UTC', standard: {}, measures: {} },
      deals: [dealIn('CHF', 'D', '2026-01-15', 50_000)],
      fxRates: [rate('EUR', 'CHF', '0.95'), rate('EUR', 'USD', '1.08', '2026-01-10')],
    });
    expect(amounts(of)).to.deep.equal({ D: '4547.37' });
    const { decisions } = calculateRep(engineInput(of, 'r', []));
    const context = { conditions: [], day: '2026-01-15', timeZone: 'UTC', tierName: null, amount: 4547.37 };
    expect(decodeTrace(decisions[0]?.trace ?? '', context).conversions).to.deep.equal([
      {
        from: 'CHF',
        to: 'USD',
        day: '2026-01-15',
        rate: 1.1368421053,
        legs: [
          { from: 'EUR', to: 'CHF', day: '2026-01-01', rate: 0.95 },
          { from: 'EUR', to: 'USD', day: '2026-01-10', rate: 1.08 },
        ],
        values: [{ field: 'amount', value: 50_000, converted: 56_842.10526315789 }],
      },
    ]);
  });

  it('X11: use the latest rate of an open period for now, and the rate of its end when it has ended', () => {
    const of = (asOf: string, ...rates: WorldRate[]) =>
      converting([rule(flat(0.08))], {
        asOf,
        fx: { date: 'period_end' },
        deals: [dealIn('EUR', 'D', '2026-01-10', 50_000)],
        fxRates: [rate('EUR', 'USD', '1.05', '2026-01-05'), ...rates],
      });
    expect(amounts(of('2026-03-31'))).to.deep.equal({ D: '4200' });
    const { decisions } = calculateRep(engineInput(of('2026-03-31'), 'r', []));
    const context = { conditions: [], day: '2026-01-10', timeZone: 'UTC', tierName: null, amount: 4200 };
    expect(decodeTrace(decisions[0]?.trace ?? '', context).conversions).to.containSubset([
      { day: '2026-03-31', provisional: true },
    ]);
    expect(amounts(of('2026-04-01', rate('EUR', 'USD', '1.10', '2026-03-31')))).to.deep.equal({ D: '4400' });
    expect(reasons(of('2026-04-01'))).to.deep.equal({ D: 'fx_rate_missing' });
  });

  it('compare conditions in the currency of the plan', () => {
    const large = {
      conditions: [{ field: 'amount', fieldType: 'currency', operator: 'gte', value: 54_000 }],
      ...flat(0.1),
    };
    const of = (value: string) =>
      amounts(
        converting([rule(large)], {
          deals: [dealIn('EUR', 'D', '2026-01-15', 50_000)],
          fxRates: [rate('EUR', 'USD', value)],
        }),
      );
    expect(of('1.08')).to.deep.equal({ D: '5400' });
    expect(of('1.0799')).to.deep.equal({});
  });

  it('name the condition that fails rather than the missing rate', () => {
    const won = {
      conditions: [
        { field: 'stage', fieldType: 'status', operator: 'equals', value: 'won' },
        { field: 'amount', fieldType: 'currency', operator: 'gt', value: 0 },
      ],
    };
    const of = converting([rule(won)], {
      deals: [
        { ...dealIn('EUR', 'lost', '2026-01-15', 1), fields: { amount: 1, stage: 'lost' } },
        { ...dealIn('EUR', 'won', '2026-01-15', 1), fields: { amount: 1, stage: 'won' } },
      ],
    });
    expect(reasons(of)).to.deep.equal({ lost: 'rule_condition_failed', won: 'fx_rate_missing' });
  });

  it('reach the quota with thirds that add up to it', () => {
    const thirds = ['D1', 'D2', 'D3'].map((dealId) => dealIn('EUR', dealId, '2026-01-15', 30_000));
    const of = converting([rule()], { deals: thirds, fxRates: [rate('USD', 'EUR', '0.9')] });
    expect(amounts(of)).to.deep.equal({ D1: '2666.67', D2: '2666.67', D3: '4000' });
  });

  it('pay half a cent that is made of thirds upwards', () => {
    const of = converting([rule(flat(0.0075))], {
      deals: [dealIn('EUR', 'D', '2026-01-15', 2)],
      fxRates: [rate('USD', 'EUR', '3')],
    });
    expect(amounts(of)).to.deep.equal({ D: '0.01' });
  });

  it('sum the deals of a period at their own days, without those that have no rate', () => {
    const of = converting([rule({ executionPhase: 'periodic', ...flat(0.1) })], {
      asOf: '2026-04-01',
      deals: [
        dealIn('EUR', 'D1', '2026-01-15', 1000),
        dealIn('EUR', 'D2', '2026-02-15', 1000),
        dealIn('GBP', 'D3', '2026-02-15', 1000),
        deal('D4', '2026-02-16', 1000),
      ],
      fxRates: [rate('EUR', 'USD', '1.1'), rate('EUR', 'USD', '1.2', '2026-02-01')],
      quotas: [quota()],
    });
    expect(amounts(of)).to.deep.equal({ '2026-Q1': '330' });
    expect(reasons(of)).to.include({ D3: 'fx_rate_missing' });
  });
});
