import { type Tier } from '../access/workspaces/workspace-tables.js';

/** The order ascends. A tier limits the number of active people. */
const tiers: readonly Tier[] = ['free', 'pro', 'enterprise'];

export interface Subscription {
  readonly subscriptionId: string;
  readonly status: string;
  /** Null if no price names a known tier. */
  readonly tier: Tier | null;
  /** Number of seats that the prices count; null if they count none. */
  readonly seats: number | null;
  /** Since when a payment is overdue; null if none is. */
  readonly pastDueSince: Date | null;
}

export interface PricedItem {
  readonly priceId: string;
  readonly lookupKey: string | null;
  readonly priceTier: string | undefined;
  readonly productTier: string | undefined;
  /** The quantity if the price counts seats; otherwise null. */
  readonly seats: number | null;
}

/** Status of a subscription that is active and whose payments are not collected. */
export const collectionPaused = 'collection_paused';

/** The seats of the items that count seats; null if none does. */
export function countSeats(items: readonly PricedItem[]): number | null {
  return sumSeats(items.map(({ seats }) => seats));
}

function sumSeats(seats: readonly (number | null)[]): number | null {
  const counted = seats.filter((count) => count !== null);
  return counted.length === 0 ? null : counted.reduce((sum, count) => sum + count, 0);
}

/** Tiers of prices without metadata, by price id. */
export type PriceTiers = ReadonlyMap<string, Tier>;

const dayMs = 86_400_000;

/** The highest tier among the items; items without a tier, such as one-off fees, are ignored. */
export function findTier(items: readonly PricedItem[], priceTiers: PriceTiers): Tier | null {
  return highest(items.map((item) => findItemTier(item, priceTiers)).filter((tier) => tier !== null));
}

function findItemTier({ productTier, priceTier, lookupKey, priceId }: PricedItem, priceTiers: PriceTiers): Tier | null {
  const ofLookupKey = lookupKey?.split(/[_-]/)[0];
  return readTier(productTier) ?? readTier(priceTier) ?? readTier(ofLookupKey) ?? priceTiers.get(priceId) ?? null;
}

function readTier(text: string | undefined): Tier | null {
  return tiers.find((tier) => tier === text?.toLowerCase()) ?? null;
}

/**
 * The tier that the subscriptions entitle the workspace to. Unknown statuses, unknown prices and an open first
 * payment take nothing away.
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

/**
 * The seats that the subscriptions of the entitled tier count; null if one of them has the seats of its tier. An unclear
 * subscription takes nothing away.
 */
export function entitledSeats(
  subscriptions: readonly Subscription[],
  current: number | null,
  { tier, now, graceDays }: { readonly tier: Tier; readonly now: Date; readonly graceDays: number },
): number | null {
  const found = subscriptions.map((subscription) => ({
    seats: subscription.seats,
    entitled: entitlement(subscription, now, graceDays),
  }));
  if (found.some(({ entitled }) => entitled === null)) return current;
  const seats = found
    .filter(({ entitled }) => entitled === tier && tier !== 'free')
    .map((subscription) => subscription.seats);
  return seats.includes(null) ? null : sumSeats(seats);
}

/** Whether the status begins a grace period. */
export function isLate(status: string): boolean {
  return toPaymentState(status) === 'late';
}

/** Whether the subscription's tier cannot be determined and needs a person's attention. */
export function isUnclear(subscription: Subscription): boolean {
  if (subscription.status === 'incomplete') return false;
  return toPaymentState(subscription.status) === 'unknown' || (isPaidFor(subscription) && subscription.tier === null);
}

/** End of the grace period of an overdue payment. */
export function graceEnd(pastDueSince: Date, graceDays: number): Date {
  return new Date(pastDueSince.getTime() + graceDays * dayMs);
}

/** Null if the tier cannot be determined. */
function entitlement(subscription: Subscription, now: Date, graceDays: number): Tier | null {
  const { status, tier, pastDueSince } = subscription;
  switch (toPaymentState(status)) {
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
  return toPaymentState(status) === 'paid' || toPaymentState(status) === 'late';
}

function toPaymentState(status: string): 'paid' | 'late' | 'ended' | 'unknown' {
  switch (status) {
    case 'active':
    case 'trialing':
      return 'paid';
    case 'past_due':
    case collectionPaused:
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
