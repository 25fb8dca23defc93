import { expect } from 'chai';
import { Service } from '#test/support/service.js';

describe('title, team and location of people', () => {
  const service = Service.duringSuite();
  const names = ({ reps }: { reps: { name: string }[] }) => reps.map(({ name }) => name);

  it('are kept by the import, by upserts and by changes of one person, and stay where nothing is given', async () => {
    const { api } = await service.workspace();
    const csv = (text: string) => api.expect(200, 'POST', '/v1/reps/import', text, { 'Content-Type': 'text/csv' });
    await csv('email,name,Job title,Department,Office\nann@x.io,Ann,Account Executive,North,Berlin\n');
    const read = async () => (await api.expect(200, 'GET', '/v1/reps?email=ann@x.io')).reps[0];
    const ann = await read();
    expect(ann).to.include({ title: 'Account Executive', team: 'North', location: 'Berlin' });
    const { results } = await csv('email,team\nann@x.io,North\n');
    expect(results[0].outcome).to.equal('unchanged');
    await api.expect(200, 'PUT', '/v1/reps', { reps: [{ email: 'ann@x.io', name: 'Ann', location: null }] });
    expect(await read()).to.include({ title: 'Account Executive', team: 'North', location: null });
    const changed = await api.expect(200, 'PATCH', `/v1/reps/${ann.id}`, { team: 'South' });
    expect(changed).to.include({ title: 'Account Executive', team: 'South', role: 'rep' });
    expect(await api.expect(200, 'GET', `/v1/reps/${ann.id}`)).to.include({ team: 'South' });
    for (const team of ['', 'x'.repeat(201), 7])
      expect(await api.patch(`/v1/reps/${ann.id}`, { team })).to.have.property('status', 400);
    expect(await read()).to.include({ team: 'South' });
  });

  it('restrict the list of people together with manager, role and activity, whatever their case', async () => {
    const { api } = await service.workspace();
    await api.expect(200, 'PUT', '/v1/reps', {
      reps: [
        { email: 'mia@x.io', name: 'Mia', role: 'manager', team: 'North' },
        { email: 'ann@x.io', name: 'Ann', title: 'AE', team: 'North', location: 'Berlin', managerEmail: 'mia@x.io' },
        { email: 'bob@x.io', name: 'Bob', title: 'SDR', team: 'North', active: false, managerEmail: 'mia@x.io' },
        { email: 'cy@x.io', name: 'Cy', title: 'AE', team: 'South' },
      ],
    });
    const find = async (query: string) => names(await api.expect(200, 'GET', `/v1/reps?${query}`));
    const [mia] = (await api.expect(200, 'GET', '/v1/reps?email=mia@x.io')).reps;
    expect(await find('team=north')).to.deep.equal(['Ann', 'Bob', 'Mia']);
    expect(await find('team=north&title=ae')).to.deep.equal(['Ann']);
    expect(await find('location=BERLIN')).to.deep.equal(['Ann']);
    expect(await find('team=North&role=rep&active=true')).to.deep.equal(['Ann']);
    expect(await find(`managerId=${mia.id}`)).to.deep.equal(['Ann', 'Bob']);
    expect(await find('team=East')).to.deep.equal([]);
    expect(await api.get('/v1/reps?active=maybe')).to.have.property('status', 400);
  });
});
