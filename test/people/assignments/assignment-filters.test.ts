import { expect } from 'chai';
import { newId } from '#src/kernel/ids.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';

describe('filters by which people are meant to be on a plan', () => {
  const service = Service.duringSuite();

  async function company() {
    const { api } = await service.workspace();
    await api.expect(200, 'PUT', '/v1/person-fields', { fields: [{ slug: 'region', label: 'Region', type: 'text' }] });
    const [ann, bob] = await api.saveReps(
      { email: 'ann@x.io', name: 'Ann', title: 'AE', team: 'North' },
      { email: 'bob@x.io', name: 'Bob', title: 'ae', team: 'North', fields: { region: 'DACH' } },
      { email: 'cy@x.io', name: 'Cy', title: 'AE', team: 'South' },
      { email: 'di@x.io', name: 'Di', title: 'AE', team: 'North', active: false },
      { email: 'eve@x.io', name: 'Eve', title: 'AE', team: 'North', role: 'admin' },
    );
    const { planId } = await api.createPlan({ name: 'AE', config: { rules: [flatRule('New business', 0.1)] } });
    const names = (filters: { people: { name: string }[] }[]) =>
      filters.map(({ people }) => people.map(({ name }) => name));
    const read = async () => (await api.expect(200, 'GET', '/v1/assignment-filters')).filters;
    const put = (...filters: object[]) => api.expect(200, 'PUT', '/v1/assignment-filters', { filters });
    return { api, ann, bob, planId, names, read, put };
  }

  it('name the active people who match and are not assigned, also those who join later', async () => {
    const { api, ann, planId, names, read, put } = await company();
    const filter = { planId, filter: { title: 'AE', team: 'North' }, effectiveStart: '2026-01-01' };
    const stored = await put(filter, { planId, filter: { fields: { region: 'dach' } } });
    expect(stored.filters[0]).to.deep.include({ ...filter, planName: 'AE' });
    expect(names(stored.filters)).to.deep.equal([['Ann', 'Bob'], ['Bob']]);
    await api.expect(201, 'POST', '/v1/assignments', { repIds: [ann], planId, effectiveStart: '2026-01-01' });
    expect(names(await read())).to.deep.equal([['Bob'], ['Bob']]);
    await api.saveReps({ email: 'flo@x.io', name: 'Flo', title: 'AE', team: 'North' });
    expect(names(await read())).to.deep.equal([['Bob', 'Flo'], ['Bob']]);
  });

  it('name people again whose assignment has ended', async () => {
    const { api, ann, planId, names, put } = await company();
    const assigned = { repIds: [ann], planId, effectiveStart: '2020-01-01', effectiveEnd: '2020-12-31' };
    await api.expect(201, 'POST', '/v1/assignments', assigned);
    expect(names((await put({ planId, filter: { team: 'North' } })).filters)).to.deep.equal([['Ann', 'Bob']]);
  });

  it('are rejected without values, twice, and for a plan that does not exist, and change nothing', async () => {
    const { api, planId, read, put } = await company();
    const filter = { team: 'North' };
    await put({ planId, filter });
    for (const [status, filters] of [
      [400, [{ planId, filter: {} }]],
      [400, [{ planId, filter: { fields: {} } }]],
      [
        400,
        [
          { planId, filter },
          { planId, filter, effectiveStart: '2026-01-01' },
        ],
      ],
      [404, [{ planId: newId(), filter }]],
    ] as const)
      expect(await api.put('/v1/assignment-filters', { filters }), JSON.stringify(filters)).to.have.property(
        'status',
        status,
      );
    expect(await read()).to.have.lengthOf(1);
    await api.expect(200, 'DELETE', `/v1/plans/${planId}`);
    expect(await read()).to.deep.equal([]);
  });
});
