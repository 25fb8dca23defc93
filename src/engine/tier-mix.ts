import { Decimal, maximum, minimum } from '../kernel/decimal.js';
import { type CompiledRule, type EffectiveTier } from './compiled-plan.js';
import { type TierInputs } from './tier-inputs.js';

/** Which tiers pay a deal, each for its part of `of`. All lines of a deal have the same mix. */
export interface TierMix {
  readonly parts: readonly { readonly tier: EffectiveTier; readonly part: Decimal }[];
  /** Null for 1. */
  readonly of: Decimal | null;
}

const noTier: TierMix = { parts: [], of: null };

export function wholeTier(tier: EffectiveTier | null): TierMix {
  return tier === null ? noTier : { parts: [{ tier, part: Decimal.one }], of: null };
}

export function isFixed(tier: EffectiveTier | null): boolean {
  return tier !== null && tier.flatAmount !== null;
}

export function lastReached(
  tiers: readonly EffectiveTier[],
  bounds: readonly Decimal[],
  value: Decimal,
): EffectiveTier | null {
  return tiers[lastIndex(tiers, bounds, value)] ?? null;
}

function lastIndex(tiers: readonly EffectiveTier[], bounds: readonly Decimal[], value: Decimal): number {
  for (let index = tiers.length - 1; index >= 0; index -= 1)
    if (!value.isLessThan(bounds[index] as Decimal)) return index;
  return -1;
}

/** Attainment below 0 reaches the tier that attainment 0 reaches, if that tier pays by a rate. */
export function tierBelowZero(rule: CompiledRule, bounds: readonly Decimal[]): EffectiveTier | null {
  if (rule.rule.payoutMode !== 'rate') return null;
  const base = lastReached(rule.tiers, bounds, Decimal.zero);
  return isFixed(base) ? null : base;
}

/** The mix of the tiers of a deal whose tier is known; a fixed amount is paid whatever the mode is. */
export function decideMix(
  rule: CompiledRule,
  bounds: readonly Decimal[] | null,
  tier: EffectiveTier | null,
  inputs: TierInputs,
): TierMix {
  if (rule.rule.payoutMode === 'rate_times_attainment') return timesAttainment(rule, tier, inputs);
  if (isFixed(tier) || rule.isFlatRate) return wholeTier(tier);
  if (rule.rule.tierMode === 'marginal') return marginalMix(rule, bounds, inputs);
  if (rule.rule.tierMode === 'interpolated') return pointsAround(rule, bounds, inputs);
  return wholeTier(tier);
}

/**
 * The attainment that decides the tier, in its tier. A fixed amount pays nothing, which an override has if an earlier
 * version of the rule paid by amounts.
 */
function timesAttainment(rule: CompiledRule, tier: EffectiveTier | null, inputs: TierInputs): TierMix {
  const target = inputs.quota?.target;
  if (tier === null || isFixed(tier) || target === undefined) return noTier;
  const reached = rule.rule.tierMode === 'retroactive' ? inputs.periodCredit : inputs.after;
  return { parts: [{ tier, part: reached }], of: target };
}

/**
 * Splits the slice of credit by the tier bands, like income by tax brackets; negative credit takes back what was
 * paid.
 */
function marginalMix(rule: CompiledRule, bounds: readonly Decimal[] | null, inputs: TierInputs): TierMix {
  if (bounds === null) return noTier;
  const { sliceStart, credit } = inputs;
  if (credit.isZero()) {
    const tier = sliceStart.sign() < 0 ? tierBelowZero(rule, bounds) : lastReached(rule.tiers, bounds, sliceStart);
    return isFixed(tier) ? noTier : wholeTier(tier);
  }
  const sliceEnd = sliceStart.plus(credit);
  const low = minimum(sliceStart, sliceEnd);
  const high = maximum(sliceStart, sliceEnd);
  const openBand = tierBelowZero(rule, bounds);
  const parts: TierMix['parts'][number][] = [];
  for (const [index, tier] of rule.tiers.entries()) {
    if (isFixed(tier)) continue;
    const next = bounds[index + 1];
    const top = next === undefined ? high : minimum(high, next);
    const bottom = tier === openBand ? low : maximum(low, bounds[index] as Decimal);
    const part = top.minus(bottom);
    if (part.sign() > 0) parts.push({ tier, part });
  }
  return { parts, of: credit.absolute() };
}

/** The two points of a curve around the attainment after the deal, each by its nearness. */
function pointsAround({ tiers }: CompiledRule, bounds: readonly Decimal[] | null, { after }: TierInputs): TierMix {
  if (bounds === null) return noTier;
  const reached = maximum(after, Decimal.zero);
  const index = lastIndex(tiers, bounds, reached);
  const [tier, next] = [tiers[index], tiers[index + 1]];
  const [from, to] = [bounds[index], bounds[index + 1]];
  if (tier === undefined || from === undefined) return noTier;
  if (next === undefined || to === undefined || from.equals(reached)) return wholeTier(tier);
  const parts = [
    { tier, part: to.minus(reached) },
    { tier: next, part: reached.minus(from) },
  ];
  return { parts, of: to.minus(from) };
}
