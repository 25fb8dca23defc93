import { expect } from 'chai';
import { withCollectedCredit } from '#web/api/collected-credit.js';
import { type Attainment, mainQuota, tierPosition, wonStage } from '#web/features/plans/attainment.js';
import { type Rule } from '#web/features/plans/draft.js';
import {
  type Field,
  fieldChoices,
  isNumeric,
  measureChoices,
  planFields,
  withCurrent,
} from '#web/features/plans/fields.js';
import {
  listRules,
  measureOf,
  needsQuota,
  type Overrides,
  type PlanRule,
  sharedTiers,
  tiersFor,
} from '#web/features/plans/rules.js';
import { plan, rule } from './samples.js';

const tiers = [
  { tierIndex: 1, minThreshold: 1, rate: 0.12, name: 'Quota' },
  { tierIndex: 0, minThreshold: 0, rate: 0.08 },
  { tierIndex: 1, minThreshold: 0.9, rate: 0.2, repId: 'ana' },
];
const day = '2026-11-15';
const stored = (change: Partial<Rule>): PlanRule => ({ ...rule(change), id: 'r1' });

describe('the tiers of a rule', () => {
  it('of everyone are in the order of their thresholds', () => {
    expect(sharedTiers({ tiers }).map(({ rate }) => rate)).to.deep.equal([0.08, 0.12]);
  });

  it('of a person replace those with the same number', () => {
    expect(tiersFor(stored({ tiers }), 'ana', day)).to.deep.equal([
      {
        tierIndex: 0,
        name: 'Tier 1',
        minThreshold: 0,
        rate: 0.08,
        flatAmount: null,
        table: null,
        column: null,
        isOwn: false,
      },
      {
        tierIndex: 1,
        name: 'Tier 2',
        minThreshold: 0.9,
        rate: 0.2,
        flatAmount: null,
        table: null,
        column: null,
        isOwn: true,
      },
    ]);
    expect(tiersFor(stored({ tiers }), 'zoe', day).map(({ rate, isOwn }) => [rate, isOwn])).to.deep.equal([
      [0.08, false],
      [0.12, false],
    ]);
  });

  it('have the rate that was agreed with the person', () => {
    const overrides = [
      {
        repId: 'zoe',
        rules: [
          {
            ruleId: 'r1',
            tiers: [
              { tierIndex: 1, rate: 0.07 },
              { tierIndex: 9, rate: 0.5 },
            ],
          },
        ],
      },
      { repId: 'ana', rules: [{ ruleId: 'other', tiers: [{ tierIndex: 0, rate: 0.5 }] }] },
    ] as unknown as Overrides;
    expect(tiersFor(stored({ tiers }), 'zoe', day, overrides).map(({ rate, isOwn }) => [rate, isOwn])).to.deep.equal([
      [0.08, false],
      [0.07, true],
    ]);
    expect(tiersFor(stored({ tiers }), 'ana', day, overrides)[0]?.rate).to.equal(0.08);
  });

  it('have the agreed rate from its first to its last day', () => {
    const agreed = [{ tierIndex: 0, rate: 0.05, from: '2026-11-01', to: '2026-11-30' }];
    const overrides = [{ repId: 'zoe', rules: [{ ruleId: 'r1', tiers: agreed }] }] as unknown as Overrides;
    const rateOn = (on: string) => tiersFor(stored({ tiers }), 'zoe', on, overrides)[0]?.rate;
    expect(['2026-10-31', '2026-11-01', '2026-11-30', '2026-12-01'].map(rateOn)).to.deep.equal([
      0.08, 0.05, 0.05, 0.08,
    ]);
  });

  for (const [title, change, expected] of [
    ['one tier from 0 on', {}, false],
    ['one tier from 50 % on', { tiers: [{ tierIndex: 0, minThreshold: 0.5, rate: 1 }] }, true],
    ['several tiers', { tiers }, true],
    ['tiers by value', { tiers, tierBy: 'value' }, false],
    ['tiers by rank', { tiers, tierBy: 'rank' }, false],
    ['managers', { tiers, executionPhase: 'cascade' }, false],
    ['the variable target', { payoutBase: 'variable_target' }, true],
    ['the variable target of managers', { payoutBase: 'variable_target', executionPhase: 'cascade' }, true],
  ] as readonly (readonly [string, Partial<Rule>, boolean])[])
    it(`${expected ? 'pay nothing' : 'pay also'} without a quota: ${title}`, () => {
      expect(needsQuota(rule(change))).to.equal(expected);
    });

  it('count under the name of the rule or of its group', () => {
    expect(measureOf(rule())).to.equal('New business');
    expect(measureOf(rule({ quotaGroup: 'Bookings' }))).to.equal('Bookings');
  });
});

describe('a quota as pages show it', () => {
  const quota = { target: 200, credit: 0, attainment: 0 };

  it('has the credit that periodic rules have collected until they count', () => {
    expect(withCollectedCredit({ ...quota, countsAtEnd: 50 })).to.include({ credit: 50, attainment: 0.25 });
    expect(withCollectedCredit({ ...quota, target: 0, countsAtEnd: 50 })).to.include({ credit: 50, attainment: 0 });
  });

  it('has the credit that has counted otherwise', () => {
    expect(withCollectedCredit(quota)).to.equal(quota);
  });
});

describe('the quota that a rep looks at first', () => {
  const attainment = (measure: string, period: string, change = {}): Attainment =>
    ({ planId: 'AE', measure, period, target: 100, credit: 50, attainment: 0.5, ...change }) as unknown as Attainment;
  const plans = [
    plan('AE', [
      { name: 'Few', tiers: tiers.slice(0, 1) },
      { name: 'Many', tiers },
      { name: 'Value', tiers, tierBy: 'value' },
      { name: 'Team', tiers, executionPhase: 'cascade' },
    ]),
  ];
  const main = (...all: Attainment[]) => {
    const found = mainQuota(all, plans);
    return found === null ? null : `${found.quota.measure} ${found.quota.period}`;
  };

  for (const [title, all, expected] of [
    ['no quota', [], null],
    ['the rule with most tiers', [attainment('Few', '2026-Q1'), attainment('Many', '2026')], 'Many 2026'],
    [
      'of several lengths the quarter',
      ['2026', '2026-01', '2026-Q1', '2026-H1'].map((period) => attainment('Many', period)),
      'Many 2026-Q1',
    ],
    ['then the month', ['2026', '2026-H1', '2026-01'].map((period) => attainment('Many', period)), 'Many 2026-01'],
    [
      'the one that counts deal by deal',
      [attainment('Many', '2026-Q1', { countsAtEnd: 50 }), attainment('Few', '2026-Q1')],
      'Few 2026-Q1',
    ],
    [
      'the one that counts at the end if there is no other',
      [attainment('Many', '2026-Q1', { countsAtEnd: 50 })],
      'Many 2026-Q1',
    ],
    ['no quota of 0', [attainment('Many', '2026-Q1', { target: 0 })], null],
    ['no rule by value', [attainment('Value', '2026-Q1')], null],
    ['no rule of managers', [attainment('Team', '2026-Q1')], null],
    ['no rule of another plan', [attainment('Many', '2026-Q1', { planId: 'SDR' })], null],
  ] as const)
    it(`is ${expected ?? 'none'}: ${title}`, () => {
      expect(main(...all)).to.equal(expected);
    });

  for (const [value, current, next] of [
    [-0.2, 'Tier 1', 'Quota'],
    [0, 'Tier 1', 'Quota'],
    [0.999, 'Tier 1', 'Quota'],
    [1, 'Quota', null],
    [6.8, 'Quota', null],
  ] as const)
    it(`lies between its tiers: ${value} is in ${current}, before ${next ?? 'none'}`, () => {
      const quota = mainQuota([attainment('Many', '2026-Q1', { attainment: value })], plans);
      const position = quota === null ? null : tierPosition(quota, 'zoe', day);
      expect(position?.current?.name).to.equal(current);
      expect(position?.next?.name ?? null).to.equal(next);
    });

  it('is in no tier below the first', () => {
    const above = [plan('AE', [{ name: 'Many', tiers: [{ tierIndex: 0, minThreshold: 0.5, rate: 0.1 }] }])];
    const quota = mainQuota([attainment('Many', '2026-Q1', { attainment: 0.4 })], above);
    expect(quota === null ? null : tierPosition(quota, 'zoe', day).current).to.equal(null);
  });
});

describe('the stage in which a deal counts as won', () => {
  const withConditions = (...dealConditions: unknown[]) => plan('AE', [], { dealConditions } as never);

  for (const [title, conditions, stage] of [
    ['of the plan', [{ field: 'stage', fieldType: 'status', operator: 'equals', value: 'Signed' }], 'Signed'],
    [
      'of a field with another name',
      [{ field: 'deal_stage', fieldType: 'status', operator: 'equals', value: 'Signed' }],
      'Signed',
    ],
    [
      'of a field in other letters',
      [{ field: 'dealStage', fieldType: 'status', operator: 'equals', value: 'Signed' }],
      'Signed',
    ],
    [
      'the first of several',
      [{ field: 'stage', fieldType: 'status', operator: 'in', value: ['Signed', 'Paid'] }],
      'Signed',
    ],
    [
      'of a group',
      [
        {
          operator: 'or',
          rules: [{ field: 'stage', fieldType: 'status', operator: 'equals', value: 'Signed' }],
        },
      ],
      'Signed',
    ],
    ['no condition', [], 'Closed Won'],
    ['an empty list', [{ field: 'stage', fieldType: 'status', operator: 'in', value: [] }], 'Closed Won'],
    ['another operator', [{ field: 'stage', fieldType: 'status', operator: 'contains', value: 'won' }], 'Closed Won'],
    ['a value that is no text', [{ field: 'stage', fieldType: 'status', operator: 'equals', value: 5 }], 'Closed Won'],
    ['a group', [{ operator: 'or', rules: [] }], 'Closed Won'],
  ] as const)
    it(`is ${stage}: ${title}`, () => {
      expect(wonStage(withConditions(...conditions))).to.equal(stage);
    });
});

describe('the stage in which a deal counts as won under rules', () => {
  const signed = { field: 'stage', fieldType: 'status', operator: 'equals', value: 'Signed' } as const;

  it('is that of the first rule that names one, unless the plan does', () => {
    const rules = [{ name: 'Any' }, { name: 'New', conditions: [signed] }];
    expect(wonStage(plan('AE', rules))).to.equal('Signed');
    const ofPlan = [{ ...signed, value: 'Won' }] as never;
    expect(wonStage(plan('AE', rules, { dealConditions: ofPlan }))).to.equal('Won');
  });
});

describe('the fields that a plan may use', () => {
  const field = (slug: string, type: Field['type'], label = slug): Field => ({ slug, type, label }) as Field;

  it('have the names that plans usually have for them, once each', () => {
    const fields = planFields([
      field('dealAmount', 'currency', 'Amount (deal)'),
      field('dealStage', 'status'),
      field('closeDate', 'date', 'closedate'),
      field('amount', 'number', 'Amount'),
      field('close_date', 'date', 'Close Date'),
      field('arr', 'currency', 'ARR'),
    ]);
    expect(fields.map(({ slug, label }) => [slug, label])).to.deep.equal([
      ['amount', 'Amount'],
      ['stage', 'Stage'],
      ['closeDate', 'Close date'],
      ['arr', 'ARR'],
    ]);
  });

  it('are one field whatever their case, under the name that the plan has for it', () => {
    const fields = planFields([
      field('Meetings', 'number', 'Meetings'),
      field('meetings', 'number', 'Meetings'),
      field('dealName', 'text'),
      field('name', 'text', 'Name'),
    ]);
    expect(fields.map(({ slug, label }) => [slug, label])).to.deep.equal([
      ['Meetings', 'Meetings'],
      ['dealName', 'Deal name'],
    ]);
    expect(fieldChoices(fields, 'MEETINGS')[0]).to.deep.equal(['MEETINGS', 'Meetings']);
    expect(fieldChoices(fields, 'dealname')[1]).to.deep.equal(['dealname', 'Deal name']);
  });

  it('have the number of deals beside them as a measure', () => {
    const fields = [field('arr', 'currency', 'ARR'), field('closed_on', 'date', 'Closed')];
    const choices = [
      ['arr', 'ARR'],
      ['_deals', 'Number of deals'],
    ];
    expect(measureChoices(fields, 'arr')).to.deep.equal(choices);
    expect(measureChoices(fields, '_deals')).to.deep.equal(choices);
  });

  it('name their slug where another field has the same name', () => {
    const fields = planFields([
      field('meetings', 'number', 'Meetings'),
      field('Meetings__c', 'number', 'Meetings'),
      field('seats', 'number', 'Seats'),
    ]);
    expect(fields.map(({ label }) => label)).to.deep.equal(['Meetings', 'Meetings (Meetings__c)', 'Seats']);
  });

  it('can be multiplied if they are numbers, or texts, which may contain numbers', () => {
    const types = ['number', 'currency', 'text', 'date', 'checkbox', 'select', 'status', 'timestamp'] as const;
    expect(types.filter((type) => isNumeric(field('x', type)))).to.deep.equal(['number', 'currency']);
  });

  it('include the one in use, also if it is unknown', () => {
    const fields = [field('arr', 'currency', 'ARR'), field('region', 'text', 'Region')];
    expect(fieldChoices(fields, 'arr')).to.deep.equal([
      ['arr', 'ARR'],
      ['region', 'Region'],
    ]);
    expect(fieldChoices(fields, 'old_field')[0]).to.deep.equal(['old_field', 'Old field']);
    expect(fieldChoices(fields, undefined, ({ type }) => type === 'text')).to.deep.equal([['region', 'Region']]);
    expect(withCurrent([['a', 'A']], 'b')).to.deep.equal([
      ['b', 'b'],
      ['a', 'A'],
    ]);
    expect(withCurrent([['a', 'A']])).to.deep.equal([['a', 'A']]);
  });

  it('of a stored plan are read as the service returns them', () => {
    expect(listRules(plan('AE', [{ name: 'A' }])).map(({ id }) => id)).to.deep.equal(['a']);
  });
});
