import { expect } from 'chai';
import { type Simulation } from '#web/api/queries.js';
import {
  chosenProblem,
  computeQuarterResults,
  listMissingQuotas,
  listSimulatedQuarters,
  readChosenDeals,
  type SimulatedPlan,
  selectVisibleResults,
  sumAdditions,
  wonUnder,
} from '#web/features/plans/what-if.js';
import { plan } from './samples.js';

const ladder = [
  { tierIndex: 0, minThreshold: 0, rate: 0.08 },
  { tierIndex: 1, minThreshold: 1, rate: 0.1 },
];
const quarterly = plan('AE', [{ name: 'New business', tiers: ladder }]);

const simulation = (total: number, rep: object = {}, currency = 'USD') =>
  ({ total, currency, reps: [{ attainment: [], outcomes: [], ...rep }] }) as unknown as Simulation;
const tried = (
  before: number,
  after: number,
  more: Partial<SimulatedPlan> & { rep?: object; currency?: string } = {},
) => ({
  plan: more.plan ?? quarterly,
  before: simulation(before, {}, more.currency),
  after: simulation(after, more.rep, more.currency),
});
const earned = (total: number, others: Readonly<Record<string, number>> = {}) => {
  const earnings = (sum: number) => ({ total: sum, commission: sum, bonus: 0, adjustments: 0 });
  return {
    currency: 'USD',
    earnings: earnings(total),
    otherCurrencies: Object.entries(others).map(([currency, sum]) => ({ currency, earnings: earnings(sum) })),
  };
};

describe('what closing deals would pay', () => {
  it('is calculated with the stage in which each plan counts them as won', () => {
    const deals = [{ dealId: 'D1', amount: 5, closeDate: '2026-11-15' }];
    const signed = [{ field: 'dealStage', fieldType: 'status', operator: 'in', value: ['Signed', 'Paid'] }];
    expect(wonUnder(quarterly, deals)).to.deep.equal([{ ...deals[0], stage: 'Closed Won' }]);
    expect(wonUnder(plan('SE', [], { dealConditions: signed as never }), deals)).to.deep.equal([
      { ...deals[0], stage: 'Signed' },
    ]);
  });

  it('is calculated with the chosen deals that have an amount and a day: an emptied amount is not 0', () => {
    const deal = { isChosen: true, amount: '5', closeDate: '2026-11-15' };
    const entered = {
      D1: deal,
      D2: { ...deal, amount: '' },
      D3: { ...deal, closeDate: '' },
      D4: { ...deal, isChosen: false, amount: '' },
      D5: { ...deal, amount: '0' },
    };
    expect(readChosenDeals(entered)).to.deep.equal([
      { dealId: 'D1', amount: 5, closeDate: '2026-11-15' },
      { dealId: 'D5', amount: 0, closeDate: '2026-11-15' },
    ]);
    expect(Object.values(entered).map((each) => chosenProblem(each)?.slice(0, 16) ?? null)).to.deep.equal([
      null,
      'Enter the amount',
      'Enter the day on',
      null,
      null,
    ]);
  });

  it('is calculated for every quarter in which a deal closes, or for the present one', () => {
    expect(listSimulatedQuarters([quarterly], ['2027-01-14', '2026-12-15'], '2026-11-24')).to.deep.equal([
      '2026-Q4',
      '2027-Q1',
    ]);
    expect(listSimulatedQuarters([quarterly], [], '2026-11-24')).to.deep.equal(['2026-Q4']);
  });

  it('is calculated for every quarter of the attainment period of a rule', () => {
    const annual = plan('Annual', [{ attainmentPeriod: 'annual' }]);
    expect(listSimulatedQuarters([quarterly, annual], ['2026-12-15'], '2026-11-24')).to.deep.equal([
      '2026-Q1',
      '2026-Q2',
      '2026-Q3',
      '2026-Q4',
    ]);
    const half = plan('Half', [{ attainmentPeriod: 'semi_annual' }]);
    expect(listSimulatedQuarters([half], ['2026-08-01'], '2026-11-24')).to.deep.equal(['2026-Q3', '2026-Q4']);
  });

  it('is added to what My pay shows, adjustments included, over all plans', () => {
    const plans = [tried(10_349.39, 14_749.66), tried(0, 0.01, { plan: plan('Spiff', [{}]) })];
    expect(computeQuarterResults('2026-Q4', plans, earned(10_629.39))).to.deep.equal([
      { period: '2026-Q4', currency: 'USD', addition: '4400.28', total: '15029.67', attainment: null },
    ]);
  });

  it('has a result for each currency in which plans pay', () => {
    const euros = tried(100, 350, { plan: plan('EU', [{}]), currency: 'EUR' });
    const both = computeQuarterResults('2026-Q4', [tried(0, 5), euros], earned(1_000, { EUR: 40 }));
    expect(both.map(({ currency, addition, total }) => [currency, addition, total])).to.deep.equal([
      ['USD', '5', '1005'],
      ['EUR', '250', '290'],
    ]);
    const onlyEuros = computeQuarterResults('2026-Q4', [euros], earned(0, { EUR: 100 }));
    expect(onlyEuros.map(({ currency, total }) => [currency, total])).to.deep.equal([['EUR', '350']]);
  });

  it('counts a plan in every currency in which its versions pay', () => {
    const { plan: paying, before, after } = tried(100, 105);
    const inEuros = (total: number) => ({ otherCurrencies: [{ currency: 'EUR', total }] });
    const both = { plan: paying, before: { ...before, ...inEuros(10) }, after: { ...after, ...inEuros(30) } };
    const results = computeQuarterResults('2026-Q4', [both], earned(1000, { EUR: 40 }));
    expect(results.map(({ currency, addition, total }) => [currency, addition, total])).to.deep.equal([
      ['USD', '5', '1005'],
      ['EUR', '20', '60'],
    ]);
  });

  it('has the attainment of the quota that My pay shows first', () => {
    const attainment = [
      { measure: 'Other', period: '2026-Q4', target: 10, credit: 9, attainment: 0.9 },
      { measure: 'New business', period: '2026-Q4', target: 250_000, credit: 300_000, attainment: 1.2 },
    ];
    const [result] = computeQuarterResults('2026-Q4', [tried(0, 1, { rep: { attainment } })], earned(0));
    expect(result?.attainment).to.equal(1.2);
    const unset = attainment.map((one) => ({ ...one, target: null }));
    expect(
      computeQuarterResults('2026-Q4', [tried(0, 1, { rep: { attainment: unset } })], earned(0))[0]?.attainment,
    ).to.equal(null);
  });

  it('names the quotas that chosen deals need, with their period and rules', () => {
    const outcomes = [
      { dealId: 'pinecrest', ruleName: 'New business', reason: 'quota_missing' },
      { dealId: 'pinecrest', ruleName: 'Large deal', reason: 'below_lowest_tier' },
      { dealId: 'stored', ruleName: 'New business', reason: 'quota_missing' },
    ];
    const days = new Map([['pinecrest', '2027-01-14']]);
    expect(listMissingQuotas([tried(0, 0, { rep: { outcomes } })], days)).to.deep.equal([
      { period: '2027-Q1', rules: ['New business'] },
    ]);
  });

  it('shows the quarters of the deals and those that they change, with one sum', () => {
    const result = (period: string, addition: string) => ({
      period,
      currency: 'USD',
      addition,
      total: addition,
      attainment: null,
    });
    const all = [result('2026-Q1', '0'), result('2026-Q2', '-1.5'), result('2026-Q4', '0'), result('2027-Q1', '10')];
    const visible = selectVisibleResults(all, ['2026-12-15', '2027-01-14'], '2026-11-24');
    expect(visible.map(({ period }) => period)).to.deep.equal(['2026-Q2', '2026-Q4', '2027-Q1']);
    expect(sumAdditions(visible)).to.deep.equal([['USD', '8.5']]);
    expect(selectVisibleResults(all, [], '2026-11-24').map(({ period }) => period)).to.include('2026-Q4');
  });
});
