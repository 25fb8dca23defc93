import { Decimal } from '../kernel/decimal.js';
import { type EffectiveTier } from './compiled-plan.js';
import { type LineReason } from './line-trace.js';
import { type RateKind } from './rate-table.js';
import { type KeyFacts, lookUp, type TableLookup } from './rule-table.js';
import { type Deal } from './slug.js';
import { type TierMix } from './tier-mix.js';

/** What a tier pays: a deal, or one of its lines. */
export interface PaidUnit {
  /** Times the share. */
  readonly base: Decimal;
  /** Whether it takes back: a line with a negative base, or a credit note. */
  readonly isNegative: boolean;
  /** How often an amount per unit is paid. */
  readonly count: Decimal | null;
  /** Where keys are read; null for a period. */
  readonly source: Deal | null;
}

/** What a mix pays one unit: `weighted` ÷ the whole of the mix. */
export interface UnitPay {
  readonly weighted: Decimal;
  /** Why the unit pays nothing. */
  readonly reason: LineReason | null;
  /** What was looked up, in the order of the tiers. */
  readonly lookups: readonly TableLookup[];
  /** The rates of the mix, weighted alike; null if it pays amounts. */
  readonly weightedRate: Decimal | null;
  /** What each tier of the mix pays the unit as a whole. */
  readonly ofTiers: readonly TierAmount[];
}

interface PayTerms {
  readonly share: Decimal;
  readonly flatKind: Exclude<RateKind, 'rate'>;
  readonly facts: KeyFacts;
}

export function payUnit({ parts }: TierMix, unit: PaidUnit, terms: PayTerms): UnitPay {
  const lookups: TableLookup[] = [];
  const ofTiers: TierAmount[] = [];
  let weighted = Decimal.zero;
  let weightedRate: Decimal | null = Decimal.zero;
  let reason: LineReason | null = null;
  for (const { tier, part } of parts) {
    const paid = payByTier(tier, unit, terms);
    ofTiers.push(paid);
    if (paid.lookup !== undefined) lookups.push(paid.lookup);
    weighted = weighted.plus(part.times(paid.amount));
    weightedRate = weightedRate === null || paid.rate === null ? null : weightedRate.plus(part.times(paid.rate));
    // Of two reasons, that which the floor and the exceptions are about.
    if (reason === null || paid.reason === 'rate_not_found') reason = paid.reason;
  }
  if (reason !== null) return { weighted: Decimal.zero, reason, lookups, weightedRate: null, ofTiers };
  return { weighted, reason, lookups, weightedRate, ofTiers };
}

interface TierAmount {
  readonly amount: Decimal;
  /** Null for an amount. */
  readonly rate: Decimal | null;
  readonly reason: LineReason | null;
  readonly lookup?: TableLookup;
}

function payByTier(tier: EffectiveTier, unit: PaidUnit, terms: PayTerms): TierAmount {
  if (tier.rate !== null) return payKind('rate', tier.rate, unit, terms);
  if (tier.flatAmount !== null) return payKind(terms.flatKind, tier.flatAmount, unit, terms);
  const compiled = tier.table?.compiled ?? null;
  if (compiled === null) return nothing('rate_not_found');
  const lookup = lookUp(compiled, unit.source, terms.facts);
  const { amount, rate, reason } =
    lookup.pay === null ? nothing('rate_not_found') : payKind(lookup.pay.kind, lookup.pay.value, unit, terms);
  return { amount, rate, reason, lookup };
}

function nothing(reason: LineReason): TierAmount {
  return { amount: Decimal.zero, rate: null, reason };
}

function payKind(kind: RateKind, value: Decimal, unit: PaidUnit, { share }: PayTerms): TierAmount {
  if (kind === 'rate') return { amount: value.times(unit.base), rate: value, reason: null };
  const shared = value.times(share);
  if (kind === 'amount') return { amount: unit.isNegative ? shared.negated() : shared, rate: null, reason: null };
  return unit.count === null
    ? nothing('field_missing')
    : { amount: shared.times(unit.count), rate: null, reason: null };
}
