import { expect } from 'chai';
import { groupWithDifferentTerms, readPlanConfig, ruleWithPartialSchedule } from '#src/engine/plan-config.js';

const tier = { tierIndex: 0, minThreshold: 0, rate: 0.1 };
const rule = { name: 'R', measure: 'amount', tiers: [tier] };
const leaf = { field: 'stage', fieldType: 'text', operator: 'equals', value: 'Won' };

function problems(config: unknown): string[] {
  const read = readPlanConfig(config);
  return 'issues' in read ? read.issues.map((issue) => issue.path) : [];
}

function termsOf(config: unknown) {
  const read = readPlanConfig(config);
  if ('issues' in read) throw new Error(JSON.stringify(read.issues));
  return read.terms;
}

describe('plan config: what is rejected when a plan is saved', () => {
  const rejected: readonly (readonly [string, unknown, string])[] = [
    ['a rule without tiers', { rules: [{ ...rule, tiers: [] }] }, 'rules.0.tiers'],
    ['a tier with neither', { rules: [{ ...rule, tiers: [{ tierIndex: 0, minThreshold: 0 }] }] }, 'rules.0.tiers.0'],
    ['a tierIndex given twice', { rules: [{ ...rule, tiers: [tier, { ...tier }] }] }, 'rules.0.tiers.1'],
    [
      'thresholds that fall',
      {
        rules: [
          {
            ...rule,
            tiers: [
              { ...tier, minThreshold: 1 },
              { ...tier, tierIndex: 1, minThreshold: 0.5 },
            ],
          },
        ],
      },
      'rules.0.tiers.1',
    ],
    [
      'a negative threshold',
      { rules: [{ ...rule, tiers: [{ ...tier, minThreshold: -1 }] }] },
      'rules.0.tiers.0.minThreshold',
    ],
    ['a negative rate', { rules: [{ ...rule, tiers: [{ ...tier, rate: -0.1 }] }] }, 'rules.0.tiers.0.rate'],
    ['a rate above 1e6', { rules: [{ ...rule, tiers: [{ ...tier, rate: 1.1e6 }] }] }, 'rules.0.tiers.0.rate'],
    ['a rate as text', { rules: [{ ...rule, tiers: [{ ...tier, rate: '0.08' }] }] }, 'rules.0.tiers.0.rate'],
    ['dependsOn on a per_deal rule', { rules: [{ ...rule, dependsOn: '_total' }] }, 'rules.0.dependsOn'],
    [
      'a rule that depends on itself',
      { rules: [{ ...rule, executionPhase: 'cascade', dependsOn: 'R' }] },
      'rules.0.dependsOn',
    ],
    [
      'rules that depend on each other',
      {
        rules: [
          { ...rule, executionPhase: 'cascade', dependsOn: 'S' },
          { ...rule, name: 'S', executionPhase: 'cascade', dependsOn: 'R' },
        ],
      },
      'rules.0.dependsOn',
    ],
    [
      'between reversed',
      { rules: [{ ...rule, conditions: [{ ...leaf, fieldType: 'number', operator: 'between', value: [2, 1] }] }] },
      'rules.0.conditions.0.value',
    ],
    [
      'is_set with a value',
      { dealConditions: [{ ...leaf, operator: 'is_set', value: {} }], rules: [rule] },
      'dealConditions.0.value',
    ],
    [
      'a group without rules',
      { dealConditions: [{ operator: 'or', rules: [] }], rules: [rule] },
      'dealConditions.0.rules',
    ],
    [
      'a nested group',
      { dealConditions: [{ operator: 'or', rules: [{ operator: 'and', rules: [leaf] }] }], rules: [rule] },
      'dealConditions.0.rules.0.field',
    ],
    ['a repId that is no id', { rules: [{ ...rule, tiers: [{ ...tier, repId: 'me' }] }] }, 'rules.0.tiers.0.repId'],
    ['an unknown key', { rules: [{ ...rule, payoutbase: 'x' }] }, 'rules.0.payoutbase'],
    [
      'an unknown key of a condition',
      { dealConditions: [{ ...leaf, valeu: 'Won' }], rules: [rule] },
      'dealConditions.0.valeu',
    ],
    ['the two shapes mixed in one rule', { rules: [{ ...rule, baseField: 'amount' }] }, 'rules.0'],
    ['a rate in a flat payout mode', { rules: [{ ...rule, payoutMode: 'flat_per_event' }] }, 'rules.0.tiers.0'],
    ['tierBy value without a field', { rules: [{ ...rule, tierBy: 'value' }] }, 'rules.0.tierValueField'],
    [
      'marginal tiers by value',
      { rules: [{ ...rule, tierBy: 'value', tierValueField: 'seats', tierMode: 'marginal' }] },
      'rules.0.tierMode',
    ],
    [
      'quotaMeasure beside quotaCredit',
      { rules: [{ ...rule, quotaMeasure: 'arr', quotaCredit: [{ field: 'services' }] }] },
      'rules.0.quotaCredit',
    ],
    [
      'bonuses of the period by value',
      {
        rules: [
          {
            ...rule,
            payoutMode: 'stepped_bonus',
            tierBy: 'value',
            tierValueField: 'seats',
            tiers: [{ tierIndex: 0, minThreshold: 0, flatAmount: 5 }],
          },
        ],
      },
      'rules.0.payoutMode',
    ],
    [
      'a place that no rep reaches',
      {
        rules: [
          {
            ...rule,
            tierBy: 'rank',
            tiers: [
              { ...tier, minThreshold: 1 },
              { ...tier, tierIndex: 1, minThreshold: 1 },
            ],
          },
        ],
      },
      'rules.0.tiers.0',
    ],
    [
      'a periodic rule that pays when a customer pays',
      {
        rules: [{ ...rule, executionPhase: 'periodic', payout: { schedule: [{ percent: 100, on: 'paid' }] } }],
      },
      'rules.0.payout.schedule.0.on',
    ],
    ['a measure of the deal in a rule with lines', { rules: [{ ...rule, lines: {} }] }, 'rules.0.measure'],
    [
      'amount beside flatAmount in the second shape',
      { rules: [{ baseField: 'amount', payoutMode: 'flat_per_event', tiers: [{ min: 0, amount: 5, flatAmount: 5 }] }] },
      'rules.0.tiers.0',
    ],
    ['fifty-one rules', { rules: Array.from({ length: 51 }, (_, index) => ({ ...rule, name: `R${index}` })) }, 'rules'],
  ];

  for (const [name, config, path] of rejected) {
    it(`${name}: ${path}`, () => {
      expect(problems(config)).to.include(path);
    });
  }

  it('all problems are reported at once', () => {
    expect(
      problems({
        dealConditions: [{ ...leaf, operator: 'is' }],
        rules: [
          { ...rule, tiers: [] },
          { ...rule, measure: '' },
        ],
      }),
    ).to.deep.equal(['dealConditions.0.operator', 'rules.0.tiers', 'rules.1.measure']);
  });
});

describe('plan config: the second shape', () => {
  it('is converted to the canonical shape: period, measure, thresholds, amounts, positions and missing names', () => {
    const { rules } = termsOf({
      name: 'Plan',
      version: 3,
      quotaPeriod: 'semi_annual',
      rules: [
        {
          baseField: 'amount',
          payoutMode: 'flat_per_event',
          tiers: [
            { min: 0, amount: 100 },
            { name: 'Top', min: 1, amount: 200 },
          ],
        },
        { name: 'Margin', baseField: 'margin', tierBy: 'deal_size', tiers: [{ min: 1000, rate: 0.05 }] },
      ],
    });
    expect(rules[0]).to.deep.include({
      name: 'Rule 1',
      measure: 'amount',
      attainmentPeriod: 'semi_annual',
      tierBy: 'attainment',
      payoutMode: 'flat_per_event',
    });
    expect(rules[0]?.tiers).to.deep.equal([
      { tierIndex: 0, minThreshold: 0, flatAmount: 100 },
      { tierIndex: 1, minThreshold: 1, name: 'Top', flatAmount: 200 },
    ]);
    expect(rules[1]).to.deep.include({ name: 'Margin', tierBy: 'value', tierValueField: 'deal_size' });
  });
});

describe('the rules of a quota group', () => {
  const inGroup = (...more: readonly object[]) =>
    groupWithDifferentTerms(
      termsOf({ rules: more.map((terms, index) => ({ ...rule, name: `R${index}`, quotaGroup: 'G', ...terms })) }).rules,
    );

  it('have one proration and one calendar', () => {
    expect(inGroup({}, { quotaProration: 'calendar_days' })).to.equal('G');
    expect(inGroup({}, { calendar: 'fiscal' })).to.equal('G');
    expect(inGroup({}, { quotaProration: 'none', calendar: 'calendar' })).to.equal(null);
  });

  it('may differ from those of other groups and of none', () => {
    const other = { quotaProration: 'calendar_days' };
    expect(inGroup({}, { ...other, quotaGroup: 'H' }, { ...other, quotaGroup: undefined })).to.equal(null);
  });
});

describe('the payout schedule of a rule', () => {
  const partial = (...percents: readonly number[]) =>
    ruleWithPartialSchedule(
      termsOf({
        rules: [
          rule,
          { ...rule, name: 'S', payout: { schedule: percents.map((percent) => ({ percent, on: 'close' })) } },
        ],
      }).rules,
    );

  it('is partial unless its percentages are 100 together, exactly', () => {
    expect(partial(50, 50)).to.equal(null);
    expect(partial(33.3, 33.3, 33.4)).to.equal(null);
    expect(partial(33.3, 33.3, 33.3)).to.equal('S');
  });
});
