import { expect } from 'chai';
import { VersionedCache } from '#src/platform/database/versioned-cache.js';

describe('VersionedCache', () => {
  const plan = { name: 'plan' };

  it('returns an entry only for its version', () => {
    const cache = new VersionedCache<object>(100);
    cache.set('first', 'ann', plan, 10);
    expect(cache.get('first', 'ann')).to.equal(plan);
    expect(cache.get('second', 'ann')).to.equal(null);
    expect(cache.get('first', 'bob')).to.equal(null);
  });

  it('drops entries when a new version is stored', () => {
    const cache = new VersionedCache<object>(100);
    cache.set('first', 'ann', plan, 10);
    cache.set('second', 'ann', { name: 'next' }, 10);
    expect(cache.get('first', 'ann')).to.equal(null);
    expect(cache.get('second', 'ann')).to.deep.equal({ name: 'next' });
  });

  it('is bounded by its size: evicts the least recently used entry, and never stores a larger one', () => {
    const cache = new VersionedCache<object>(100);
    cache.set('r', 'ann', plan, 40);
    cache.set('r', 'bob', plan, 40);
    cache.get('r', 'ann');
    cache.set('r', 'cid', plan, 40);
    cache.set('r', 'dan', plan, 101);
    expect(['ann', 'bob', 'cid', 'dan'].map((name) => cache.has(name))).to.deep.equal([true, false, true, false]);
  });
});
