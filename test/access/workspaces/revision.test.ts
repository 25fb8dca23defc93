import { expect } from 'chai';
import { Service } from '#test/support/service.js';

describe('the revision of a workspace', () => {
  const service = Service.duringSuite();

  it('changes with data that the caller may see, and not without a change', async () => {
    const { workspaceId, api } = await service.workspace();
    const [repId] = await api.saveReps('ada', 'bob');
    await service.waitForCalculations(workspaceId);
    const ada = await service.as(workspaceId, repId);
    const revision = async () => (await ada.expect(200, 'GET', '/v1/revision')).revision;
    const first = await revision();
    expect(await revision()).to.equal(first);
    await api.expect(201, 'PUT', '/v1/deals/D-1', {
      amount: 10,
      stage: 'Won',
      closeDate: '2026-01-10',
      ownerId: 'ada',
    });
    expect(await revision()).not.to.equal(first);
    await service.waitForCalculations(workspaceId);
    const second = await revision();
    const period = '2026-01';
    await api.expect(201, 'POST', `/v1/statements/${repId}/comments`, { period, body: 'Hello' });
    expect(await revision()).not.to.equal(second);
    await api.generate(repId, period);
    const path = `/v1/statements?repId=${repId}&period=${period}`;
    expect((await ada.expect(200, 'GET', path)).version).to.equal(1);
    expect(await ada.expect(200, 'GET', `${path}&live=true`)).to.include({ version: 0, status: 'none' });
    const [listed] = await ada.expect(200, 'GET', `/v1/statements/${repId}/list`);
    expect(listed).to.include({ period, status: 'draft', version: 1, netPayout: 0, approvedAt: null });
  });
});
