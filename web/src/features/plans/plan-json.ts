import { isDay } from '../../shared/format/dates.js';
import { configOf, type Draft, type PlanTest, termsOf } from './draft.js';
import { operatorsOf } from './fields.js';

type Json = Readonly<Record<string, unknown>>;

/** The plan as a request of the API has it. */
export function jsonOf({ name, terms, effectiveStart, effectiveEnd, currency, fieldMapping, tests }: Draft): Json {
  return { name, effectiveStart, effectiveEnd, currency, fieldMapping, config: configOf(terms), tests };
}

/** The draft that a text describes. Throws if the builder could not display it; the API checks the rest. */
export function draftFrom(text: string, before: Draft): Draft {
  const json = objectOf(JSON.parse(text), 'The plan');
  const config = objectOf(json['config'], 'config');
  checkConditions(config['dealConditions'] ?? []);
  objectsOf(config['rules'], 'rules').forEach(checkRule);
  const tests = objectsOf(json['tests'] ?? [], 'tests');
  for (const { name, deals, quotas = [], expected } of tests) {
    textOf(name, 'The name of a test');
    objectsOf(deals, 'deals');
    objectsOf(quotas, 'quotas');
    objectsOf(expected, 'expected');
  }
  return {
    name: textOf(json['name'] ?? before.name, 'name'),
    terms: termsOf(config),
    effectiveStart: dayOf(json['effectiveStart'], 'effectiveStart'),
    effectiveEnd: dayOf(json['effectiveEnd'], 'effectiveEnd'),
    currency: json['currency'] == null ? null : currencyOf(json['currency']),
    fieldMapping: json['fieldMapping'] == null ? null : objectOf(json['fieldMapping'], 'fieldMapping'),
    tests: tests as unknown as readonly PlanTest[],
  };
}

const textsOfRule = [
  ...['measure', 'baseField', 'payoutBase', 'dependsOn', 'tierBy', 'tierValueField'],
  ...['attainmentPeriod', 'quotaGroup', 'quotaMeasure'],
];
const numbersOfRule = ['cap', 'floor', 'capMultiplier', 'floorAttainment'];

function checkRule(rule: Json): void {
  const { name = '', conditions = [], tiers, quotaCredit = [] } = rule;
  textOf(name, 'The name of a rule');
  checkConditions(conditions);
  for (const field of textsOfRule) if (field in rule) textOf(rule[field], field);
  for (const field of numbersOfRule) if (field in rule) numberOf(rule[field], field);
  for (const tier of objectsOf(tiers, 'tiers')) {
    textOf(tier['name'] ?? '', 'The name of a tier');
    for (const field of ['min', 'minThreshold', 'rate', 'amount', 'flatAmount'])
      if (field in tier) numberOf(tier[field], field);
  }
  for (const { field } of objectsOf(quotaCredit, 'quotaCredit')) textOf(field, 'The field of a quota credit');
}

function checkConditions(conditions: unknown): void {
  for (const { rules, field, fieldType } of objectsOf(conditions, 'conditions')) {
    if (rules !== undefined) checkConditions(rules);
    else if (typeof field !== 'string' || !Object.hasOwn(operatorsOf, String(fieldType)))
      throw new Error('A condition needs a field and its fieldType.');
  }
}

function objectOf(value: unknown, what: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${what} must be an object.`);
  return value as Json;
}

function objectsOf(value: unknown, what: string): readonly Json[] {
  if (!Array.isArray(value)) throw new Error(`${what} must be a list.`);
  return value.map((one) => objectOf(one, `Every entry of ${what}`));
}

function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new Error(`${what} must be a text.`);
  return value;
}

function numberOf(value: unknown, what: string): void {
  if (typeof value !== 'number') throw new Error(`${what} must be a number.`);
}

function dayOf(value: unknown, what: string): string | null {
  if (value == null) return null;
  if (typeof value !== 'string' || !isDay(value)) throw new Error(`${what} must be a day such as 2026-01-31.`);
  return value;
}

function currencyOf(value: unknown): string {
  if (typeof value !== 'string' || !/^[A-Z]{3}$/i.test(value))
    throw new Error('currency must have three letters, such as USD.');
  return value;
}
