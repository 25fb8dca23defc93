import { expect } from 'chai';
import { calculated } from '#test/support/oracle/clean-ledger.js';
import { countedIn, liveRows, sumAmounts } from '#test/support/oracle/true-up.js';
import type { World, WorldRamp } from '#test/support/oracle/world.js';
import { amounts, deal, ledgerOf, quota, rule, world } from './small-world.js';

const leave = { repId: 'r', from: '2026-02-10', to: '2026-03-11' };
const tiers = [
  { tierIndex: 0, minThreshold: 0, rate: 0.08, name: 'Base' },
  { tierIndex: 1, minThreshold: 1, rate: 0.12, name: 'Over' },
];
const assigned = { repId: 'r', planId: 'p', effectiveStart: null, effectiveEnd: null };

/** A world with one rule that is prorated by days, unless `terms` says otherwise. */
function people(terms: object, values: Partial<World>): World {
  return world([rule({ tiers, quotaProration: 'calendar_days', ...terms })], { asOf: '2026-04-01', ...values });
}

function hired(hireDate: string): Pick<World, 'reps'> {
  return { reps: [{ repId: 'r', lines: [], hireDate }] };
}

function ramped(ramp: WorldRamp, effectiveStart: string | null = null): Pick<World, 'assignments'> {
  return { assignments: [{ ...assigned, effectiveStart, ramp }] };
}

const everyMonth = (...quotaPercents: number[]) => quotaPercents.map((quotaPercent) => ({ months: 1, quotaPercent }));

/** A deal pays 12 % exactly from the target on, so two deals a cent apart state the target. */
function expectTarget(target: number, terms: object, values: Partial<World>): void {
  const pay = (amount: number) =>
    ledgerOf(people(terms, { ...values, deals: [deal('a', '2026-03-30', amount)] }))[0]?.tierName;
  expect(pay(target - 0.01), 'below the target').to.equal('Base');
  expect(pay(target), 'at the target').to.equal('Over');
}

describe('quotas of people who start, ramp up and go on leave, by the engine and by the oracle', () => {
  it('Q1: a hire in mid-quarter has the target of the remaining days', () => {
    const start = hired('2026-02-15');
    expectTarget(50_000, {}, start);
    const deals = [deal('a', '2026-03-20', 50_000)];
    expect(amounts(people({}, { ...start, deals }))).to.deep.equal({ a: '6000' });
    expect(amounts(people({ quotaProration: 'none' }, { ...start, deals }))).to.deep.equal({ a: '4000' });
  });

  it('Q2: a ramp counts each day at the percentage of its step', () => {
    const quotas = [quota({ target: 120_000 })];
    const ramp = ramped({ from: null, steps: everyMonth(25, 50, 75, 100) }, '2026-01-15');
    // (31 × 0.25 + 28 × 0.5 + 17 × 0.75) of 90 days.
    expectTarget(46_000, {}, { quotas, ...ramp });
  });

  it('Q3: a leave lowers the target of the whole period, also for the deals before it', () => {
    const quotas = [quota({ target: 90_000 })];
    const deals = [deal('a', '2026-01-20', 45_000), deal('b', '2026-03-25', 30_000)];
    const absences = [leave];
    expectTarget(60_000, {}, { quotas, absences });
    expect(amounts(people({}, { quotas, deals, absences }))).to.deep.equal({ a: '3600', b: '3600' });
    expect(amounts(people({}, { quotas, deals }))).to.deep.equal({ a: '3600', b: '2400' });
    const marginal = people({ tierMode: 'marginal' }, { quotas, deals, absences });
    expect(amounts(marginal)).to.deep.equal({ a: '3600', b: '3000' });
  });

  it('Q4: a leave that is entered after the approval is owed, and no longer when it is shortened', () => {
    const quotas = [quota({ target: 90_000 })];
    const before = people({}, { quotas, deals: [deal('a', '2026-01-28', 62_000)] });
    const storedRows = ledgerOf(before);
    expect(storedRows.map((row) => row.amount)).to.deep.equal(['4960']);
    const period = { repId: 'r', period: '2026-01', truedUp: null };
    const approved = { ...before, storedRows, frozen: [period] };
    const owed = (absences: World['absences'], trued = period as World['frozen'][number]) => {
      const now = { ...approved, absences: absences ?? [], frozen: [trued] };
      expect(ledgerOf(now)).to.deep.equal(storedRows);
      const live = liveRows(now, 'r', '2026-01');
      return {
        live,
        delta: sumAmounts(live, 'USD')
          .minus(sumAmounts(countedIn(now, trued), 'USD'))
          .toNumber(),
      };
    };
    const entered = owed([leave]);
    const shortened = { ...leave, to: '2026-03-01' };
    expect(entered.delta).to.equal(2480);
    expect(owed([shortened]).delta).to.equal(0);
    expect(owed([shortened], { ...period, truedUp: entered.live }).delta).to.equal(-2480);
    expect(owed([]).delta).to.equal(0);
    expect(calculated(approved).rows).to.deep.equal(storedRows);
  });

  const objective = {
    executionPhase: 'periodic',
    payoutBase: 'variable_target',
    tiers: [{ tierIndex: 0, minThreshold: 0, rate: 1 }],
  };

  it('Q5: a leave lowers the variable target alike', () => {
    const quotas = [quota({ target: 90_000, variableTarget: 9000 })];
    expect(amounts(people(objective, { quotas, absences: [leave] }))).to.deep.equal({ '2026-Q1': '6000' });
  });

  const fiscalFrom = (start: string, pattern: 'months' | '4-5-4', weeks: 52 | 53 = 52) => ({
    fiscalYears: [{ year: 2026, start, pattern, weeks }],
  });

  it('Q6: a fiscal quarter from February has its own quota', () => {
    const fiscal = fiscalFrom('2026-02-01', 'months');
    const quotas = [quota({ period: 'FY2026-Q1' })];
    const deals = [
      deal('a', '2026-02-10', 60_000),
      deal('b', '2026-04-30', 60_000),
      deal('c', '2026-05-02', 10_000),
      deal('d', '2026-01-31', 10_000),
    ];
    const rows = ledgerOf(people({ calendar: 'fiscal' }, { ...fiscal, quotas, deals }));
    expect(rows.map((row) => [row.dealId, row.period, row.amount])).to.deep.equal([
      ['a', 'FY2026-Q1', '4800'],
      ['b', 'FY2026-Q1', '7200'],
      ['c', 'FY2026-Q2', '0'],
    ]);
  });

  it('Q7: the periods of a year in weeks', () => {
    const fiscal = fiscalFrom('2026-02-01', '4-5-4', 53);
    const days = ['2026-02-28', '2026-03-01', '2026-04-04', '2026-04-05', '2026-05-02', '2026-05-03', '2027-02-06'];
    const deals = days.map((day) => deal(day, day, 100));
    const monthly = people({ calendar: 'fiscal', attainmentPeriod: 'monthly' }, { ...fiscal, deals });
    expect(ledgerOf(monthly).map((row) => row.period)).to.deep.equal(
      ['P01', 'P02', 'P02', 'P03', 'P03', 'P04', 'P12'].map((period) => `FY2026-${period}`),
    );
    // Half of the 91 days.
    const quotas = [quota({ period: 'FY2026-Q1', target: 91_000 })];
    const absences = [{ ...leave, from: '2026-02-01', to: '2026-03-18' }];
    expect(
      amounts(
        people({ calendar: 'fiscal' }, { ...fiscal, quotas, absences, deals: [deal('a', '2026-05-02', 45_000)] }),
      ),
    ).to.deep.equal({ a: '5400' });
    expect(
      amounts(
        people({ calendar: 'fiscal' }, { ...fiscal, quotas, absences, deals: [deal('a', '2026-05-02', 44_999)] }),
      ),
    ).to.deep.equal({ a: '3599.92' });
  });

  it('Q8: a target never falls below the minimum', () => {
    const quotas = [quota({ target: 90_000 })];
    const deals = [deal('a', '2026-02-15', 20_000)];
    for (const to of ['2026-03-31', '2026-03-30']) {
      const absences = [{ ...leave, from: '2026-01-01', to }];
      expect(amounts(people({}, { quotas, deals, absences }))).to.deep.equal({ a: '1600' });
      expectTarget(22_500, {}, { quotas, absences });
    }
    const absences = [{ ...leave, from: '2026-01-01', to: '2026-03-30' }];
    const { workspace } = world([]);
    const lower = people({}, { quotas, deals, absences, workspace: { ...workspace, minQuotaPercent: 1 } });
    expect(amounts(lower)).to.deep.equal({ a: '2400' });
  });

  it('Q9: whole_months counts a month of which at least half of the days count', () => {
    const quotas = [quota({ target: 90_000 })];
    const months = { quotaProration: 'whole_months' };
    expectTarget(60_000, months, { quotas, ...hired('2026-02-10') });
    expectTarget(30_000, months, { quotas, ...hired('2026-02-20') });
    expectTarget(22_500, months, { quotas, ...hired('2026-03-20') });
    expectTarget(60_000, months, { quotas, ...hired('2026-02-15') });
  });

  it('Q10: the rate of a ramp applies without proration, before the floor', () => {
    const quotas = [quota({ target: 9000 })];
    const steps = [{ months: 1, quotaPercent: 50, ratePercent: 150 }];
    const deals = [deal('a', '2026-01-20', 1000), deal('b', '2026-02-20', 1000)];
    const terms = { quotaProration: 'none', floor: 100 };
    const values = { quotas, deals, ...ramped({ from: '2026-01-15', steps }) };
    expect(amounts(people(terms, values))).to.deep.equal({ a: '120', b: '100' });
  });

  it('Q11: a leave does not lower what one deal can pay', () => {
    const quotas = [quota({ target: 90_000, variableTarget: 9000 })];
    const absences = [{ ...leave, variableRelief: 50 }];
    expect(amounts(people(objective, { quotas, absences }))).to.deep.equal({ '2026-Q1': '7500' });
    const deals = [deal('a', '2026-03-20', 500_000)];
    expect(amounts(people({ capMultiplier: 1 }, { quotas, absences, deals }))).to.deep.equal({ a: '9000' });
  });

  it('a ramp without its own start runs from the assignment, otherwise from the hire date', () => {
    const quotas = [quota({ target: 90_000 })];
    const ramp = { from: null, steps: [{ months: 3, quotaPercent: 0 }] };
    // February and March count 0, and January counts in full: 31 of 90 days.
    expectTarget(31_000, {}, { quotas, ...ramped({ ...ramp, from: '2026-02-01' }) });
    const both = { ...hired('2026-01-16'), ...ramped(ramp, '2026-01-01') };
    expectTarget(22_500, {}, { quotas, ...both });
    const half = { ...ramp, steps: [{ months: 2, quotaPercent: 50 }] };
    expectTarget(60_500, {}, { quotas, ...hired('2026-01-01'), ...ramped(half) });
    // It has no first day.
    expectTarget(90_000, {}, { quotas, ...ramped(ramp) });
  });

  it('the months of a ramp run by day of month, from the 31st to the last day', () => {
    const steps = [{ months: 1, quotaPercent: 0, ratePercent: 200 }];
    const days = ['2026-01-30', '2026-01-31', '2026-02-27', '2026-02-28'];
    const deals = days.map((day) => deal(day, day, 100));
    const terms = { quotaProration: 'none' };
    expect(amounts(people(terms, { deals, ...ramped({ from: '2026-01-31', steps }) }))).to.deep.equal({
      '2026-01-30': '8',
      '2026-01-31': '16',
      '2026-02-27': '16',
      '2026-02-28': '8',
    });
  });

  it('a fixed quota keeps its target and its variable target', () => {
    const quotas = [quota({ target: 90_000, variableTarget: 9000, prorate: false })];
    expectTarget(90_000, {}, { quotas, absences: [leave] });
    expect(amounts(people(objective, { quotas, absences: [leave] }))).to.deep.equal({ '2026-Q1': '9000' });
  });

  it('a rule pays from its first to its last day, and its credit counts only there', () => {
    const contest = { effectiveStart: '2026-02-02', effectiveEnd: '2026-02-20' };
    const days = ['2026-02-01', '2026-02-02', '2026-02-20', '2026-02-21'];
    const deals = days.map((day) => deal(day, day, 50_000));
    expect(amounts(people(contest, { deals }))).to.deep.equal({ '2026-02-02': '4000', '2026-02-20': '6000' });
    const periodic = { ...contest, executionPhase: 'periodic', attainmentPeriod: 'monthly' };
    const quotas = ['2026-01', '2026-02', '2026-03'].map((period) => quota({ period }));
    const rows = ledgerOf(people(periodic, { deals, quotas }));
    expect(rows.map((row) => [row.dealId, row.credit])).to.deep.equal([['2026-02', '100000']]);
  });

  it('a condition takes the days of a fiscal period, and fails for one that is not defined', () => {
    const inPeriod = (value: string) => ({
      conditions: [{ field: 'closeDate', fieldType: 'date', operator: 'in_period', value }],
    });
    const fiscal = fiscalFrom('2026-02-01', 'months');
    const deals = ['2026-01-31', '2026-02-01', '2026-02-28', '2026-03-01'].map((day) => deal(day, day, 100));
    expect(amounts(people(inPeriod('FY2026-P01'), { ...fiscal, deals }))).to.deep.equal({
      '2026-02-01': '8',
      '2026-02-28': '8',
    });
    expect(amounts(people(inPeriod('FY2027'), { ...fiscal, deals }))).to.deep.equal({});
  });
});
