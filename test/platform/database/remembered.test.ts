import { expect } from 'chai';
import { VersionedCache } from '#src/platform/database/versioned-cache.js';

describe('VersionedCache', () => {
  const plan = { name: 'plan' };

  it('returns an entry only for its version', () => {
    const remembered = new VersionedCache<object>(100);
    remembered.set('first', 'ann', plan, 10);
    expect(remembered.get('first', 'ann')).to.equal(plan);
    expect(remembered.get('second', 'ann')).to.equal(null);
    expect(remembered.get('first', 'bob')).to.equal(null);
  });

  it('drops entries when a new version is stored', () => {
    const remembered = new VersionedCache<object>(100);
    remembered.set('first', 'ann', plan, 10);
    remembered.set('second', 'ann', { name: 'next' }, 10);
    expect(remembered.get('first', 'ann')).to.equal(null);
    expect(remembered.get('second', 'ann')).to.deep.equal({ name: 'next' });
  });

  it('is bounded by its size: evicts the least recently used entry, and never stores a larger one', () => {
    const remembered = new VersionedCache<object>(100);
    remembered.set('r', 'ann', plan, 40);
    remembered.set('r', 'bob', plan, 40);
    remembered.get('r', 'ann');
    remembered.set('r', 'cid', plan, 40);
    remembered.set('r', 'dan', plan, 101);
    expect(['ann', 'bob', 'cid', 'dan'].map((name) => remembered.has(name))).to.deep.equal([true, false, true, false]);
  });
});
