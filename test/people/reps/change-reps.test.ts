import { expect } from 'chai';
import { Service } from '#test/support/service.js';

describe('changes of many people', () => {
  const service = Service.duringSuite();

  async function company() {
    const { api, workspaceId } = await service.workspace();
    const [mia, ann, bob, cy] = await api.saveReps(
      { email: 'mia@x.io', name: 'Mia', role: 'manager', team: 'North' },
      { email: 'ann@x.io', name: 'Ann', team: 'North', title: 'AE', managerEmail: 'mia@x.io' },
      { email: 'bob@x.io', name: 'Bob', team: 'North', title: 'SDR' },
      { email: 'cy@x.io', name: 'Cy', team: 'South', title: 'AE', role: 'admin' },
    );
    const read = async (repId: string) => api.expect(200, 'GET', `/v1/reps/${repId}`);
    const change = (body: object, dryRun = false) => api.expect(200, 'POST', `/v1/reps/change?dryRun=${dryRun}`, body);
    const outcomes = (people: { name: string; outcome: string }[]) =>
      Object.fromEntries(people.map(({ name, outcome }) => [name, outcome]));
    return { api, workspaceId, mia, ann, bob, cy, read, change, outcomes };
  }

  it('are previewed with the values before and after, and a preview changes nothing', async () => {
    const { ann, bob, mia, read, change } = await company();
    const body = { repIds: [ann, bob], change: { team: 'West', managerId: mia } };
    const preview = await change(body, true);
    expect(preview).to.include({ changed: 2, rejected: 0, dryRun: true });
    expect(preview.people.map(({ changes }: { changes: object[] }) => changes)).to.deep.equal([
      [{ field: 'team', from: 'North', to: 'West' }],
      [
        { field: 'team', from: 'North', to: 'West' },
        { field: 'managerId', from: null, to: mia },
      ],
    ]);
    expect(await read(bob)).to.include({ team: 'North', managerId: null });
    const { dryRun: _, effect: __, ...expected } = preview;
    expect(await change(body)).to.deep.equal(expected);
    expect(await read(bob)).to.include({ team: 'West', managerId: mia });
    expect(await change(body)).to.include({ changed: 0, rejected: 0 });
  });

  it('choose people by a filter, whose values are as in the list of people', async () => {
    const { read, change, outcomes, ann, bob } = await company();
    const { people } = await change({ filter: { team: 'north', title: 'AE' }, change: { location: 'Berlin' } });
    expect(outcomes(people)).to.deep.equal({ Ann: 'changed' });
    expect([(await read(ann)).location, (await read(bob)).location]).to.deep.equal(['Berlin', null]);
  });

  it('reject single people with the reason, and change the others', async () => {
    const { read, change, mia, ann, bob, cy } = await company();
    const unknown = '00000000-0000-4000-8000-000000000000';
    const body = { repIds: [ann, mia, bob, unknown], change: { managerId: ann } };
    for (const dryRun of [true, false]) {
      const { people, changed, rejected } = await change(body, dryRun);
      expect([changed, rejected], String(dryRun)).to.deep.equal([1, 3]);
      const reasons = people.map(({ reason = '' }: { reason?: string }) => reason);
      expect(reasons[0]).to.include('managerId');
      expect(reasons[1]).to.include('their own manager');
      expect(reasons[2]).to.equal('');
      expect(reasons[3]).to.include('no such rep');
    }
    expect([(await read(bob)).managerId, (await read(ann)).managerId]).to.deep.equal([ann, mia]);
    const { people } = await change({ repIds: [cy, bob], change: { active: false } });
    expect(people[0]).to.include({ outcome: 'rejected' });
    expect([(await read(cy)).active, (await read(bob)).active]).to.deep.equal([true, false]);
  });

  it('of everyone whom it may not deactivate together stop at the last admin, also in the preview', async () => {
    const { api, change } = await company();
    const [di] = await api.saveReps({ email: 'di@x.io', name: 'Di', role: 'admin' });
    const [{ id: cy }] = (await api.expect(200, 'GET', '/v1/reps?email=cy@x.io')).reps;
    const { people } = await change({ repIds: [cy, di], change: { role: 'rep' } }, true);
    expect(people.map(({ outcome }: { outcome: string }) => outcome)).to.deep.equal(['changed', 'rejected']);
  });

  it('write an entry in the audit log for each person who changes', async () => {
    const { workspaceId, change, ann, bob, mia } = await company();
    await change({ repIds: [ann, bob, mia], change: { team: 'North', title: 'AE' } });
    const rows = await service.sql<{ content: string }>(
      `select content from audit_entries where workspace_id = $1 and content like '%"operation":"changeReps"%'`,
      workspaceId,
    );
    const changed = rows.flatMap(({ content }) => {
      const { changes = [] } = JSON.parse(content) as { changes?: { id: { rep_id: string } }[] };
      return changes.length === 0 ? [] : [changes.map(({ id }) => id.rep_id)];
    });
    expect(changed).to.have.deep.members([[bob], [mia]]);
  });

  it('of managers are one change for calculations, which take the lock of the workspace once', async () => {
    const { workspaceId, change, ann, bob, mia } = await company();
    await change({ repIds: [ann, bob], change: { managerId: mia, managerFrom: '2026-03-01' } });
    const rows = await service.sql<{ transactions: number }>(
      'select count(distinct xmin::text)::int as transactions from reporting_lines where workspace_id = $1 and from_day = $2',
      workspaceId,
      '2026-03-01',
    );
    expect(rows[0]?.transactions).to.equal(1);
  });

  it('are rejected without a value, without people, and with both kinds of choice', async () => {
    const { api, ann } = await company();
    for (const body of [
      { repIds: [ann], change: {} },
      { change: { team: 'x' } },
      { repIds: [ann], filter: { team: 'North' }, change: { team: 'x' } },
      { repIds: [ann], change: { managerFrom: '2026-01-01' } },
      { repIds: [ann], change: { payrollId: '7' } },
    ])
      expect(await api.post('/v1/reps/change', body), JSON.stringify(body)).to.have.property('status', 400);
  });
});
