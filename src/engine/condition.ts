import { z } from 'zod';
import { addDays, type Day, isWithin, readDay } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { periodKind, periodRange, previousPeriod, toPeriod } from '../kernel/period.js';
import { civilCalendar, isFiscalPeriod, type PeriodCalendar } from '../kernel/period-calendar.js';
import { unreachable } from '../kernel/unreachable.js';
import { asDay, asNumber, comparable, type FieldValue, isAbsent, operandNumber } from './field-value.js';
import { fieldsIn, formulaProblem, isFormula } from './formula.js';
import { type Deal, type ReadField } from './slug.js';

export const fieldTypes = ['text', 'number', 'currency', 'date', 'select', 'status', 'checkbox', 'timestamp'] as const;
export type FieldType = (typeof fieldTypes)[number];

export const operators = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'in',
  'not_in',
  'gt',
  'gte',
  'lt',
  'lte',
  'between',
  'before',
  'after',
  'in_period',
  'in_last_n_days',
  'is_set',
  'is_not_set',
  'is_true',
  'is_false',
] as const;
export type Operator = (typeof operators)[number];

const relativePeriods = ['this_month', 'last_month', 'this_quarter', 'last_quarter', 'this_year', 'last_year'] as const;
type RelativePeriod = (typeof relativePeriods)[number];

const leafShape = z
  .strictObject({
    field: z.string().min(1).max(500).meta({
      description:
        'stage, amount, closeDate or a slug of list_fields (GET /v1/fields), or a formula such as = amount * discount',
      example: 'stage',
    }),
    fieldType: z
      .enum(fieldTypes)
      .meta({ description: 'Type of the field in list_fields (GET /v1/fields)', example: 'status' }),
    operator: z
      .enum(operators)
      .meta({ description: 'Texts are compared as they look, without regard to case', example: 'equals' }),
    value: z.unknown().optional().meta({
      description:
        'A list for in and not_in, two numbers for between, none for is_set, is_not_set, is_true, is_false; a day for before and after',
      example: 'Closed Won',
    }),
  })
  .describe('One comparison of a field of the deal');

function isNumberType(type: FieldType): boolean {
  return type === 'number' || type === 'currency';
}

/** One comparison. The permitted `value` depends on the operator and is checked here, when a plan is saved. */
export const leafSchema = leafShape.superRefine((leaf, context) => {
  const problem = valueProblem(leaf as Leaf);
  if (problem !== null) context.addIssue({ code: 'custom', path: ['value'], message: problem });
  const wrong = formulaProblem(leaf.field);
  if (wrong !== null) context.addIssue({ code: 'custom', path: ['field'], message: wrong });
  if (isFormula(leaf.field) && !isNumberType(leaf.fieldType))
    context.addIssue({ code: 'custom', path: ['fieldType'], message: 'must be number or currency for a formula' });
});

export const groupSchema = z
  .strictObject({
    operator: z.enum(['and', 'or']).describe('Whether all of the conditions must hold or one of them'),
    rules: z.array(leafSchema).min(1).max(50).describe('The conditions that the group combines'),
  })
  .describe('A group of conditions');

export interface Leaf {
  readonly field: string;
  readonly fieldType: FieldType;
  readonly operator: Operator;
  readonly value?: unknown;
}

export interface Group {
  readonly operator: 'and' | 'or';
  readonly rules: readonly Leaf[];
}

export type Condition = Leaf | Group;

/** A condition as it was evaluated on one deal: the operand, the value seen and whether it passed. */
export interface ConditionTrace {
  readonly field: string;
  readonly operator: Operator;
  readonly value?: unknown;
  readonly seen: FieldValue;
  readonly passed: boolean;
}

/**
 * A long value that was cut, or the index of the same value among those before it, with the result of the comparison,
 * which cannot be computed from a part.
 */
type CutValue = ({ readonly cut: FieldValue } | { readonly as: number }) & { readonly passed: boolean };

export type SeenValue = FieldValue | CutValue;

/**
 * Compiled conditions. `day` is the reference for relative dates: the deal's close date, so that a payout never
 * depends on the day of the run.
 */
export interface ConditionSet {
  passes(deal: Deal, day: Day): boolean;
  /** Whether the conditions would pass if every comparison of the fields did. */
  mayPass(deal: Deal, day: Day, fields: readonly string[]): boolean;
  /** The values of all leaves, in order, as a stored trace contains them. */
  seen(deal: Deal, day: Day): SeenValue[];
  explain(deal: Deal, day: Day): ConditionTrace[];
}

type Test = (value: FieldValue | undefined, day: Day) => boolean;

interface CompiledLeaf {
  readonly leaf: Leaf;
  readonly read: ReadField;
  readonly test: Test;
  /** The field, or those of the formula. */
  readonly fields: readonly string[];
}

export function compileConditions(
  conditions: readonly Condition[],
  readerOf: (slug: string) => ReadField,
  timeZone: string,
  calendar: PeriodCalendar = civilCalendar,
): ConditionSet {
  const compile = (leaf: Leaf): CompiledLeaf => ({
    leaf,
    read: readerOf(leaf.field),
    fields: fieldsIn(leaf.field),
    test: isOfFiscalPeriod(leaf) ? fiscalPeriodTest(leaf, timeZone, calendar) : getCompiledTest(leaf, timeZone),
  });
  const groups = conditions.map((condition) => ({
    any: 'rules' in condition && condition.operator === 'or',
    leaves: 'rules' in condition ? condition.rules.map(compile) : [compile(condition)],
  }));
  const leaves = groups.flatMap((group) => group.leaves);
  const holds = ({ test, read }: CompiledLeaf, deal: Deal, day: Day) => test(read(deal), day);
  const required = groups.filter((group) => !group.any).flatMap((group) => group.leaves);
  const alternatives = groups.filter((group) => group.any);
  const passes: ConditionSet['passes'] = (deal, day) => {
    for (const leaf of required) if (!holds(leaf, deal, day)) return false;
    return alternatives.every((group) => group.leaves.some((leaf) => holds(leaf, deal, day)));
  };
  return {
    passes,
    mayPass: (deal, day, fields) => {
      if (fields.length === 0) return passes(deal, day);
      const mayHold = (leaf: CompiledLeaf) =>
        leaf.fields.some((field) => fields.includes(field)) || holds(leaf, deal, day);
      return required.every(mayHold) && alternatives.every((group) => group.leaves.some(mayHold));
    },
    seen: (deal, day) => leaves.map(({ leaf, read, test }) => storedValue(leaf, read(deal) ?? null, test, day)),
    explain: (deal, day) => leaves.map(({ leaf, read, test }) => traced(leaf, read(deal) ?? null, test, day)),
  };
}

/** The comparisons of the conditions and of their groups, in their order. */
export function leavesOf(conditions: readonly Condition[]): Leaf[] {
  return conditions.flatMap((condition) => ('rules' in condition ? condition.rules : [condition]));
}

/** Rebuilds the traces of stored conditions from the values that were seen. */
export function explainSeen(
  conditions: readonly Condition[],
  seen: readonly SeenValue[],
  day: Day,
  timeZone: string,
): ConditionTrace[] {
  return leavesOf(conditions).map((leaf, index) => {
    const value = seen[index] ?? null;
    if (!isCut(value)) return traced(leaf, value, getCompiledTest(leaf, timeZone), day);
    const source = 'as' in value ? (seen[value.as] as { readonly cut: FieldValue }) : value;
    return traced(leaf, source.cut, () => value.passed, day);
  });
}

function isCut(value: SeenValue): value is CutValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Replaces every long value that an earlier condition saw too by its index. */
export function withoutRepetitions(seen: readonly SeenValue[]): readonly SeenValue[] {
  if (!seen.some(isCut)) return seen;
  const firstIndexes = new Map<FieldValue | undefined, number>();
  return seen.map((value, index) => {
    if (!isCut(value) || 'as' in value) return value;
    const key = Array.isArray(value.cut) ? JSON.stringify(value.cut) : value.cut;
    const firstIndex = firstIndexes.get(key);
    if (firstIndex === undefined) firstIndexes.set(key, index);
    return firstIndex === undefined ? value : { as: firstIndex, passed: value.passed };
  });
}

/**
 * Every event stores the values that its conditions saw, so long values are stored in part. A comparison with a fiscal
 * period is stored with its result, which depends on the fiscal years of that time.
 */
function storedValue(leaf: Leaf, value: FieldValue, test: Test, day: Day): SeenValue {
  const cut = shortened(value);
  return cut === value && !isOfFiscalPeriod(leaf) ? value : { cut, passed: test(value, day) };
}

function traced(leaf: Leaf, seen: FieldValue, test: Test, day: Day): ConditionTrace {
  return {
    field: leaf.field,
    operator: leaf.operator,
    ...(leaf.value === undefined || isLong(leaf.value) ? {} : { value: leaf.value }),
    seen: shortened(seen),
    passed: test(seen, day),
  };
}

const maxShownText = 100;
const maxShownValues = 50;

/** A long operand is left out of an explanation, which would otherwise repeat it for each deal. */
function isLong(value: unknown): boolean {
  return Array.isArray(value) && value.length > maxShownValues;
}

/** The value that was seen, for people: long texts are cut, and of a list the first values that fit are shown. */
function shortened(value: FieldValue): FieldValue {
  if (typeof value === 'string') return value.length > maxShownText ? `${value.slice(0, maxShownText)}…` : value;
  if (!Array.isArray(value)) return value;
  let length = 0;
  const fits = (value as readonly string[]).findIndex((text) => {
    length += text.length + 1;
    return length > maxShownText;
  });
  if (fits < 0) return value;
  return value.slice(0, Math.max(fits, 1)).map((text) => shortened(text) as string);
}

const compiledTests = new WeakMap<Leaf, { readonly timeZone: string; readonly test: Test }>();

/** The test of a leaf, compiled once: a condition is evaluated and explained for many deals and reps. */
function getCompiledTest(leaf: Leaf, timeZone: string): Test {
  const known = compiledTests.get(leaf);
  if (known?.timeZone === timeZone) return known.test;
  const test = compileTest(leaf, timeZone);
  compiledTests.set(leaf, { timeZone, test });
  return test;
}

/** The test of one leaf. A value of the wrong type fails the positive operators and passes the `not_` ones. */
function compileTest(leaf: Leaf, timeZone: string): Test {
  switch (leaf.operator) {
    case 'equals':
      return equality(leaf.value, leaf.fieldType, timeZone);
    case 'not_equals':
      return not(equality(leaf.value, leaf.fieldType, timeZone));
    case 'in':
      return membership(leaf, timeZone);
    case 'not_in':
      return not(membership(leaf, timeZone));
    case 'contains':
      return containment(leaf.value);
    case 'not_contains':
      return not(containment(leaf.value));
    case 'gt':
      return ordering(leaf, timeZone, (order) => order > 0);
    case 'gte':
      return ordering(leaf, timeZone, (order) => order >= 0);
    case 'lt':
      return ordering(leaf, timeZone, (order) => order < 0);
    case 'lte':
      return ordering(leaf, timeZone, (order) => order <= 0);
    case 'between':
      return between(leaf, timeZone);
    case 'before':
      return ordering({ ...leaf, fieldType: 'date' }, timeZone, (order) => order < 0);
    case 'after':
      return ordering({ ...leaf, fieldType: 'date' }, timeZone, (order) => order > 0);
    case 'in_period':
      return periodTest(String(leaf.value), timeZone);
    case 'in_last_n_days':
      return dayTest(timeZone, (day, reference) => day <= reference && day > addDays(reference, -Number(leaf.value)));
    case 'is_set':
      return (value) => !isAbsent(value);
    case 'is_not_set':
      return isAbsent;
    case 'is_true':
      return (value) => asBoolean(value) === true;
    case 'is_false':
      return (value) => isAbsent(value) || asBoolean(value) === false;
    default:
      return unreachable(leaf.operator);
  }
}

/** Passes if the value passes; for several values, if any of them passes. */
function ofAny(passes: (value: FieldValue) => boolean): Test {
  return (value) => (Array.isArray(value) ? value.some(passes) : !isAbsent(value) && passes(value as FieldValue));
}

function equality(expected: unknown, fieldType: FieldType, timeZone: string): Test {
  return ofAny(compileEquality(expected, fieldType, timeZone));
}

function compileEquality(expected: unknown, fieldType: FieldType, timeZone: string): (value: FieldValue) => boolean {
  switch (fieldType) {
    case 'number':
    case 'currency': {
      const number = operandNumber(expected);
      return (value) => number !== null && (asNumber(value)?.equals(number) ?? false);
    }
    case 'date':
    case 'timestamp': {
      const day = dayOperand(expected, timeZone);
      return (value) => asDay(value, timeZone) === day;
    }
    case 'checkbox': {
      const truth = asBoolean(expected as FieldValue);
      return (value) => asBoolean(value) === truth;
    }
    case 'text':
    case 'select':
    case 'status': {
      const text = comparable(expected as string);
      return (value) => value === expected || comparable(value as string) === text;
    }
    default:
      return unreachable(fieldType);
  }
}

/** Every operand is read once, into a set: a list of a thousand values costs one lookup for each deal. */
function membership({ value: operands, fieldType }: Leaf, timeZone: string): Test {
  const values = operands as FieldValue[];
  switch (fieldType) {
    case 'number':
    case 'currency': {
      const numbers = new Set(values.map((value) => operandNumber(value)?.toString()));
      return ofAny((value) => {
        const number = asNumber(value);
        return number !== null && numbers.has(number.toString());
      });
    }
    case 'date':
    case 'timestamp': {
      const days = new Set(values.map((value) => dayOperand(value, timeZone)));
      return ofAny((value) => days.has(asDay(value, timeZone) ?? noDay));
    }
    case 'checkbox': {
      const truths = new Set(values.map(asBoolean));
      return ofAny((value) => truths.has(asBoolean(value)));
    }
    case 'text':
    case 'select':
    case 'status': {
      const expected = new Set(values);
      const texts = new Set((values as string[]).map(comparable));
      return ofAny((value) => expected.has(value) || texts.has(comparable(value as string)));
    }
    default:
      return unreachable(fieldType);
  }
}

function containment(expected: unknown): Test {
  const text = comparable(expected as string);
  return ofAny((value) => comparable(value as string).includes(text));
}

function ordering(leaf: Leaf, timeZone: string, accept: (order: number) => boolean): Test {
  if (isDateType(leaf.fieldType)) {
    const limit = dayOperand(leaf.value, timeZone);
    return dayTest(timeZone, (day) => accept(day < limit ? -1 : day > limit ? 1 : 0));
  }
  const limit = operandNumber(leaf.value) ?? Decimal.zero;
  return (value) => {
    const number = asNumber(value);
    return number !== null && accept(number.compare(limit));
  };
}

function between(leaf: Leaf, timeZone: string): Test {
  const [low, high] = leaf.value as [FieldValue, FieldValue];
  const atLeast = ordering({ ...leaf, value: low }, timeZone, (order) => order >= 0);
  const atMost = ordering({ ...leaf, value: high }, timeZone, (order) => order <= 0);
  return (value, day) => atLeast(value, day) && atMost(value, day);
}

function dayTest(timeZone: string, accept: (day: Day, reference: Day) => boolean): Test {
  return (value, reference) => {
    const day = asDay(value, timeZone);
    return day !== null && accept(day, reference);
  };
}

function not(test: Test): Test {
  return (value, day) => !test(value, day);
}

function asBoolean(value: FieldValue | undefined): boolean | null {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text = comparable(value);
  if (text === 'true' || text === '1' || text === 'yes') return true;
  return text === 'false' || text === '0' || text === 'no' ? false : null;
}

function periodTest(name: string, timeZone: string): Test {
  if (isRelative(name))
    return dayTest(timeZone, (day, reference) => isWithin(day, periodRange(relativePeriod(name, reference))));
  const range = periodRange(name);
  return dayTest(timeZone, (day) => isWithin(day, range));
}

function isOfFiscalPeriod({ operator, value }: Leaf): boolean {
  return operator === 'in_period' && isFiscalPeriod(String(value));
}

function fiscalPeriodTest({ value }: Leaf, timeZone: string, calendar: PeriodCalendar): Test {
  const range = calendar.findRange(String(value));
  return dayTest(timeZone, (day) => range !== null && isWithin(day, range));
}

function relativePeriod(name: RelativePeriod, reference: Day): string {
  const kind = name.endsWith('month') ? 'monthly' : name.endsWith('quarter') ? 'quarterly' : 'annual';
  const current = toPeriod(reference, kind);
  return name.startsWith('this') ? current : previousPeriod(current);
}

function isRelative(name: string): name is RelativePeriod {
  return (relativePeriods as readonly string[]).includes(name);
}

function isDateType(fieldType: FieldType): boolean {
  return fieldType === 'date' || fieldType === 'timestamp';
}

/** The text equals no operand. */
const noDay = 'no day';

function dayOperand(value: unknown, timeZone: string): Day {
  return (typeof value === 'string' ? readDay(value.trim(), timeZone) : null) ?? '';
}

/** Why the value does not fit the operator and field type; null when it does. */
function valueProblem({ operator, fieldType, value }: Leaf): string | null {
  switch (operator) {
    case 'is_set':
    case 'is_not_set':
    case 'is_true':
    case 'is_false':
      return value === undefined || value === null ? null : `${operator} takes no value`;
    case 'in':
    case 'not_in':
      return listProblem(operator, value, fieldType);
    case 'between':
      return betweenProblem(value, fieldType);
    case 'contains':
    case 'not_contains':
      return isText(value) ? null : `${operator} takes a text`;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return orderedProblem(value, fieldType);
    case 'before':
    case 'after':
      return isDayText(value) ? null : `${operator} takes a date, YYYY-MM-DD`;
    case 'in_period':
      return isPeriodName(value) ? null : `in_period takes a period such as 2026-Q1, or ${relativePeriods.join(', ')}`;
    case 'in_last_n_days':
      return daysProblem(value);
    case 'equals':
    case 'not_equals':
      return operandProblem(value, fieldType);
  }
}

function listProblem(operator: Operator, value: unknown, fieldType: FieldType): string | null {
  if (!Array.isArray(value) || value.length === 0) return `${operator} takes an array of at least one value`;
  if (value.length > 1000) return `${operator} takes at most 1,000 values`;
  return value.map((item) => operandProblem(item, fieldType)).find((problem) => problem !== null) ?? null;
}

function daysProblem(value: unknown): string | null {
  const isValid = Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 3660;
  return isValid ? null : 'in_last_n_days takes a whole number of days from 1 to 3660';
}

function operandProblem(value: unknown, fieldType: FieldType): string | null {
  if (fieldType === 'number' || fieldType === 'currency') return isNumeric(value) ? null : 'must be a number';
  if (isDateType(fieldType)) return isDayText(value) ? null : 'must be a date, YYYY-MM-DD';
  if (fieldType === 'checkbox') return asBoolean(value as FieldValue) === null ? 'must be true or false' : null;
  return isText(value) || typeof value === 'boolean' ? null : 'must be a text, a number or a boolean';
}

function orderedProblem(value: unknown, fieldType: FieldType): string | null {
  if (isDateType(fieldType)) return isDayText(value) ? null : 'must be a date, YYYY-MM-DD';
  return isNumeric(value) ? null : 'must be a number';
}

function betweenProblem(value: unknown, fieldType: FieldType): string | null {
  const kind = isDateType(fieldType) ? 'dates' : 'numbers';
  if (!Array.isArray(value) || value.length !== 2) return `between takes two ${kind}`;
  const problem = orderedProblem(value[0], fieldType) ?? orderedProblem(value[1], fieldType);
  if (problem !== null) return `between takes two ${kind}`;
  const reversed = isDateType(fieldType)
    ? String(value[0]) > String(value[1])
    : (operandNumber(value[1]) as Decimal).isLessThan(operandNumber(value[0]) as Decimal);
  return reversed ? 'between takes the lower end first' : null;
}

function isNumeric(value: unknown): value is string | number {
  return operandNumber(value) !== null;
}

function isText(value: unknown): boolean {
  return (typeof value === 'string' && value.length <= 500) || (typeof value === 'number' && Number.isFinite(value));
}

function isDayText(value: unknown): boolean {
  return typeof value === 'string' && readDay(value.trim(), 'UTC') !== null;
}

function isPeriodName(value: unknown): boolean {
  return typeof value === 'string' && (isRelative(value) || periodKind(value) !== null || isFiscalPeriod(value));
}
