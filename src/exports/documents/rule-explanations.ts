import { type LineTrace } from '../../engine/line-trace.js';
import { decodeTrace, type LimitKind, type PartTrace, type Trace } from '../../engine/trace.js';
import { roundToCurrency } from '../../kernel/currency.js';
import { Decimal, sum } from '../../kernel/decimal.js';
import { groupBy } from '../../kernel/group-by.js';
import { type StatementLine } from '../../statements/snapshot.js';
import { grouped } from './figures.js';
import { type RuleTerms } from './statement-facts.js';

/** The contribution of one tier: a part of the base at its rate, or a fixed amount paid a number of times. */
export interface Band {
  readonly tierIndex: number;
  readonly tier: string;
  /** The range of the tier, such as `100–125%`; empty if the plan's terms no longer exist. */
  readonly range: string;
  readonly base: Decimal;
  /** Null for a fixed amount. */
  readonly rate: Decimal | null;
  readonly times: number;
  /** The fixed amount if every payout of the band is equal, otherwise null. */
  readonly each: Decimal | null;
  readonly amount: Decimal;
}

/** The amount that a floor added or a cap removed. */
interface LimitEffect {
  readonly kind: LimitKind;
  readonly lines: number;
  readonly effect: Decimal;
}

/** What the rates of ramps added to the lines; negative where they pay less. */
interface RampEffect {
  readonly lines: number;
  readonly effect: Decimal;
}

/** What the lines of refunds take back. */
interface RefundEffect {
  readonly lines: readonly ExplainedLine[];
  readonly effect: Decimal;
}

/** A line with the terms of its plan version and the slices of its payout. */
export interface ExplainedLine {
  readonly line: StatementLine;
  readonly terms: RuleTerms | null;
  readonly trace: Trace | null;
  readonly slices: readonly Slice[];
}

/** Plan versions with the same terms. */
export interface VersionTerms {
  readonly version: number | null;
  readonly terms: RuleTerms | null;
}

/**
 * How the lines of one rule add up to their total, across all versions of its plan. Bands and limits are rounded to
 * the currency's decimals. `rounding` is the remainder, so that the printed figures add up to the total.
 */
export interface RuleExplanation {
  readonly name: string;
  readonly planName: string | null;
  /** Ordered by their first lines. */
  readonly versions: readonly VersionTerms[];
  readonly currency: string;
  readonly lines: readonly ExplainedLine[];
  readonly bands: readonly Band[];
  /** Null if no ramp changed what a deal pays. */
  readonly ramp: RampEffect | null;
  readonly limits: readonly LimitEffect[];
  /** Null if no refund takes anything back. */
  readonly refunds: RefundEffect | null;
  readonly rounding: Decimal;
  readonly total: Decimal;
  /** False when a line has no trace: then bands and limits do not add up to the total. */
  readonly explained: boolean;
}

/**
 * Groups lines by plan and rule name, in the order of their first lines. Adjustments are not included; their reasons
 * explain them.
 */
export function explainRules(
  lines: readonly StatementLine[],
  rules: ReadonlyMap<string, RuleTerms>,
): RuleExplanation[] {
  const ofEngine = lines.filter((line) => line.kind === 'commission_earned');
  const byRule = groupBy(ofEngine, (line) => JSON.stringify([line.planId, line.ruleName, line.currency]));
  return [...byRule.values()].map((ofRule) => explain(ofRule.map((line) => explainLine(line, rules))));
}

function explainLine(line: StatementLine, rules: ReadonlyMap<string, RuleTerms>): ExplainedLine {
  const terms = rules.get(line.ruleId ?? '') ?? null;
  const trace = decodeLineTrace(line);
  return { line, terms, trace, slices: trace === null ? [] : toSlices(trace, terms) };
}

function explain(lines: readonly ExplainedLine[]): RuleExplanation {
  const { line: first } = lines[0] as ExplainedLine;
  const paid = lines.filter(({ line }) => line.refundId === undefined);
  const bands = groupByBand(paid, first.currency);
  const ramp = sumRamps(paid, first.currency);
  const limits = sumLimits(
    paid.flatMap(({ trace }) => trace ?? []),
    first.currency,
  );
  const total = sumLines(lines);
  const refunded = lines.filter(({ line }) => line.refundId !== undefined);
  const refunds = refunded.length === 0 ? null : { lines: refunded, effect: sumLines(refunded) };
  const computed = sum([
    ...bands.map((band) => band.amount),
    ...(ramp === null ? [] : [ramp.effect]),
    ...limits.map((limit) => limit.effect),
    ...(refunds === null ? [] : [refunds.effect]),
  ]);
  const explained = lines.every(({ trace }) => trace !== null);
  const versions = new Map(
    lines.map(({ line, terms }) => [line.planVersion, { version: line.planVersion, terms }] as const),
  );
  return {
    name: first.ruleName ?? 'Commission',
    planName: first.planName,
    versions: [...versions.values()],
    currency: first.currency,
    lines,
    bands,
    ramp,
    limits,
    refunds,
    rounding: explained ? total.minus(computed) : Decimal.zero,
    total,
    explained,
  };
}

function sumLines(lines: readonly ExplainedLine[]): Decimal {
  return sum(lines.map(({ line }) => Decimal.of(line.amount)));
}

/** Slices are quotients if the base differs from the credit. Further decimals carry no information. */
const sliceDecimals = 6;

export function decodeLineTrace(line: StatementLine): Trace | null {
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

/**
 * The parts of a trace as slices of the base. If credit and base differ, each slice has its share of the base. With
 * payout base 1 the rate is the amount, so the slice is a fixed amount.
 */
function toSlices(trace: Trace, terms: RuleTerms | null): Slice[] {
  const paidLines = (trace.lines ?? []).filter(({ counted, raw }) => counted && raw !== 0);
  if (paidLines.length > 0) return paidLines.map((line) => toLineSlice(line, trace));
  const base = Decimal.of(trace.base);
  const credit = Decimal.of(trace.credit).absolute();
  const [only] = trace.parts;
  const whole = trace.parts.length === 1 && only !== undefined && Decimal.of(only.part).equals(base);
  const isFixed = terms?.rule.payoutBase === '1';
  // The part is the base times the attainment, and not a share of the credit.
  const isWhole = whole || credit.isZero() || terms?.rule.payoutMode === 'rate_times_attainment';
  return trace.parts.map(({ tierIndex, rate, part }: PartTrace) => {
    const size = Decimal.of(part);
    if (rate === null) {
      const amount = trace.lookups === undefined ? size : Decimal.of(trace.raw);
      return { tierIndex, rate: null, base: Decimal.zero, amount };
    }
    const slice = isWhole ? size : size.times(base).dividedBy(credit).rounded(sliceDecimals);
    const exact = Decimal.of(rate);
    const amount = exact.times(slice);
    return isFixed
      ? { tierIndex, rate: null, base: Decimal.zero, amount }
      : { tierIndex, rate: exact, base: slice, amount };
  });
}

/** Each line is a separate slice; one that is paid an amount has no rate. */
function toLineSlice({ rate, base, raw, tier }: LineTrace, trace: Trace): Slice {
  const tierIndex = tier ?? trace.tier?.tierIndex ?? 0;
  const amount = Decimal.of(raw);
  if (rate === undefined) return { tierIndex, rate: null, base: Decimal.zero, amount };
  return { tierIndex, rate: Decimal.of(rate), base: Decimal.of(base), amount };
}

/** Whether tiers of the rule may have rates. */
export function paysRates({ rule }: RuleTerms): boolean {
  return rule.payoutMode === 'rate' || rule.payoutMode === 'rate_times_attainment';
}

/** Whether the line pays fixed amounts. Then neither its base nor a rate explains it. */
export function isFixed({ slices, terms }: ExplainedLine): boolean {
  if (slices.length > 0) return slices.every((slice) => slice.rate === null);
  return terms !== null && (!paysRates(terms) || terms.rule.payoutBase === '1');
}

function groupByBand(lines: readonly ExplainedLine[], currency: string): Band[] {
  const slices = lines.flatMap(({ slices: ofLine, terms, trace }) =>
    ofLine.map((slice) => ({
      ...slice,
      tier: tierName(slice.tierIndex, trace?.tier?.tierIndex === slice.tierIndex ? trace.tier.name : null, terms),
      range: tierRange(slice.tierIndex, terms),
    })),
  );
  const byBand = groupBy(slices, (slice) =>
    JSON.stringify([slice.tierIndex, slice.tier, slice.range, String(slice.rate)]),
  );
  return [...byBand.values()]
    .map((ofBand) => {
      const [first, ...others] = ofBand as [(typeof slices)[number], ...typeof slices];
      const { tierIndex, tier, range, rate } = first;
      const isSame = rate === null && others.every((slice) => slice.amount.equals(first.amount));
      return {
        tierIndex,
        tier,
        range,
        base: sum(ofBand.map((slice) => slice.base)),
        rate,
        times: ofBand.length,
        each: isSame ? first.amount : null,
        amount: roundToCurrency(sum(ofBand.map((slice) => slice.amount)), currency),
      };
    })
    .sort((a, b) => a.tierIndex - b.tierIndex);
}

/** The tier's name in the plan, otherwise its name in the event, otherwise its position. */
export function tierName(tierIndex: number, recordedName: string | null, terms: RuleTerms | null): string {
  const name = terms?.tiers.find((tier) => tier.tierIndex === tierIndex)?.name ?? recordedName;
  return name ?? (terms?.tiers.length === 1 ? 'All' : `Tier ${tierIndex + 1}`);
}

function tierRange(tierIndex: number, terms: RuleTerms | null): string {
  if (terms === null || terms.tiers.length < 2) return '';
  const index = terms.tiers.findIndex((tier) => tier.tierIndex === tierIndex);
  const tier = terms.tiers[index];
  if (tier === undefined) return '';
  const next = terms.tiers[index + 1];
  const format = (threshold: Decimal) =>
    grouped((terms.rule.tierBy === 'attainment' ? threshold.times(Decimal.of(100)) : threshold).toString());
  const unit = terms.rule.tierBy === 'attainment' ? '%' : '';
  const what = terms.rule.tierBy === 'rank' ? 'rank ' : '';
  return next === undefined
    ? `${what}from ${format(tier.threshold)}${unit}`
    : `${what}${format(tier.threshold)}–${format(next.threshold)}${unit}`;
}

function sumRamps(lines: readonly ExplainedLine[], currency: string): RampEffect | null {
  const ramped = lines.flatMap(({ trace, slices }) =>
    trace?.ratePercent === undefined ? [] : [{ percent: Decimal.of(trace.ratePercent), slices }],
  );
  if (ramped.length === 0) return null;
  const hundred = Decimal.of(100);
  const effects = ramped.map(({ percent, slices }) =>
    sum(slices.map(({ amount }) => amount))
      .times(percent.minus(hundred))
      .dividedBy(hundred),
  );
  return { lines: ramped.length, effect: roundToCurrency(sum(effects), currency) };
}

function sumLimits(traces: readonly Trace[], currency: string): LimitEffect[] {
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
  floor_attainment: 'Below the minimum attainment',
  floor: 'Raised to the floor',
  cap_multiplier: 'Cap on the variable target',
  cap: 'Cap',
};
