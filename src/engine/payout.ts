import { roundToCurrency } from '../kernel/currency.js';
import { Decimal, maximum, minimum } from '../kernel/decimal.js';
import { unreachable } from '../kernel/unreachable.js';
import { type CompiledRule, type EffectiveTier } from './compiled-plan.js';
import { type Share, wholeShare } from './credit-lines.js';
import { type EffectiveQuota, fullVariableTarget } from './effective-quota.js';
import { settleAmount } from './exchange-rates.js';
import { isWithinBounds } from './field-value.js';
import { type Reason, type TraceParts } from './trace.js';

/** The inputs of one firing's payout: its values, and the credit counted around it under its attainment key. */
export interface TierInputs {
  readonly measure: Decimal;
  readonly credit: Decimal;
  readonly base: Decimal;
  readonly tierValue: Decimal | null;
  /** Why there is no tier value; null if there is one, or if the rule needs none. */
  readonly tierValueAbsence: Reason | null;
  readonly quota: EffectiveQuota | null;
  /** The percentage of the raw amount that the rep's ramp pays; null without a step that changes it. */
  readonly rampRate: Decimal | null;
  /** The share that credit and base contain already, and that fixed amounts and limits of the deal do not. */
  readonly share: Share;
  /** Credit of earlier deals. */
  readonly before: Decimal;
  /** `before` plus the credit of earlier rules on this deal: the start of a marginal slice. */
  readonly sliceStart: Decimal;
  /** Credit up to and including the whole deal; the same for every rule of a group. */
  readonly after: Decimal;
  /** Credit of the whole period, later deals included. */
  readonly periodCredit: Decimal;
  /** The maximum that credit reached after any earlier deal of the period; null before the first. */
  readonly highWater: Decimal | null;
  /** 1 is first; null unless the rule tiers by rank. */
  readonly rank: number | null;
  /** The amount that this rule paid this rep for earlier deals of this attainment period. */
  readonly paid: Decimal;
  /** What the cap of the rule cut off these deals, less what credit notes and refunds used of it. */
  readonly cutOff: Decimal;
  /** Whether the deal takes back what the sale that it mirrors would be paid at its place in the period. */
  readonly isCreditNote: boolean;
}

export interface Payout extends TraceParts {
  readonly isBonus: boolean;
  /** What the cap cut off, exactly; negative where a credit note used what it had cut off before. */
  readonly cutOff: Decimal;
}

/**
 * Computes what one firing pays: tier, raw amount, floors, caps, rounding, in this order. `converts` says that values
 * may be quotients.
 */
export function payOut(rule: CompiledRule, inputs: TierInputs, currency: string, converts = false): Payout {
  const target = inputs.quota?.target ?? null;
  const bounds = rule.boundsFor(target);
  const position = decidingPosition(rule, bounds, inputs);
  const tier = tierAt(rule, bounds, position);
  const { raw: rated, parts } = rawAmount(rule, bounds, tier, inputs);
  const ratePercent = paysByDeal(rule) ? inputs.rampRate : null;
  const raw = ratePercent === null ? rated : rated.times(ratePercent).times(onePercent);
  const isPayable = isWithinBounds(raw);
  const limited = isPayable ? applyLimits(rule, inputs, tier, raw) : { amount: Decimal.zero, limits: [] };
  const amount = roundToCurrency(converts ? settleAmount(limited.amount) : limited.amount, currency);
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
    parts,
    limits: limited.limits,
    reason: isPayable ? reasonFor(rule, inputs, tier, bounds, limited, amount) : 'amount_out_of_range',
    periodCredit: rule.rule.tierMode === 'retroactive' ? inputs.periodCredit : null,
    isBelowZero: isBelowZero(rule, bounds, inputs, position),
    proration: inputs.quota?.proration ?? null,
    ratePercent,
    share: inputs.share === wholeShare ? null : inputs.share,
    isBonus: isFixed(tier),
    cutOff: computeCutOff(rule, limited.limits),
  };
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

function isFixed(tier: EffectiveTier | null): boolean {
  return tier !== null && tier.flatAmount !== null;
}

function tierAt(rule: CompiledRule, bounds: readonly Decimal[] | null, position: Decimal | null): EffectiveTier | null {
  if (rule.isFlatRate) return rule.tiers[0] ?? null;
  if (bounds === null || position === null) return null;
  if (rule.rule.tierBy === 'attainment' && position.sign() < 0) return tierBelowZero(rule, bounds);
  return lastReached(rule.tiers, bounds, position);
}

/** Attainment below 0 reaches the tier that attainment 0 reaches, if that tier pays by a rate. */
function tierBelowZero(rule: CompiledRule, bounds: readonly Decimal[]): EffectiveTier | null {
  if (rule.rule.payoutMode !== 'rate') return null;
  const base = lastReached(rule.tiers, bounds, Decimal.zero);
  return base === null || base.rate === null ? null : base;
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

function lastReached(
  tiers: readonly EffectiveTier[],
  bounds: readonly Decimal[],
  value: Decimal,
): EffectiveTier | null {
  for (let index = tiers.length - 1; index >= 0; index -= 1) {
    if (!value.isLessThan(bounds[index] as Decimal)) return tiers[index] as EffectiveTier;
  }
  return null;
}

interface RawAmount {
  readonly raw: Decimal;
  readonly parts: TraceParts['parts'];
}

/** Decimals of the parts in a trace: their sum is the raw amount to far less than a cent. */
const partPlaces = 10;

const nothing: RawAmount = { raw: Decimal.zero, parts: [] };

function rawAmount(
  rule: CompiledRule,
  bounds: readonly Decimal[] | null,
  tier: EffectiveTier | null,
  inputs: TierInputs,
): RawAmount {
  switch (rule.rule.payoutMode) {
    case 'flat_per_tier':
      return bandsEntered(rule, bounds, inputs);
    case 'stepped_bonus':
      return stepUp(tier, inputs);
    case 'rate_times_attainment':
      return timesAttainment(rule, tier, inputs);
    case 'rate':
    case 'flat_per_event':
      if (tier !== null && tier.flatAmount !== null) {
        const amount = tier.flatAmount.times(inputs.share.pay);
        return whole(tier, inputs.isCreditNote ? amount.negated() : amount);
      }
      if (rule.rule.tierMode === 'marginal' && !rule.isFlatRate) return marginalParts(rule, bounds, inputs);
      return tier === null ? nothing : whole(tier, inputs.base);
    default:
      return unreachable(rule.rule.payoutMode);
  }
}

/**
 * The rate of the tier times the base times the attainment that decides the tier. It is 0 for a fixed amount, which an
 * override has if an earlier version of the rule paid by amounts.
 */
function timesAttainment(rule: CompiledRule, tier: EffectiveTier | null, inputs: TierInputs): RawAmount {
  const target = inputs.quota?.target;
  if (tier === null || tier.rate === null || target === undefined) return nothing;
  const reached = rule.rule.tierMode === 'retroactive' ? inputs.periodCredit : inputs.after;
  const weighted = inputs.base.times(reached);
  return {
    raw: tier.rate.times(weighted).dividedBy(target),
    parts: [{ tierIndex: tier.tierIndex, rate: tier.rate, part: weighted.dividedBy(target).rounded(partPlaces) }],
  };
}

function whole(tier: EffectiveTier, base: Decimal): RawAmount {
  const raw = tier.rate === null ? base : tier.rate.times(base);
  return { raw, parts: [{ tierIndex: tier.tierIndex, rate: tier.rate, part: base }] };
}

/**
 * Splits the slice of credit by the tier bands, like income by tax brackets; negative credit takes back what was
 * paid.
 */
function marginalParts(rule: CompiledRule, bounds: readonly Decimal[] | null, inputs: TierInputs): RawAmount {
  if (bounds === null) return nothing;
  const { sliceStart, credit, base } = inputs;
  if (credit.isZero()) {
    const tier = sliceStart.sign() < 0 ? tierBelowZero(rule, bounds) : lastReached(rule.tiers, bounds, sliceStart);
    return tier === null || tier.rate === null ? nothing : whole(tier, base);
  }
  const sliceEnd = sliceStart.plus(credit);
  const low = minimum(sliceStart, sliceEnd);
  const high = maximum(sliceStart, sliceEnd);
  const openBand = tierBelowZero(rule, bounds);
  let weighted = Decimal.zero;
  const parts: TraceParts['parts'][number][] = [];
  rule.tiers.forEach((tier, index) => {
    const next = bounds[index + 1];
    const top = next === undefined ? high : minimum(high, next);
    const bottom = tier === openBand ? low : maximum(low, bounds[index] as Decimal);
    const band = top.minus(bottom);
    if (band.sign() <= 0 || tier.rate === null) return;
    weighted = weighted.plus(tier.rate.times(band));
    parts.push({
      tierIndex: tier.tierIndex,
      rate: tier.rate,
      part: computeShareOfBase(band, inputs).rounded(partPlaces),
    });
  });
  return { raw: computeShareOfBase(weighted, inputs), parts };
}

/** `base × size / |credit|`, without a division where the base is the credit. */
function computeShareOfBase(size: Decimal, { base, credit }: TierInputs): Decimal {
  if (base.equals(credit)) return credit.sign() < 0 ? size.negated() : size;
  return size.times(base).dividedBy(credit.absolute());
}

/** Each band that the period's credit enters for the first time with this deal pays its amount once. */
function bandsEntered(rule: CompiledRule, bounds: readonly Decimal[] | null, inputs: TierInputs): RawAmount {
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
function stepUp(tier: EffectiveTier | null, inputs: TierInputs): RawAmount {
  if (tier === null) return nothing;
  const raw = (tier.flatAmount ?? Decimal.zero).minus(inputs.paid);
  return { raw, parts: raw.isZero() ? [] : [{ tierIndex: tier.tierIndex, rate: null, part: raw }] };
}

interface Limited {
  readonly amount: Decimal;
  readonly limits: TraceParts['limits'];
}

function applyLimits(rule: CompiledRule, inputs: TierInputs, tier: EffectiveTier | null, raw: Decimal): Limited {
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
  if (rule.floor !== null && tier !== null && raw.sign() >= 0 && !inputs.isCreditNote) {
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
  tier: EffectiveTier | null,
  bounds: readonly Decimal[] | null,
  limited: Limited,
  amount: Decimal,
): Reason | null {
  if (!amount.isZero()) return null;
  if (inputs.share.pay.isZero() && !paysBands(rule)) return 'quota_credit_only';
  const last = limited.limits.at(-1);
  if (last?.kind === 'floor_attainment') return 'below_floor_attainment';
  if (tier === null && bounds === null) return 'quota_missing';
  if (tier === null && rule.rule.tierBy === 'value' && inputs.tierValueAbsence !== null) return inputs.tierValueAbsence;
  if (tier === null) return 'below_lowest_tier';
  if (last?.kind === 'cap' && last.after.isZero()) return 'cap_exhausted';
  return null;
}
