import { expect } from 'chai';
import { needsWholePeriod } from '#src/engine/carried-credit.js';
import { readPlanConfig } from '#src/engine/plan-config.js';
import { rule } from './small-world.js';

const fixedAmounts = [{ tierIndex: 0, minThreshold: 0, flatAmount: 100 }];

function needs(terms: object): boolean {
  const read = readPlanConfig({ rules: [rule(terms)] });
  if ('issues' in read) throw new Error(JSON.stringify(read.issues));
  return read.terms.rules.some(needsWholePeriod);
}

describe('the rules whose payout needs the whole period', () => {
  for (const terms of [
    { tierBy: 'rank', tiers: fixedAmounts },
    { tierMode: 'retroactive' },
    { payoutMode: 'flat_per_tier', tiers: fixedAmounts },
    { payoutMode: 'stepped_bonus', tiers: fixedAmounts },
    { executionPhase: 'periodic' },
    { cap: 100 },
  ])
    it(`are those with ${JSON.stringify(terms)}`, () => {
      expect(needs(terms)).to.equal(true);
    });

  for (const terms of [
    {},
    { tierBy: 'value', tierValueField: 'seats' },
    { tierMode: 'marginal', floor: 1, floorAttainment: 0.5 },
    { payoutMode: 'flat_per_event', tiers: fixedAmounts },
    { payoutMode: 'rate_times_attainment' },
    { executionPhase: 'cascade' },
  ])
    it(`are not those with ${JSON.stringify(terms)}`, () => {
      expect(needs(terms)).to.equal(false);
    });
});
