import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';

/** Ann and Bob earn 10 % of 1,000 and 2,000; managers earn 5 % of what the people below them earn. */
describe('what another manager does to commission', () => {
  const service = Service.duringSuite();
  let workspace: Workspace;
  let api: ApiClient;
  let [mia, max, ann, bob] = ['', '', '', ''];

  beforeEach(async () => {
    workspace = await service.workspace();
    ({ api } = workspace);
    [mia = '', max = '', ann = '', bob = ''] = await api.saveReps(
      { email: 'mia@acme.test', name: 'Mia', role: 'manager' },
      { email: 'max@acme.test', name: 'Max', role: 'manager' },
      { email: 'ann@acme.test', name: 'Ann', managerEmail: 'mia@acme.test' },
      { email: 'bob@acme.test', name: 'Bob', managerEmail: 'mia@acme.test' },
    );
    await api.createPlan({ name: 'AE', config: { rules: [flatRule('New', 0.1)] } }, [ann, bob]);
    const override = { ...flatRule('Override', 0.05), executionPhase: 'cascade' };
    await api.createPlan({ name: 'Managers', config: { rules: [override] } }, [mia, max]);
    const deal = { stage: 'Won', closeDate: '2026-01-10' };
    await api.put('/v1/deals/D-1', { ...deal, ownerId: 'ann@acme.test', amount: 1000 });
    await api.put('/v1/deals/D-2', { ...deal, ownerId: 'bob@acme.test', amount: 2000 });
    await service.waitForCalculations(workspace.workspaceId);
  });

  const totals = async (): Promise<Record<string, number>> => {
    await service.waitForCalculations(workspace.workspaceId);
    const { reps } = await api.expect(200, 'GET', '/v1/commissions?period=2026-01');
    return Object.fromEntries(
      reps.map(({ name, earnings }: { name: string; earnings: { total: number } }) => [name, earnings.total]),
    );
  };
  const byPerson = ({ byPeriod }: { byPeriod: { repId: string; delta: number }[] }) =>
    Object.fromEntries(byPeriod.map(({ repId, delta }) => [repId, delta]));

  it('is in the preview of many people and comes true', async () => {
    expect(await totals()).to.deep.equal({ Ann: 100, Bob: 200, Max: 0, Mia: 15 });
    const body = { repIds: [ann, bob], change: { managerId: max } };
    const { effect } = await api.expect(200, 'POST', '/v1/reps/change?dryRun=true', body);
    expect(byPerson(effect)).to.deep.equal({ [mia]: -15, [max]: 15 });
    expect(await totals()).to.include({ Mia: 15, Max: 0 });
    await api.expect(200, 'POST', '/v1/reps/change', body);
    expect(await totals()).to.deep.equal({ Ann: 100, Bob: 200, Max: 15, Mia: 0 });
  });

  it('is that of the people who can be changed', async () => {
    const body = { repIds: [ann, max], change: { managerId: max } };
    const preview = await api.expect(200, 'POST', '/v1/reps/change?dryRun=true', body);
    expect(preview).to.include({ changed: 1, rejected: 1 });
    expect(byPerson(preview.effect)).to.deep.equal({ [mia]: -5, [max]: 5 });
    const { dryRun: _, effect: __, ...expected } = preview;
    expect(await api.expect(200, 'POST', '/v1/reps/change', body)).to.deep.equal(expected);
    expect(await totals()).to.include({ Mia: 10, Max: 5 });
  });

  it('is in the preview of one person, from a day on', async () => {
    const preview = async (managerFrom: string) =>
      (await api.expect(200, 'PATCH', `/v1/reps/${bob}?dryRun=true`, { managerId: max, managerFrom })).effect;
    expect(byPerson(await preview('2026-01-10'))).to.deep.equal({ [mia]: -10, [max]: 10 });
    expect(byPerson(await preview('2026-01-11'))).to.deep.equal({});
    expect((await api.expect(200, 'GET', `/v1/reps/${bob}`)).managerId).to.equal(mia);
  });

  it('is absent where commission does not depend on the change', async () => {
    const body = { repIds: [ann], change: { team: 'West' } };
    expect(await api.expect(200, 'POST', '/v1/reps/change?dryRun=true', body)).not.to.have.property('effect');
  });

  it('has its like for assignments, which come true', async () => {
    const [cid = ''] = await api.saveReps('Cid');
    await api.put('/v1/deals/D-3', { ownerId: 'cid', amount: 4000, stage: 'Won', closeDate: '2026-01-10' });
    const { planId } = await api.createPlan({ name: 'Later', config: { rules: [flatRule('New', 0.1)] } });
    const preview = async (effectiveStart: string) =>
      (await api.expect(200, 'POST', '/v1/assignments/preview', { repIds: [cid], planId, effectiveStart })).effect;
    expect(byPerson(await preview('2026-01-10'))).to.deep.equal({ [cid]: 400 });
    expect(byPerson(await preview('2026-01-11'))).to.deep.equal({});
    await api.expect(201, 'POST', '/v1/assignments', { repIds: [cid], planId, effectiveStart: '2026-01-10' });
    expect(await totals()).to.include({ Cid: 400 });
  });
});
