import { dayIn, isIn, periodOf, plusDays, previousPeriod } from './calendar.js';
import type { Condition, Leaf } from './config.js';
import { type Mapped, numberFrom, type Present, readField } from './fields.js';
import { periodDays } from './fiscal.js';
import type { World, WorldDeal } from './world.js';

interface Sight {
  world: World;
  version: Mapped;
  deal: WorldDeal;
  /** The deal's close date; for a periodic rule the period's last day. */
  seenFrom: string;
  /** The value of a money field in the currency of the plan, in a plan that converts. */
  converted?: ((slug: string) => Present | undefined) | undefined;
  /** Reads fields of a line and of its deal. */
  read?: (slug: string) => Present | null;
}

export function leavesIn(conditions: Condition[]): Leaf[] {
  return conditions.flatMap((condition) => ('rules' in condition ? condition.rules : [condition]));
}

/** Section 5: top-level items are AND-ed, a group is `and` or `or` of leaves. */
export function allPass(conditions: Condition[], sight: Sight): boolean {
  return conditions.every((condition) => {
    if (!('rules' in condition)) return leafPasses(condition, sight);
    return condition.operator === 'or'
      ? condition.rules.some((leaf) => leafPasses(leaf, sight))
      : condition.rules.every((leaf) => leafPasses(leaf, sight));
  });
}

const PASSED_BY_ABSENT = ['is_not_set', 'not_equals', 'not_in', 'not_contains', 'is_false'];

function leafPasses(leaf: Leaf, sight: Sight): boolean {
  const { world, version, deal, converted, read } = sight;
  const value = read?.(leaf.field) ?? converted?.(leaf.field) ?? readField(world, version, deal, leaf.field);
  if (value === null) return PASSED_BY_ABSENT.includes(leaf.operator);
  switch (leaf.operator) {
    case 'is_set':
      return true;
    case 'is_not_set':
      return false;
    case 'is_true':
      return booleanFrom(value) === true;
    case 'is_false':
      return booleanFrom(value) === false;
    case 'equals':
      return equals(leaf, value, leaf.value, sight);
    case 'not_equals':
      return !equals(leaf, value, leaf.value, sight);
    case 'in':
      return isOneOf(leaf, value, sight);
    case 'not_in':
      return !isOneOf(leaf, value, sight);
    case 'contains':
      return contains(leaf, value);
    case 'not_contains':
      return !contains(leaf, value);
    case 'gt':
      return compared(leaf, value, leaf.value, sight, (order) => order > 0);
    case 'gte':
      return compared(leaf, value, leaf.value, sight, (order) => order >= 0);
    case 'lt':
      return compared(leaf, value, leaf.value, sight, (order) => order < 0);
    case 'lte':
      return compared(leaf, value, leaf.value, sight, (order) => order <= 0);
    case 'between':
      return between(leaf, value, sight);
    case 'before':
      return comparedDays(value, leaf.value, sight, (order) => order < 0);
    case 'after':
      return comparedDays(value, leaf.value, sight, (order) => order > 0);
    case 'in_period':
      return inPeriod(value, leaf.value, sight);
    case 'in_last_n_days':
      return inLastDays(value, leaf.value, sight);
    default:
      throw new Error(`unknown operator ${leaf.operator}`);
  }
}

function isNumberType(leaf: Leaf): boolean {
  return leaf.fieldType === 'number' || leaf.fieldType === 'currency';
}

function isDateType(leaf: Leaf): boolean {
  return leaf.fieldType === 'date' || leaf.fieldType === 'timestamp';
}

/** Texts that look equal are equal: no case, no invisible characters, one space for white space. */
export function lookOf(text: string): string {
  const seen = text.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return seen.split(/\s+/).filter(Boolean).join(' ').toLowerCase();
}

function folded(value: unknown): string | null {
  if (typeof value === 'string') return lookOf(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return null;
}

/** The texts of a value; several only for a select or status field. */
function toTexts(leaf: Leaf, value: Present): string[] {
  const several = leaf.fieldType === 'select' || leaf.fieldType === 'status';
  if (Array.isArray(value)) return several ? value.map(lookOf) : [];
  const only = folded(value);
  return only === null ? [] : [only];
}

function booleanFrom(value: unknown): boolean | null {
  const word = folded(value);
  if (word === 'true') return true;
  if (word === 'false') return false;
  return null;
}

function equals(leaf: Leaf, value: Present, expected: unknown, sight: Sight): boolean {
  if (isNumberType(leaf)) {
    const left = numberFrom(value);
    const right = numberFrom(expected);
    return left !== null && right !== null && left.equals(right);
  }
  if (isDateType(leaf)) return comparedDays(value, expected, sight, (order) => order === 0);
  if (leaf.fieldType === 'checkbox') {
    const left = booleanFrom(value);
    return left !== null && left === booleanFrom(expected);
  }
  const right = folded(expected);
  return right !== null && toTexts(leaf, value).includes(right);
}

function isOneOf(leaf: Leaf, value: Present, sight: Sight): boolean {
  return Array.isArray(leaf.value) && leaf.value.some((expected) => equals(leaf, value, expected, sight));
}

function contains(leaf: Leaf, value: Present): boolean {
  const part = folded(leaf.value);
  return part !== null && toTexts(leaf, value).some((each) => each.includes(part));
}

function compared(
  leaf: Leaf,
  value: Present,
  expected: unknown,
  sight: Sight,
  fits: (order: number) => boolean,
): boolean {
  if (isDateType(leaf)) return comparedDays(value, expected, sight, fits);
  const left = numberFrom(value);
  const right = numberFrom(expected);
  return left !== null && right !== null && fits(left.comparedTo(right));
}

function comparedDays(value: unknown, expected: unknown, sight: Sight, fits: (order: number) => boolean): boolean {
  const left = dayIn(value, sight.world.workspace.timeZone);
  const right = dayIn(expected, sight.world.workspace.timeZone);
  if (left === null || right === null) return false;
  return fits(left < right ? -1 : left > right ? 1 : 0);
}

function between(leaf: Leaf, value: Present, sight: Sight): boolean {
  if (!Array.isArray(leaf.value)) return false;
  const [low, high] = leaf.value as unknown[];
  return (
    compared(leaf, value, low, sight, (order) => order >= 0) &&
    compared(leaf, value, high, sight, (order) => order <= 0)
  );
}

function inPeriod(value: Present, expected: unknown, sight: Sight): boolean {
  const day = dayIn(value, sight.world.workspace.timeZone);
  if (day === null || typeof expected !== 'string') return false;
  const named: Record<string, string> = {
    this_month: periodOf('monthly', sight.seenFrom),
    last_month: previousPeriod('monthly', sight.seenFrom),
    this_quarter: periodOf('quarterly', sight.seenFrom),
    last_quarter: previousPeriod('quarterly', sight.seenFrom),
    this_year: periodOf('annual', sight.seenFrom),
    last_year: previousPeriod('annual', sight.seenFrom),
  };
  return isIn(day, periodDays(sight.world, named[expected] ?? expected));
}

function inLastDays(value: Present, expected: unknown, sight: Sight): boolean {
  const day = dayIn(value, sight.world.workspace.timeZone);
  const count = numberFrom(expected);
  if (day === null || count === null) return false;
  return plusDays(sight.seenFrom, -count.toNumber()) < day && day <= sight.seenFrom;
}
