import { expect } from 'chai';
import { type Refund } from '#src/engine/clawback.js';
import { type CreditLine } from '#src/engine/credit-lines.js';
import { type DealLine } from '#src/engine/deal-line.js';
import { type RepResult } from '#src/engine/model.js';
import { type PersonFacts } from '#src/engine/person-facts.js';
import { type RateCell, type RateTable, type RateTableKey, type RateValue } from '#src/engine/rate-table.js';
import { decodeTrace, type Trace } from '#src/engine/trace.js';
import { Decimal } from '#src/kernel/decimal.js';
import { run, type Scenario } from './scenario.js';

type Row = readonly [cells: readonly RateCell[], ...values: readonly RateValue[]];

/** A table with keys such as `line.family exact`, and columns named in order. */
function table(name: string, keys: readonly string[], columns: readonly string[], ...rows: readonly Row[]): RateTable {
  const named = keys.map((key): RateTableKey => {
    const [field = '', match = 'exact'] = key.split(/ (?=\w+$)/);
    return { name: field, field, match: match as RateTableKey['match'] };
  });
  return {
    name,
    keys: named,
    columns: columns.map((column) => ({ name: column, kind: 'rate' })),
    rows: rows.map(([cells, ...values]) => ({
      keys: Object.fromEntries(named.map((key, index) => [key.name, cells[index] ?? '*'])),
      values: Object.fromEntries(columns.map((column, index) => [column, values[index] ?? 0])),
    })),
    noMatch: 'exception',
  };
}

const products = table(
  'Products',
  ['line.family exact'],
  ['base', 'accelerated'],
  [['software'], 0.1, 0.14],
  [['services'], 0.04, 0.05],
  [['hardware'], 0.02, 0.02],
);

const at = (minThreshold: number, pay: object, name = `${minThreshold}`) => ({ minThreshold, name, ...pay });
const tiersOf = (...tiers: readonly object[]) => tiers.map((tier, tierIndex) => ({ tierIndex, ...tier }));
const base = { table: 'Products', column: 'base' };
const accelerated = { table: 'Products', column: 'accelerated' };
const one = tiersOf(at(0, base));
const two = tiersOf(at(0, base), at(1, accelerated));
const flat = (rate: number) => tiersOf(at(0, { rate }));
const fixed = (flatAmount: number) => tiersOf(at(0, { flatAmount }));
const rule = { name: 'Rule', measure: 'line.amount', lines: {}, tiers: one };
const family = (value: string) => ({
  conditions: [{ field: 'line.family', fieldType: 'text', operator: 'equals', value }],
});
const software = { ...rule, lines: family('software') };

type Line = Omit<Partial<DealLine>, 'amount'> & { readonly amount: number | null };
const numbered = (...lines: readonly Line[]): DealLine[] =>
  lines.map((line, index) => ({ lineId: String(index + 1), ...line }));
const ofFamily = (name: string, amount: number | null, more: Partial<Line> = {}): Line => ({
  family: name,
  amount,
  ...more,
});
const d = numbered(ofFamily('software', 30_000), ofFamily('services', 15_000), ofFamily('hardware', 5_000));
const earlier = (amount: number) => ({
  id: `before | 2026-01-10 | ${amount}`,
  lines: numbered(ofFamily('software', amount)),
});

interface Example extends Partial<Omit<Scenario, 'deals' | 'lines'>> {
  readonly rules?: readonly object[];
  readonly deals?: string;
  readonly lines?: Scenario['lines'];
}

/** The rule on D, unless the example has other deals. */
function scenario({ rules = [rule], deals = 'D | 2026-02-10 | 50000', lines = { D: d }, ...more }: Example): Scenario {
  return {
    config: { rules },
    deals,
    lines,
    tables: [products],
    quotas: { 'Rule 2026-Q1': { target: 100_000 } },
    ...more,
  };
}

/** Calculates a scenario of the example. */
type Calculate = (scenario: Scenario, example: string) => RepResult;
let calculateScenario: Calculate = run;
let current = '';

function calculate(example: Example): RepResult {
  return calculateScenario(scenario(example), current);
}

interface Paid {
  readonly amount: string;
  readonly credit: string;
  readonly tierName: string | null;
  readonly category: string;
  readonly trace: Trace;
}

/** What is paid by deal, or by rule and deal if there are several rules. */
function paid(example: Example): Readonly<Record<string, Paid>> {
  const { decisions } = calculate(example);
  const several = (example.rules ?? []).length > 1;
  return Object.fromEntries(
    decisions.map(({ dealKey, ruleName, amount, credit, tierName, category, trace, earnedOn }) => [
      several ? `${ruleName} ${dealKey}` : dealKey,
      {
        amount: amount.toString(),
        credit: credit.toString(),
        tierName,
        category,
        trace: decodeTrace(trace, {
          conditions: [],
          day: earnedOn,
          timeZone: 'UTC',
          tierName,
          amount: amount.toNumber(),
        }),
      },
    ]),
  );
}

const amounts = (example: Example) =>
  Object.fromEntries(Object.entries(paid(example)).map(([key, { amount }]) => [key, Number(amount)]));
const amountOf = (example: Example, deal = 'D') => amounts(example)[deal];
const creditOf = (example: Example, deal = 'D') => Number(paid(example)[deal]?.credit);
const shown = (example: Example, deal = 'D') => paid(example)[deal]?.trace.lines?.map(({ amount }) => amount);
const reasonOf = (example: Example) => calculate(example).outcomes.find(({ dealKey }) => dealKey === 'D')?.reason;
const lineReasons = (example: Example) => paid(example)['D']?.trace.lines?.map(({ reason }) => reason ?? null);

const after80 = {
  deals: `${earlier(80_000).id}\nD | 2026-02-10 | 50000`,
  lines: { D: d, before: earlier(80_000).lines },
};
const beginning = (amount: number, lines: readonly DealLine[]) => ({
  deals: `${earlier(amount).id}\nD | 2026-02-10 | ${lines.reduce((sum, line) => sum + Number(line.amount), 0)}`,
  lines: { D: lines, before: earlier(amount).lines },
});
const share = (percent: string, kind: 'split' | 'overlay' = 'split'): readonly CreditLine[] => [
  { repId: 'rep', kind, role: null, percent, affects: 'both', source: 'api' },
];
const marginal = { ...rule, tiers: two, tierMode: 'marginal' };

export function describeLineExamples(calculateWith: Calculate): void {
  calculateScenario = calculateWith;
  describe('the worked examples of lines', examples);
}

function examples(): void {
  beforeEach(function () {
    current = this.currentTest?.title ?? '';
  });

  it('I1: pays the lines of a deal in one event', () => {
    const event = paid({})['D'];
    expect([event?.amount, event?.credit, event?.category]).to.deep.equal(['3700', '50000', 'commission']);
    expect(event?.trace.lines?.map(({ rate, base: of, amount }) => [rate, of, amount])).to.deep.equal([
      [0.1, 30_000, 3_000],
      [0.04, 15_000, 600],
      [0.02, 5_000, 100],
    ]);
    expect(event?.trace.lines?.[0])
      .to.include({ table: 'Products', counted: true })
      .and.deep.include({
        keys: ['software'],
        row: { 'line.family': 'software' },
      });
  });

  it('I2–I4: pays all lines at the tier of the deal', () => {
    expect(amountOf({ rules: [{ ...rule, tiers: two }], ...after80 })).to.equal(5_050);
    expect(amountOf({ rules: [marginal], ...after80 })).to.equal(4_510);
    const only = { rules: [{ ...software, tiers: two }], ...after80 };
    expect([amountOf(only), creditOf(only)]).to.deep.equal([4_200, 30_000]);
  });

  it('I5: looks up family, region and tenure', () => {
    const regional = table(
      'Regional',
      ['line.family exact', 'region exact', 'rep.tenure_months range'],
      ['rate'],
      [['software', 'EMEA', { to: 12 }], 0.08],
      [['software', 'EMEA', '*'], 0.1],
      [['software', '*', '*'], 0.09],
      [['*', '*', '*'], 0.03],
    );
    const pays = (region: string, hireDate: string) =>
      amountOf({
        rules: [{ ...rule, tiers: tiersOf(at(0, { table: 'regional' })) }],
        tables: [regional],
        deals: `D | 2026-02-10 | 50000 | region=${region}`,
        person: { hireDate, fields: {} },
      });
    expect(pays('emea', '2025-07-01')).to.equal(3_000);
    expect(pays('emea', '2023-08-01')).to.equal(3_600);
    expect(pays('APAC', '2023-08-01')).to.equal(3_300);
  });

  it('I6: pays for each unit', () => {
    const perSeat = table('Seats', [], ['rate'], [[], { perUnit: 25 }]);
    const rules = [{ ...rule, tiers: tiersOf(at(0, { table: 'Seats' })) }];
    const lines = { D: numbered({ amount: 36_000, quantity: 120 }) };
    expect(amountOf({ rules, tables: [perSeat], lines })).to.equal(3_000);
    const inEuros = { rules, tables: [perSeat], lines, dealCurrency: 'EUR', rates: ['EUR USD 2026-01-01 1.1'] };
    expect([amountOf(inEuros), creditOf(inEuros)], 'J34').to.deep.equal([3_000, 39_600]);
  });

  it('I7: multiplies by the share', () => {
    expect(['60', '40'].map((percent) => amountOf({ credits: { D: share(percent) } }))).to.deep.equal([2_220, 1_480]);
  });

  it('I9: looks up formulas', () => {
    const discounts = table(
      'Discounts',
      ['= 1 - line.amount / line.list_price range'],
      ['rate'],
      [[{ from: 0, to: 0.1 }], 0.1],
      [[{ from: 0.1, to: 0.3 }], 0.07],
    );
    const rules = [{ ...rule, tiers: tiersOf(at(0, { table: 'Discounts' })) }];
    const lines = { D: numbered(ofFamily('software', 30_000, { listPrice: 40_000 })) };
    expect(amountOf({ rules, tables: [discounts], lines })).to.equal(2_100);
  });

  it('I10: shows amounts that add up', () => {
    const example = {
      rules: [{ ...rule, tiers: flat(0.07) }],
      lines: { D: numbered({ amount: 33.33 }, { amount: 33.33 }, { amount: 33.34 }) },
    };
    expect([amountOf(example), ...(shown(example) ?? [])]).to.deep.equal([7, 2.33, 2.34, 2.33]);
  });

  it('I11: pays rates and fixed amounts of one table', () => {
    const mixed = table(
      'Mixed',
      ['line.product_code exact', 'line.category exact'],
      ['rate'],
      [['A', '*'], 0.1],
      [['B', '*'], { amount: 10 }],
      [['*', '1'], 0.04],
      [['*', '*'], { amount: 5 }],
    );
    const lines = numbered(
      { productCode: 'A', amount: 100 },
      { productCode: 'B', amount: 50 },
      { productCode: 'C', amount: 200, fields: { category: 1 } },
      { productCode: 'D', amount: 30 },
    );
    expect(
      amountOf({
        rules: [{ ...rule, tiers: tiersOf(at(0, { table: 'Mixed' })) }],
        tables: [mixed],
        lines: { D: lines },
      }),
    ).to.equal(33);
  });

  it('I12, I13: pays on a formula and on the lines that count', () => {
    const annual = { ...rule, payoutBase: '= line.amount / line.months * 12', tiers: flat(0.1) };
    expect(amountOf({ rules: [annual], lines: { D: numbered({ amount: 108_000, months: 36 }) } })).to.equal(3_600);
    const eligible = {
      ...rule,
      lines: { conditions: [{ field: 'line.eligible', fieldType: 'checkbox', operator: 'is_true' }] },
      tiers: flat(0.1),
    };
    const lines = numbered({ amount: 500, fields: { eligible: true } }, { amount: 500, fields: { eligible: false } });
    expect(amountOf({ rules: [eligible], lines: { D: lines } })).to.equal(50);
  });

  it('I14: lists a line without a row', () => {
    const example = { lines: { D: numbered(ofFamily('software', 30_000), ofFamily('Support', 15_000)) } };
    expect([amountOf(example), creditOf(example)]).to.deep.equal([3_000, 45_000]);
    expect(lineReasons(example)).to.deep.equal([null, 'rate_not_found']);
  });

  it('J1, J72: gives each line the tier of its own value', () => {
    const byAmount = { ...rule, tierBy: 'value', tierValueField: 'line.amount' };
    const rates = { rules: [{ ...byAmount, tiers: tiersOf(at(0, { rate: 0.05 }), at(10_000, { rate: 0.08 })) }] };
    expect([amountOf(rates), paid(rates)['D']?.tierName]).to.deep.equal([3_850, null]);
    const mixed = { rules: [{ ...byAmount, tiers: tiersOf(at(0, base), at(30_000, { flatAmount: 500 })) }] };
    expect([amountOf(mixed), paid(mixed)['D']?.category]).to.deep.equal([1_200, 'commission']);
  });

  it('J2, J3: takes the tier from the value or the rank of the deal', () => {
    const byValue = {
      ...rule,
      tierBy: 'value',
      tierValueField: 'amount',
      tiers: tiersOf(at(0, base), at(50_000, accelerated)),
    };
    expect(amountOf({ rules: [byValue] })).to.equal(5_050);
    const ranked = { ...rule, tierBy: 'rank', tiers: tiersOf(at(1, accelerated), at(2, base)) };
    expect(amountOf({ rules: [ranked], peerCredits: [40_000] })).to.equal(5_050);
    const second = { rules: [ranked], peerCredits: [50_000], lines: { D: numbered(ofFamily('software', 40_000)) } };
    expect(amountOf(second)).to.equal(4_000);
  });

  it('J4: gives bonuses of the period their credit', () => {
    const stepped = {
      ...software,
      payoutMode: 'stepped_bonus',
      tiers: tiersOf(at(0.25, { flatAmount: 500 }), at(1, { flatAmount: 2_000 })),
    };
    const lines = { D: d, E: numbered(ofFamily('software', 70_000), ofFamily('services', 100_000)) };
    const deals = 'D | 2026-02-10 | 50000\nE | 2026-02-20 | 170000';
    expect(amounts({ rules: [stepped], deals, lines })).to.deep.equal({ D: 500, E: 1_500 });
  });

  it('J5, J6: pays fixed amounts for the deal, each line or each unit', () => {
    const sold = d.map((line, index) => ({ ...line, quantity: [10, 1, 2][index] as number }));
    const returned = [...sold, { lineId: '4', amount: -3_000, quantity: -2 }];
    const pays = (flatPer: string, lines: readonly DealLine[]) =>
      amountOf({ rules: [{ ...rule, flatPer, tiers: fixed(75) }], lines: { D: lines } });
    expect(['deal', 'line', 'unit'].map((flatPer) => pays(flatPer, sold))).to.deep.equal([75, 225, 975]);
    expect(['deal', 'line', 'unit'].map((flatPer) => pays(flatPer, returned))).to.deep.equal([75, 150, 825]);
    expect(paid({ rules: [{ ...rule, flatPer: 'line', tiers: fixed(75) }] })['D']?.category).to.equal('bonus');
  });

  it('J7: shares a quota between rules', () => {
    const grouped = (name: string, lines: object, low: number, high: number) => ({
      ...rule,
      name,
      lines,
      quotaGroup: 'G',
      tierMode: 'marginal',
      tiers: tiersOf(at(0, { rate: low }), at(1, { rate: high })),
    });
    const rules = [
      grouped('Software', family('software'), 0.08, 0.12),
      grouped('Services', family('services'), 0.03, 0.05),
    ];
    const all = amounts({ rules, ...after80, quotas: { 'G 2026-Q1': { target: 100_000 } } });
    expect([all['Software D'], all['Services D']]).to.deep.equal([2_800, 750]);
  });

  it('J8–J12: gives lines of both signs the mix of the deal', () => {
    const example = (credit: number, ...lines: readonly Line[]) =>
      amountOf({ rules: [marginal], ...beginning(credit, numbered(...lines)) });
    expect(example(90_000, ofFamily('software', 30_000), ofFamily('software', -10_000))).to.equal(2_400);
    expect(example(90_000, ofFamily('software', 30_000), ofFamily('services', -10_000))).to.equal(3_150);
    expect(example(120_000, ofFamily('software', 10_000), ofFamily('services', -10_000)), 'J9').to.equal(900);
    expect(example(120_000, ofFamily('software', -30_000)), 'J10').to.equal(-3_800);
    const first = {
      rules: [marginal],
      deals: 'D | 2026-02-10 | -15000',
      lines: { D: numbered(ofFamily('services', -15_000)) },
    };
    expect(amountOf(first), 'J11').to.equal(-600);
    expect(example(90_000, ofFamily('services', -10_000), ofFamily('software', 30_000)), 'J12').to.equal(3_150);
  });

  it('J13–J16: counts credit as the rule says', () => {
    const deals = 'D | 2026-02-10 | 50000\nE | 2026-03-10 | 60000';
    const lines = { D: d, E: numbered(ofFamily('software', 60_000)) };
    expect(amounts({ rules: [{ ...rule, tiers: two, tierMode: 'retroactive' }], deals, lines })).to.deep.equal({
      D: 5_050,
      E: 8_400,
    });
    const times = { ...rule, tiers: two, payoutMode: 'rate_times_attainment' };
    expect(amountOf({ rules: [times], ...after80 }), 'J14').to.equal(6_565);
    const wholeDeal = { rules: [{ ...software, tiers: two, quotaMeasure: 'amount' }], ...after80 };
    expect([amountOf(wholeDeal), creditOf(wholeDeal)], 'J15').to.deep.equal([4_200, 50_000]);
    const counting = { ...rule, measure: '_deals', tiers: tiersOf(at(0.5, { flatAmount: 300 })) };
    const ofDeals = { rules: [counting], quotas: { 'Rule 2026-Q1': { target: 2 } } };
    expect([amountOf(ofDeals), creditOf(ofDeals)], 'J16').to.deep.equal([300, 1]);
    const ofLines = { rules: [{ ...rule, measure: '_lines', flatPer: 'line', tiers: fixed(10) }] };
    expect([amountOf(ofLines), creditOf(ofLines)], 'J16').to.deep.equal([30, 3]);
  });

  it('J17, J19–J22: limits the event and shows what is left by line', () => {
    const capped = { rules: [{ ...rule, cap: 2_000 }] };
    expect([amountOf(capped), ...(shown(capped) ?? [])]).to.deep.equal([2_000, 1_621.62, 324.33, 54.05]);
    const raised = { rules: [{ ...rule, floor: 5_000 }] };
    expect([amountOf(raised), ...(shown(raised) ?? [])]).to.deep.equal([5_000, 4_054.05, 810.81, 135.14]);
    const split = (more: object) =>
      ['60', '40'].map((percent) =>
        amountOf({
          rules: [{ ...rule, ...more }],
          credits: { D: share(percent) },
          quotas: { 'Rule 2026-Q1': { target: 100_000, variableTarget: 2_000 } },
        }),
      );
    expect(split({ floor: 5_000 }), 'J20').to.deep.equal([3_000, 2_000]);
    expect(split({ capMultiplier: 1 }), 'J21').to.deep.equal([1_200, 800]);
    expect(split({ capMultiplier: 1, cap: 1_000 }), 'J21').to.deep.equal([1_000, 800]);
    const both = {
      rules: [{ ...rule, capMultiplier: 1, cap: 1_000 }],
      credits: { D: share('60') },
      quotas: { 'Rule 2026-Q1': { target: 100_000, variableTarget: 2_000 } },
    };
    expect(shown(both), 'J21').to.deep.equal([810.81, 162.16, 27.03]);
    const deals = 'D | 2026-02-10 | 50000\nE | 2026-03-10 | 10000';
    const lines = { D: d, E: numbered(ofFamily('software', 10_000)) };
    const floored = { rules: [{ ...rule, tiers: two, floorAttainment: 0.6 }], deals, lines };
    expect([amounts(floored), creditOf(floored)], 'J22').to.deep.equal([{ D: 0, E: 1_000 }, 50_000]);
  });

  it('J23, J24: gives overlays and thirds their part', () => {
    const rules = [
      rule,
      { ...rule, name: 'SE', creditKinds: ['overlay'], lines: family('services'), tiers: flat(0.02) },
    ];
    expect(amounts({ rules, credits: { D: [...share('100'), ...share('100', 'overlay')] } })).to.deep.equal({
      'Rule D': 3_700,
      'SE D': 300,
    });
    const third = { credits: { D: share('33.333333') } };
    expect([amountOf(third), ...(shown(third) ?? [])]).to.deep.equal([1_233.33, 1_000, 200, 33.33]);
  });

  it('J25, J71: raises a deal to the floor only if a rate was found', () => {
    const example = { rules: [{ ...rule, floor: 100 }], lines: { D: numbered(ofFamily('Support', 900)) } };
    expect(amountOf(example)).to.equal(0);
    expect(amountOf({ ...example, tables: [{ ...products, noMatch: 'zero' }] })).to.equal(100);
  });

  it('J26–J29: rounds the event, and shows lines in the order of their ids', () => {
    const example = (rate: number, lines: readonly number[], currency = 'USD') => {
      const shownOf = {
        rules: [{ ...rule, tiers: flat(rate) }],
        currency,
        deals: 'D | 2026-02-10 | 100',
        lines: { D: numbered(...lines.map((amount) => ({ amount }))) },
      };
      return [amountOf(shownOf), ...(shown(shownOf) ?? [])];
    };
    expect(example(0.01, [0.5, 0.5, 0.5])).to.deep.equal([0.02, 0.01, 0, 0.01]);
    expect(example(0.01, [100.5, -0.5])).to.deep.equal([1, 1.01, -0.01]);
    expect(example(0.01, [-0.5, 0.5, -50])).to.deep.equal([-0.5, -0.01, 0.01, -0.5]);
    expect(example(0.03, [1_850, 1_850], 'JPY')).to.deep.equal([111, 56, 55]);
  });

  it('J30–J33: converts each line from its own currency', () => {
    const lines = { D: numbered(ofFamily('software', 20_000, { currency: 'EUR' }), ofFamily('services', 15_000)) };
    const rates = ['EUR USD 2026-01-01 1.1'];
    const example = { lines, dealCurrency: 'USD' };
    expect([amountOf({ ...example, rates }), creditOf({ ...example, rates })]).to.deep.equal([2_800, 37_000]);
    expect(reasonOf(example)).to.equal('currency_mismatch');
    expect(reasonOf({ ...example, rates: [] }), 'J31').to.equal('fx_rate_missing');
    expect(amountOf({ ...example, rates: [], rules: [{ ...rule, lines: family('services') }] }), 'J31').to.equal(600);
    const large = {
      ...rule,
      lines: { conditions: [{ field: 'line.amount', fieldType: 'currency', operator: 'gte', value: 21_000 }] },
      tiers: flat(0.05),
    };
    expect(amountOf({ ...example, rates, rules: [large] }), 'J32').to.equal(1_100);
    const dollars = { D: numbered(ofFamily('software', 20_000, { currency: 'USD' })) };
    expect(amountOf({ lines: dollars, dealCurrency: 'EUR' }), 'J33').to.equal(2_000);
  });

  it('J36: follows the lines of the team', () => {
    const override = { ...software, executionPhase: 'cascade', payoutBase: 'line.amount', tiers: flat(0.015) };
    const team = (amount: number, ofSeller: string | null) =>
      paid({
        rules: [override],
        deals: '',
        team: {
          deals: 'D | 2026-02-10 | 50000',
          upstream: () => [
            {
              repId: 'a',
              planId: 'p',
              ruleName: 'R',
              phase: 'per_deal',
              currency: 'USD',
              amount: Decimal.of(amount),
              share: ofSeller,
            },
          ],
        },
      })['D'];
    expect([team(1, null)?.amount, team(1, null)?.credit]).to.deep.equal(['450', '30000']);
    expect(team(1, '0.5 0.5')?.amount).to.equal('225');
    expect(team(0, null)).to.equal(undefined);
  });

  it('J37: sums the lines of a period', () => {
    const periodic = { ...software, executionPhase: 'periodic', tiers: flat(0.05) };
    const example = {
      rules: [periodic],
      deals: 'D | 2026-02-10 | 50000\nE | 2026-02-20 | 25000',
      lines: { D: d, E: numbered(ofFamily('software', 20_000), ofFamily('services', 5_000)) },
      credits: { E: share('50') },
    };
    expect(amounts(example)['2026-Q1']).to.equal(2_000);
    const counting = { ...rule, executionPhase: 'periodic', measure: '_deals', payoutBase: '_lines', tiers: flat(1) };
    const counted = paid({ rules: [counting] })['2026-Q1'];
    expect([counted?.amount, counted?.credit], 'L21').to.deep.equal(['3', '1']);
  });

  it('J38–J41: says why lines do not count', () => {
    expect(reasonOf({ lines: {} })).to.equal('no_lines');
    const any = table('Any', ['line.family exact'], ['rate'], [['*'], 0.03]);
    const rules = [{ ...rule, lines: { withoutLines: 'deal' }, tiers: tiersOf(at(0, { table: 'Any' })) }];
    expect(amountOf({ rules, tables: [any], lines: {} })).to.equal(1_500);
    expect(reasonOf({ rules: [{ ...rule, lines: family('cloud') }] }), 'J39').to.equal('no_line');
    const lines = {
      D: numbered(ofFamily('software', 30_000), ofFamily('services', null), ofFamily('hardware', 5_000)),
    };
    expect([amountOf({ lines }), creditOf({ lines })], 'J40').to.deep.equal([3_100, 35_000]);
    expect(lineReasons({ lines })).to.deep.equal([null, 'field_missing', null]);
    expect(reasonOf({ lines: { D: numbered(ofFamily('services', null)) } }), 'J40').to.equal('field_missing');
    expect(amountOf({ deals: 'D | 2026-02-10 | 52000' }), 'J41').to.equal(3_700);
  });

  it('J43: reads the families of a deal in a rule without lines', () => {
    const whole = {
      name: 'Rule',
      measure: 'amount',
      tiers: flat(0.01),
      conditions: [{ field: 'lines.families', fieldType: 'select', operator: 'equals', value: 'services' }],
    };
    expect(amountOf({ rules: [whole] })).to.equal(500);
    expect(amountOf({ rules: [whole], lines: { D: numbered(ofFamily('software', 50_000)) } })).to.equal(undefined);
  });

  it('J51: looks up the row of the close date', () => {
    const dated: RateTable = {
      ...products,
      rows: [
        { keys: { 'line.family': 'software' }, values: { base: 0.1, accelerated: 0 }, effectiveEnd: '2026-02-14' },
        { keys: { 'line.family': 'software' }, values: { base: 0.12, accelerated: 0 }, effectiveStart: '2026-02-15' },
      ],
    };
    const lines = numbered(ofFamily('software', 10_000));
    expect(
      amounts({
        tables: [dated],
        deals: 'D | 2026-02-10 | 10000\nE | 2026-02-15 | 10000',
        lines: { D: lines, E: lines },
      }),
    ).to.deep.equal({ D: 1_000, E: 1_200 });
  });

  it('J55: overrides a tier by a rate or by another table', () => {
    const own = table('Own', ['line.family exact'], ['rate'], [['software'], 0.15], [['*'], 0.05]);
    const overridden = (pay: object) =>
      amountOf({ tables: [products, own], overrides: new Map([['rule:Rule', [{ tierIndex: 0, ...pay }]]]) });
    expect([overridden({ rate: 0.2 }), overridden({ table: 'Own' })]).to.deep.equal([10_000, 5_500]);
  });

  it('J56–J58, J65: looks up ranges, prefixes and lists', () => {
    const pays = (rates: RateTable, ...lines: readonly Line[]) =>
      amountOf({
        rules: [{ ...rule, tiers: tiersOf(at(0, { table: rates.name })) }],
        tables: [rates],
        lines: { D: numbered(...lines) },
      });
    const months = table(
      'T',
      ['line.months range'],
      ['rate'],
      [[{ to: 12 }], 0.05],
      [[{ from: 12, to: 24 }], 0.07],
      [[{ from: 24 }], 0.09],
    );
    expect(pays(months, ...[11, 12, 24, null].map((value) => ({ amount: 1_000, months: value })))).to.equal(210);
    const codes = table('T', ['line.product_code prefix'], ['rate'], [['SW-'], 0.1], [['SW-ENT'], 0.12], [['*'], 0.03]);
    expect(
      pays(codes, ...['sw-ent-7', 'SW-1', 'HW', null].map((productCode) => ({ amount: 1_000, productCode }))),
    ).to.equal(280);
    const crossed = (...keys: readonly string[]) =>
      table(
        'T',
        keys,
        ['rate'],
        ...(
          [
            [['*', 'EMEA'], 0.05],
            [['software', '*'], 0.1],
          ] as const
        ).map(([cells, rate]): Row => [keys[0] === 'line.family exact' ? cells : cells.toReversed(), rate]),
      );
    const emea = ofFamily('software', 1_000, { fields: { region: 'EMEA' } });
    expect(pays(crossed('line.family exact', 'line.region exact'), emea)).to.equal(100);
    expect(pays(crossed('line.region exact', 'line.family exact'), emea)).to.equal(50);
    const tagged = { amount: 1_000, fields: { tags: ['New', 'promo'] } };
    const tags = (...rows: readonly Row[]) => table('T', ['line.tags exact'], ['rate'], ...rows);
    expect(pays(tags([['promo'], 0.2], [['*'], 0.1]), tagged)).to.equal(200);
    expect(pays(tags([['promo'], 0.2], [['*'], 0.1], [['new'], 0.3]), tagged)).to.equal(300);
  });

  it('J60, J61: looks up dated fields of the person and tenure', () => {
    const titles = table('Titles', ['rep.title exact'], ['rate'], [['AE'], 0.1], [['Senior'], 0.12]);
    const pays = (day: string, percent: string, title: PersonFacts['fields'][string]) =>
      amountOf({
        rules: [{ ...rule, tiers: tiersOf(at(0, { table: 'Titles' })) }],
        tables: [titles],
        deals: `D | ${day} | 10000`,
        lines: { D: numbered({ amount: 10_000 }) },
        credits: { D: share(percent) },
        person: { hireDate: null, fields: { title } },
      });
    const promoted = [{ value: 'AE' }, { from: '2026-02-15', value: 'Senior' }];
    expect(pays('2026-02-10', '50', promoted)).to.equal(500);
    expect(pays('2026-02-10', '50', [{ from: '2026-01-01', value: 'Senior' }])).to.equal(600);
    expect(pays('2026-02-20', '100', promoted)).to.equal(1_200);
    const tenure = table('Tenure', ['rep.tenure_months range'], ['rate'], [[{ to: 12 }], 0.05], [[{ from: 12 }], 0.1]);
    const after12 = (hireDate: string, day: string) =>
      amountOf({
        rules: [{ ...rule, tiers: tiersOf(at(0, { table: 'Tenure' })) }],
        tables: [tenure],
        deals: `D | ${day} | 100`,
        lines: { D: numbered({ amount: 100 }) },
        person: { hireDate, fields: {} },
      });
    expect([after12('2025-02-10', '2026-02-09'), after12('2025-02-10', '2026-02-10')]).to.deep.equal([5, 10]);
    expect(after12('2026-03-01', '2026-02-10')).to.equal(0);
  });

  it('J62, J63: weighs units, amounts and returns', () => {
    const kinds = table('T', ['line.product_code exact'], ['rate'], [['U'], { perUnit: 25 }], [['F'], { amount: 40 }]);
    const lines = numbered(
      { productCode: 'U', amount: 10 },
      { productCode: 'U', amount: 10, quantity: -2 },
      { productCode: 'F', amount: -80 },
      { productCode: 'F', amount: 0 },
    );
    const example = {
      rules: [{ ...rule, tiers: tiersOf(at(0, { table: 'T' })) }],
      tables: [kinds],
      lines: { D: lines },
    };
    expect([amountOf(example), ...(lineReasons(example) ?? [])]).to.deep.equal([
      -50,
      'field_missing',
      null,
      null,
      null,
    ]);
    const amountsOf = table('T', [], ['low', 'high'], [[], { amount: 10 }, { amount: 20 }]);
    const mixed = {
      ...rule,
      tierMode: 'marginal',
      tiers: tiersOf(at(0, { table: 'T', column: 'low' }), at(1, { table: 'T', column: 'high' })),
    };
    expect(amountOf({ rules: [mixed], tables: [amountsOf], ...after80 })).to.equal(48);
    const units = table('T', [], ['low', 'high'], [[], { perUnit: 25 }, 0.1]);
    const withoutQuantity = { rules: [mixed], tables: [units], ...after80 };
    expect([amountOf(withoutQuantity), ...(lineReasons(withoutQuantity) ?? [])]).to.deep.equal([
      0,
      'field_missing',
      'field_missing',
      'field_missing',
    ]);
    const none = table('None', ['line.family exact'], ['rate'], [['other'], 0.1]);
    for (const [low, high] of [
      [{ table: 'T', column: 'low' }, { table: 'None' }],
      [{ table: 'None' }, { table: 'T', column: 'low' }],
    ] as const) {
      const rules = [{ ...mixed, tiers: tiersOf(at(0, low), at(1, high)) }];
      const ofBoth = lineReasons({ rules, tables: [units, none], ...after80 });
      expect(ofBoth, 'of two reasons, that of the table').to.deep.equal(Array(3).fill('rate_not_found'));
    }
  });

  it('J64: looks up a grid for deals without lines', () => {
    const grid = table(
      'Grid',
      ['amount range', 'margin range'],
      ['rate'],
      ...[0, 100, 250, 500, 750, 1_000].flatMap((from, row, all): Row[] =>
        [0, 15, 20].map(
          (margin, column, margins): Row => [
            [
              { from, to: all[row + 1] },
              { from: margin, to: margins[column + 1] },
            ],
            from === 100 && margin === 0 ? 0.13 : from === 750 && margin === 20 ? 0.16 : 0.01,
          ],
        ),
      ),
    );
    const rules = [{ name: 'Rule', measure: 'amount', tiers: tiersOf(at(0, { table: 'Grid' })) }];
    const example = (amount: number, margin: string) => ({
      rules,
      tables: [grid],
      deals: `D | 2026-02-10 | ${amount} | ${margin}`,
      lines: {},
    });
    expect(amountOf(example(160, 'margin=10'))).to.equal(20.8);
    expect(amountOf(example(995, 'margin=22'))).to.equal(159.2);
    expect([amountOf(example(100, '')), paid(example(100, ''))['D']?.trace.reason]).to.deep.equal([
      0,
      'rate_not_found',
    ]);
    expect(paid(example(160, 'margin=10'))['D']?.trace.lookups?.[0]).to.deep.include({
      keys: [160, '10'],
      value: 0.13,
    });
  });

  it('J66, J67: pays between the points of a curve', () => {
    const curve = {
      name: 'Rule',
      measure: 'amount',
      payoutBase: 'variable_target',
      executionPhase: 'periodic',
      tierMode: 'interpolated',
      tiers: tiersOf(at(0.8, { rate: 0.5 }), at(1, { rate: 1 }), at(1.2, { rate: 1.5 })),
    };
    const reached = (percent: number) =>
      amounts({
        rules: [curve],
        deals: `D | 2026-02-10 | ${percent * 1_000}`,
        lines: {},
        quotas: { 'Rule 2026-Q1': { target: 100_000, variableTarget: 10_000 } },
      })['2026-Q1'];
    const percents = [79.999, 80, 86.66667, 90, 100, 110, 130];
    expect(percents.map(reached)).to.deep.equal([0, 5_000, 6_666.67, 7_500, 10_000, 12_500, 15_000]);
    const points = { ...rule, tierMode: 'interpolated', tiers: two };
    expect(amountOf({ rules: [points], ...beginning(25_000, d) }), 'J67').to.equal(4_712.5);
  });

  it('J68: looks up the attainment of two measures', () => {
    const matrix = table(
      'Matrix',
      ['attainment range', 'attainment.Margin range'],
      ['rate'],
      [[{ to: 1 }, '*'], 0.5],
      [[{ from: 1 }, { to: 0.9 }], 0.8],
      [[{ from: 1 }, { from: 0.9 }], 1.1],
    );
    const periodic = { executionPhase: 'periodic', payoutBase: 'variable_target' };
    const rules = [
      { ...periodic, name: 'Revenue', measure: 'amount', tiers: tiersOf(at(0, { table: 'Matrix' })) },
      { ...periodic, name: 'Margin', measure: 'margin', tiers: fixed(0) },
    ];
    const pays = (revenue: number, margin: number) =>
      amounts({
        rules,
        tables: [matrix],
        deals: `D | 2026-02-10 | ${revenue} | margin=${margin}`,
        lines: {},
        quotas: {
          'Revenue 2026-Q1': { target: 100, variableTarget: 5_000 },
          'Margin 2026-Q1': { target: 100, variableTarget: 1 },
        },
      })['Revenue 2026-Q1'];
    expect([pays(105, 92), pays(105, 87.5), pays(99.999, 125)]).to.deep.equal([5_500, 4_000, 2_500]);
  });

  const clawback = { window: { days: 365 } };
  type RefundOfLines = Partial<Refund> & { readonly lineIds?: readonly string[] };
  const refund = ({ lineIds, lines, ...more }: RefundOfLines, index = 0): Refund => {
    const named = lines ?? lineIds?.map((lineId) => ({ lineId, amount: null }));
    return {
      refundId: `R${index + 1}`,
      day: '2026-03-10',
      cause: 'refund',
      amount: null,
      waivers: [],
      ...(named === undefined ? {} : { lines: named }),
      ...more,
    };
  };
  /** What is paid on D, and what its refunds take back, with the credit. */
  const refunded = (example: Example, ...refunds: readonly RefundOfLines[]) => {
    const rules = (example.rules ?? [rule]).map((one) => ({ ...one, clawback }));
    const events = paid({ ...example, rules, refunds: { D: refunds.map(refund) } });
    return Object.entries(events)
      .filter(([key]) => key.startsWith('refund:'))
      .map(([, { amount, credit }]) => [Number(amount), Number(credit)]);
  };

  it('I8, J18: takes back what a line was paid', () => {
    expect(refunded({}, { lineIds: ['2'] })).to.deep.equal([[-600, -15_000]]);
    expect(refunded({}, { amount: '15000' })).to.deep.equal([[-1_110, -15_000]]);
    expect(refunded({ rules: [{ ...rule, cap: 2_000 }] }, { lineIds: ['2'] })[0]?.[0]).to.equal(-324.32);
  });

  it('J45, J46: takes at most what earlier refunds left', () => {
    const taken = (...refunds: readonly RefundOfLines[]) => refunded({}, ...refunds).map(([amount]) => amount);
    expect(taken({ lines: [{ lineId: '2', amount: '5000' }] }, {})).to.deep.equal([-200, -3_500]);
    expect(taken({ amount: '25000' }, { lineIds: ['2'] }, { lineIds: ['1', '3'] })).to.deep.equal([
      -1_850, -300, -1_550,
    ]);
  });

  it('J47, J48, J50: follows the lines that the event counted', () => {
    const whole = { name: 'Rule', measure: 'amount', tiers: flat(0.1) };
    expect(refunded({ rules: [whole] }, { lineIds: ['2'] })[0]?.[0]).to.equal(-1_500);
    expect(refunded({ rules: [software] }, { lineIds: ['2'] })).to.deep.equal([]);
    const discounted = {
      rules: [{ ...rule, tiers: flat(0.1) }],
      deals: 'D | 2026-02-10 | 500',
      lines: { D: numbered({ amount: 1_000 }, { amount: -500 }) },
    };
    expect(amountOf(discounted)).to.equal(50);
    expect(refunded(discounted, { lineIds: ['1'] })[0]?.[0]).to.equal(-50);
    expect(refunded({ rules: [{ ...rule, tiers: fixed(75) }] }, { lineIds: ['2'] })[0]?.[0], 'J50').to.equal(-22.5);
    expect(refunded({ rules: [{ ...rule, flatPer: 'line', tiers: fixed(75) }] }, { lineIds: ['2'] })[0]?.[0]).to.equal(
      -75,
    );
  });

  it('J44: takes the tier of the period with the refund', () => {
    const retroactive = { ...rule, tiers: two, tierMode: 'retroactive', clawback };
    const on = (day: string) =>
      amounts({
        rules: [retroactive],
        deals: 'D | 2026-02-10 | 50000\nE | 2026-03-10 | 60000',
        lines: { D: d, E: numbered(ofFamily('software', 60_000)) },
        refunds: { D: [refund({ lineIds: ['1'], day })] },
      });
    expect(on('2026-03-20')).to.deep.equal({ D: 3_700, E: 6_000, 'refund:D:R1': -3_000 });
    expect(on('2026-04-20')).to.deep.equal({ D: 5_050, E: 8_400, 'refund:D:R1': -4_200 });
  });

  it('J49: counts the days and the waiver', () => {
    const declining = { ...rule, clawback: { window: { days: 180 }, declining: true } };
    const taken = amounts({
      rules: [declining],
      refunds: { D: [refund({ lineIds: ['2'], day: '2026-04-20', waivers: [{ repId: 'rep', percent: '50' }] })] },
    });
    expect(taken['refund:D:R1']).to.equal(-185);
  });
}
