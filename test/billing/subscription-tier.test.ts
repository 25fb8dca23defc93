import { expect } from 'chai';
import { type Tier } from '#src/access/workspaces/workspace-tables.js';
import {
  collectionPaused,
  entitledSeats,
  entitledTier,
  findTier,
  isUnclear,
  type PricedItem,
  type Subscription,
} from '#src/billing/subscription-tier.js';

const now = new Date('2026-11-20T10:00:00Z');
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);

function subscription(status: string, tier: Tier | null = 'pro', pastDueSince: Date | null = null): Subscription {
  return { subscriptionId: `sub_${status}`, status, tier, seats: null, pastDueSince };
}

function entitled(subscriptions: readonly Subscription[], current: Tier = 'free'): Tier {
  return entitledTier(subscriptions, current, { now, graceDays: 7 });
}

describe('the tier that subscriptions entitle to', () => {
  it('is free without a subscription', () => {
    for (const current of ['free', 'pro', 'enterprise'] as const) expect(entitled([], current)).to.equal('free');
  });

  for (const status of ['active', 'trialing'])
    it(`is the tier of the price while ${status}`, () => {
      expect(entitled([subscription(status)])).to.equal('pro');
      expect(entitled([subscription(status, 'pro')], 'enterprise')).to.equal('pro');
    });

  for (const status of ['incomplete_expired', 'unpaid', 'canceled', 'paused'])
    it(`is free once ${status}`, () => expect(entitled([subscription(status)], 'pro')).to.equal('free'));

  for (const status of ['past_due', collectionPaused])
    it(`does not change during the grace period of a subscription that is ${status}, and ends after it`, () => {
      expect(entitled([subscription(status, 'pro', daysAgo(6.9))], 'pro')).to.equal('pro');
      expect(entitled([subscription(status, 'pro', daysAgo(7))], 'pro')).to.equal('free');
      expect(entitled([subscription(status, null, daysAgo(8))], 'pro')).to.equal('free');
    });

  it('is neither raised nor lowered by an open first payment', () => {
    expect(entitled([subscription('incomplete', 'enterprise')], 'free')).to.equal('free');
    expect(entitled([subscription('incomplete', 'pro')], 'enterprise')).to.equal('enterprise');
  });

  it('is not lowered by an unknown status or price', () => {
    expect(entitled([subscription('suspended_by_moon_phase')], 'pro')).to.equal('pro');
    expect(entitled([subscription('active', null)], 'enterprise')).to.equal('enterprise');
    expect(entitled([subscription('active', null), subscription('active', 'pro')], 'free')).to.equal('pro');
  });

  it('is the highest of several', () => {
    expect(entitled([subscription('active', 'pro'), subscription('trialing', 'enterprise')])).to.equal('enterprise');
    expect(entitled([subscription('canceled', 'enterprise'), subscription('active', 'pro')], 'enterprise')).to.equal(
      'pro',
    );
  });

  it('distinguishes problems that need attention from payments that are only open', () => {
    expect(
      [subscription('active', null), subscription('past_due', null), subscription('odd')].every(isUnclear),
    ).to.equal(true);
    expect(
      [subscription('active'), subscription('incomplete', null), subscription('canceled', null)].some(isUnclear),
    ).to.equal(false);
  });
});

describe('the seats that subscriptions entitle to', () => {
  const seatsOf = (
    tier: Tier,
    current: number | null,
    ...found: (Partial<Subscription> & { seats: number | null })[]
  ) =>
    entitledSeats(
      found.map((one) => ({ ...subscription('active'), ...one })),
      current,
      { tier, now, graceDays: 7 },
    );

  it('are the sum of the quantities of the subscriptions of the entitled tier', () => {
    expect(seatsOf('pro', null, { seats: 30 }, { seats: 12 })).to.equal(42);
    expect(seatsOf('enterprise', null, { tier: 'enterprise', seats: 80 }, { seats: 5 })).to.equal(80);
  });

  it('are those of the tier if a subscription counts none, or if none is left', () => {
    expect(seatsOf('pro', 30, { seats: 30 }, { seats: null })).to.equal(null);
    expect(seatsOf('free', 30, { status: 'canceled', seats: 30 })).to.equal(null);
    expect(seatsOf('free', 30)).to.equal(null);
  });

  it('do not change because of an unclear subscription', () => {
    expect(seatsOf('pro', 30, { status: 'odd', seats: 3 })).to.equal(30);
  });
});

describe('the tier of a price', () => {
  const item = (change: Partial<PricedItem> = {}): PricedItem => ({
    priceId: 'price_1',
    lookupKey: null,
    priceTier: undefined,
    productTier: undefined,
    seats: null,
    ...change,
  });
  const known = new Map<string, Tier>([['price_1', 'free']]);

  it('is read from its product, itself, its lookup key or the settings, in this order', () => {
    const all = { productTier: 'enterprise', priceTier: 'pro', lookupKey: 'free_monthly' };
    expect(findTier([item(all)], known)).to.equal('enterprise');
    expect(findTier([item({ ...all, productTier: undefined })], known)).to.equal('pro');
    expect(findTier([item({ lookupKey: 'enterprise_yearly' })], known)).to.equal('enterprise');
    expect(findTier([item({ lookupKey: 'Pro-monthly' })], known)).to.equal('pro');
    expect(findTier([item()], known)).to.equal('free');
  });

  it('is unknown if no source defines it', () => {
    expect(findTier([item({ lookupKey: 'professional_monthly', productTier: 'gold' })], new Map())).to.equal(null);
    expect(findTier([], known)).to.equal(null);
  });

  it('ignores items without a tier', () => {
    expect(findTier([item({ priceId: 'setup' }), item({ priceTier: 'pro' })], new Map())).to.equal('pro');
  });
});
