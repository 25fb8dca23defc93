import { expect } from 'chai';
import { schedules } from './schedules.js';

const written = (schedule: readonly number[]) => schedule.join('').replaceAll('0', 'a').replaceAll('1', 'b');

describe('schedules of two sessions', () => {
  it('contain all orders with one switch, then those with two', () => {
    expect(schedules(3, 2, 100).map(written)).to.deep.equal([
      'abb',
      'aabb',
      'baaa',
      'abaab',
      'aabab',
      'babaa',
      'baaba',
    ]);
  });

  it('are a spread sample if there are more than the maximum', () => {
    const some = schedules(12, 9, 20);
    expect(some).to.have.lengthOf(20);
    expect(new Set(some.map(written)).size).to.equal(20);
    const switches = (schedule: readonly number[]) =>
      schedule.filter((who, index) => index > 0 && who !== schedule[index - 1]).length;
    expect(some.filter((one) => switches(one) === 1)).to.have.lengthOf(10);
    expect(some.filter((one) => switches(one) === 3)).to.have.lengthOf(10);
  });
});
