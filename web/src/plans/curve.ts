import { type Rule, type Tier } from './draft.js';
import { sharedTiers } from './rules.js';

/** What a rule pays in a period by attainment, for a chart. Amounts that people are paid are never computed here. */
export interface CurvePoint {
  readonly attainment: number;
  readonly payout: number;
}

const maxAttainment = 1.5;

/** Null if attainment does not decide what the rule pays. */
export function payoutCurve(rule: Rule, quota: number): readonly CurvePoint[] | null {
  if (rule.tierBy !== 'attainment' || rule.executionPhase === 'cascade') return null;
  if (rule.payoutMode === 'flat_per_event' || rule.payoutBase === '1') return null;
  const tiers = sharedTiers(rule);
  const edges = tiers.map(({ minThreshold }) => minThreshold).filter((edge) => edge > 0 && edge < maxAttainment);
  const steps = Array.from({ length: 31 }, (_, index) => (index * maxAttainment) / 30);
  const places = [...new Set([...steps, ...edges, ...edges.map((edge) => edge - 1e-9)])].sort((a, b) => a - b);
  return places.map((attainment) => ({ attainment, payout: payoutAt(rule, tiers, quota, attainment) }));
}

function payoutAt(rule: Rule, tiers: readonly Tier[], quota: number, attainment: number): number {
  if (rule.floorAttainment !== undefined && attainment < rule.floorAttainment) return 0;
  const reached = tiers.filter(({ minThreshold }) => minThreshold <= attainment);
  const paid = byMode(rule, tiers, reached, quota, attainment);
  return rule.cap === undefined ? paid : Math.min(paid, rule.cap);
}

function byMode(
  { payoutMode, tierMode }: Rule,
  tiers: readonly Tier[],
  reached: readonly Tier[],
  quota: number,
  attainment: number,
): number {
  if (payoutMode === 'stepped_bonus') return reached.at(-1)?.flatAmount ?? 0;
  if (payoutMode === 'flat_per_tier') return reached.reduce((sum, { flatAmount = 0 }) => sum + flatAmount, 0);
  if (tierMode === 'retroactive') return attainment * quota * (reached.at(-1)?.rate ?? 0);
  return reached.reduce((sum, { minThreshold, rate = 0 }) => {
    const next = tiers.find((tier) => tier.minThreshold > minThreshold)?.minThreshold ?? Number.POSITIVE_INFINITY;
    return sum + (Math.min(attainment, next) - minThreshold) * quota * rate;
  }, 0);
}
