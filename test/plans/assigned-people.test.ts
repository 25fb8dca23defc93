import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';

describe('the assigned people of plans', () => {
  const service = Service.duringSuite();

  it('are all listed by default, or the first ones with the number of all', async () => {
    const { api } = await service.workspace();
    const repIds = (await api.saveReps('Cyd', 'Ann', 'Bea')) as string[];
    const { planId } = await api.createPlan({ name: 'Plan', config: { rules: [flatRule('New', 0.1)] } }, repIds);
    await api.createPlan({ name: 'Without people', config: { rules: [flatRule('New', 0.1)] } }, []);
    const assigned = async (path: string, list: (body: never) => { assignedReps: { name: string }[] }[]) =>
      list((await api.expect(200, 'GET', path)) as never).map(({ assignedReps, ...plan }) => [
        assignedReps.map(({ name }) => name),
        (plan as { assignedCount?: number }).assignedCount,
      ]);
    const plans = (body: { assignedReps: { name: string }[] }[]) => body;
    const ofWorkspace = (body: { plans: { assignedReps: { name: string }[] }[] }) => body.plans;
    for (const [path, list] of [
      ['/v1/plans', plans],
      ['/v1/workspaces', ofWorkspace],
    ] as const) {
      const read = (query: string) => assigned(`${path}${query}`, list as never);
      expect(await read('')).to.deep.equal([
        [['Ann', 'Bea', 'Cyd'], undefined],
        [[], undefined],
      ]);
      expect(await read('?assigned=2')).to.deep.equal([
        [['Ann', 'Bea'], 3],
        [[], 0],
      ]);
      expect(await read('?assigned=0')).to.deep.equal([
        [[], 3],
        [[], 0],
      ]);
    }
    const one = (plan: { assignedReps: { name: string }[] }) => [plan];
    for (const [path, list] of [
      [`/v1/plans/${planId}`, one],
      [`/v1/plans/${planId}/history`, plans],
    ] as const) {
      expect(await assigned(path, list as never)).to.deep.equal([[['Ann', 'Bea', 'Cyd'], undefined]]);
      expect(await assigned(`${path}?assigned=2`, list as never)).to.deep.equal([[['Ann', 'Bea'], 3]]);
    }
  });

  it('are those of the team for its manager, also of the first ones and in the number', async () => {
    const workspace = await service.workspace();
    const { api } = workspace;
    const people = ['Ann', 'Bea', 'Cyd', 'Dee'].map((name) => ({
      ...{ name, email: `${name}@x.io` },
      ...(name > 'C' ? { managerEmail: 'mia@x.io' } : {}),
    }));
    const [mia = '', ...repIds] = await api.saveReps({ name: 'Mia', email: 'mia@x.io', role: 'manager' }, ...people);
    await api.createPlan({ name: 'Plan', config: { rules: [flatRule('New', 0.1)] } }, repIds);
    await api.expect(200, 'PATCH', '/v1/workspaces', { managerScope: 'reports' });
    const manager = await workspace.as(mia);
    const [plan] = await manager.expect(200, 'GET', '/v1/plans?assigned=1');
    expect([plan.assignedReps.map(({ name }: { name: string }) => name), plan.assignedCount]).to.deep.equal([
      ['Cyd'],
      2,
    ]);
  });

  it('choose the plans that are listed of one of them', async () => {
    const { api } = await service.workspace();
    const [ann, bea] = (await api.saveReps('Ann', 'Bea')) as [string, string];
    const config = { rules: [flatRule('New', 0.1)] };
    await api.createPlan({ name: 'Both', config }, [ann, bea]);
    await api.createPlan({ name: 'Only Ann', config }, [ann]);
    const names = async (repId: string) =>
      (await api.expect(200, 'GET', `/v1/plans?repId=${repId}`)).map(({ name }: { name: string }) => name);
    expect(await names(ann)).to.deep.equal(['Both', 'Only Ann']);
    expect(await names(bea)).to.deep.equal(['Both']);
  });
});
