import { type Day, isEffective } from '../kernel/day.js';
import { Decimal, minimum } from '../kernel/decimal.js';
import { type PeriodCalendar } from '../kernel/period-calendar.js';
import { type Condition, type ConditionSet, compileConditions } from './condition.js';
import { type CreditKind, type CreditLine } from './credit-lines.js';
import { asNumber, type FieldValue } from './field-value.js';
import { type Deal, fieldReader, type ReadField, type SlugMapping } from './slug.js';

/** The most that one line of a kind may have, in percent. */
export const maxPercents: Readonly<Record<CreditKind, number>> = { split: 100, overlay: 1000 };

/** A rule that gives a line to the person whom a field of the deal names. */
export interface CreditRule {
  readonly name: string;
  readonly kind: CreditKind;
  readonly role: string | null;
  readonly personField: string;
  /** A number, or the slug of the field that holds it. */
  readonly percent: number | { readonly field: string };
  readonly conditions: readonly Condition[];
  /** The first and the last close date; null is open. */
  readonly effectiveStart: Day | null;
  readonly effectiveEnd: Day | null;
}

export interface CompiledCreditRule {
  readonly rule: CreditRule;
  readonly conditions: ConditionSet;
  readonly readPerson: ReadField;
  readonly readPercent: (deal: Deal) => Decimal | null;
}

/** Compiles the rules in the order in which they apply. Slugs are read as in plans without a mapping. */
export function compileCreditRules(
  rules: readonly CreditRule[],
  measures: SlugMapping,
  timeZone: string,
  calendar?: PeriodCalendar,
): CompiledCreditRule[] {
  const ordered = [...rules].sort((a, b) => (a.name < b.name ? -1 : 1));
  return ordered.map((rule) => ({
    rule,
    conditions: compileConditions(rule.conditions, (slug) => fieldReader(slug, {}, measures), timeZone, calendar),
    readPerson: fieldReader(rule.personField, {}, measures),
    readPercent: percentReader(rule, measures),
  }));
}

function percentReader({ percent, kind }: CreditRule, measures: SlugMapping): (deal: Deal) => Decimal | null {
  const most = Decimal.of(maxPercents[kind]);
  if (typeof percent === 'number') {
    const fixed = Decimal.of(percent);
    return () => fixed;
  }
  const read = fieldReader(percent.field, {}, measures);
  return (deal) => {
    const value = asNumber(read(deal));
    return value === null || value.sign() <= 0 || most.isLessThan(value) ? null : value;
  };
}

function toPersonName(value: FieldValue | undefined): string | null {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  return text === '' ? null : text;
}

/** The people whom the rules name on the deal, as its fields hold them. */
export function namedPeople(rules: readonly CompiledCreditRule[], deal: Deal): string[] {
  return rules.flatMap(({ readPerson }) => toPersonName(readPerson(deal)) ?? []);
}

export interface DerivedLines {
  readonly lines: readonly CreditLine[];
  /** The split rules that got less than their percentage, because the owner had no more. */
  readonly exceeding: readonly string[];
}

/** The lines that the rules give on the deal. Split rules take their percentage from what the owner still has. */
export function deriveLines(
  rules: readonly CompiledCreditRule[],
  deal: Deal,
  findPerson: (name: string) => string | null,
): DerivedLines {
  const lines: CreditLine[] = [];
  const exceeding: string[] = [];
  let left = Decimal.of(100);
  for (const compiled of rules) {
    const line = deriveLine(compiled, deal, findPerson);
    if (line === null) continue;
    const requested = Decimal.of(line.percent);
    const percent = line.kind === 'split' ? minimum(requested, left) : requested;
    if (line.kind === 'split') left = left.minus(percent);
    if (percent.isLessThan(requested)) exceeding.push(compiled.rule.name);
    if (percent.sign() > 0) lines.push({ ...line, percent: percent.toString() });
  }
  return { lines, exceeding };
}

/** The line that one rule gives; null if the rule does not apply, or names no rep or no valid percentage. */
function deriveLine(
  { rule, conditions, readPerson, readPercent }: CompiledCreditRule,
  deal: Deal,
  findPerson: (name: string) => string | null,
): CreditLine | null {
  const { kind, role, effectiveStart, effectiveEnd } = rule;
  if (!isEffective(deal.closeDate, effectiveStart, effectiveEnd)) return null;
  if (!conditions.passes(deal, deal.closeDate)) return null;
  const name = toPersonName(readPerson(deal));
  const repId = name === null ? null : findPerson(name);
  const percent = readPercent(deal);
  if (repId === null || percent === null) return null;
  return { repId, kind, role, percent: percent.toString(), affects: 'both', source: 'rule', rule: rule.name };
}
