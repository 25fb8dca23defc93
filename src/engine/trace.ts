import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { type Condition, type ConditionTrace, explainSeen, type SeenValue, withoutRepetitions } from './condition.js';
import { type FiringConversion } from './convert-deal.js';
import { type Share } from './credit-lines.js';
import { type Proration } from './effective-quota.js';
import { decodeFormulas, encodeFormulas, type FormulaValue, type StoredFormula } from './formula-trace.js';
import { type ConversionTrace, decodeConversions, encodeConversions, type StoredConversion } from './fx-trace.js';
import {
  type CountedLine,
  decodeLines,
  decodeLookup,
  encodeLines,
  type LineContext,
  type LineParts,
  type LineTrace,
  type LookupTrace,
  type PaidLine,
  type StoredLine,
  type StoredLookup,
  toCountedLines,
  toPaidLines,
  toUnpaidLines,
  type UnpaidLine,
} from './line-trace.js';
import { type TableLookup } from './rule-table.js';

/**
 * Why a rule paid nothing on a deal. The first group applies to events of amount 0, the second to deals without an
 * event.
 */
export const reasons = [
  'quota_missing',
  'below_lowest_tier',
  'below_floor_attainment',
  'cap_exhausted',
  'amount_out_of_range',
  'quota_credit_only',
  'no_assignment',
  'outside_effective_dates',
  'outside_rule_dates',
  'no_fiscal_period',
  'plan_not_active',
  'currency_mismatch',
  'fx_rate_missing',
  'deal_condition_failed',
  'rule_condition_failed',
  'field_missing',
  'value_out_of_range',
  'variable_target_missing',
  'no_downstream_commission',
  'no_credit',
  'period_not_ended',
  'statement_locked',
  'no_close_date',
  'owner_unresolved',
  'deal_deleted',
  'refund_limited',
  'no_clawback_policy',
  'outside_clawback_window',
  'no_lines',
  'no_line',
  'line_condition_failed',
  'rate_not_found',
] as const;
export type Reason = (typeof reasons)[number];

export type LimitKind = 'floor_attainment' | 'floor' | 'cap_multiplier' | 'cap';

/** A floor or cap that was applied: its bound, and the amount before and after it. */
interface LimitTrace {
  readonly kind: LimitKind;
  /** The bound in money (for `floor_attainment`: the ratio); null when the rep has no variable target to multiply. */
  readonly bound: number | null;
  readonly before: number;
  readonly after: number;
}

/** The part of the base that one tier pays, in marginal mode its share of the deal, otherwise the whole base. */
export interface PartTrace {
  readonly tierIndex: number;
  /** Decimal commission rate; null for a fixed amount. */
  readonly rate: number | null;
  /** What the rate multiplied, negative for a refund; for a fixed amount the amount. */
  readonly part: number;
  /** The rate of the plan, if the rep's own rate differs from it. */
  readonly planRate?: number;
}

/** The target before proration, times `weight` of `size` days or months. */
export interface ProrationTrace {
  readonly target: number;
  readonly weight: number;
  readonly size: number;
  readonly unit: 'days' | 'months';
  /** The weight is below the minimum, which applies instead. */
  readonly because?: 'quota_minimum';
  readonly minPercent?: number;
  readonly variableTarget?: number;
  readonly variableWeight?: number;
}

/** How much of its source a refund takes back. Its base is the amount of the source. */
interface RefundTrace {
  /** The day on which the source was earned. */
  readonly earnedOn: Day;
  /** What the customer got back, limited to what earlier refunds left of the deal. */
  readonly refunded: number;
  /** The amount of the deal; null for a deal without one. */
  readonly dealAmount: number | null;
  /** The day from which the policy counts, the days until the refund, and the percentage that it takes back then. */
  readonly windowFrom?: Day;
  readonly elapsedDays?: number;
  readonly percent?: number;
  /** The percentage that the person keeps. */
  readonly waivedPercent?: number;
  /** The part of the source, of 1, that earlier refunds took back, and that all take back with this one. */
  readonly takenBefore: number;
  readonly taken: number;
}

interface UpstreamTrace {
  readonly repId: string;
  readonly ruleName: string;
  readonly amount: number;
}

/**
 * How the amount of an event was computed, in the order of calculation. Money in the event's currency, ratios to 6
 * decimals.
 */
export interface Trace {
  readonly conditions: readonly ConditionTrace[];
  readonly measure: number;
  readonly credit: number;
  readonly before: number;
  readonly after: number;
  readonly target: number | null;
  readonly attainmentBefore: number;
  readonly attainmentAfter: number;
  readonly tier: { readonly tierIndex: number; readonly name: string | null } | null;
  readonly tierValue?: number;
  readonly rank?: number;
  /** Credit and attainment of the whole period, for a retroactive rule. */
  readonly periodCredit?: number;
  readonly periodAttainment?: number;
  /** Attainment is below 0, where the tier of attainment 0 applies. */
  readonly belowZero?: true;
  readonly base: number;
  readonly proration?: ProrationTrace;
  /** The percentage of the rep's ramp by which the sum of the parts was multiplied. */
  readonly ratePercent?: number;
  /** The part of the deal that counts, of 1: for the quota, and for base, fixed amounts and limits of the deal. */
  readonly share?: { readonly credit: number; readonly pay: number };
  /** What was converted before all other steps. */
  readonly conversions?: readonly ConversionTrace[];
  /** What the formulas of the rule gave on the deal. */
  readonly formulas?: readonly FormulaValue<number>[];
  /** What a rule on the whole deal looked up in rate tables. */
  readonly lookups?: readonly LookupTrace[];
  /** The lines of the deal, in the order in which the deal has them. */
  readonly lines?: readonly LineTrace[];
  /** What a refund takes back, of the event that is its source. */
  readonly refund?: RefundTrace;
  readonly parts: readonly PartTrace[];
  readonly limits: readonly LimitTrace[];
  readonly upstream?: readonly UpstreamTrace[];
  readonly raw: number;
  readonly amount: number;
  readonly reason?: Reason;
}

/** The parts of a trace that the payout decides. */
export interface TraceParts {
  readonly measure: Decimal;
  readonly credit: Decimal;
  readonly before: Decimal;
  readonly after: Decimal;
  readonly target: Decimal | null;
  readonly base: Decimal;
  readonly raw: Decimal;
  readonly amount: Decimal;
  readonly tierIndex: number | null;
  readonly tierName: string | null;
  readonly tierValue: Decimal | null;
  readonly rank: number | null;
  /** It is null unless the rule is retroactive. */
  readonly periodCredit: Decimal | null;
  readonly isBelowZero: boolean;
  /** Null unless the days of the period change the targets. */
  readonly proration: Proration | null;
  /** The percentage of the ramp by which the raw amount was multiplied. */
  readonly ratePercent: Decimal | null;
  /** Null if the whole deal counts. */
  readonly share: Share | null;
  /** What a rule without lines looked up in rate tables. */
  readonly lookups: readonly TableLookup[];
  /** Null for a rule without lines. */
  readonly lines: readonly LineParts[] | null;
  readonly parts: readonly { readonly tierIndex: number; readonly rate: Decimal | null; readonly part: Decimal }[];
  readonly limits: readonly {
    readonly kind: LimitKind;
    readonly bound: Decimal | null;
    readonly before: Decimal;
    readonly after: Decimal;
  }[];
  readonly reason: Reason | null;
}

/** The parts of a trace that were read when the rule fired. */
interface TraceInputs {
  readonly refund?: RefundParts;
  readonly upstream: readonly { readonly repId: string; readonly ruleName: string; readonly amount: Decimal }[];
  readonly seen: readonly SeenValue[];
  readonly conversions: readonly FiringConversion[];
  readonly formulas: readonly FormulaValue<Decimal>[];
}

/** The parts of a trace that only the event of a refund has. */
export interface RefundParts {
  readonly earnedOn: Day;
  readonly refunded: Decimal;
  readonly dealAmount: Decimal | null;
  readonly window: { readonly from: Day; readonly elapsed: number; readonly share: Decimal } | null;
  readonly waived: Decimal;
  readonly takenBefore: Decimal;
  readonly taken: Decimal;
}

const limitLetters: Readonly<Record<LimitKind, string>> = {
  floor_attainment: 'a',
  floor: 'f',
  cap_multiplier: 'm',
  cap: 'c',
};

/**
 * Encodes a trace as a positional JSON array: named fields take six times the space and halve the rate at which
 * events are written. {@link decodeTrace} reads it.
 */
export function encodeTrace(trace: TraceParts, inputs: TraceInputs): string {
  const parts = list(trace.parts, (part) => `[${part.tierIndex},${number(part.rate)},${number(part.part)}]`);
  const limits = list(
    trace.limits,
    ({ kind, bound, before, after }) => `["${limitLetters[kind]}",${number(bound)},${number(before)},${number(after)}]`,
  );
  const upstream = list(
    inputs.upstream,
    (event) => `[${JSON.stringify(event.repId)},${JSON.stringify(event.ruleName)},${number(event.amount)}]`,
  );
  const seen = list(withoutRepetitions(inputs.seen), json);
  const credit = `${number(trace.measure)},${number(trace.credit)},${number(trace.before)},${number(trace.after)}`;
  const pay = `${number(trace.target)},${number(trace.base)},${number(trace.raw)},${trace.tierIndex ?? 'null'}`;
  const terms = encodeTerms(trace, inputs);
  const hasLast = trace.periodCredit !== null || trace.isBelowZero || terms !== '';
  const hasRare = upstream !== '[]' || trace.tierValue !== null || trace.rank !== null || trace.reason !== null;
  const rare =
    hasRare || hasLast
      ? `,${upstream},${number(trace.tierValue)},${trace.rank ?? 'null'},${JSON.stringify(trace.reason)}`
      : '';
  const last = hasLast ? `,${number(trace.periodCredit)},${trace.isBelowZero ? 1 : 0}` : '';
  return `[${credit},${pay},${parts},${limits},${seen}${rare}${last}${terms}]`;
}

/** What the days, the credit lines of the person, exchange rates, formulas and refunds add; empty if nothing. */
function encodeTerms(
  { proration, ratePercent, share, lines, lookups }: TraceParts,
  { conversions, formulas, refund }: Pick<TraceInputs, 'conversions' | 'formulas' | 'refund'>,
): string {
  if (refund !== undefined) return `,null,null,1,1,null,${encodeRefund(refund)}`;
  const last = encodeReadValues(conversions, formulas, encodeLines(lines, lookups));
  if (proration === null && ratePercent === null && share === null && last === '') return '';
  const whole = last === '' ? '' : ',1,1';
  const shares = share === null ? whole : `,${number(share.credit)},${number(share.pay)}`;
  return `,${encodeProration(proration)},${number(ratePercent)}${shares}${last}`;
}

function encodeReadValues(
  conversions: TraceInputs['conversions'],
  formulas: TraceInputs['formulas'],
  lines: string,
): string {
  const formulasOrNull = formulas.length === 0 && lines !== '' ? 'null' : encodeFormulas(formulas);
  if (formulas.length > 0 || lines !== '')
    return `,${conversions.length === 0 ? 'null' : encodeConversions(conversions)},null,${formulasOrNull}${lines}`;
  return conversions.length === 0 ? '' : `,${encodeConversions(conversions)}`;
}

function encodeRefund({ earnedOn, refunded, dealAmount, window, waived, takenBefore, taken }: RefundParts): string {
  const from = window === null ? ['null', 'null', 'null'] : [`"${window.from}"`, window.elapsed, number(window.share)];
  return `["${earnedOn}",${[number(refunded), number(dealAmount), ...from, number(waived), number(takenBefore), number(taken)].join()}]`;
}

/** All events of a period share one proration, so it is formatted once. */
function encodeProration(proration: Proration | null): string {
  if (proration === null) return 'null';
  proration.encoded ??= formatProration(proration);
  return proration.encoded;
}

function formatProration(proration: Proration): string {
  const { unit, size, target, weight, minPercent, variableTarget, variableWeight } = proration;
  return `["${unit === 'days' ? 'd' : 'm'}",${size},${[target, weight, minPercent, variableTarget, variableWeight].map(number).join()}]`;
}

/** Named, since a template calls `toString` of an object five times as slowly. */
function number(value: Decimal | null): string {
  return value === null ? 'null' : value.toString();
}

/** The same text as JSON.stringify, which takes ten times as long as the test for characters to escape. */
function json(value: SeenValue): string {
  return typeof value === 'string' && plainText.test(value) ? `"${value}"` : JSON.stringify(value);
}

const plainText = /^[ !#-[\]-~]*$/;

function list<T>(values: readonly T[], format: (value: T) => string): string {
  return values.length === 0 ? '[]' : `[${values.map(format).join()}]`;
}

type Stored = readonly [
  measure: number,
  credit: number,
  before: number,
  after: number,
  target: number | null,
  base: number,
  raw: number,
  tierIndex: number | null,
  parts: readonly [number, number | null, number][],
  limits: readonly [string, number | null, number, number][],
  seen: readonly SeenValue[],
  upstream?: readonly [string, string, number][],
  tierValue?: number | null,
  rank?: number | null,
  reason?: Reason | null,
  periodCredit?: number | null,
  isBelowZero?: 0 | 1,
  ...terms: StoredTerms,
];

type StoredTerms = readonly [
  proration?: StoredProration | null,
  ratePercent?: number | null,
  creditShare?: number,
  payShare?: number,
  conversions?: readonly StoredConversion[] | null,
  refund?: StoredRefund | null,
  formulas?: readonly StoredFormula[] | null,
  lines?: readonly StoredLine[] | null,
  lookups?: readonly StoredLookup[],
];

type StoredRefund = readonly [
  earnedOn: Day,
  refunded: number,
  dealAmount: number | null,
  windowFrom: Day | null,
  elapsed: number | null,
  share: number | null,
  waived: number,
  takenBefore: number,
  taken: number,
];

type StoredProration = readonly [
  unit: 'd' | 'm',
  size: number,
  target: number,
  weight: number,
  minPercent: number | null,
  variableTarget: number | null,
  variableWeight: number,
];

/** The context for decoding a stored trace: the conditions of its plan version and the columns of its event. */
interface TraceContext extends LineContext {
  readonly conditions: readonly Condition[];
  readonly tierName: string | null;
  /** The tiers of the rule for everyone, to which rates are compared. */
  readonly tiers?: readonly { readonly tierIndex: number; readonly rate?: number | undefined }[];
  readonly amount: number;
}

/** The exact credit up to and including the deal of the event. */
export function creditAfter(stored: string): Decimal {
  const [, , , after = ''] = stored.split(',', 4);
  return Decimal.of(after);
}

/** What the cap cut off the amount of the event, exactly. */
export function decodeCutOff(stored: string): Decimal {
  const [, before, after] = cappedAmount.exec(stored) ?? [];
  return before === undefined || after === undefined ? Decimal.zero : Decimal.of(before).minus(Decimal.of(after));
}

const cappedAmount = /\["c",-?[\d.]+,(-?[\d.]+),(-?[\d.]+)\]/;

/** What a cascade event was calculated from: the amounts of the people below, in its currency, as decimal texts. */
export interface CascadeInput {
  readonly repId: string;
  readonly ruleName: string;
  readonly amount: string;
}

export function decodeInputs(stored: string): CascadeInput[] {
  const decoded = JSON.parse(stored) as Stored;
  const converted = new Map(
    ((decoded[conversionsIndex] as StoredTerms[4]) ?? []).flatMap(([, , , , , , values]) =>
      values.map(([index, , amount]) => [index, amount] as const),
    ),
  );
  return (decoded[11] ?? []).map(([repId, ruleName, amount], index) => {
    const weight = converted.get(index) ?? amount;
    return { repId, ruleName, amount: Decimal.of(weight).toString() };
  });
}

/** The attainment that the deal of the event has reached, to 6 decimals; null without a quota. */
export function attainmentAfter(stored: string): Decimal | null {
  const target = stored.split(',', 5)[4] ?? 'null';
  if (target === 'null' || Decimal.of(target).isZero()) return null;
  return creditAfter(stored).dividedBy(Decimal.of(target)).rounded(6);
}

/** The target of an event with a prorated quota, and how it was computed; null for every other event. */
export function decodeProration(
  stored: string,
): { readonly target: number; readonly proration: ProrationTrace } | null {
  if (!mayBeProrated.test(stored)) return null;
  const decoded = JSON.parse(stored) as Stored;
  const target = decoded[4];
  const proration = decoded[prorationIndex] ?? null;
  return target === null || proration === null ? null : { target, proration: prorationTrace(proration) };
}

/** Recognizes most traces without a proration, so that they are not parsed. */
const mayBeProrated = /\["[dm]",\d/;
const prorationIndex = 17;
const conversionsIndex = 21;
const refundIndex = 22;
const linesIndex = 24;

/** The day on which the source of a refund's event was earned. */
export function decodeSourceDay(stored: string): Day | null {
  return (JSON.parse(stored) as Stored)[refundIndex]?.[0] ?? null;
}

/** The different rates of the parts, from the lowest tier on; null where one rate or an amount was paid. */
export function decodeSeveralRates(stored: string): readonly number[] | null {
  const [, , , , , , , , parts] = JSON.parse(stored) as Stored;
  const rates = [...new Set(parts.flatMap(([, rate]) => rate ?? []))];
  return rates.length > 1 ? rates : null;
}

/** The counted lines of an event; null for an event without lines. */
export function decodeCountedLines(stored: string): CountedLine[] | null {
  const lines = decodeStoredLines(stored);
  return lines === null ? null : toCountedLines(lines);
}

/** What the counted lines of an event pay; null for an event without lines. */
export function decodePaidLines(stored: string): PaidLine[] | null {
  const lines = decodeStoredLines(stored);
  return lines === null ? null : toPaidLines(lines);
}

/** Why matching lines of an event pay nothing; none for an event without lines. */
export function decodeUnpaidLines(stored: string): UnpaidLine[] {
  return toUnpaidLines(decodeStoredLines(stored) ?? []);
}

function decodeStoredLines(stored: string): readonly StoredLine[] | null {
  if (!mayHaveLines.test(stored)) return null;
  return ((JSON.parse(stored) as Stored)[linesIndex] as StoredTerms[7]) ?? null;
}

/** Recognizes most traces without lines, so that they are not parsed. */
const mayHaveLines = /,[01],(?:null|"\w+"),-?[\d.]+,"-?[\d.]+","-?[\d.]+",/;

/** The conversions of an event; none for most events. */
export function decodeConversionsOf(stored: string): readonly ConversionTrace[] {
  if (!mayBeConverted.test(stored)) return [];
  const decoded = JSON.parse(stored) as Stored;
  const conversions = (decoded[conversionsIndex] as StoredTerms[4]) ?? [];
  return decodeConversions(conversions, decoded[11] ?? []);
}

/** Recognizes most traces without a conversion, so that they are not parsed. */
const mayBeConverted = /\["[^"]*","[^"]*","\d{4}-\d\d-\d\d",[01],/;

export function decodeTrace(stored: string, context: TraceContext): Trace {
  const [
    measure,
    credit,
    before,
    after,
    target,
    base,
    raw,
    tierIndex,
    parts,
    limits,
    seen,
    upstream,
    tierValue,
    rank,
    reason,
    periodCredit,
    isBelowZero,
    ...terms
  ] = JSON.parse(stored) as Stored;
  return {
    conditions: seen.length === 0 ? [] : explainSeen(context.conditions, seen, context.day, context.timeZone),
    measure,
    credit,
    before,
    after,
    target,
    attainmentBefore: ratio(before, target),
    attainmentAfter: ratio(after, target),
    tier: tierIndex === null ? null : { tierIndex, name: context.tierName },
    ...(tierValue === undefined || tierValue === null ? {} : { tierValue }),
    ...(rank === undefined || rank === null ? {} : { rank }),
    ...(periodCredit === undefined || periodCredit === null
      ? {}
      : { periodCredit, periodAttainment: ratio(periodCredit, target) }),
    ...(isBelowZero === 1 ? { belowZero: true as const } : {}),
    ...termTraces(terms, upstream, context),
    base,
    parts: parts.map(([index, rate, part]) => partTrace(index, rate, part, context.tiers)),
    limits: limits.map(([letter, bound, from, to]) => ({ kind: limitKind(letter), bound, before: from, after: to })),
    ...(upstream === undefined || upstream.length === 0
      ? {}
      : { upstream: upstream.map(([repId, ruleName, amount]) => ({ repId, ruleName, amount })) }),
    raw,
    amount: context.amount,
    ...(reason === undefined || reason === null ? {} : { reason }),
  };
}

function termTraces(
  terms: StoredTerms,
  upstream: Stored[11],
  context: TraceContext,
): Pick<Trace, 'conversions' | 'formulas' | 'lines' | 'lookups' | 'proration' | 'ratePercent' | 'refund' | 'share'> {
  const [proration = null, ratePercent = null, credit = 1, pay = 1, conversions = null, refund = null] = terms;
  const [, , , , , , formulas = null, lines = null, lookups = []] = terms;
  return {
    ...(refund === null ? {} : { refund: refundTrace(refund) }),
    ...(formulas === null ? {} : { formulas: decodeFormulas(formulas) }),
    ...(lines === null ? {} : { lines: decodeLines(lines, context) }),
    ...(lookups.length === 0 ? {} : { lookups: lookups.map(decodeLookup) }),
    ...(conversions === null ? {} : { conversions: decodeConversions(conversions, upstream ?? []) }),
    ...(proration === null ? {} : { proration: prorationTrace(proration) }),
    ...(ratePercent === null ? {} : { ratePercent }),
    ...(credit === 1 && pay === 1 ? {} : { share: { credit, pay } }),
  };
}

function refundTrace(stored: StoredRefund): RefundTrace {
  const [earnedOn, refunded, dealAmount, windowFrom, elapsed, share, waived, takenBefore, taken] = stored;
  const window =
    windowFrom === null || elapsed === null || share === null
      ? {}
      : { windowFrom, elapsedDays: elapsed, percent: toPercent(share) };
  const waivedPercent = waived === 0 ? {} : { waivedPercent: toPercent(waived) };
  return { earnedOn, refunded, dealAmount, ...window, ...waivedPercent, takenBefore, taken };
}

/** For display, to 6 decimals. */
function toPercent(share: number): number {
  return Math.round(share * 1e8) / 1e6;
}

function prorationTrace(stored: StoredProration): ProrationTrace {
  const [unit, size, target, weight, minPercent, variableTarget, variableWeight] = stored;
  return {
    target,
    weight,
    size,
    unit: unit === 'd' ? 'days' : 'months',
    ...(minPercent === null ? {} : { because: 'quota_minimum' as const, minPercent }),
    ...(variableTarget === null ? {} : { variableTarget, variableWeight }),
  };
}

function partTrace(tierIndex: number, rate: number | null, part: number, tiers: TraceContext['tiers'] = []): PartTrace {
  const planRate = tiers.find((tier) => tier.tierIndex === tierIndex)?.rate;
  const differs = rate !== null && planRate !== undefined && planRate !== rate;
  return { tierIndex, rate, part, ...(differs ? { planRate } : {}) };
}

/** Attainment for display, to 6 decimals; 0 without a target. Comparisons never use it. */
export function ratio(part: number, target: number | null): number {
  return target === null || target === 0 ? 0 : Math.round((part / target) * 1e6) / 1e6;
}

function limitKind(letter: string): LimitKind {
  const entry = Object.entries(limitLetters).find(([, known]) => known === letter);
  if (entry === undefined) throw new RangeError(`unknown limit in a stored trace: ${letter}`);
  return entry[0] as LimitKind;
}
