import { expect } from 'chai';
import { entryProblem, isComplete } from '#web/features/statements/entries.js';

describe('an amount that an admin adds to a period', () => {
  for (const amount of ['-250', '−250', '(250)', '-$1,250.00'])
    it(`takes money back if it is negative: ${amount}`, () => {
      expect(entryProblem('clawback', amount)).to.equal(null);
      expect(entryProblem('adjustment', amount)).to.equal(null);
    });

  for (const amount of ['250', '$1,250'])
    it(`takes no money back if it is positive: ${amount}`, () => {
      expect(entryProblem('clawback', amount)).to.equal('A clawback is a negative amount, such as -250.');
      expect(entryProblem('adjustment', amount)).to.equal(null);
    });

  it('is sent only with an amount and a reason', () => {
    expect(isComplete('adjustment', { amount: '250', reason: 'Agreed in May' })).to.equal(true);
    expect(isComplete('adjustment', { amount: '250', reason: ' ' })).to.equal(false);
    expect(isComplete('adjustment', { amount: '', reason: 'Agreed in May' })).to.equal(false);
    expect(isComplete('adjustment', { amount: '0', reason: 'Agreed in May' })).to.equal(false);
    expect(isComplete('clawback', { amount: '250', reason: 'Agreed in May' })).to.equal(false);
  });
});
