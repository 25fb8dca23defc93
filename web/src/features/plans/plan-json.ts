import { isDay } from '../../shared/format/dates.js';
import { type Draft, type PlanFx, type PlanTest, toConfig, toTerms } from './draft.js';
import { operatorsOf } from './fields.js';

type Json = Readonly<Record<string, unknown>>;

/** The plan as a request of the API has it. */
export function toJson({ name, terms, effectiveStart, effectiveEnd, currency, fx, fieldMapping, tests }: Draft): Json {
  const conversion = fx === undefined ? {} : { fx };
  return { name, effectiveStart, effectiveEnd, currency, ...conversion, fieldMapping, config: toConfig(terms), tests };
}

/** The draft that a text describes. Throws if the builder could not display or keep it; the API checks the rest. */
export function draftFrom(text: string, before: Draft): Draft {
  const json = readObject(JSON.parse(text), 'The plan');
  const config = readObject(json['config'], 'config');
  const unknown = Object.keys(config).find((key) => !keysOfConfig.includes(key));
  if (unknown !== undefined) throw new Error(`config has no ${unknown}.`);
  readObject(config['clawback'] ?? {}, 'clawback');
  checkConditions(config['dealConditions'] ?? []);
  readObjects(config['rules'], 'rules').forEach(checkRule);
  const tests = readObjects(json['tests'] ?? [], 'tests');
  for (const { name, deals, quotas = [], expected } of tests) {
    readText(name, 'The name of a test');
    readObjects(deals, 'deals');
    readObjects(quotas, 'quotas');
    readObjects(expected, 'expected');
  }
  return {
    name: readText(json['name'] ?? before.name, 'name'),
    terms: toTerms(config),
    effectiveStart: readDate(json, config, 'effectiveStart'),
    effectiveEnd: readDate(json, config, 'effectiveEnd'),
    currency: json['currency'] == null ? null : readCurrency(json['currency']),
    fx: json['fx'] == null ? undefined : (readObject(json['fx'], 'fx') as unknown as PlanFx),
    fieldMapping: json['fieldMapping'] == null ? null : readObject(json['fieldMapping'], 'fieldMapping'),
    tests: tests as unknown as readonly PlanTest[],
  };
}

const keysOfConfig = [
  ...['name', 'version', 'quotaPeriod', 'effectiveStart', 'effectiveEnd'],
  ...['dealConditions', 'clawback', 'rules'],
];

/** A date of the config counts as one of the plan, as in the API. */
function readDate(json: Json, config: Json, key: 'effectiveStart' | 'effectiveEnd'): string | null {
  const own = readDay(json[key], key);
  const inConfig = readDay(config[key], `config.${key}`);
  if (own !== null && inConfig !== null && own !== inConfig)
    throw new Error(`config.${key} is ${inConfig}, but ${key} is ${own}: write one of them.`);
  return own ?? inConfig;
}

const textsOfRule = [
  ...['measure', 'baseField', 'payoutBase', 'dependsOn', 'tierBy', 'tierValueField'],
  ...['attainmentPeriod', 'calendar', 'quotaProration', 'quotaGroup', 'quotaMeasure'],
];
const numbersOfRule = ['cap', 'floor', 'capMultiplier', 'floorAttainment'];

function checkRule(rule: Json): void {
  const { name = '', conditions = [], lines = {}, tiers, quotaCredit = [] } = rule;
  readText(name, 'The name of a rule');
  checkConditions(conditions);
  checkConditions(readObject(lines, 'lines')['conditions'] ?? []);
  for (const field of textsOfRule) if (field in rule) readText(rule[field], field);
  for (const field of numbersOfRule) if (field in rule) assertNumber(rule[field], field);
  for (const tier of readObjects(tiers, 'tiers')) checkTier(tier);
  for (const { field } of readObjects(quotaCredit, 'quotaCredit')) readText(field, 'The field of a quota credit');
}

function checkTier(tier: Json): void {
  for (const field of ['name', 'table', 'column']) readText(tier[field] ?? '', `The ${field} of a tier`);
  for (const field of ['min', 'minThreshold', 'rate', 'amount', 'flatAmount'])
    if (field in tier) assertNumber(tier[field], field);
}

function checkConditions(conditions: unknown): void {
  for (const { rules, field, fieldType } of readObjects(conditions, 'conditions')) {
    if (rules !== undefined) checkConditions(rules);
    else if (typeof field !== 'string' || !Object.hasOwn(operatorsOf, String(fieldType)))
      throw new Error('A condition needs a field and its fieldType.');
  }
}

function readObject(value: unknown, what: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${what} must be an object.`);
  return value as Json;
}

function readObjects(value: unknown, what: string): readonly Json[] {
  if (!Array.isArray(value)) throw new Error(`${what} must be a list.`);
  return value.map((entry) => readObject(entry, `Every entry of ${what}`));
}

function readText(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new Error(`${what} must be a text.`);
  return value;
}

function assertNumber(value: unknown, what: string): void {
  if (typeof value !== 'number') throw new Error(`${what} must be a number.`);
}

function readDay(value: unknown, what: string): string | null {
  if (value == null) return null;
  if (typeof value !== 'string' || !isDay(value)) throw new Error(`${what} must be a day such as 2026-01-31.`);
  return value;
}

function readCurrency(value: unknown): string {
  if (typeof value !== 'string' || !/^[A-Z]{3}$/i.test(value))
    throw new Error('currency must have three letters, such as USD.');
  return value;
}
