import { expect } from 'chai';
import { VersionedCache } from '#src/platform/database/versioned-cache.js';

describe('what is remembered under a revision', () => {
  const plan = { name: 'plan' };

  it('is given under that revision and under no other', () => {
    const remembered = new VersionedCache<object>(100);
    remembered.set('first', 'ann', plan, 10);
    expect(remembered.get('first', 'ann')).to.equal(plan);
    expect(remembered.get('second', 'ann')).to.equal(null);
    expect(remembered.get('first', 'bob')).to.equal(null);
  });

  it('goes when the next revision comes', () => {
    const remembered = new VersionedCache<object>(100);
    remembered.set('first', 'ann', plan, 10);
    remembered.set('second', 'ann', { name: 'next' }, 10);
    expect(remembered.get('first', 'ann')).to.equal(null);
    expect(remembered.get('second', 'ann')).to.deep.equal({ name: 'next' });
  });

  it('is no more than the size in all: what was asked for longest ago goes first, and what is larger never stays', () => {
    const remembered = new VersionedCache<object>(100);
    remembered.set('r', 'ann', plan, 40);
    remembered.set('r', 'bob', plan, 40);
    remembered.get('r', 'ann');
    remembered.set('r', 'cid', plan, 40);
    remembered.set('r', 'dan', plan, 101);
    expect(['ann', 'bob', 'cid', 'dan'].map((name) => remembered.has(name))).to.deep.equal([true, false, true, false]);
  });
});
