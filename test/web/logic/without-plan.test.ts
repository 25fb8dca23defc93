import { expect } from 'chai';
import { countPlanned } from '#web/pages/overview/without-plan.js';
import { person } from './samples.js';

describe('who needs a plan', () => {
  it('are reps; managers may have one, and no other role is counted', () => {
    const people = [
      person('Ann', { role: 'rep' }),
      person('Bob', { role: 'rep' }),
      person('Gone', { role: 'rep', active: false }),
      person('Vera', { role: 'manager' }),
      person('Pat', { role: 'payroll' }),
    ];
    expect(countPlanned(people, new Set(['ann']))).to.deep.equal({ sellers: 3, onPlan: 1, repsWithout: 1 });
    expect(countPlanned(people, new Set(['ann', 'bob']))).to.deep.equal({ sellers: 3, onPlan: 2, repsWithout: 0 });
  });
});
