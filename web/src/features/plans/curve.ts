import { difference, multiplyAmounts } from '../../shared/format/exact.js';
import { type Rule, type Tier } from './draft.js';
import { sharedTiers } from './rules.js';

/** What a rule pays in a period by attainment, for a chart. Amounts that people are paid are never computed here. */
export interface CurvePoint {
  readonly attainment: number;
  readonly payout: number;
}

const minEnd = 1.5;
const intervals = 30;

/** Null if something else than attainment decides what the rule pays, such as the size of single deals. */
export function payoutCurve(rule: Rule, quota: number): readonly CurvePoint[] | null {
  if (!isByAttainment(rule) || rule.floor !== undefined || rule.capMultiplier !== undefined) return null;
  if (rule.payoutMode === 'rate' && !paysRateOfCredit(rule)) return null;
  const tiers = sharedTiers(rule);
  const thresholds = [...tiers.map(({ minThreshold }) => minThreshold), rule.floorAttainment ?? 0];
  const end = Math.max(minEnd, Math.max(...thresholds) + 0.25);
  const edges = thresholds.filter((edge) => edge > 0 && edge < end);
  const steps = Array.from({ length: intervals + 1 }, (_, index) => (index * end) / intervals);
  const places = [...new Set([...steps, ...edges, ...edges.map((edge) => edge - 1e-9)])].sort((a, b) => a - b);
  return places.map((attainment) => ({ attainment, payout: payoutAt(rule, tiers, quota, attainment) }));
}

/** What the curve shows at the attainment, between its points and at its ends. */
export function pointAt(curve: readonly CurvePoint[], attainment: number): CurvePoint | null {
  const [first, last] = [curve[0], curve.at(-1)];
  if (first === undefined || last === undefined) return null;
  const after = curve.findIndex((point) => point.attainment > attainment);
  const [before, next] = [curve[after - 1], curve[after]];
  if (after < 0) return last;
  if (before === undefined || next === undefined) return first;
  const share = (attainment - before.attainment) / (next.attainment - before.attainment);
  return { attainment, payout: before.payout + share * (next.payout - before.payout) };
}

/**
 * What the tier pays if all of it is reached, as decimal text; `no limit` for the last one. Null if it pays no share of
 * what lies between two thresholds.
 */
export function tierInFull(rule: Rule, index: number, quota: number): string | null {
  const shared = rule.tiers.filter(({ repId }) => repId === undefined);
  const [tier, next] = [shared[index], shared[index + 1]];
  if (tier?.rate === undefined || !isByAttainment(rule) || !paysRateOfCredit(rule) || isOfWholePeriod(rule))
    return null;
  if (rule.floor !== undefined || rule.capMultiplier !== undefined) return null;
  if (next === undefined) return 'no limit';
  return multiplyAmounts(multiplyAmounts(difference(next.minThreshold, tier.minThreshold), quota), tier.rate);
}

function isByAttainment({ tierBy, executionPhase, payoutMode, payoutBase }: Rule): boolean {
  return (
    tierBy === 'attainment' &&
    executionPhase !== 'cascade' &&
    payoutMode !== 'flat_per_event' &&
    payoutMode !== 'rate_times_attainment' &&
    payoutBase !== '1'
  );
}

/** Whether the rates multiply what counts towards the quota, and nothing else counts towards it. */
function paysRateOfCredit({
  measure,
  payoutBase,
  quotaMeasure,
  quotaCredit,
  quotaGroup,
  tierMode,
  tiers,
}: Rule): boolean {
  const isMeasure = (slug: string | undefined) => slug === undefined || slug === measure;
  return (
    tierMode !== 'interpolated' &&
    isMeasure(payoutBase) &&
    isMeasure(quotaMeasure) &&
    quotaCredit === undefined &&
    quotaGroup === undefined &&
    tiers.every(({ flatAmount, table }) => flatAmount === undefined && table === undefined)
  );
}

/** Whether the tier that the period reaches pays for all of it. */
function isOfWholePeriod({ tierMode, executionPhase }: Rule): boolean {
  return tierMode === 'retroactive' || (executionPhase === 'periodic' && tierMode === 'full_rate');
}

function payoutAt(rule: Rule, tiers: readonly Tier[], quota: number, attainment: number): number {
  const { floorAttainment = 0, executionPhase, tierMode, payoutMode, cap } = rule;
  if (attainment < floorAttainment) return 0;
  // Deals below the floor are paid nothing later either, except where the whole period is paid again.
  const isLost = executionPhase === 'per_deal' && tierMode !== 'retroactive' && payoutMode !== 'stepped_bonus';
  const lost = isLost ? byMode(rule, tiers, quota, floorAttainment - 1e-12) : 0;
  const paid = byMode(rule, tiers, quota, attainment) - lost;
  return cap === undefined ? paid : Math.min(paid, cap);
}

function byMode(rule: Rule, tiers: readonly Tier[], quota: number, attainment: number): number {
  const reached = tiers.filter(({ minThreshold }) => minThreshold <= attainment);
  if (rule.payoutMode === 'stepped_bonus') return reached.at(-1)?.flatAmount ?? 0;
  if (rule.payoutMode === 'flat_per_tier') return reached.reduce((sum, { flatAmount = 0 }) => sum + flatAmount, 0);
  if (isOfWholePeriod(rule)) return attainment * quota * (reached.at(-1)?.rate ?? 0);
  return reached.reduce((sum, { minThreshold, rate = 0 }) => {
    const next = tiers.find((tier) => tier.minThreshold > minThreshold)?.minThreshold ?? Number.POSITIVE_INFINITY;
    return sum + (Math.min(attainment, next) - minThreshold) * quota * rate;
  }, 0);
}
