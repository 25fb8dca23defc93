import { expect } from 'chai';
import { filterPeople, isFiltered, type PersonFilter, personFilterOf } from '#web/features/people/person-filter.js';
import { person } from './samples.js';

describe('the filter of people', () => {
  const mia = person('Mia Ito', { role: 'manager', team: 'North' });
  const ann = person('Ann Lee', { role: 'rep', team: 'North', title: 'AE', location: 'Berlin', managerId: mia.id });
  const bob = person('Jürgen Noll', { role: 'rep', team: 'South', title: 'AE', active: false });
  const everyone = [mia, ann, bob];
  const find = (filter: PersonFilter) => filterPeople(everyone, everyone, filter).map(({ name }) => name);

  it('finds people by words of everything that is known of them', () => {
    expect(find({})).to.have.length(3);
    expect(find({ name: 'AE north' })).to.deep.equal(['Ann Lee']);
    expect(find({ name: 'jurgen ' })).to.deep.equal(['Jürgen Noll']);
    expect(find({ name: 'ito' })).to.deep.equal(['Mia Ito', 'Ann Lee']);
    expect(find({ name: 'ann south' })).to.deep.equal([]);
  });

  it('restricts them to a team, a title, a location, a manager, a role and a state at once', () => {
    expect(find({ team: 'North' })).to.deep.equal(['Mia Ito', 'Ann Lee']);
    expect(find({ title: 'AE', state: 'active' })).to.deep.equal(['Ann Lee']);
    expect(find({ location: 'Berlin', state: 'inactive' })).to.deep.equal([]);
    expect(find({ manager: mia.id })).to.deep.equal(['Ann Lee']);
    expect(find({ role: 'manager', team: 'North' })).to.deep.equal(['Mia Ito']);
  });

  it('is what the address says of people, and nothing else of it', () => {
    expect(isFiltered({})).to.equal(false);
    expect(personFilterOf({ period: '2026-10', team: 'North' })).to.include({ team: 'North', manager: undefined });
    expect(isFiltered(personFilterOf({ period: '2026-10' }))).to.equal(false);
    expect(isFiltered({ manager: mia.id })).to.equal(true);
  });
});
