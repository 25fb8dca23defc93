import { decodeTrace, type LimitKind, type PartTrace, type Trace } from '../../engine/trace.js';
import { roundToCurrency } from '../../kernel/currency.js';
import { Decimal, sum } from '../../kernel/decimal.js';
import { groupBy } from '../../kernel/group-by.js';
import { type StatementLine } from '../snapshot.js';
import { type RuleTerms } from './statement-facts.js';

/** What one tier contributed: so much of the base at its rate, or its fixed amount so many times. */
export interface Band {
  readonly tierIndex: number;
  readonly tier: string;
  /** Where the tier lies, as `100–125%`; empty where the plan's terms are gone. */
  readonly range: string;
  readonly base: Decimal;
  readonly rate: Decimal | null;
  readonly times: number;
  readonly amount: Decimal;
}

/** What a floor added or a cap took. */
export interface LimitEffect {
  readonly kind: LimitKind;
  readonly lines: number;
  readonly effect: Decimal;
}

/**
 * How one rule's lines came to their total. Bands and limits are told in the currency's decimals, and `rounding` is
 * what is left, so that a reader who adds them up gets the total.
 */
export interface RuleExplanation {
  readonly name: string;
  readonly planName: string | null;
  readonly planVersion: number | null;
  readonly currency: string;
  readonly terms: RuleTerms | null;
  readonly lines: readonly StatementLine[];
  readonly bands: readonly Band[];
  readonly limits: readonly LimitEffect[];
  readonly rounding: Decimal;
  readonly total: Decimal;
  /** False when a line has no trace: then bands and limits do not add up to the total. */
  readonly explained: boolean;
}

/** By rule in the order of its first line; adjustments are explained by their reasons. */
export function explainRules(
  lines: readonly StatementLine[],
  rules: ReadonlyMap<string, RuleTerms>,
): RuleExplanation[] {
  const engineLines = lines.filter((line) => line.kind === 'commission_earned');
  const byRule = groupBy(engineLines, (line) => [line.planId, line.ruleId ?? line.ruleName, line.currency].join('|'));
  return [...byRule.values()].map((ofRule) => explain(ofRule, rules.get(ofRule[0]?.ruleId ?? '') ?? null));
}

function explain(lines: readonly StatementLine[], terms: RuleTerms | null): RuleExplanation {
  const first = lines[0] as StatementLine;
  const traces = lines.map((line) => ({ line, trace: traceOf(line) }));
  const bands = bandsOf(traces, terms, first.currency);
  const limits = limitsOf(
    traces.flatMap(({ trace }) => trace ?? []),
    first.currency,
  );
  const total = sum(lines.map((line) => Decimal.of(line.amount)));
  const computed = sum([...bands.map((band) => band.amount), ...limits.map((limit) => limit.effect)]);
  const explained = traces.every(({ trace }) => trace !== null);
  return {
    name: first.ruleName ?? 'Commission',
    planName: first.planName,
    planVersion: first.planVersion,
    currency: first.currency,
    terms,
    lines,
    bands,
    limits,
    rounding: explained ? total.minus(computed) : Decimal.zero,
    total,
    explained,
  };
}

/** Slices are quotients where the base is not the credit; beyond this they are noise. */
const slicePlaces = 6;

export function traceOf(line: StatementLine): Trace | null {
  if (line.trace === undefined || line.trace === null) return null;
  return decodeTrace(line.trace, {
    conditions: [],
    day: line.earnedOn,
    timeZone: 'UTC',
    tierName: line.tierName,
    amount: Number(line.amount),
  });
}

export interface Slice {
  readonly tierIndex: number;
  readonly rate: Decimal | null;
  readonly base: Decimal;
  readonly amount: Decimal;
}

/** The parts of a trace as slices of the base: where credit and base differ, each slice has its share of the base. */
export function slicesOf(trace: Trace): Slice[] {
  const base = Decimal.of(trace.base);
  const credit = Decimal.of(trace.credit).absolute();
  const [only] = trace.parts;
  const whole = trace.parts.length === 1 && only !== undefined && Decimal.of(only.part).equals(base);
  return trace.parts.map(({ tierIndex, rate, part }: PartTrace) => {
    const size = Decimal.of(part);
    if (rate === null) return { tierIndex, rate: null, base: Decimal.zero, amount: size };
    const slice = whole || credit.isZero() ? size : size.times(base).dividedBy(credit).rounded(slicePlaces);
    const exact = Decimal.of(rate);
    return { tierIndex, rate: exact, base: slice, amount: exact.times(slice) };
  });
}

function bandsOf(
  traces: readonly { readonly line: StatementLine; readonly trace: Trace | null }[],
  terms: RuleTerms | null,
  currency: string,
): Band[] {
  const names = new Map(
    traces.flatMap(({ trace }) => (trace?.tier?.name ? [[trace.tier.tierIndex, trace.tier.name] as const] : [])),
  );
  const slices = traces.flatMap(({ trace }) => (trace === null ? [] : slicesOf(trace)));
  const byBand = groupBy(slices, (slice) => `${slice.tierIndex}|${slice.rate ?? ''}`);
  return [...byBand.values()]
    .map((ofBand) => {
      const { tierIndex, rate } = ofBand[0] as Slice;
      return {
        tierIndex,
        tier: tierName(tierIndex, names.get(tierIndex) ?? null, terms),
        range: tierRange(tierIndex, terms),
        base: sum(ofBand.map((slice) => slice.base)),
        rate,
        times: ofBand.length,
        amount: roundToCurrency(sum(ofBand.map((slice) => slice.amount)), currency),
      };
    })
    .sort((a, b) => a.tierIndex - b.tierIndex);
}

/** What the plan calls the tier, what the event called it, or its place. */
export function tierName(tierIndex: number, known: string | null, terms: RuleTerms | null): string {
  const name = terms?.tiers.find((tier) => tier.tierIndex === tierIndex)?.name ?? known;
  return name ?? (terms?.tiers.length === 1 ? 'All' : `Tier ${tierIndex + 1}`);
}

function tierRange(tierIndex: number, terms: RuleTerms | null): string {
  if (terms === null || terms.tiers.length < 2) return '';
  const place = terms.tiers.findIndex((tier) => tier.tierIndex === tierIndex);
  const tier = terms.tiers[place];
  if (tier === undefined) return '';
  const next = terms.tiers[place + 1];
  const told = (threshold: Decimal) =>
    terms.rule.tierBy === 'attainment' ? threshold.times(Decimal.of(100)).toString() : threshold.toString();
  const unit = terms.rule.tierBy === 'attainment' ? '%' : '';
  const what = terms.rule.tierBy === 'rank' ? 'rank ' : '';
  return next === undefined
    ? `${what}from ${told(tier.threshold)}${unit}`
    : `${what}${told(tier.threshold)}–${told(next.threshold)}${unit}`;
}

function limitsOf(traces: readonly Trace[], currency: string): LimitEffect[] {
  const bitten = traces.flatMap((trace) => trace.limits.filter((limit) => limit.before !== limit.after));
  return [...groupBy(bitten, (limit) => limit.kind)].map(([kind, ofKind]) => ({
    kind,
    lines: ofKind.length,
    effect: roundToCurrency(
      sum(ofKind.map((limit) => Decimal.of(limit.after).minus(Decimal.of(limit.before)))),
      currency,
    ),
  }));
}

export const limitNames: Readonly<Record<LimitKind, string>> = {
  floor_attainment: 'Below the least attainment',
  floor: 'Raised to the floor',
  cap_multiplier: 'Cap on the variable target',
  cap: 'Cap',
};
