import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';

describe('the assigned people of plans', () => {
  const service = Service.duringSuite();

  it('are all listed by default, or the first ones with the number of all', async () => {
    const { api } = await service.workspace();
    const repIds = (await api.saveReps('Cyd', 'Ann', 'Bea')) as string[];
    await api.createPlan({ name: 'Plan', config: { rules: [flatRule('New', 0.1)] } }, repIds);
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
  });
});
