import { expect } from 'chai';
import { isFiltered, personFilterOf } from '#web/features/people/person-filter.js';

describe('the filter of people', () => {
  it('is what the address says of people, and nothing else of it', () => {
    expect(isFiltered({})).to.equal(false);
    expect(personFilterOf({ period: '2026-10', team: 'North' })).to.include({ team: 'North', manager: undefined });
    expect(isFiltered(personFilterOf({ period: '2026-10' }))).to.equal(false);
    expect(isFiltered({ manager: 'mia' })).to.equal(true);
  });
});
