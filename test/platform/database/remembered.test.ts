import { expect } from 'chai';
import { Remembered } from '#src/platform/database/remembered.js';

describe('what is remembered under a revision', () => {
  const plan = { name: 'plan' };

  it('is given under that revision and under no other', () => {
    const remembered = new Remembered<object>(100);
    remembered.keep('first', 'ann', plan, 10);
    expect(remembered.under('first', 'ann')).to.equal(plan);
    expect(remembered.under('second', 'ann')).to.equal(null);
    expect(remembered.under('first', 'bob')).to.equal(null);
  });

  it('goes when the next revision comes', () => {
    const remembered = new Remembered<object>(100);
    remembered.keep('first', 'ann', plan, 10);
    remembered.keep('second', 'ann', { name: 'next' }, 10);
    expect(remembered.under('first', 'ann')).to.equal(null);
    expect(remembered.under('second', 'ann')).to.deep.equal({ name: 'next' });
  });

  it('is no more than the size in all: what was asked for longest ago goes first, and what is larger never stays', () => {
    const remembered = new Remembered<object>(100);
    remembered.keep('r', 'ann', plan, 40);
    remembered.keep('r', 'bob', plan, 40);
    remembered.under('r', 'ann');
    remembered.keep('r', 'cid', plan, 40);
    remembered.keep('r', 'dan', plan, 101);
    expect(['ann', 'bob', 'cid', 'dan'].map((name) => remembered.has(name))).to.deep.equal([true, false, true, false]);
  });
});
