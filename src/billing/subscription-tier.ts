/** What a workspace pays for; how many people it may have follows from it. */
export const tiers = ['free', 'pro', 'enterprise'] as const;
export type Tier = (typeof tiers)[number];

/** A subscription as the provider tells it now. */
export interface Subscription {
  readonly subscriptionId: string;
  readonly status: string;
  /** Null where its prices say nothing that is understood. */
  readonly tier: Tier | null;
  /** Since when a payment has been missing; null when none is. */
  readonly pastDueSince: Date | null;
}

export interface PricedItem {
  readonly priceId: string;
  readonly lookupKey: string | null;
  readonly priceTier: string | undefined;
  readonly productTier: string | undefined;
}

/** Tiers of prices that say nothing themselves, by their ids. */
export type PriceTiers = ReadonlyMap<string, Tier>;

const dayMs = 86_400_000;

/** The highest that one of its prices is for; items that are no tier, such as a one-off, count for nothing. */
export function tierOfItems(items: readonly PricedItem[], priceTiers: PriceTiers): Tier | null {
  return highest(items.map((item) => tierOfItem(item, priceTiers)).filter((tier) => tier !== null));
}

function tierOfItem({ productTier, priceTier, lookupKey, priceId }: PricedItem, priceTiers: PriceTiers): Tier | null {
  const ofLookupKey = lookupKey?.split(/[_-]/)[0];
  return readTier(productTier) ?? readTier(priceTier) ?? readTier(ofLookupKey) ?? priceTiers.get(priceId) ?? null;
}

function readTier(text: string | undefined): Tier | null {
  return tiers.find((tier) => tier === text?.toLowerCase()) ?? null;
}

/**
 * What the subscriptions entitle the workspace to. Whatever is not understood takes nothing away: neither a status
 * that the provider invents, nor a price that nobody has told us of, nor a first payment that is still open.
 */
export function entitledTier(
  subscriptions: readonly Subscription[],
  current: Tier,
  { now, graceDays }: { readonly now: Date; readonly graceDays: number },
): Tier {
  const found = subscriptions.map((subscription) => entitlement(subscription, now, graceDays));
  const known = highest(found.filter((tier) => tier !== null)) ?? 'free';
  return found.includes(null) ? (highest([known, current]) as Tier) : known;
}

/** Whether the subscription leaves open what it is worth, for somebody to look at. */
export function isUnclear(subscription: Subscription): boolean {
  if (subscription.status === 'incomplete') return false;
  return standingOf(subscription.status) === 'unknown' || (isPaidFor(subscription) && subscription.tier === null);
}

/** Until when a missing payment is waited for. */
export function graceEnd(pastDueSince: Date, graceDays: number): Date {
  return new Date(pastDueSince.getTime() + graceDays * dayMs);
}

/** Null leaves open what it is worth. */
function entitlement(subscription: Subscription, now: Date, graceDays: number): Tier | null {
  const { status, tier, pastDueSince } = subscription;
  switch (standingOf(status)) {
    case 'paid':
      return tier;
    case 'late':
      return pastDueSince !== null && graceEnd(pastDueSince, graceDays) <= now ? 'free' : tier;
    case 'ended':
      return 'free';
    default:
      return null;
  }
}

function isPaidFor({ status }: Subscription): boolean {
  return standingOf(status) === 'paid' || standingOf(status) === 'late';
}

function standingOf(status: string): 'paid' | 'late' | 'ended' | 'unknown' {
  switch (status) {
    case 'active':
    case 'trialing':
      return 'paid';
    case 'past_due':
      return 'late';
    case 'incomplete_expired':
    case 'unpaid':
    case 'canceled':
    case 'paused':
      return 'ended';
    default:
      return 'unknown';
  }
}

function highest(found: readonly Tier[]): Tier | null {
  return tiers.findLast((tier) => found.includes(tier)) ?? null;
}
