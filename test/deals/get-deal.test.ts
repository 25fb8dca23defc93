import { expect } from 'chai';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';

describe('GET /v1/deals/:dealId', () => {
  const service = Service.duringSuite();

  it('returns the deal as the list does, also when it is deleted, to those who see it', async () => {
    const workspace = await service.workspace();
    const { api } = workspace;
    const [ann, bob] = await api.saveReps(
      { email: 'ann@acme.test', name: 'Ann', crmMemberId: 'ann' },
      { email: 'bob@acme.test', name: 'Bob' },
    );
    await api.putDeal('d-1', {
      amount: 100.1,
      stage: 'Won',
      closeDate: '2026-02-03',
      ownerId: 'ann',
      fields: { a: 1 },
    });
    const [listed] = (await api.expect(200, 'GET', '/v1/deals')).deals;
    const path = '/v1/deals/d-1';
    expect(await api.expect(200, 'GET', path)).to.deep.equal(listed);
    expect(await (await workspace.as(ann as string)).expect(200, 'GET', path)).to.deep.equal(listed);
    await expectError('404 deal_not_found', (await workspace.as(bob as string)).get(path));
    await api.expect(200, 'DELETE', path);
    expect((await api.expect(200, 'GET', path)).deleted_at).to.be.a('string');
    await expectError('404 deal_not_found', api.get('/v1/deals/unknown'));
  });
});
