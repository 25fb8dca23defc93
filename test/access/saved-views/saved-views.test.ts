import { expect } from 'chai';
import { Service } from '#test/support/service.js';

describe('saved views', () => {
  const service = Service.duringSuite();
  const north = { page: '/members', name: 'North', search: '?team=North' };

  it('belong to the person who saved them, and keep their order', async () => {
    const { api, workspaceId } = await service.workspace();
    const [ann = '', bob = ''] = await api.saveReps(
      { email: 'ann@x.io', name: 'Ann' },
      { email: 'bob@x.io', name: 'Bob' },
    );
    const [ofAnn, ofBob] = [await service.as(workspaceId, ann), await service.as(workspaceId, bob)];
    const views = [
      north,
      { page: '/deals', name: 'North', search: '?stage=Won' },
      { ...north, name: 'Everyone', search: '' },
    ];
    expect(await ofAnn.expect(200, 'PUT', '/v1/saved-views', { views })).to.deep.equal({ views });
    expect(await ofAnn.expect(200, 'GET', '/v1/saved-views')).to.deep.equal({ views });
    expect(await ofBob.expect(200, 'GET', '/v1/saved-views')).to.deep.equal({ views: [] });
    expect(await api.get('/v1/saved-views')).to.have.property('status', 409);
  });

  it('are rejected with two equal names of a page, another address, or a search that is not encoded', async () => {
    const { api, workspaceId } = await service.workspace();
    const [ann = ''] = await api.saveReps({ email: 'ann@x.io', name: 'Ann' });
    const session = await service.as(workspaceId, ann);
    for (const view of [
      { ...north, name: 'NORTH' },
      { ...north, name: 'x', page: 'https://evil.test' },
      { ...north, name: 'x', page: '//evil' },
      { ...north, name: 'x', search: 'team=North' },
      { ...north, name: 'x', search: '?team=North America' },
    ])
      expect(await session.put('/v1/saved-views', { views: [north, view] }), JSON.stringify(view)).to.have.property(
        'status',
        400,
      );
    expect(await session.expect(200, 'GET', '/v1/saved-views')).to.deep.equal({ views: [] });
  });
});
