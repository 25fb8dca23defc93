import { expect } from 'chai';
import { row } from './rows.js';
import { expectError, World, won } from './world.js';

const tier = { tierIndex: 0, minThreshold: 0, rate: 0.1 };
const rule = (more: object = {}) => ({ name: 'R', measure: 'amount', tiers: [tier], ...more });
const plan = (...rules: unknown[]) => ({ name: 'Rejected', config: { rules } });
const condition = (more: object) => plan(rule({ conditions: [more] }));
const without = (given: object, key: string) =>
  Object.fromEntries(Object.entries(given).filter(([one]) => one !== key));

/** The row, the error, the body, and the path at which the response reports it. */
const rejected: readonly (readonly [number, string, object, string])[] = [
  [335, 'no name', { config: { rules: [rule()] } }, 'name'],
  [336, 'no config', { name: 'Rejected' }, 'config'],
  [337, 'no rules', { name: 'Rejected', config: {} }, 'config.rules'],
  [338, 'empty rules', plan(), 'config.rules'],
  [339, 'no tiers', plan(without(rule(), 'tiers')), 'config.rules.0.tiers'],
  [340, 'no measure', plan(without(rule(), 'measure')), 'config.rules.0.measure'],
  [341, 'rate and flatAmount', plan(rule({ tiers: [{ ...tier, flatAmount: 5 }] })), 'config.rules.0.tiers.0'],
  [342, 'duplicate rule names', plan(rule(), rule()), 'config.rules.1.name'],
  [343, 'tierBy value without tierValueField', plan(rule({ tierBy: 'value' })), 'config.rules.0.tierValueField'],
  [
    344,
    'marginal with tierBy value',
    plan(rule({ tierBy: 'value', tierValueField: 'seats', tierMode: 'marginal' })),
    'config.rules.0.tierMode',
  ],
  [
    345,
    'quotaMeasure and quotaCredit',
    plan(rule({ quotaMeasure: 'arr', quotaCredit: [{ field: 'svc' }] })),
    'config.rules.0.quotaCredit',
  ],
  [346, 'a negative floorAttainment', plan(rule({ floorAttainment: -0.1 })), 'config.rules.0.floorAttainment'],
  [347, 'an unknown executionPhase', plan(rule({ executionPhase: 'later' })), 'config.rules.0.executionPhase'],
  [348, 'currency usd', { ...plan(rule()), currency: 'usd' }, 'currency'],
  [349, 'a date that is none', { ...plan(rule()), effectiveStart: '2026-02-30' }, 'effectiveStart'],
  [350, 'a group without rules', condition({ operator: 'and', rules: [] }), 'config.rules.0.conditions.0.rules'],
  [351, 'an unknown operator', condition({ ...won, operator: 'like' }), 'config.rules.0.conditions.0.operator'],
  [352, 'a condition without fieldType', condition(without(won, 'fieldType')), 'config.rules.0.conditions.0.fieldType'],
  [353, 'an unknown fieldType', condition({ ...won, fieldType: 'colour' }), 'config.rules.0.conditions.0.fieldType'],
  [
    354,
    'in without an array',
    condition({ ...won, operator: 'in', value: 'Won' }),
    'config.rules.0.conditions.0.value',
  ],
  [
    355,
    'between without two numbers',
    condition({ field: 'amount', fieldType: 'number', operator: 'between', value: [1] }),
    'config.rules.0.conditions.0.value',
  ],
  [
    356,
    'a tier without tierIndex',
    plan(rule({ tiers: [without(tier, 'tierIndex')] })),
    'config.rules.0.tiers.0.tierIndex',
  ],
  [
    357,
    'a tier without minThreshold',
    plan(rule({ tiers: [without(tier, 'minThreshold')] })),
    'config.rules.0.tiers.0.minThreshold',
  ],
];

/** POST /v1/plans with an invalid config returns 400 with the path and stores no plan. */
export function describeInvalidConfigs(): void {
  describe('POST /v1/plans with an invalid config', () => {
    let world: World;

    before(async () => {
      world = await World.create();
    });

    for (const [number, what, body, path] of rejected)
      row(number, `${what} is 400 and names the place`, async () => {
        const { details } = await expectError('400 VALIDATION_FAILED', world.admin.post('/v1/plans', body));
        const paths = details.issues.map((issue: { path: string }) => issue.path);
        expect(paths).to.include(path);
        expect(await world.get('/v1/plans')).to.deep.equal([]);
      });
  });
}
