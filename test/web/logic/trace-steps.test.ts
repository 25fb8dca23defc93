import { expect } from 'chai';
import fc from 'fast-check';
import { decodeTrace } from '#src/engine/trace.js';
import { roundToCurrency } from '#src/kernel/currency.js';
import { Decimal, sum } from '#src/kernel/decimal.js';
import { run } from '#test/engine/scenario.js';
import { type Explanation } from '#web/api/queries.js';
import { type Rule, toConfig } from '#web/features/plans/draft.js';
import { buildSteps, formatExplanation, headWords, type Step } from '#web/features/trace/steps.js';
import { readNumber } from '#web/shared/format/entered-numbers.js';
import { rule } from './samples.js';

type Event = Explanation['event'];
type Trace = NonNullable<Event['trace']>;

const trace: Trace = {
  conditions: [],
  measure: 60_000,
  credit: 60_000,
  before: 60_000,
  after: 120_000,
  target: 100_000,
  attainmentBefore: 0.6,
  attainmentAfter: 1.2,
  tier: { tierIndex: 1, name: 'Quota' },
  base: 60_000,
  parts: [
    { tierIndex: 0, rate: 0.08, part: 40_000 },
    { tierIndex: 1, rate: 0.12, part: 20_000 },
  ],
  limits: [],
  raw: 5600,
  amount: 5600,
};

const event = {
  eventId: 'E1',
  repId: 'ana',
  dealId: 'D1',
  dealName: 'Northgate Energy',
  planId: 'P1',
  planName: 'AE plan',
  ruleName: 'New business',
  kind: 'commission_earned',
  category: 'commission',
  amount: 5600,
  base: 60_000,
  currency: 'USD',
  period: '2026-06',
  earnedOn: '2026-06-12',
} as unknown as Event;

const paidRule = {
  version: 3,
  effectiveStart: '2026-01-01',
  attainmentPeriod: 'quarterly',
  tierBy: 'attainment',
  tierMode: 'marginal',
  payoutMode: 'rate',
  cap: null,
  floor: null,
  tiers: [
    { tierIndex: 0, name: 'Base', minThreshold: 0 },
    { tierIndex: 1, name: 'Quota', minThreshold: 1 },
  ],
} as unknown as NonNullable<Explanation['rule']>;

const deal = {
  deal_id: 'D 1',
  amount: 60_000,
  currency: 'USD',
  closeDate: '2026-06-12',
  isWon: true,
  stageLabel: 'Closed Won',
  repName: 'Ana Silva',
  provider: 'crmc',
} as unknown as NonNullable<Explanation['deal']>;

interface Given {
  readonly event?: object;
  readonly trace?: object;
  readonly rule?: object | null;
  readonly deal?: object | null;
  readonly steps?: Explanation['steps'];
}

function explanation({
  event: changedEvent,
  trace: changedTrace,
  rule: changedRule,
  deal: changedDeal,
  steps = [],
}: Given = {}) {
  return {
    event: { ...event, trace: { ...trace, ...changedTrace }, ...changedEvent },
    rule: changedRule === null ? null : { ...paidRule, ...changedRule },
    deal: changedDeal === null ? null : { ...deal, ...changedDeal },
    trueUp: null,
    steps,
  } as Explanation;
}

const reader = { repId: 'ana', role: 'rep' } as const;
const plain = (text: string) => text.replaceAll('\u00a0', ' ');

function step(title: string, given?: Given): Step {
  const found = buildSteps(explanation(given), reader).find((one) => one.title === title);
  if (found === undefined) throw new Error(`no step ${title}`);
  return JSON.parse(plain(JSON.stringify(found)));
}

const titles = (given?: Given) => buildSteps(explanation(given), reader).map(({ title }) => title);

describe('the steps from a deal to its amount', () => {
  it('are seven', () => {
    expect(titles()).to.deep.equal([
      'Deal',
      'Plan and version',
      'Conditions',
      'Attainment at close',
      'Tiers',
      'Cap and floor',
      'Result',
    ]);
  });

  it('name a rate that was agreed with the person beside that of the plan', () => {
    const agreedParts = [{ tierIndex: 0, rate: 0.07, part: 60_000, planRate: 0.06 }];
    const agreed = step('Tiers', { trace: { parts: agreedParts } });
    expect(agreed.words).to.deep.equal(['Your rate, agreed with you: 7 % instead of 6 %.']);
    const ofOther = { event: { repId: 'omar', repName: 'Omar Haddad' }, trace: { parts: agreedParts } };
    expect(step('Tiers', ofOther).words).to.deep.equal(['The rate agreed with Omar Haddad: 7 % instead of 6 %.']);
    expect(step('Tiers').words).to.deep.equal([]);
  });

  it('have one more where the amount is paid on what the team earned', () => {
    const upstream = [
      { repId: 'a', ruleName: 'New business', amount: 100.1 },
      { repId: 'b', ruleName: 'New business', amount: 200.2 },
      { repId: 'b', ruleName: 'Renewals', amount: -50 },
    ];
    const given = { trace: { upstream } };
    expect(titles(given).slice(2, 4)).to.deep.equal(['Conditions', 'What the team earned']);
    expect(step('What the team earned', given)).to.deep.include({
      figure: '$250.30',
      rows: [
        { label: 'New business, 2 people', value: '$300.30' },
        { label: 'Renewals', value: '−$50.00' },
      ],
    });
    expect(step('Cap and floor', given).rows).to.deep.equal([]);
    expect(step('Conditions', given).words).to.deep.equal(['The rule applies to every deal.']);
  });

  it('are two for an amount that a person entered, and one without a deal', () => {
    const entered = { kind: 'adjustment', reason: 'Agreed in May', trace: undefined };
    expect(titles({ event: entered, rule: null })).to.deep.equal(['Deal', 'Result']);
    expect(titles({ event: entered, rule: null, deal: null })).to.deep.equal(['Result']);
    expect(step('Result', { event: entered, rule: null }).words).to.deep.equal([
      'This adjustment was entered by hand.',
      'Agreed in May',
    ]);
  });
});

describe('the steps of what moved an amount beside its rates', () => {
  it('have the share of the deal before the conditions, and what is released or held after the result', () => {
    const share = { step: 'share', words: 'Share of the deal: 60%' } as const;
    const schedule = { step: 'schedule', words: 'released 20.00, waiting 40.00: waits for a day, 2026-07-01' } as const;
    const given = { steps: [share, schedule] };
    expect(titles(given).slice(1, 4)).to.deep.equal(['Plan and version', 'Share of the deal', 'Conditions']);
    expect(titles(given).slice(-2)).to.deep.equal(['Result', 'Release']);
    expect(step('Share of the deal', given).words).to.deep.equal(['Share of the deal: 60%']);
    expect(step('Release', given).words).to.deep.equal(['released 20.00, waiting 40.00: waits for a day, 1 Jul 2026']);
    const held = { steps: [{ step: 'hold', words: 'On hold; released 0.00, waiting 60.00' } as const] };
    expect(titles(held).at(-1)).to.equal('Hold');
  });

  it('are the refund and nothing of the sale where a refund takes back', () => {
    const words = 'Refund RF-1 of 2026-06-20: 25% of 6,720.00';
    const given = { event: { amount: -1680 }, steps: [{ step: 'refund', words } as const] };
    expect(titles(given)).to.deep.equal(['Deal', 'Refund', 'Result']);
    expect(step('Refund', given).words).to.deep.equal(['Refund RF-1 of 20 Jun 2026: 25% of 6,720.00']);
    expect(step('Result', given).words).to.deep.equal(['Taken back, rounded once, to the cent.']);
    expect(headWords(explanation(given))).to.equal('taken back for a refund of 12 June 2026');
  });
});

describe('the step of the deal', () => {
  for (const [given, figure, words, label] of [
    [{}, '$60,000.00', 'Won on 12 June 2026, owner Ana Silva.', 'Salesforce deal D 1'],
    [
      { isWon: false, stageLabel: null, closeDate: null },
      '$60,000.00',
      'No stage, Without a close date, owner Ana Silva.',
      'Salesforce deal D 1',
    ],
    [{ amount: null, provider: null, repName: null }, '–', 'Won on 12 June 2026, owner unknown.', 'Deal D 1'],
    [{ currency: null, provider: 'other' }, '$60,000.00', 'Won on 12 June 2026, owner Ana Silva.', 'Deal D 1'],
    [{ currency: 'JPY' }, '¥60,000', 'Won on 12 June 2026, owner Ana Silva.', 'Salesforce deal D 1'],
  ] as const)
    it(`says what is known: ${words}`, () => {
      const { figure: found, words: sentences, source } = step('Deal', { deal: given });
      expect([found, sentences[0], source]).to.deep.equal([figure, words, { label, to: '/deals/D%201' }]);
    });
});

describe('the step of the plan', () => {
  for (const [title, who, to] of [
    ['an admin to the plan', { repId: 'x', role: 'admin' }, '/plans/P1'],
    ['a rep to their plan', { repId: 'ana', role: 'rep' }, '/me/plan'],
    ['a manager to nothing of another person', { repId: 'x', role: 'manager' }, undefined],
  ] as const)
    it(`leads ${title}`, () => {
      const found = buildSteps(explanation(), who).find((one) => one.title === 'Plan and version');
      expect(found?.source?.to).to.equal(to);
    });

  it('names the version and its first day', () => {
    expect(step('Plan and version')).to.deep.include({
      figure: 'AE plan, v3',
      words: ['In force from 1 January 2026, chosen by close date.'],
    });
    expect(step('Plan and version', { rule: { effectiveStart: null } }).words).to.deep.equal([
      'In force from the start, chosen by close date.',
    ]);
    expect(step('Plan and version', { rule: null }).figure).to.equal('AE plan');
  });
});

describe('the step of the conditions', () => {
  it('has each condition with the value that was seen', () => {
    const conditions = [
      { field: 'stage', operator: 'contains', value: 'won', seen: 'Closed Won', passed: true },
      { field: 'region', operator: 'in', value: ['EMEA'], seen: null, passed: false },
    ];
    expect(step('Conditions', { trace: { conditions } })).to.deep.include({
      words: [],
      rows: [
        { label: 'Stage contains won', value: 'Closed Won', passed: true },
        { label: 'Region is one of EMEA', value: 'empty', passed: false },
      ],
    });
    expect(step('Conditions').words).to.deep.equal(['The rule applies to every deal.']);
  });
});

describe('the step of the attainment', () => {
  it('has the credit before and with the deal', () => {
    expect(step('Attainment at close')).to.deep.include({
      figure: '60 → 120 %',
      words: [],
      rows: [
        { label: 'Quota of the quarter', value: '$100,000.00' },
        { label: 'Closed before this deal', value: '$60,000.00' },
        { label: 'Closed with this deal', value: '$120,000.00' },
      ],
    });
  });

  it('is that of the whole period for a retroactive rule', () => {
    const found = step('Attainment at close', { trace: { periodCredit: 150_000, periodAttainment: 1.5 } });
    expect(found.figure).to.equal('150 %');
    expect(found.rows.at(-1)).to.deep.equal({ label: 'Closed in the whole quarter', value: '$150,000.00' });
  });

  it('counts what is no money without a currency', () => {
    const rows = step('Attainment at close', { trace: { measure: 1, before: 3, after: 4, target: 20 } }).rows;
    expect(rows.map(({ value }) => value)).to.deep.equal(['20', '3', '4']);
  });

  it('says why there is none, and when refunds took it below zero', () => {
    expect(step('Attainment at close', { trace: { target: null } })).to.deep.include({
      figure: 'no quota',
      words: ['No quota is set or needed for this rule.'],
    });
    expect(step('Attainment at close', { trace: { belowZero: true } }).words).to.deep.equal([
      'Refunds reduced the attainment below zero, so the first tier applies.',
    ]);
  });
});

describe('the step of a formula', () => {
  it('names the formula, its value and the values of its fields', () => {
    const operands = [
      { field: 'amount', value: 1000 },
      { field: 'list_price', value: null },
      { field: 'line.discount', value: 0.1 },
    ];
    const formulas = [{ formula: '= amount * (1 - list_price)', value: null, operands }];
    const found = step('Formula', { trace: { formulas } });
    expect(found.figure).to.equal('no value');
    expect(found.words).to.deep.equal(['Amount after list price']);
    expect(found.rows).to.deep.equal([
      { label: 'Amount', value: '1,000' },
      { label: 'List price', value: 'empty' },
      { label: 'Discount of the product', value: '10 %' },
    ]);
  });
});

describe('the step of the tiers', () => {
  it('has the part of each tier, its rate and its amount', () => {
    expect(step('Tiers')).to.deep.include({
      figure: 'part in tier',
      words: [],
      scale: ['60 %', '100 %', '120 %'],
      parts: [
        { name: 'Base', part: '$40,000.00', rate: '× 8 %', amount: '$3,200.00', share: 2 / 3 },
        { name: 'Quota', part: '$20,000.00', rate: '× 12 %', amount: '$2,400.00', share: 1 / 3 },
      ],
    });
  });

  it('has its scale from the lower to the higher attainment, also for a refund', () => {
    const parts = trace.parts.map((part) => ({ ...part, part: -part.part }));
    const found = step('Tiers', { trace: { parts, attainmentBefore: 1.2, attainmentAfter: 0.6 } });
    expect(found.scale).to.deep.equal(['60 %', '100 %', '120 %']);
    expect(found.parts?.map(({ amount }) => amount)).to.deep.equal(['−$3,200.00', '−$2,400.00']);
  });

  it('leaves out a label for which its bar has no room', () => {
    const parts = [
      { tierIndex: 0, rate: 0.08, part: 1000 },
      { tierIndex: 1, rate: 0.12, part: 59_000 },
    ];
    expect(step('Tiers', { trace: { parts, attainmentBefore: 0.99, attainmentAfter: 1.59 } }).scale).to.deep.equal([
      '99 %',
      '',
      '159 %',
    ]);
  });

  it('names a tier by its name, that of the trace, or its number', () => {
    const parts = [0, 1, 7].map((tierIndex) => ({ tierIndex, rate: null, part: 5 }));
    const tiers = [{ tierIndex: 0, name: null, minThreshold: 0 }];
    const found = step('Tiers', { trace: { parts }, rule: { tiers } });
    expect(found.parts?.map(({ name }) => name)).to.deep.equal(['Tier 1', 'Quota', 'Tier 8']);
    expect(found.parts?.map(({ rate, amount }) => [rate, amount])[0]).to.deep.equal(['fixed', '$5.00']);
  });

  for (const [title, given, words] of [
    [
      'where the lowest tier begins',
      {
        trace: { parts: [], tier: null, reason: 'below_lowest_tier' },
        rule: { tiers: [{ tierIndex: 0, name: null, minThreshold: 0.5 }] },
      },
      ['It is below the lowest tier, which begins at 50 %.'],
    ],
    [
      'where the lowest tier by value begins',
      {
        trace: { parts: [], tier: null, tierValue: 12_419.94, reason: 'below_lowest_tier' },
        rule: { tierBy: 'value', tiers: [{ tierIndex: 0, name: null, minThreshold: 50_000 }] },
      },
      ["The deal's value for the tier is 12,419.94.", 'It is below the lowest tier, which begins at 50,000.'],
    ],
    ['the position', { trace: { rank: 2 }, rule: { tierBy: 'rank' } }, ['Position 2 among the people of the plan.']],
    [
      'the missing quota',
      { trace: { parts: [], tier: null, target: null, reason: 'quota_missing' } },
      ['You have no quota for this period.'],
    ],
    [
      'the missing field of the tier',
      { trace: { parts: [], tier: null, reason: 'field_missing' }, rule: { tierBy: 'value' } },
      ['The deal lacks a field that the rule reads.'],
    ],
    [
      'an amount that was paid before',
      { trace: { parts: [], raw: 0 }, rule: { payoutMode: 'stepped_bonus' } },
      ['Tier Quota adds nothing to what was paid before in the quarter.'],
    ],
    ['that no tier was reached', { trace: { parts: [], tier: null }, rule: null }, ['No tier was reached.']],
  ] as readonly (readonly [string, Given, readonly string[]])[])
    it(`says ${title}`, () => {
      expect(step('Tiers', given).words).to.deep.equal(words);
    });

  for (const [given, figure] of [
    [{}, 'part in tier'],
    [{ rule: { tierMode: 'full_rate' } }, 'whole deal'],
    [{ rule: { tierMode: 'retroactive' } }, 'whole period'],
    [{ rule: { tierBy: 'value' } }, 'by value'],
    [{ rule: { tierBy: 'rank' } }, 'by rank'],
    [{ rule: null }, ''],
  ] as const)
    it(`says how tiers apply: ${figure || 'nothing without a rule'}`, () => {
      expect(step('Tiers', given).figure).to.equal(figure);
    });
});

describe('the step of the cap and the floor', () => {
  for (const [title, given, figure, words] of [
    ['none', {}, 'none', ['No cap. No floor.']],
    ['not reached', { rule: { cap: 60_000 } }, 'not reached', ['Cap of $60,000.00 in a period. No floor.']],
    [
      'a cap of 0',
      { rule: { cap: 0, floor: 0 } },
      'not reached',
      ['Cap of $0.00 in a period. Floor of $0.00 for a deal.'],
    ],
    [
      'applied, one after the other',
      {
        trace: {
          limits: [
            { kind: 'floor', bound: 100, before: 50, after: 100 },
            { kind: 'cap', bound: 80, before: 100, after: 80 },
          ],
        },
      },
      'applied',
      [
        'The minimum of a deal applies: $50.00 becomes $100.00.',
        'The maximum of the period applies: $100.00 becomes $80.00.',
      ],
    ],
    [
      'a limit of a later version',
      { trace: { limits: [{ kind: 'new_limit', bound: 100, before: 50, after: 100 }] } },
      'applied',
      ['New limit: $50.00 becomes $100.00.'],
    ],
  ] as readonly (readonly [string, Given, string, readonly string[]])[])
    it(title, () => {
      const found = step('Cap and floor', given);
      expect([found.figure, found.words]).to.deep.equal([figure, words]);
    });
});

describe('the result', () => {
  for (const [title, given, figure, words] of [
    ['the sum of the parts', {}, '$5,600.00', '$3,200.00 + $2,400.00, rounded once, to the cent.'],
    [
      'limited',
      { event: { amount: 80 }, trace: { limits: [{ kind: 'cap', bound: 80, before: 5600, after: 80 }] } },
      '$80.00',
      '$3,200.00 + $2,400.00, limited, rounded once, to the cent.',
    ],
    ['nothing', { event: { amount: 0 }, trace: { parts: [] } }, '$0.00', 'Nothing is paid.'],
    [
      'a refund',
      { event: { amount: -3200 }, trace: { parts: [{ tierIndex: 0, rate: 0.08, part: -40_000 }] } },
      '−$3,200.00',
      '−$3,200.00, rounded once, to the cent.',
    ],
    [
      'whole yen',
      { event: { amount: 3200, currency: 'JPY' }, trace: { parts: [{ tierIndex: 0, rate: 0.08, part: 40_001 }] } },
      '¥3,200',
      '¥3,200, rounded once, to a whole amount.',
    ],
    [
      'three decimals',
      { event: { amount: 3200.08, currency: 'KWD' }, trace: { parts: [{ tierIndex: 0, rate: 0.08, part: 40_001 }] } },
      'KWD 3,200.080',
      'KWD 3,200.080, rounded once, to 3 decimals.',
    ],
    [
      'more decimals where rounded parts would not add up',
      {
        event: { amount: 20.01 },
        trace: {
          parts: [
            { tierIndex: 0, rate: 0.1, part: 100.05 },
            { tierIndex: 1, rate: 0.2, part: 50.025 },
          ],
        },
      },
      '$20.01',
      '$10.005 + $10.005, rounded once, to the cent.',
    ],
  ] as readonly (readonly [string, Given, string, string])[])
    it(`is ${title}`, () => {
      const found = step('Result', given);
      expect([found.figure, found.words[0], found.isResult]).to.deep.equal([figure, words, true]);
    });

  it('is what the parts of the tiers add up to, for everything that the engine pays', () => {
    const cents = fc.integer({ min: -9_000_000, max: 9_000_000 }).map((units) => units / 100);
    const rate = fc.integer({ min: 0, max: 3000 }).map((units) => units / 10_000);
    const terms = fc.record({
      tierMode: fc.constantFrom('full_rate', 'marginal', 'retroactive'),
      executionPhase: fc.constantFrom('per_deal', 'periodic'),
      tiers: fc
        .tuple(rate, rate, rate)
        .map((each) => each.map((one, tierIndex) => ({ tierIndex, minThreshold: tierIndex / 3, rate: one }))),
    });
    const currency = fc.constantFrom('USD', 'JPY', 'KWD');
    fc.assert(
      fc.property(terms, fc.array(cents, { minLength: 1, maxLength: 5 }), currency, (change, amounts, of) => {
        const { decisions } = run({
          config: toConfig({ dealConditions: [], rules: [rule(change as Partial<Rule>)] }),
          deals: amounts.map((amount, at) => `D${at} | 2026-01-0${at + 1} | ${amount}`).join('\n'),
          quotas: { 'New business 2026-Q1': { target: 70_000 } },
          currency: of,
        });
        for (const { amount, trace: stored } of decisions) {
          const decoded = decodeTrace(stored, {
            conditions: [],
            day: '2026-01-01' as never,
            timeZone: 'UTC',
            tierName: null,
            amount: amount.toNumber(),
          });
          const steps = buildSteps(
            explanation({
              event: { amount: amount.toNumber(), base: decoded.base, currency: of, trace: decoded },
              rule: {
                ...rule(change as Partial<Rule>),
                cap: null,
                floor: null,
                tiers: change.tiers.map((tier) => ({ ...tier, name: null })),
              },
            }),
            reader,
          );
          const parts = steps.find(({ title }) => title === 'Tiers')?.parts ?? [];
          const result = steps.at(-1);
          const added = (texts: readonly string[]) =>
            roundToCurrency(sum(texts.map((text) => Decimal.of(readNumber(text) ?? Number.NaN))), of).toNumber();
          const terms = result?.words[0]?.startsWith('Nothing')
            ? []
            : ((result?.words[0] ?? '').split(/, (?=limited|rounded)/)[0]?.split(' + ') ?? []);
          expect(readNumber(result?.figure ?? ''), 'figure').to.equal(amount.toNumber());
          if (terms.length > 0) expect(added(terms), `${terms}`).to.equal(amount.toNumber());
          expect(added(parts.map((part) => part.amount)), 'parts').to.equal(amount.toNumber());
          if (parts.length > 0) expect(parts.reduce((total, { share }) => total + share, 0)).to.be.closeTo(1, 1e-9);
          const { scale } = steps.find(({ title }) => title === 'Tiers') ?? {};
          if (scale !== undefined && parts.length > 0) expect(scale.length).to.equal(parts.length + 1);
        }
      }),
      { seed: 37, numRuns: 150 },
    );
  });
});

describe('the line below the heading of an explanation', () => {
  for (const [given, words] of [
    [{}, 'commission on $60,000.00, closed 12 June 2026'],
    [{ category: 'bonus', base: 1 }, 'fixed bonus, closed 12 June 2026'],
    [{ category: 'bonus', base: 60_000 }, 'fixed bonus, closed 12 June 2026'],
    [{ base: 1, trace: { ...trace, parts: [] } }, 'fixed bonus, closed 12 June 2026'],
    [
      { base: 1, trace: { ...trace, parts: [{ tierIndex: 0, rate: 0.1, part: 1 }] } },
      'commission on $1.00, closed 12 June 2026',
    ],
    [{ base: 0 }, 'commission on $0.00, closed 12 June 2026'],
    [{ kind: 'true_up', base: null }, 'correction, on 12 June 2026'],
    [{ kind: 'adjustment', base: null }, 'adjustment, on 12 June 2026'],
    [{ kind: 'clawback', base: null }, 'clawback, on 12 June 2026'],
  ] as const)
    it(words, () => {
      expect(headWords({ event: { ...event, trace, ...given } as Event, steps: [] })).to.equal(words);
    });
});

describe('the explanation as text', () => {
  it('has every step, without spaces that do not break', () => {
    const loaded = explanation();
    const text = formatExplanation(loaded, buildSteps(loaded, reader));
    expect(text).not.to.include('\u00a0');
    expect(text.split('\n')).to.include.members([
      'Northgate Energy: $5,600.00 (New business, 2026-06)',
      '1. Deal: $60,000.00',
      '   Quota of the quarter: $100,000.00',
      '   Base: $40,000.00 × 8 % = $3,200.00',
      '7. Result: $5,600.00',
    ]);
  });
});
