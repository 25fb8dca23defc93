import { roundToCurrency } from '../kernel/currency.js';
import { Decimal, maximum, minimum, sum } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { unreachable } from '../kernel/unreachable.js';
import { type CompiledRule, type EffectiveTier } from './compiled-plan.js';
import { type FiringLine } from './count-lines.js';
import { wholeShare } from './credit-lines.js';
import { fullVariableTarget } from './effective-quota.js';
import { settleAmount } from './exchange-rates.js';
import { isWithinBounds } from './field-value.js';
import { type LineParts, type LineReason } from './line-trace.js';
import { type LineTerms, toPaidLines } from './paid-lines.js';
import { type TierInputs } from './tier-inputs.js';
import { decideMix, isFixed, lastReached, type TierMix, tierBelowZero, wholeTier } from './tier-mix.js';
import { type PaidUnit, payUnit, type UnitPay } from './tier-pay.js';
import { type Reason, type TraceParts } from './trace.js';

export interface Payout extends TraceParts {
  readonly isBonus: boolean;
  /** What the cap cut off, exactly; negative where a credit note used what it had cut off before. */
  readonly cutOff: Decimal;
}

/**
 * Computes what one firing pays: tier, raw amount, floors, caps, rounding, in this order. `converts` says that values
 * may be quotients.
 */
export function payOut(rule: CompiledRule, inputs: TierInputs, currency: string, converts: boolean): Payout {
  const target = inputs.quota?.target ?? null;
  const bounds = rule.boundsFor(target);
  const position = decidingPosition(rule, bounds, inputs);
  const paid = rawAmount(rule, bounds, tierAt(rule, bounds, position), inputs);
  const { tier } = paid;
  const ratePercent = paysByDeal(rule) ? inputs.rampRate : null;
  const raw = ratePercent === null ? paid.raw : paid.raw.times(ratePercent).times(onePercent);
  const isPayable = isWithinBounds(raw);
  const limited = isPayable ? applyLimits(rule, inputs, paid, raw) : { amount: Decimal.zero, limits: [] };
  const round = (amount: Decimal) => roundToCurrency(converts ? settleAmount(amount) : amount, currency);
  const amount = round(limited.amount);
  return {
    measure: inputs.measure,
    credit: inputs.credit,
    before: rule.rule.tierMode === 'marginal' ? inputs.sliceStart : inputs.before,
    after: inputs.after,
    target,
    base: inputs.base,
    raw,
    amount,
    tierIndex: tier?.tierIndex ?? null,
    tierName: tier?.name ?? null,
    tierValue: rule.rule.tierBy === 'value' ? inputs.tierValue : null,
    rank: inputs.rank,
    parts: paid.parts,
    limits: limited.limits,
    reason: isPayable ? reasonFor(rule, inputs, paid, bounds, limited, amount) : 'amount_out_of_range',
    periodCredit: rule.rule.tierMode === 'retroactive' ? inputs.periodCredit : null,
    isBelowZero: isBelowZero(rule, bounds, inputs, position),
    proration: inputs.quota?.proration ?? null,
    ratePercent,
    share: inputs.share === wholeShare ? null : inputs.share,
    isBonus: paid.isBonus,
    cutOff: computeCutOff(rule, limited.limits),
    lookups: inputs.lines === null ? (paid.units[0]?.pay.lookups ?? []) : [],
    lines:
      inputs.lines === null
        ? null
        : showLines(inputs.lines, paid, { raw, limited: limited.amount, ratePercent, round }),
  };
}

function showLines(lines: readonly FiringLine[], { units, of }: RawAmount, terms: Omit<LineTerms, 'of'>): LineParts[] {
  return toPaidLines(lines, new Map(units.map(({ line, tier, pay }) => [line, { tier, pay }])), { ...terms, of });
}

const onePercent = Decimal.of(0.01);

/** Bonuses of the period have one amount. */
function paysByDeal({ rule: { payoutMode } }: CompiledRule): boolean {
  return payoutMode === 'rate' || payoutMode === 'flat_per_event';
}

/** Their bonuses are those of the period: credit reaches them, whatever else a credit line affects. */
function paysBands({ rule: { payoutMode } }: CompiledRule): boolean {
  return payoutMode === 'flat_per_tier' || payoutMode === 'stepped_bonus';
}

/**
 * What decides the tier. A credit note takes back a fixed amount of the tier that the attainment before it reaches, so
 * that it and a sale beside it add up to 0.
 */
function decidingPosition(rule: CompiledRule, bounds: readonly Decimal[] | null, inputs: TierInputs): Decimal | null {
  const value = reachingValue(rule, inputs);
  const { tierBy, tierMode } = rule.rule;
  const isMirrored = inputs.isCreditNote && tierBy === 'attainment' && tierMode !== 'retroactive' && paysByDeal(rule);
  if (!isMirrored) return value;
  const involvesFixedAmount = [inputs.before, value].some((reached) => isFixed(tierAt(rule, bounds, reached)));
  return involvesFixedAmount ? inputs.before : value;
}

function tierAt(rule: CompiledRule, bounds: readonly Decimal[] | null, position: Decimal | null): EffectiveTier | null {
  if (rule.isFlatRate) return rule.tiers[0] ?? null;
  if (bounds === null || position === null) return null;
  if (rule.rule.tierBy === 'attainment' && position.sign() < 0) return tierBelowZero(rule, bounds);
  return lastReached(rule.tiers, bounds, position);
}

/** Whether part of the deal lies below attainment 0 and is paid, or taken back, by the rule for refunds. */
function isBelowZero(
  rule: CompiledRule,
  bounds: readonly Decimal[] | null,
  inputs: TierInputs,
  position: Decimal | null,
): boolean {
  if (rule.isFlatRate || rule.rule.tierBy !== 'attainment' || bounds === null) return false;
  const isNegative =
    rule.rule.tierMode === 'marginal'
      ? minimum(inputs.sliceStart, inputs.sliceStart.plus(inputs.credit)).sign() < 0
      : (position?.sign() ?? 0) < 0;
  return isNegative && tierBelowZero(rule, bounds) !== null;
}

function reachingValue(rule: CompiledRule, inputs: TierInputs): Decimal | null {
  switch (rule.rule.tierBy) {
    case 'value':
      return isMirroredValue(inputs) ? inputs.tierValue.absolute() : inputs.tierValue;
    case 'rank':
      return inputs.rank === null ? null : Decimal.of(inputs.rank);
    case 'attainment':
      if (rule.rule.tierMode === 'retroactive') return inputs.periodCredit;
      return rule.rule.payoutMode === 'stepped_bonus' ? highestReached(inputs) : inputs.after;
    default:
      return unreachable(rule.rule.tierBy);
  }
}

/** A credit note is as large as the sale that it mirrors. */
function isMirroredValue(inputs: TierInputs): inputs is TierInputs & { readonly tierValue: Decimal } {
  return inputs.isCreditNote && inputs.tierValue !== null && inputs.base.sign() < 0;
}

function highestReached({ highWater, after }: TierInputs): Decimal {
  return highWater === null ? after : maximum(highWater, after);
}

/** A unit that was paid: the whole deal, or one of its lines. */
interface Paid {
  readonly line: FiringLine | null;
  readonly tier: EffectiveTier | null;
  readonly pay: UnitPay;
}

interface RawAmount {
  readonly raw: Decimal;
  readonly parts: TraceParts['parts'];
  /** The tier of the event; null also where its lines have different ones. */
  readonly tier: EffectiveTier | null;
  readonly hasTier: boolean;
  readonly isBonus: boolean;
  /** None for bonuses of the period. */
  readonly units: readonly Paid[];
  /** What the weighted amounts of the units are divided by; null for 1. */
  readonly of: Decimal | null;
}

/** Decimals of the parts in a trace: their sum is the raw amount to far less than a cent. */
const partPlaces = 10;

function rawAmount(
  rule: CompiledRule,
  bounds: readonly Decimal[] | null,
  tier: EffectiveTier | null,
  inputs: TierInputs,
): RawAmount {
  switch (rule.rule.payoutMode) {
    case 'flat_per_tier':
      return ofPeriod(tier, bandsEntered(rule, bounds, inputs));
    case 'stepped_bonus':
      return ofPeriod(tier, stepUp(tier, inputs));
    case 'rate':
    case 'rate_times_attainment':
    case 'flat_per_event':
      if (rule.lines?.hasTiers === true) return payLinesByValue(rule, bounds, inputs);
      return payMix(rule, tier, decideMix(rule, bounds, tier, inputs), inputs);
    default:
      return unreachable(rule.rule.payoutMode);
  }
}

function ofPeriod(tier: EffectiveTier | null, paid: Pick<RawAmount, 'raw' | 'parts'>): RawAmount {
  return { ...paid, tier, hasTier: tier !== null, isBonus: isFixed(tier), units: [], of: null };
}

/** One mix of tiers for the deal, or for all of its lines. */
function payMix(rule: CompiledRule, tier: EffectiveTier | null, mix: TierMix, inputs: TierInputs): RawAmount {
  const terms = payTerms(rule, inputs);
  const units = unitsOf(rule, mix, inputs).map(({ line, unit }) => ({ line, tier, pay: payUnit(mix, unit, terms) }));
  const weighted = sum(units.map(({ pay }) => pay.weighted));
  // Lines have their own rates.
  const ofTiers = inputs.lines === null ? units[0]?.pay.ofTiers : undefined;
  const parts = mix.parts.map(({ tier, part }, index): TraceParts['parts'][number] => {
    const paid = ofTiers?.[index];
    if (isFixed(tier)) return { tierIndex: tier.tierIndex, rate: null, part: weighted };
    if (paid !== undefined && paid.rate === null)
      return { tierIndex: tier.tierIndex, rate: null, part: partOfAmount(part, mix.of, paid.amount) };
    const rate = tier.rate ?? paid?.rate ?? null;
    return { tierIndex: tier.tierIndex, rate, part: partOfBase(part, mix.of, inputs.base) };
  });
  const isBonus = isFixed(tier);
  return { raw: divide(weighted, mix, units, inputs), parts, tier, hasTier: tier !== null, isBonus, units, of: mix.of };
}

/** Each line in the tier of its own value. */
function payLinesByValue(rule: CompiledRule, bounds: readonly Decimal[] | null, inputs: TierInputs): RawAmount {
  const terms = payTerms(rule, inputs);
  const units = countedUnits(rule, inputs).map(({ line, unit }) => {
    const isMirrored = (line.tierValue?.sign() ?? 0) < 0 && unit.base.sign() < 0;
    const value = isMirrored ? (line.tierValue as Decimal).absolute() : line.tierValue;
    const tier = value === null || bounds === null ? null : lastReached(rule.tiers, bounds, value);
    const mix = wholeTier(tier);
    const reason: LineReason | null = tier !== null ? null : value === null ? 'field_missing' : 'below_lowest_tier';
    const pay = payUnit(mix, unit, terms);
    const parts = mix.parts.map((part) => ({
      tierIndex: part.tier.tierIndex,
      rate: part.tier.rate,
      part: isFixed(part.tier) ? pay.weighted : unit.base,
    }));
    return { line, tier, parts, pay: reason === null ? pay : { ...pay, reason } };
  });
  const tiers = new Set(units.map(({ tier }) => tier));
  const reached = [...tiers].filter((tier) => tier !== null);
  return {
    raw: sum(units.map(({ pay }) => pay.weighted)),
    parts: addParts(units.flatMap(({ parts }) => parts)),
    tier: tiers.size === 1 ? (reached[0] ?? null) : null,
    hasTier: reached.length > 0,
    isBonus: reached.length > 0 && reached.every(isFixed),
    units,
    of: null,
  };
}

/** The parts of one tier together. */
function addParts(parts: TraceParts['parts']): TraceParts['parts'] {
  return [...groupBy(parts, ({ tierIndex }) => tierIndex).values()]
    .map((same) => ({ ...(same[0] as (typeof parts)[number]), part: sum(same.map(({ part }) => part)) }))
    .sort((a, b) => a.tierIndex - b.tierIndex);
}

function payTerms({ lines }: CompiledRule, { share, facts }: TierInputs): Parameters<typeof payUnit>[2] {
  return { share: share.pay, flatKind: lines?.flatPer === 'unit' ? 'perUnit' : 'amount', facts };
}

interface LineUnit {
  readonly line: FiringLine;
  readonly unit: PaidUnit;
}

/** The counted lines, or the deal as a whole where the rule pays it so. */
function unitsOf(
  rule: CompiledRule,
  { parts }: TierMix,
  inputs: TierInputs,
): readonly (LineUnit | { readonly line: null; readonly unit: PaidUnit })[] {
  const isFlat = parts.some(({ tier }) => isFixed(tier));
  const isByLine = rule.lines !== null && (isFlat ? rule.lines.flatPer !== 'deal' : rule.lines.hasBase);
  if (isByLine && inputs.lines !== null) return countedUnits(rule, inputs);
  const { base, isCreditNote, source } = inputs;
  return [{ line: null, unit: { base, isNegative: isCreditNote, count: null, source } }];
}

function countedUnits({ lines: terms }: CompiledRule, { lines, isCreditNote }: TierInputs): LineUnit[] {
  return (lines ?? [])
    .filter(({ reason }) => reason === null)
    .map((line) => {
      const isNegative = terms?.hasBase === true ? line.base.sign() < 0 : isCreditNote;
      const count = isCreditNote && isNegative ? (line.quantity?.absolute().negated() ?? null) : line.quantity;
      return { line, unit: { base: line.base, isNegative, count, source: line.source } };
    });
}

/** Without a division where the base of the deal is the credit that divides it. */
function divide(weighted: Decimal, { of }: TierMix, [first]: readonly Paid[], { base, credit }: TierInputs): Decimal {
  if (of === null) return weighted;
  const rate = first?.line === null ? first.pay.weightedRate : null;
  if (rate === null || !base.equals(credit) || !credit.absolute().equals(of)) return weighted.dividedBy(of);
  return credit.sign() < 0 ? rate.negated() : rate;
}

function partOfAmount(part: Decimal, of: Decimal | null, amount: Decimal): Decimal {
  return of === null ? amount : part.times(amount).dividedBy(of).rounded(partPlaces);
}

function partOfBase(part: Decimal, of: Decimal | null, base: Decimal): Decimal {
  if (of === null) return base;
  if (base.absolute().equals(of)) return (base.sign() < 0 ? part.negated() : part).rounded(partPlaces);
  return part.times(base).dividedBy(of).rounded(partPlaces);
}

const nothing: Pick<RawAmount, 'raw' | 'parts'> = { raw: Decimal.zero, parts: [] };

/** Each band that the period's credit enters for the first time with this deal pays its amount once. */
function bandsEntered(
  rule: CompiledRule,
  bounds: readonly Decimal[] | null,
  inputs: TierInputs,
): Pick<RawAmount, 'raw' | 'parts'> {
  if (bounds === null && !rule.isFlatRate) return nothing;
  let raw = Decimal.zero;
  const parts: TraceParts['parts'][number][] = [];
  rule.tiers.forEach((tier, index) => {
    const reaches = (credit: Decimal) => rule.isFlatRate || !credit.isLessThan(bounds?.[index] as Decimal);
    const entered = reaches(inputs.after);
    const enteredBefore = inputs.highWater !== null && reaches(inputs.highWater);
    if (!entered || enteredBefore || tier.flatAmount === null) return;
    raw = raw.plus(tier.flatAmount);
    parts.push({ tierIndex: tier.tierIndex, rate: null, part: tier.flatAmount });
  });
  return { raw, parts };
}

/**
 * The bonus of the highest tier that the period has reached, minus what the rule already paid for the period. The bonus
 * is 0 for a rate, which an override has if an earlier version of the rule paid by rates.
 */
function stepUp(tier: EffectiveTier | null, inputs: TierInputs): Pick<RawAmount, 'raw' | 'parts'> {
  if (tier === null) return nothing;
  const raw = (tier.flatAmount ?? Decimal.zero).minus(inputs.paid);
  return { raw, parts: raw.isZero() ? [] : [{ tierIndex: tier.tierIndex, rate: null, part: raw }] };
}

interface Limited {
  readonly amount: Decimal;
  readonly limits: TraceParts['limits'];
}

function applyLimits(rule: CompiledRule, inputs: TierInputs, paid: RawAmount, raw: Decimal): Limited {
  const limits: TraceParts['limits'][number][] = [];
  if (rule.floorAttainment !== null && isBelowFloorAttainment(rule, rule.floorAttainment, inputs)) {
    limits.push({ kind: 'floor_attainment', bound: rule.floorAttainment, before: raw, after: Decimal.zero });
    return { amount: Decimal.zero, limits };
  }
  let amount = raw;
  const bind = (kind: TraceParts['limits'][number]['kind'], bound: Decimal, limited: Decimal) => {
    if (!limited.equals(amount)) limits.push({ kind, bound, before: amount, after: limited });
    amount = limited;
  };
  if (rule.floor !== null && paid.hasTier && hasRate(paid) && raw.sign() >= 0 && !inputs.isCreditNote) {
    const floor = rule.floor.times(inputs.share.pay);
    bind('floor', floor, maximum(amount, floor));
  }
  if (rule.capMultiplier !== null) {
    const variableTarget = fullVariableTarget(inputs.quota);
    if (variableTarget === null) limits.push({ kind: 'cap_multiplier', bound: null, before: amount, after: amount });
    else {
      const bound = rule.capMultiplier.times(variableTarget).times(inputs.share.pay);
      const least = bound.negated();
      if (amount.sign() < 0) bind('cap_multiplier', least, maximum(amount, least));
      else bind('cap_multiplier', bound, minimum(amount, bound));
    }
  }
  if (rule.cap !== null) {
    const { bound, limited } = capAmount(rule, rule.cap, inputs, amount);
    bind('cap', bound, limited);
  }
  return { amount, limits };
}

/** Whether a rate was found for a part of the deal: a line that reaches no tier has none. */
function hasRate({ units }: RawAmount): boolean {
  return units.length === 0 || units.some(({ tier, pay }) => tier !== null && pay.reason !== 'rate_not_found');
}

/** What the cap leaves of an amount, and its bound: of a negative amount, what the cap cut off before, which it uses. */
function capAmount(
  rule: CompiledRule,
  cap: Decimal,
  { paid, cutOff }: TierInputs,
  amount: Decimal,
): { readonly bound: Decimal; readonly limited: Decimal } {
  if (amount.sign() >= 0 || paysBands(rule)) {
    const headroom = maximum(cap.minus(paid), Decimal.zero);
    return { bound: headroom, limited: minimum(amount, headroom) };
  }
  const limited = cutOff.isZero() ? amount : minimum(settleAmount(amount.plus(cutOff)), Decimal.zero);
  return { bound: cutOff, limited };
}

/** Bonuses of the period neither add to what the cap has cut off nor use it. */
function computeCutOff(rule: CompiledRule, limits: Limited['limits']): Decimal {
  const cap = paysBands(rule) ? undefined : limits.find(({ kind }) => kind === 'cap');
  return cap === undefined ? Decimal.zero : cap.before.minus(cap.after);
}

/** Both before and after the deal, so that a refund takes back what was paid above the floor. */
function isBelowFloorAttainment({ rule }: CompiledRule, floor: Decimal, inputs: TierInputs): boolean {
  const target = inputs.quota?.target;
  if (target === undefined || target.isZero()) return floor.sign() > 0;
  const bound = floor.times(target);
  if (rule.tierMode === 'retroactive') return inputs.periodCredit.isLessThan(bound);
  return inputs.before.isLessThan(bound) && inputs.after.isLessThan(bound);
}

function reasonFor(
  rule: CompiledRule,
  inputs: TierInputs,
  { hasTier, units }: RawAmount,
  bounds: readonly Decimal[] | null,
  limited: Limited,
  amount: Decimal,
): Reason | null {
  if (!amount.isZero()) return null;
  if (inputs.share.pay.isZero() && !paysBands(rule)) return 'quota_credit_only';
  const last = limited.limits.at(-1);
  if (last?.kind === 'floor_attainment') return 'below_floor_attainment';
  const ofUnits = units.every(({ pay }) => pay.reason !== null) ? units[0]?.pay.reason : null;
  if (!hasTier && bounds === null) return 'quota_missing';
  if (!hasTier && rule.rule.tierBy === 'value' && inputs.tierValueAbsence !== null) return inputs.tierValueAbsence;
  if (ofUnits !== null && ofUnits !== undefined) return ofUnits;
  if (!hasTier) return 'below_lowest_tier';
  if (last?.kind === 'cap' && last.after.isZero()) return 'cap_exhausted';
  return null;
}
