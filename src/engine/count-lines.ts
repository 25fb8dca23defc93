import { type Day } from '../kernel/day.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { type CompiledLines, type CompiledRule } from './compiled-plan.js';
import { type ConditionTrace, type SeenValue } from './condition.js';
import { type FieldConversion } from './convert-deal.js';
import { type ConvertedLine, currencyOfLine } from './convert-line.js';
import { type Share, wholeShare } from './credit-lines.js';
import { type DealLine } from './deal-line.js';
import { absenceReason, asNumber } from './field-value.js';
import { type LineReason } from './line-trace.js';
import { currencyReader, type Deal, dealAmount, type ReadField } from './slug.js';
import { type Reason } from './trace.js';

/** A line of a deal as a rule reads it. */
export interface FiringLine {
  /** With its money in its own currency. */
  readonly line: DealLine;
  /** The deal with the converted line. */
  readonly source: Deal;
  /** Why the line is not counted; null for a counted one. */
  readonly reason: LineReason | null;
  /** What the conditions of the lines saw, if they failed. */
  readonly seen: readonly SeenValue[];
  /** Base and credit times the share. */
  readonly base: Decimal;
  readonly credit: Decimal;
  readonly quantity: Decimal | null;
  readonly tierValue: Decimal | null;
}

/** The sums over the counted lines of a deal, before the share; null where nothing is read from lines. */
export interface CountedDeal {
  /** Null for a rule that pays deals as a whole. */
  readonly lines: readonly FiringLine[] | null;
  readonly measure: Decimal | null;
  readonly base: Decimal | null;
  readonly conversions: readonly FieldConversion[];
}

export const wholeDeal: CountedDeal = { lines: null, measure: null, base: null, conversions: [] };

/** Why a rule with lines does not fire on a deal. */
export interface UncountedDeal {
  readonly reason: Reason;
  readonly conditions?: () => ConditionTrace[];
  readonly missing?: readonly string[];
}

/** Converts a line for the rule; null in a plan that converts nothing. */
type ConvertLine = ((line: DealLine) => ConvertedLine) | null;

interface ReadLine extends ConvertedLine {
  readonly own: DealLine;
  readonly source: Deal;
  readonly matches: boolean;
}

export interface LineTerms {
  /** That of the plan. */
  readonly currency: string;
  readonly convert: ConvertLine;
}

/** The lines of a deal under a rule, with their values, or why the rule does not fire on it. */
export function countLines(
  rule: CompiledRule,
  lines: CompiledLines,
  deal: Deal,
  terms: LineTerms,
): CountedDeal | UncountedDeal {
  const read = readLines(rule, lines, deal, { ...terms, day: deal.closeDate });
  return 'reason' in read ? read : sumLines(rule, lines, read);
}

/** The matching lines of a deal as a periodic rule sums them. */
export interface MatchedLines {
  readonly sources: readonly Deal[];
  readonly conversions: readonly FieldConversion[];
}

export function matchLines(
  rule: CompiledRule,
  lines: CompiledLines,
  deal: Deal,
  terms: LineTerms & { readonly day: Day },
): MatchedLines | UncountedDeal {
  const read = readLines(rule, lines, deal, terms);
  if ('reason' in read) return read;
  const matching = read.filter(({ matches }) => matches);
  return {
    sources: matching.map(({ source }) => source),
    conversions: matching.flatMap(({ conversions }) => conversions),
  };
}

const noConversions: ConvertedLine['conversions'] = [];
const noNames: ConvertedLine['missing'] = [];

function readLines(
  rule: CompiledRule,
  lines: CompiledLines,
  deal: Deal,
  { currency, convert, day }: LineTerms & { readonly day: Day },
): readonly ReadLine[] | UncountedDeal {
  const read = linesOf(rule, lines, deal).map((own): ReadLine => {
    const { line, conversions, missing } = convert?.(own) ?? {
      line: own,
      conversions: noConversions,
      missing: noNames,
    };
    const source = { ...deal, line };
    return { line, conversions, missing, own, source, matches: lines.conditions.passes(source, day) };
  });
  if (read.length === 0) return { reason: 'no_lines' };
  const unconverted = read.flatMap(({ missing }) => missing.filter((name) => lines.conditionNames.has(name)));
  if (unconverted.length > 0) return withoutRate(unconverted);
  const matching = read.filter(({ matches }) => matches);
  if (matching.length === 0) return { reason: 'no_line', conditions: () => explainLines(lines, read, day) };
  const valueless = matching.flatMap(({ missing }) => missing);
  if (valueless.length > 0) return withoutRate(valueless);
  const isForeign = ({ own }: ReadLine) => (currencyOfLine(own, deal) ?? currency) !== currency;
  if (convert === null && lines.hasCurrency && matching.some(isForeign)) return { reason: 'currency_mismatch' };
  return read;
}

function withoutRate(names: readonly string[]): UncountedDeal {
  return { reason: 'fx_rate_missing', missing: [...new Set(names)].map((name) => `line.${name}`) };
}

/** The lines, or the deal as one line where the rule says so. */
function linesOf({ readAmount }: CompiledRule, { takesDeal }: CompiledLines, deal: Deal): readonly DealLine[] {
  if (deal.lines !== undefined) return deal.lines;
  if (!takesDeal) return [];
  const own = deal.unconverted ?? deal;
  const amount = readAmount(own);
  const code = currencyReader(dealAmount, {}, {})(own);
  return [
    {
      lineId: 'deal',
      amount: typeof amount === 'number' || typeof amount === 'string' ? amount : null,
      currency: typeof code === 'string' ? code : null,
    },
  ];
}

const maxExplained = 50;

function explainLines({ conditions }: CompiledLines, read: readonly ReadLine[], day: Day): ConditionTrace[] {
  const failed = read.flatMap(({ source }) => conditions.explain(source, day).filter(({ passed }) => !passed));
  return failed.slice(0, maxExplained);
}

function sumLines(rule: CompiledRule, lines: CompiledLines, read: readonly ReadLine[]): CountedDeal | UncountedDeal {
  const values = read.map((one) => valuesOf(rule, lines, one));
  const counted = values.filter(({ reason }) => reason === null);
  if (counted.length === 0) return { reason: 'field_missing', missing: [rule.rule.payoutBase ?? rule.rule.measure] };
  const total = (values: readonly (Decimal | null | undefined)[]) => sum(values.map((value) => value ?? Decimal.zero));
  return {
    lines: read.map(({ own, source, matches }, index) => {
      const { reason, base, credit } = values[index] as LineNumbers;
      return {
        line: own,
        source,
        reason,
        seen: matches ? nothingSeen : lines.conditions.seen(source, source.closeDate),
        base: base ?? Decimal.zero,
        credit: credit ?? Decimal.zero,
        quantity: asNumber(lines.readQuantity(source)),
        tierValue: lines.hasTiers && rule.readTierValue !== null ? asNumber(rule.readTierValue(source)) : null,
      };
    }),
    measure: lines.hasMeasure ? total(counted.map(({ measure }) => measure)) : null,
    base: lines.hasBase ? total(counted.map(({ base }) => base)) : null,
    conversions: read.filter(({ matches }) => matches).flatMap(({ conversions }) => conversions),
  };
}

const nothingSeen: readonly SeenValue[] = [];

interface LineNumbers {
  readonly reason: LineReason | null;
  readonly measure?: Decimal | null;
  readonly base?: Decimal | null;
  readonly credit?: Decimal;
}

/** The values of a line, unless it does not match, or lacks a number in the measure or in the base. */
function valuesOf(rule: CompiledRule, lines: CompiledLines, { source, matches }: ReadLine): LineNumbers {
  if (!matches) return { reason: 'line_condition_failed' };
  const required = (isOfLines: boolean, read: ReadField) => (isOfLines ? asNumber(read(source)) : null);
  const readBase = rule.readBase ?? rule.readMeasure;
  const measure = required(lines.hasMeasure, rule.readMeasure);
  if (lines.hasMeasure && measure === null) return { reason: absenceReason(rule.readMeasure(source)) };
  const isMeasure = lines.hasBase && lines.hasMeasure && readBase === rule.readMeasure;
  const base = isMeasure ? measure : required(lines.hasBase, readBase);
  if (lines.hasBase && base === null) return { reason: absenceReason(readBase(source)) };
  return { reason: null, measure, base, credit: creditOfLine(rule, lines, measure, source) };
}

/** The part of the credit that is of the line; missing fields count as 0. */
function creditOfLine(
  { credits }: CompiledRule,
  { hasMeasure }: CompiledLines,
  measure: Decimal | null,
  source: Deal,
): Decimal {
  if (credits === null) return hasMeasure ? (measure ?? Decimal.zero) : Decimal.zero;
  const ofLines = credits.filter(({ isOfLines }) => isOfLines);
  return sum(ofLines.map(({ read, weight }) => (asNumber(read(source)) ?? Decimal.zero).times(weight)));
}

/** The lines with base and credit times the share. */
export function shareLines(lines: readonly FiringLine[], share: Share): readonly FiringLine[] {
  if (share === wholeShare) return lines;
  return lines.map((line) => ({
    ...line,
    base: line.base.times(share.pay),
    credit: line.credit.times(share.credit),
  }));
}
