import { expect } from 'chai';
import { duringSuite } from '#test/support/during-suite.js';
import { bodies, invalid, manyRules, RejectionWorld, rejects, rule, tier } from '#test/support/rejections.js';

const withRule = (change: object, more: object = {}) => ({
  name: 'Rejected',
  config: { rules: [{ ...rule, ...change }] },
  ...more,
});
const withTiers = (...tiers: object[]) => withRule({ tiers });
const ranked = (...places: number[]) =>
  withRule({
    tierBy: 'rank',
    tiers: places.map((minThreshold, tierIndex) => ({ tierIndex, minThreshold, flatAmount: 100 })),
  });
const withCondition = (condition: object) =>
  withRule({ conditions: [{ field: 'stage', fieldType: 'text', operator: 'equals', value: 'x', ...condition }] });
const between = (value: unknown) => withCondition({ field: 'amount', fieldType: 'number', operator: 'between', value });
const override = (...tiers: object[]) => ({ rules: [{ ruleId: '<aeRule>', tiers }] });
const each = <T>(values: readonly T[], title: (shown: string) => string, body: (value: T) => object) =>
  Object.fromEntries(values.map((value) => [title(JSON.stringify(value)), body(value)]));
const isSet = { field: 'a', fieldType: 'text', operator: 'is_set' };

describe('rejected plans', () => {
  const world = duringSuite(() => RejectionWorld.create());

  rejects(() => world, '400 plan_too_complex', {
    ...bodies('POST /v1/plans', {
      '102 conditions for each of 50 rules': {
        name: 'Rejected',
        config: { dealConditions: Array(50).fill({ operator: 'or', rules: [isSet, isSet] }), rules: manyRules(50) },
      },
      'more rules than the limit of the cost': { name: 'Rejected', config: { rules: Array(5001).fill({}) } },
    }),
    ...bodies('PATCH /v1/plans/<ae>', {
      '101 conditions for each of 50 rules': {
        config: {
          dealConditions: [...Array(49).fill(isSet), { operator: 'or', rules: Array(50).fill(isSet) }],
          rules: manyRules(50).map((one) => ({ ...one, conditions: [isSet, isSet] })),
        },
      },
    }),
  });

  rejects(
    () => world,
    invalid,
    bodies('POST /v1/plans', {
      'a name of 201 characters': withRule({}, { name: 'x'.repeat(201) }),
      'a blank name': withRule({}, { name: ' ' }),
      'a control character in the name': withRule({}, { name: 'a\u001fb' }),
      'an unknown status': withRule({}, { status: 'paused' }),
      'a tierIndex of 1.5': withTiers({ ...tier, tierIndex: 1.5 }),
      'a tier of a rep id that is not a UUID': withTiers(tier, { ...tier, tierIndex: 1, repId: 'me' }),
      'a tier before the first place': ranked(0, 1),
      'a tier that ends before the next place': ranked(1, 2.2, 2.8),
      'two tiers of one place': ranked(1, 3, 3),
      'a flatAmount below 0': withTiers({ tierIndex: 0, minThreshold: 0, flatAmount: -1 }),
      'a flatAmount beyond 1e12': withTiers({ tierIndex: 0, minThreshold: 0, flatAmount: 1.1e12 }),
      'a dependsOn in a per_deal rule': withRule({ dependsOn: 'New business' }),
      'a fiscal calendar without fiscal years': withRule({ calendar: 'fiscal' }),
      'a dependsOn of an unknown rule': withRule({ executionPhase: 'cascade', dependsOn: 'Unknown' }),
      'an end before the start': withRule({}, { effectiveStart: '2026-02-01', effectiveEnd: '2026-01-31' }),
      'a field mapping of closeDate': withRule({}, { fieldMapping: { closeDate: 'x' } }),
      'a day in words': withRule({}, { effectiveEnd: 'tomorrow' }),
      'an instant instead of a day': withRule({}, { effectiveEnd: '2026-02-01T00:00:00Z' }),
      'an inherited name as the operator': withCondition({ operator: 'constructor' }),
      '1,001 values in an array': withCondition({ operator: 'in', value: Array.from({ length: 1001 }, String) }),
      'an object as the value of equals': withCondition({ value: { a: 1 } }),
      'a number compared with text': withCondition({ fieldType: 'number', operator: 'gt', value: 'many' }),
      '51 conditions': withRule({ conditions: Array.from({ length: 51 }, () => isSet) }),
      'a field of 501 characters': withCondition({ field: 'x'.repeat(501) }),
      'a measure of 501 characters': withRule({ measure: 'x'.repeat(501) }),
      '51 rules': { name: 'Rejected', config: { rules: manyRules(51) } },
      ...each(
        ['NaN', null],
        (shown) => `the threshold ${shown}`,
        (minThreshold) => withTiers({ ...tier, minThreshold }),
      ),
      ...each(
        [1e308, null],
        (shown) => `the rate ${shown}`,
        (rate) => withTiers({ ...tier, rate }),
      ),
      ...each(
        ['US', 'XXXX', 'ZZZ', 'XXX', '', 5],
        (shown) => `the currency ${shown}`,
        (currency) => withRule({}, { currency }),
      ),
      ...each([[1, 2, 3], 5, ['a', 'b'], [null, 1]], (shown) => `between ${shown}`, between),
    }),
  );

  rejects(() => world, invalid, {
    'PATCH without a body': ['PATCH /v1/plans/<ae>'],
    ...bodies('PATCH /v1/plans/<ae>', {
      'no field': {},
      'the status null': { status: null },
      'the currency euro': { currency: 'euro' },
      'no rules': { config: { rules: [] } },
      'the config null': { config: null },
      'a day that does not exist': { effectiveStart: '2026-13-01' },
      'an empty name': { name: '' },
    }),
    'another field beside the status': ['PATCH /v1/plans/<ae>/status', { status: 'draft', currency: 'EUR' }],
    'an invalid value of versions': ['GET /v1/plans?versions=1'],
    ...bodies('PUT /v1/plans/<aeVersion>/overrides/<ada>', {
      'no tier': override(),
      'a tier without an amount': override({ tierIndex: 0 }),
      'a rate and a flat amount': override({ tierIndex: 0, rate: 0.1, flatAmount: 5 }),
      'a rate below 0': override({ tierIndex: 0, rate: -0.1 }),
      'a threshold': override({ tierIndex: 0, rate: 0.1, minThreshold: 3 }),
    }),
    'an override of one tier twice': [
      'PUT /v1/plans/<aeVersion>/overrides/<ada>',
      override({ tierIndex: 0, rate: 0.1 }, { tierIndex: 0, rate: 0.2 }),
    ],
    'an override of one rule twice': [
      'PUT /v1/plans/<aeVersion>/overrides/<ada>',
      { rules: [0.1, 0.2].map((rate) => ({ ruleId: '<aeRule>', tiers: [{ tierIndex: 0, rate }] })) },
    ],
  });

  const unknownTiers = [tier, { ...tier, repId: '<unknown>' }];
  rejects(() => world, '404 rep_not_found', {
    'a tier of an unknown rep': ['POST /v1/plans', withTiers(...unknownTiers)],
    'a new version with such a tier': [
      'PATCH /v1/plans/<ae>',
      { config: { rules: [{ ...rule, tiers: unknownTiers }] } },
    ],
  });

  rejects(() => world, '404 plan_not_found', {
    'PATCH of a removed plan': ['PATCH /v1/plans/<gone>', { status: 'draft' }],
    'PATCH of an unknown plan with a valid config': ['PATCH /v1/plans/<unknown>', { config: { rules: [rule] } }],
  });

  rejects(() => world, '409 plan_has_assignments', {
    'DELETE by a version of an assigned plan': ['DELETE /v1/plans/<aeVersion>'],
  });

  it('reads a field as a plain slug, also if it has the name of an inherited property', async () => {
    for (const field of ['a.b.__proto__', '__proto__', 'constructor', 'toString', "a'b", '$.x']) {
      const config = { rules: [{ ...rule, conditions: [{ ...isSet, field }] }] };
      const body = { config, period: '2026-03', repId: '<ada>' };
      const answer = await world.send('POST /v1/commissions/simulate', body);
      expect([answer.status, answer.body.total], field).to.deep.equal([200, 0]);
    }
  });

  it('two concurrent changes create two versions', async () => {
    const { version } = (await world.send('GET /v1/plans/<spare>')).body;
    const answers = await Promise.all(
      ['2026-01-01', '2026-01-02'].map((effectiveStart) => world.send('PATCH /v1/plans/<spare>', { effectiveStart })),
    );
    expect(answers.map((answer) => answer.status)).to.deep.equal([200, 200]);
    expect(answers.map((answer) => answer.body.version).sort()).to.deep.equal([version + 1, version + 2]);
  });

  it('ids are accepted in upper case', async () => {
    const upper = (name: string) => (world.ids.get(name) as string).toUpperCase();
    const path = `/v1/plans/${upper('aeVersion')}/overrides/${upper('ada')}`;
    const body = { rules: [{ ruleId: upper('aeRule'), tiers: [{ tierIndex: 0, rate: 0.09 }] }] };
    expect((await world.send(`PUT ${path}`, body)).status).to.equal(200);
    expect((await world.send(`DELETE ${path}`)).status).to.equal(200);
    for (const read of ['/v1/reps/', '/v1/commissions?repId='])
      expect((await world.send(`GET ${read}${upper('ada')}`)).status, read).to.equal(200);
  });
});
