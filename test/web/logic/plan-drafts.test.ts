import { expect } from 'chai';
import fc from 'fast-check';
import { planTemplates } from '#src/plans/templates-catalog.js';
import {
  copyOfPlan,
  freeName,
  isSame,
  newRule,
  numbered,
  type PlanFx,
  type Tier,
  toChange,
  toConfig,
  toDraft,
  toTerms,
  withChange,
} from '#web/features/plans/draft.js';
import { draftFrom, toJson } from '#web/features/plans/plan-json.js';
import { isGroup } from '#web/features/plans/rules.js';
import { draft, drafts, draftWith } from './drafts.js';
import { plan, rule } from './samples.js';

const runs = { seed: 37, numRuns: 200 };

describe('the draft of a plan', () => {
  it('is the same after it was written as a config and read', () => {
    fc.assert(
      fc.property(drafts, ({ terms }) => {
        expect(toTerms(toConfig(terms))).to.deep.equal(terms);
      }),
      runs,
    );
  });

  it('is the same after it was written as JSON and read', () => {
    fc.assert(
      fc.property(drafts, drafts, (one, other) => {
        expect(draftFrom(JSON.stringify(toJson(one)), other)).to.deep.equal(one);
      }),
      runs,
    );
  });

  it('reads every starter plan, and writes what means the same', () => {
    for (const { name, planConfig } of planTemplates) {
      const terms = toTerms(planConfig.config as Readonly<Record<string, unknown>>);
      expect(terms.rules.length, name).to.be.greaterThan(0);
      expect(toTerms(toConfig(terms)), name).to.deep.equal(terms);
    }
  });

  it('has the rules of a stored plan without their ids', () => {
    const stored = plan('AE', [{ name: 'A' }], { effectiveStart: '2026-01-01', currency: 'EUR' });
    expect(toDraft(stored)).to.deep.equal({
      ...draft({ name: 'AE', effectiveStart: '2026-01-01', currency: 'EUR' }),
      terms: { dealConditions: [], rules: [rule({ name: 'A' })] },
    });
    expect(toChange(toDraft(stored))).to.not.have.property('name');
  });

  it('reads the short shape of a rule with the defaults of the service', () => {
    const terms = toTerms({
      quotaPeriod: 'monthly',
      rules: [
        { baseField: 'arr', tierBy: 'contract_months', tiers: [{ rate: 0.1 }, { min: 12, amount: 50 }] },
        {
          name: 'B',
          measure: 'x',
          attainmentPeriod: 'annual',
          tierBy: 'rank',
          tiers: [{ tierIndex: 4, minThreshold: 1, rate: 1 }],
        },
      ],
    });
    expect(terms.rules).to.deep.equal([
      {
        ...newRule('Rule 1'),
        attainmentPeriod: 'monthly',
        measure: 'arr',
        tierBy: 'value',
        tierValueField: 'contract_months',
        tiers: [
          { tierIndex: 0, minThreshold: 0, rate: 0.1 },
          { tierIndex: 1, minThreshold: 12, flatAmount: 50 },
        ],
      },
      {
        ...newRule('B'),
        measure: 'x',
        attainmentPeriod: 'annual',
        tierBy: 'rank',
        tiers: [{ tierIndex: 4, minThreshold: 1, rate: 1 }],
      },
    ]);
  });

  it('has the clawback of the plan in each rule without one', () => {
    const ofPlan = { window: { days: 180 } };
    const own = { window: { days: 30 } };
    const tiers = [{ rate: 0.1 }];
    const { rules } = toTerms({
      clawback: ofPlan,
      rules: [{ tiers }, { tiers, clawback: own }, { tiers, clawback: null }],
    });
    expect(rules.map(({ clawback }) => clawback)).to.deep.equal([ofPlan, own, null]);
    expect(toTerms({ clawback: null, rules: [{ tiers }] }).rules[0]).not.to.have.property('clawback');
  });

  it('writes the attainment period of each rule', () => {
    const half = toConfig(draftWith({ attainmentPeriod: 'semi_annual' }).terms);
    expect(half).not.to.have.property('quotaPeriod');
    expect(half['rules']).to.have.nested.property('[0].attainmentPeriod', 'semi_annual');
  });

  it('reads a rule of managers without a measure as one that counts what the team earns', () => {
    const tiers = [{ tierIndex: 0, minThreshold: 0, rate: 0.02 }];
    const { rules } = toTerms({
      rules: [
        { name: 'Team', executionPhase: 'cascade', tiers },
        { name: 'Own', tiers },
      ],
    });
    expect(rules.map(({ measure }) => measure)).to.deep.equal(['_earned', 'amount']);
  });

  it('numbers the tiers of everyone, and leaves those of one person', () => {
    const tier = (tierIndex: number, repId?: string): Tier => ({
      tierIndex,
      minThreshold: 0,
      rate: 1,
      ...(repId === undefined ? {} : { repId }),
    });
    expect(numbered([tier(5), tier(7, 'ana'), tier(5)]).map(({ tierIndex }) => tierIndex)).to.deep.equal([0, 7, 1]);
  });

  it('loses a field that is changed to nothing', () => {
    expect(withChange(rule({ cap: 5 }), { cap: undefined, floor: 1 })).to.deep.equal(rule({ floor: 1 }));
    expect(withChange(rule(), { cap: 0 }).cap).to.equal(0);
  });

  it('is the same whatever the order of its fields, and not if a list has another order', () => {
    expect(isSame({ a: 1, b: { c: 2, d: undefined } }, { b: { c: 2 }, a: 1 })).to.equal(true);
    expect(isSame([1, 2], [2, 1])).to.equal(false);
    expect(isSame({ a: 1 }, { a: '1' })).to.equal(false);
    expect(isSame(null, undefined)).to.equal(true);
  });

  it('gives a new rule a name that no other has', () => {
    expect(freeName([], 'Rule')).to.equal('Rule');
    expect(freeName([{ name: 'Rule' }, { name: 'Rule 2' }], 'Rule')).to.equal('Rule 3');
  });

  it('identifies a group of conditions by its parts', () => {
    expect(isGroup({ operator: 'or', rules: [] })).to.equal(true);
    expect(isGroup({ field: 'x', fieldType: 'text', operator: 'is_set' })).to.equal(false);
  });
});

describe('a copy of a plan', () => {
  it('has its terms and tests, and neither its days nor the tiers of single people', () => {
    const tier = { tierIndex: 0, minThreshold: 0, rate: 0.08 };
    const tiers = [tier, { ...tier, rate: 0.1, repId: 'ann' }];
    const stored = plan('AE', [{ name: 'Base', cap: 10, tiers }], {
      effectiveStart: '2026-01-01',
      effectiveEnd: '2026-12-31',
    });
    const copied = copyOfPlan(stored);
    expect(copied).to.deep.include({ name: 'Copy of AE', effectiveStart: null, effectiveEnd: null });
    expect(copied.terms.rules).to.deep.equal([{ ...toDraft(stored).terms.rules[0], tiers: [tier] }]);
    expect(copied.tests).to.deep.equal(toDraft(stored).tests);
  });
});

describe('a text that describes a plan', () => {
  const before = draft();
  const withRule = (change: object) =>
    JSON.stringify({ config: { rules: [{ measure: 'amount', tiers: [], ...change }] } });

  for (const [text, message] of [
    ['', /JSON|Unexpected/],
    ['5', 'The plan must be an object.'],
    ['null', 'The plan must be an object.'],
    ['[]', 'The plan must be an object.'],
    ['{}', 'config must be an object.'],
    ['{"config":null}', 'config must be an object.'],
    ['{"config":{}}', 'rules must be a list.'],
    ['{"config":{"rules":[5]}}', 'Every entry of rules must be an object.'],
    ['{"config":{"rules":[{}]}}', 'tiers must be a list.'],
    [withRule({ name: 5 }), 'The name of a rule must be a text.'],
    [withRule({ tiers: [null] }), 'Every entry of tiers must be an object.'],
    [withRule({ conditions: {} }), 'conditions must be a list.'],
    [withRule({ conditions: [{ field: 'x' }] }), 'A condition needs a field and its fieldType.'],
    [withRule({ conditions: [{ field: 'x', fieldType: 'toString' }] }), 'A condition needs a field and its fieldType.'],
    [
      withRule({ conditions: [{ operator: 'or', rules: [{ field: 5 }] }] }),
      'A condition needs a field and its fieldType.',
    ],
    [withRule({ quotaCredit: 5 }), 'quotaCredit must be a list.'],
    [withRule({ quotaCredit: [{ field: 5 }] }), 'The field of a quota credit must be a text.'],
    [withRule({ measure: 5 }), 'measure must be a text.'],
    [withRule({ baseField: {} }), 'baseField must be a text.'],
    [withRule({ payoutBase: 1 }), 'payoutBase must be a text.'],
    [withRule({ tierBy: [] }), 'tierBy must be a text.'],
    [withRule({ tierValueField: null }), 'tierValueField must be a text.'],
    [withRule({ attainmentPeriod: {} }), 'attainmentPeriod must be a text.'],
    [withRule({ dependsOn: {} }), 'dependsOn must be a text.'],
    [withRule({ quotaGroup: {} }), 'quotaGroup must be a text.'],
    [withRule({ quotaMeasure: 5 }), 'quotaMeasure must be a text.'],
    [withRule({ tiers: [{ name: {} }] }), 'The name of a tier must be a text.'],
    [withRule({ tiers: [{ rate: '8 %' }] }), 'rate must be a number.'],
    [withRule({ tiers: [{ minThreshold: {} }] }), 'minThreshold must be a number.'],
    [withRule({ tiers: [{ min: '0' }] }), 'min must be a number.'],
    [withRule({ tiers: [{ flatAmount: null }] }), 'flatAmount must be a number.'],
    [withRule({ cap: '5' }), 'cap must be a number.'],
    ['{"config":{"rules":[],"clawbacks":{}}}', 'config has no clawbacks.'],
    ['{"config":{"rules":[],"clawback":5}}', 'clawback must be an object.'],
    [
      '{"config":{"rules":[],"effectiveEnd":"2026-06-30"},"effectiveEnd":"2026-12-31"}',
      'config.effectiveEnd is 2026-06-30, but effectiveEnd is 2026-12-31: write one of them.',
    ],
    ['{"config":{"rules":[]},"name":5}', 'name must be a text.'],
    ['{"config":{"rules":[]},"currency":"Euro"}', 'currency must have three letters, such as USD.'],
    ['{"config":{"rules":[]},"currency":5}', 'currency must have three letters, such as USD.'],
    ['{"config":{"rules":[]},"fieldMapping":[]}', 'fieldMapping must be an object.'],
    ['{"config":{"rules":[]},"tests":5}', 'tests must be a list.'],
    ['{"config":{"rules":[]},"tests":[{"name":"A"}]}', 'deals must be a list.'],
    ['{"config":{"rules":[]},"effectiveStart":"soon"}', 'effectiveStart must be a day such as 2026-01-31.'],
    ['{"config":{"rules":[]},"effectiveStart":"2026-02-30"}', 'effectiveStart must be a day such as 2026-01-31.'],
    ['{"config":{"rules":[]},"effectiveEnd":"12026-01-20"}', 'effectiveEnd must be a day such as 2026-01-31.'],
    ['{"config":{"rules":[]},"effectiveEnd":2026}', 'effectiveEnd must be a day such as 2026-01-31.'],
  ] as const)
    it(`is rejected if the builder could not display it: ${text.slice(0, 80)}`, () => {
      expect(() => draftFrom(text, before)).to.throw(Error, message);
    });

  it('has the dates of its config where it has no others', () => {
    const config = { rules: [], effectiveStart: '2026-01-01', effectiveEnd: null };
    const read = draftFrom(JSON.stringify({ config, effectiveStart: null }), before);
    expect([read.effectiveStart, read.effectiveEnd]).to.deep.equal(['2026-01-01', null]);
  });

  it('removes the conversion of the draft where it has none', () => {
    const converted = draft({ fx: { date: 'close_date' } as PlanFx });
    const read = draftFrom(JSON.stringify(toJson(draft())), converted);
    expect({ ...converted, ...read }.fx).to.equal(undefined);
    expect(draftFrom(JSON.stringify(toJson(converted)), draft()).fx).to.deep.equal({ date: 'close_date' });
  });

  it('keeps the name where it has none, and has no dates where it has none', () => {
    const read = draftFrom('{"config":{"rules":[]}}', draft({ name: 'Mine', effectiveStart: '2026-01-01' }));
    expect(read.name).to.equal('Mine');
    expect(read.effectiveStart).to.equal(null);
  });
});
