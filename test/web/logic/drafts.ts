import fc from 'fast-check';
import {
  type Condition,
  type Draft,
  type PlanFx,
  type PlanTest,
  type Rule,
  type Tier,
} from '#web/features/plans/draft.js';
import { rule } from './samples.js';

export function draft(change: Partial<Draft> = {}): Draft {
  return {
    name: 'AE plan',
    terms: { dealConditions: [], rules: [rule()] },
    effectiveStart: null,
    effectiveEnd: null,
    currency: null,
    fieldMapping: null,
    tests: [],
    ...change,
  };
}

/** A draft with one rule. */
export function draftWith(change: Partial<Rule>): Draft {
  return draft({ terms: { dealConditions: [], rules: [rule(change)] } });
}

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const slug = fc.constantFrom('amount', 'arr', 'margin');
const ratio = fc.integer({ min: 0, max: 20_000 }).map((units) => units / 10_000);
const money = fc.integer({ min: 0, max: 1e9 }).map((cents) => cents / 100);

const condition = fc.constantFrom<Condition>(
  { field: 'stage', fieldType: 'status', operator: 'contains', value: 'won' },
  { field: 'amount', fieldType: 'currency', operator: 'gte', value: 1000 },
  { field: 'region', fieldType: 'text', operator: 'in', value: ['EMEA', 'APAC'] },
  { field: 'partner', fieldType: 'text', operator: 'is_set' },
  {
    operator: 'or',
    rules: [
      { field: 'region', fieldType: 'text', operator: 'equals', value: 'EMEA' },
      { field: 'amount', fieldType: 'number', operator: 'between', value: [1, 2] },
    ],
  },
);
const conditions = fc.uniqueArray(condition, { maxLength: 3, selector: (one) => JSON.stringify(one) });

const tiers: fc.Arbitrary<readonly Tier[]> = fc
  .tuple(
    fc.uniqueArray(ratio, { minLength: 1, maxLength: 4 }),
    fc.array(
      fc.oneof(
        ratio.map((rate) => ({ rate })),
        money.map((flatAmount) => ({ flatAmount })),
      ),
      { minLength: 4, maxLength: 4 },
    ),
    fc.array(optional(fc.constantFrom('Base', 'Quota')), { minLength: 4, maxLength: 4 }),
  )
  .map(([thresholds, pay, names]) =>
    [...thresholds]
      .sort((a, b) => a - b)
      .map((minThreshold, tierIndex) => ({
        tierIndex,
        minThreshold,
        ...pay[tierIndex],
        ...(names[tierIndex] === undefined ? {} : { name: names[tierIndex] }),
      })),
  );

const ruleTerms = fc.record({
  measure: slug,
  executionPhase: fc.constantFrom('per_deal', 'cascade', 'periodic'),
  attainmentPeriod: fc.constantFrom('monthly', 'quarterly', 'semi_annual', 'annual'),
  tierBy: fc.constantFrom('attainment', 'value', 'rank'),
  tierMode: fc.constantFrom('full_rate', 'marginal', 'retroactive'),
  payoutMode: fc.constantFrom('rate', 'flat_per_event', 'flat_per_tier', 'stepped_bonus'),
  tierValueField: optional(slug),
  payoutBase: optional(fc.constantFrom('arr', 'variable_target', '1')),
  dependsOn: optional(fc.constantFrom('_total', 'Other')),
  cap: optional(money),
  floor: optional(money),
  capMultiplier: optional(ratio),
  floorAttainment: optional(ratio),
  quotaGroup: optional(fc.constantFrom('Bookings')),
  quotaMeasure: optional(slug),
  quotaCredit: optional(
    fc.constantFrom([
      { field: 'amount', weight: 1 },
      { field: 'arr', weight: 2 },
    ]),
  ),
  conditions,
  tiers,
});

const withoutUndefined = <Value extends object>(value: Value): Value =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Value;

const rules: fc.Arbitrary<readonly Rule[]> = fc
  .array(ruleTerms, { minLength: 1, maxLength: 3 })
  .map((terms) => terms.map((one, index) => withoutUndefined({ name: `Rule ${index + 1}`, ...one }) as Rule));

const tests: fc.Arbitrary<readonly PlanTest[]> = fc
  .subarray(['Worked example', 'Refund'])
  .map((names) =>
    names.map((name) => ({ name, deals: [{ dealId: 'D1', amount: 5 }], expected: [{ dealId: 'D1', amount: 1 }] })),
  );

/** Any draft that the builder may display. */
export const drafts: fc.Arbitrary<Draft> = fc.record({
  name: fc.constantFrom('AE plan', 'SDR plan'),
  terms: fc.record({ dealConditions: conditions, rules }),
  effectiveStart: fc.option(fc.constantFrom('2026-01-01', '2026-07-01')),
  effectiveEnd: fc.option(fc.constantFrom('2026-12-31')),
  currency: fc.option(fc.constantFrom('EUR', 'JPY')),
  fx: optional(fc.constant({ date: 'close_date' } as PlanFx)),
  fieldMapping: fc.option(fc.constant({ amount: 'acv' })),
  tests,
});
