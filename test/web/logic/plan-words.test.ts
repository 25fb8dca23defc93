import { expect } from 'chai';
import { factReasons } from '#src/commissions/exceptions.js';
import { operators } from '#src/engine/condition.js';
import { reasons } from '#src/engine/trace.js';
import { type Leaf, type Rule } from '#web/features/plans/draft.js';
import { operatorsOf } from '#web/features/plans/fields.js';
import { type PlanRule } from '#web/features/plans/rules.js';
import { summarizeRule } from '#web/features/plans/summary.js';
import {
  conditionLines,
  conditionWords,
  fieldWords,
  operatorWords,
  payWords,
  reasonWords,
  relativePeriods,
  ruleSentences,
  thresholdWords,
  valueWords,
} from '#web/features/plans/words.js';
import { rule } from './samples.js';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');
const sentences = (change: Partial<Rule>) => ruleSentences({ ...rule(change), id: 'r' } as PlanRule, 'USD').map(plain);
const summary = (change: Partial<Rule>) => plain(summarizeRule(rule(change), 'USD'));
const leaf = (field: string, operator: Leaf['operator'], value?: unknown): Leaf => ({
  field,
  fieldType: 'text',
  operator,
  value,
});

const rates = [
  { tierIndex: 0, minThreshold: 0, rate: 0.08 },
  { tierIndex: 1, minThreshold: 1, rate: 0.12 },
];
const amounts = [
  { tierIndex: 0, minThreshold: 1, flatAmount: 300 },
  { tierIndex: 1, minThreshold: 1.5, flatAmount: 500.5 },
];
const one = [{ tierIndex: 0, minThreshold: 0, flatAmount: 75 }];

describe('a field in words', () => {
  for (const [slug, words] of [
    ['deal_type', 'Deal type'],
    ['closeDate', 'Close date'],
    ['hs-arr', 'Hs arr'],
    ['SE Email', 'SE Email'],
    ['_deals', 'Number of deals'],
    ['_earned', 'What the team earns'],
    ['amount', 'Amount'],
    ['', ''],
  ] as const)
    it(`${JSON.stringify(slug)} is ${words || 'nothing'}`, () => {
      expect(fieldWords(slug)).to.equal(words);
    });

  for (const [value, words] of [
    [null, 'empty'],
    [undefined, 'empty'],
    ['', 'empty'],
    [0, '0'],
    [-1234.5, '−1,234.5'],
    [true, 'yes'],
    [false, 'no'],
    [['EMEA', null, 3], 'EMEA, empty, 3'],
    ['Closed Won', 'Closed Won'],
    ['2026-06-23', '23 Jun 2026'],
  ] as const)
    it(`has a value in words: ${JSON.stringify(value)} is ${words}`, () => {
      expect(valueWords(value)).to.equal(words);
    });
});

describe('a condition in words', () => {
  for (const [condition, words] of [
    [leaf('stage', 'contains', 'won'), 'Stage contains won'],
    [leaf('region', 'in', ['EMEA', 'APAC']), 'Region is one of EMEA, APAC'],
    [leaf('amount', 'between', [1000, 5000]), 'Amount is between 1,000 and 5,000'],
    [leaf('closeDate', 'in_period', '2026-Q1'), 'Close date is in Q1 2026'],
    [leaf('closeDate', 'between', ['2026-01-01', '2026-03-31']), 'Close date is between 1 Jan 2026 and 31 Mar 2026'],
    [leaf('closeDate', 'in_period', 'this_quarter'), 'Close date is in the quarter of the close date'],
    [leaf('createdDate', 'in_last_n_days', 30), 'Created date is in the last 30 days'],
    [leaf('renewal', 'is_true'), 'Renewal is yes'],
    [leaf('partner', 'is_not_set'), 'Partner is empty'],
    [leaf('stage', 'equals', ''), 'Stage is empty'],
    [leaf('line.discount', 'between', [0, 0.15]), 'Discount of the product is between 0\u00a0% and 15\u00a0%'],
  ] as const)
    it(words, () => {
      expect(conditionWords(condition)).to.equal(words);
    });

  it('joins the parts of a group by how they are combined', () => {
    const parts = [leaf('region', 'equals', 'EMEA'), leaf('amount', 'gte', 5)];
    expect(
      conditionLines([{ operator: 'or', rules: parts }, { operator: 'and', rules: parts }, leaf('x', 'is_set')]),
    ).to.deep.equal([
      'Region is EMEA, or Amount is at least 5',
      'Region is EMEA, and Amount is at least 5',
      'X is filled in',
    ]);
  });

  it('has words for every operator of the engine, and every field type offers only those', () => {
    expect(Object.keys(operatorWords).sort()).to.deep.equal([...operators].sort());
    for (const offered of Object.values(operatorsOf)) expect(operators).to.include.members([...offered]);
    expect(relativePeriods.map(([key]) => key)).to.deep.equal([
      'this_month',
      'last_month',
      'this_quarter',
      'last_quarter',
      'this_year',
      'last_year',
    ]);
  });
});

describe('a rule in sentences', () => {
  for (const [title, change, expected] of [
    ['a rate of the whole deal', {}, ['Pays a share of the amount of every deal.']],
    [
      'overlays of a role',
      { creditKinds: ['overlay'], creditRoles: ['SE'] },
      ['Pays a share of the amount of every deal.', 'Pays you for deals on which you have an overlay as SE.'],
    ],
    [
      'whole deals by attainment',
      { tiers: rates },
      [
        'Pays a share of the amount of every deal.',
        'Your attainment of the quarter including the deal decides the rate of the whole deal.',
      ],
    ],
    [
      'marginal tiers',
      { tiers: rates, tierMode: 'marginal', attainmentPeriod: 'monthly' },
      [
        'Pays a share of the amount of every deal.',
        'Your attainment of the month decides the rate; of a deal that crosses a threshold, each part pays its own rate.',
      ],
    ],
    [
      'retroactive tiers',
      { tiers: rates, tierMode: 'retroactive', attainmentPeriod: 'annual' },
      [
        'Pays a share of the amount of every deal.',
        'The attainment of the whole year decides the rate of all its deals, also of earlier ones.',
      ],
    ],
    [
      'tiers by value',
      { tiers: rates, tierBy: 'value', tierValueField: 'contract_months' },
      ['Pays a share of the amount of every deal.', 'The contract months of the deal decides the rate.'],
    ],
    [
      'tiers by rank',
      { tiers: rates, tierBy: 'rank' },
      ['Pays a share of the amount of every deal.', 'Your position among the people of the plan decides the rate.'],
    ],
    [
      'stepped bonus',
      { tiers: amounts, payoutMode: 'stepped_bonus' },
      ['Pays the amount of the highest tier that you reach, each quarter.'],
    ],
    [
      'an amount for each tier',
      { tiers: amounts, payoutMode: 'flat_per_tier', attainmentPeriod: 'semi_annual' },
      ['Pays a fixed amount once for every tier that you reach, each half-year.'],
    ],
    ['a fixed amount', { tiers: one, payoutMode: 'flat_per_event' }, ['Pays a fixed amount for every deal.']],
    [
      'a fixed amount in the shape with base 1',
      { tiers: one, payoutBase: '1' },
      ['Pays a fixed amount for every deal.'],
    ],
    [
      'once for a period',
      { tiers: rates, executionPhase: 'periodic', payoutBase: 'variable_target' },
      [
        'Pays once for each quarter that has ended, on your variable target.',
        'Your attainment of the quarter decides the rate.',
      ],
    ],
    ['managers', { executionPhase: 'cascade' }, ['Pays on what the people below you earn.']],
    [
      'managers, on one rule',
      { executionPhase: 'cascade', dependsOn: 'New business' },
      ['Pays on what the people below you earn from New business.'],
    ],
    [
      'every limit',
      { cap: 60_000, floor: 100, capMultiplier: 0.3, floorAttainment: 0.5 },
      [
        'Pays a share of the amount of every deal.',
        'At most $60,000.00 in a period.',
        'At least $100.00 for a matching deal.',
        'At most 0.3 times your variable target for a deal.',
        'Nothing below 50 % attainment.',
      ],
    ],
    [
      'a first day',
      { effectiveStart: '2026-05-04' },
      ['Pays a share of the amount of every deal.', 'Pays for close dates from 4 May 2026.'],
    ],
    [
      'limits of 0',
      { cap: 0, floor: 0, capMultiplier: 0, floorAttainment: 0 },
      [
        'Pays a share of the amount of every deal.',
        'At most $0.00 in a period.',
        'At least $0.00 for a matching deal.',
        'At most 0 times your variable target for a deal.',
        'Nothing below 0 % attainment.',
      ],
    ],
  ] as readonly (readonly [string, Partial<Rule>, readonly string[]])[])
    it(title, () => {
      expect(sentences(change)).to.deep.equal(expected);
    });
});

describe('a rule that prorates its quota', () => {
  it('says so to the person, and others do not', () => {
    expect(sentences({ quotaProration: 'whole_months' })).to.include(
      'Your quota is prorated by whole months of work: absences, ramps and days of employment change it.',
    );
    expect(sentences({}).join(' ')).to.not.include('prorated');
    expect(sentences({ quotaProration: 'none' }).join(' ')).to.not.include('prorated');
  });
});

describe('a rule in few words', () => {
  for (const [title, change, words] of [
    ['a rate', {}, '8 % of amount'],
    ['a rate with decimals', { tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.0825 }] }, '8.25 % of amount'],
    ['a tiny rate', { tiers: [{ tierIndex: 0, minThreshold: 0, rate: 1e-7 }] }, '0 % of amount'],
    ['a rate of another base', { payoutBase: 'gross_margin' }, '8 % of gross margin'],
    ['rates by attainment', { tiers: rates }, '8, 12 % by quarter, the whole deal'],
    ['rates of parts', { tiers: rates, tierMode: 'marginal' }, '8, 12 % by quarter, each part at its rate'],
    ['rates of a period', { tiers: rates, tierMode: 'retroactive' }, '8, 12 % by quarter, the whole period'],
    [
      'the days of a campaign',
      { effectiveStart: '2026-05-04', effectiveEnd: '2026-05-24' },
      '8 % of amount, from 4 May 2026 until 24 May 2026',
    ],
    ['a last day', { effectiveEnd: '2026-05-24' }, '8 % of amount, until 24 May 2026'],
    ['rates by a value', { tiers: rates, tierBy: 'value', tierValueField: 'months' }, '8, 12 % by value'],
    ['rates by rank', { tiers: rates, tierBy: 'rank' }, '8, 12 % by rank'],
    ['amounts by attainment', { tiers: amounts, payoutMode: 'stepped_bonus' }, '$300, $500.50 by quarter'],
    ['an amount for a deal', { tiers: one, payoutMode: 'flat_per_event' }, '$75 a deal'],
    ['an amount for a period', { tiers: one, payoutMode: 'stepped_bonus', attainmentPeriod: 'monthly' }, '$75 a month'],
    ['of what the team earns', { executionPhase: 'cascade' }, '8 % of what the team earns'],
    ['of what a rule pays the team', { executionPhase: 'cascade', dependsOn: 'Renewals' }, '8 % of Renewals'],
    ['overlays', { creditKinds: ['overlay'], creditRoles: ['SE'] }, '8 % of amount to overlays as SE'],
    ['a cap', { cap: 60_000 }, '8 % of amount, at most $60,000 a quarter'],
    ['a cap of a deal', { capMultiplier: 0.3 }, '8 % of amount, at most 0.3 variable targets a deal'],
    ['a floor of a deal', { floor: 25 }, '8 % of amount, at least $25 a deal'],
    ['a threshold', { floorAttainment: 0.5 }, '8 % of amount, nothing below 50 %'],
    [
      'tiers of single people do not count',
      { tiers: [...rates, { tierIndex: 1, minThreshold: 1, rate: 0.2, repId: 'r' }] },
      '8, 12 % by quarter, the whole deal',
    ],
  ] as readonly (readonly [string, Partial<Rule>, string])[])
    it(`${title}: ${words}`, () => {
      expect(summary(change)).to.equal(words);
    });
});

describe('what a tier pays, and where it begins', () => {
  for (const [pay, words] of [
    [{ rate: 0.12 }, '12 %'],
    [{ rate: 0 }, '0 %'],
    [{ flatAmount: 500 }, '$500.00'],
    [{ rate: null, flatAmount: 500 }, '$500.00'],
    [{ table: 'Products' }, 'rates of Products'],
    [{}, '$0.00'],
  ] as const)
    it(`${JSON.stringify(pay)} is ${words}`, () => {
      expect(plain(payWords(pay, 'USD'))).to.equal(words);
    });

  it('is a ratio of the quota by attainment, otherwise a number', () => {
    expect(plain(thresholdWords({ tierBy: 'attainment' }, 1.25))).to.equal('125 %');
    expect(thresholdWords({ tierBy: 'value' }, 50_000)).to.equal('50,000');
    expect(thresholdWords({ tierBy: 'rank' }, 3)).to.equal('3');
  });
});

describe('the reasons why nothing was paid', () => {
  it('are those of the engine, each in words', () => {
    expect(Object.keys(reasonWords).sort()).to.deep.equal([...reasons, ...factReasons].sort());
  });
});

describe('a rule that pays times attainment in words', () => {
  const scored: Partial<Rule> = {
    measure: 'points',
    executionPhase: 'periodic',
    payoutBase: 'variable_target',
    payoutMode: 'rate_times_attainment',
    tiers: [{ tierIndex: 0, minThreshold: 0.5, rate: 1 }],
  };

  it('names the factor', () => {
    expect(sentences(scored)).to.deep.equal([
      'Pays once for each quarter that has ended, on your variable target.',
      'What it pays is multiplied by your attainment.',
    ]);
    expect(summary(scored)).to.equal('100 % × attainment of variable target');
  });
});
