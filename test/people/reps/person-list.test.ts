import { expect } from 'chai';
import { upsertReps } from '#src/people/reps/commands/upsert-reps.js';
import { listRepChoices } from '#src/people/reps/queries/list-rep-choices.js';
import { listReps } from '#src/people/reps/queries/list-reps.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { flatRule } from '#test/support/terms.js';

describe('a list of people', () => {
  let workspace: OfflineWorkspace;
  let ids: Record<string, string>;

  beforeEach(async () => {
    workspace = await OfflineWorkspace.create();
    const { reps } = await workspace.run(upsertReps, {
      body: {
        reps: [
          {
            email: 'ann@x.io',
            name: 'Ann Lee',
            title: 'AE',
            team: 'North',
            location: 'Berlin',
            managerEmail: 'mia@x.io',
          },
          { email: 'mia@x.io', name: 'Mia Ito', role: 'manager', team: 'North', payrollId: 'P-1' },
          { email: 'jn@x.io', name: 'Jürgen Groß', title: 'AE', team: 'south', active: false },
          { email: 'cel@x.io', name: 'Çelik', role: 'admin', payrollId: 'P-2' },
          { email: 'dan@x.io', name: 'dang' },
        ],
      },
    });
    ids = Object.fromEntries(reps.map(({ name, id }: { name: string; id: string }) => [name, id]));
  });

  const list = async (query: object, caller = workspace.admin) => {
    const { reps, ...rest } = await workspace.run(listReps, { query }, caller);
    return { names: reps.map(({ name }: { name: string }) => name), ...rest };
  };
  const find = async (words: string) => (await list({ words })).names;

  it('finds people by words of everything that is known of them, whatever their case and accents', async () => {
    expect(await find('AE north')).to.deep.equal(['Ann Lee']);
    expect(await find('jurgen GROSS ')).to.deep.equal(['Jürgen Groß']);
    expect(await find('ito')).to.deep.equal(['Ann Lee', 'Mia Ito']);
    expect(await find('berlin manager')).to.deep.equal([]);
    expect(await find('ann south')).to.deep.equal([]);
    expect(await find('%')).to.deep.equal([]);
  });

  it('has pages in an order, with the number of people on all of them', async () => {
    const everyone = ['Ann Lee', 'Çelik', 'dang', 'Jürgen Groß', 'Mia Ito'];
    expect(await list({ sort: 'name' })).to.deep.equal({ names: everyone, count: 5 });
    expect(await list({ sort: '-name', limit: '2' })).to.deep.equal({ names: ['Mia Ito', 'Jürgen Groß'], count: 5 });
    expect(await list({ sort: '-name', limit: '2', offset: '4' })).to.deep.equal({ names: ['Ann Lee'], count: 5 });
    expect((await list({ sort: '-payrollId' })).names.slice(0, 2)).to.deep.equal(['Çelik', 'Mia Ito']);
    expect((await list({ sort: 'manager' })).names[0]).to.equal('Ann Lee');
    expect((await list({ sort: 'team' })).names).to.deep.equal(['Ann Lee', 'Mia Ito', 'Jürgen Groß', 'Çelik', 'dang']);
    expect(await list({})).to.not.have.property('count');
    await workspace.expectError('VALIDATION_FAILED', 400, listReps, { query: { sort: 'salary' } });
  });

  it('is restricted to roles, ids, and people without a payroll id or an assignment', async () => {
    expect((await list({ roles: 'admin,manager' })).names).to.have.members(['Mia Ito', 'Çelik']);
    expect((await list({ ids: `${ids['dang']},${ids['Mia Ito']}` })).names).to.have.members(['dang', 'Mia Ito']);
    expect((await list({ withoutPayrollId: 'true' })).names).to.have.members(['Ann Lee', 'dang']);
    const planId = await workspace.insert.plan('AE', { rules: [flatRule('Sales', 0.1)] });
    await workspace.insert.assignment(ids['dang'] as string, planId);
    expect((await list({ planId })).names).to.deep.equal(['dang']);
    expect((await list({ assigned: 'false' })).names).to.not.include('dang');
    expect((await list({ hasQuota: 'true' })).names).to.deep.equal([]);
  });

  it('contains no person whom the caller may not see', async () => {
    const rep = workspace.caller('rep', ids['dang'] as string);
    expect((await list({ ids: ids['Ann Lee'] }, rep)).names).to.deep.equal([]);
    expect(await list({ sort: 'name' }, rep)).to.deep.equal({ names: ['dang'], count: 1 });
    expect(await workspace.run(listRepChoices, { query: {} }, rep)).to.deep.include({ count: 1, teams: [] });
  });

  it('offers the values that its people have', async () => {
    const choices = await workspace.run(listRepChoices, { query: { active: 'true' } });
    expect(choices).to.deep.equal({
      count: 4,
      roles: ['admin', 'manager', 'rep'],
      teams: ['North'],
      titles: ['AE'],
      locations: ['Berlin'],
      managers: [{ id: ids['Mia Ito'], name: 'Mia Ito' }],
      fields: {},
    });
  });
});
