import { expect } from 'chai';
import { describeLimits, readLimit, toEnteredLimit } from '#web/pages/settings/entered-limit.js';

const limits = [
  { above: 1000, by: { role: 'admin' as const } },
  { above: 5000, by: { repIds: ['fay', 'max'] } },
];
const byPeople = limits.slice(1);
const nameOf = (id: string) => `${id.charAt(0).toUpperCase()}${id.slice(1)}`;

describe('the limit for adjustments', () => {
  it('is the same after the form, with its people and the limits after it', () => {
    for (const stored of [limits, byPeople]) expect(readLimit(toEnteredLimit(stored))).to.deep.equal(stored);
    expect(readLimit(toEnteredLimit(undefined))).to.equal(null);
  });

  it('replaces only the first that is stored', () => {
    const entered = toEnteredLimit(limits);
    expect(readLimit({ ...entered, above: '2,000', by: 'manager' })).to.deep.equal([
      { above: 2000, by: { role: 'manager' } },
      ...byPeople,
    ]);
    expect(readLimit({ ...entered, above: '' })).to.deep.equal(byPeople);
    expect(readLimit({ ...entered, above: 'much' })).to.equal(undefined);
    expect(readLimit({ ...toEnteredLimit(byPeople), by: 'admin' })).to.deep.equal([
      { above: 5000, by: { role: 'admin' } },
    ]);
  });

  it('is described with those after it, the lowest first', () => {
    expect(describeLimits(limits.toReversed(), 'USD', nameOf)).to.equal(
      '$1,000.00 counts at once; $1,000.01 waits for another admin; $5,000.01 waits for Fay or Max.',
    );
    expect(describeLimits(null, 'USD', nameOf)).to.equal('An admin adds any amount alone.');
  });
});
