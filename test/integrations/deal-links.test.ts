import { expect } from 'chai';
import { FakeCrmb } from '#fakes/fake-crmb.js';
import { Service } from '#test/support/service.js';
import { type Workspace } from '#test/support/workspace.js';

describe('the link from a deal to its CRM', () => {
  let crm: FakeCrmb;
  let service: Service;
  let workspace: Workspace;

  before(async () => {
    crm = await FakeCrmb.start();
    crm.callsPerTenSeconds = 1_000_000;
    service = await Service.start({ settings: { ...crm.environment, CRM_POLL_SECONDS: '86400' } });
  });
  after(async () => {
    await service?.stop();
    await crm?.stop();
  });

  it('is known from a sync until the CRM is disconnected, and only for deals of the CRM', async () => {
    workspace = await service.workspace();
    const { api } = workspace;
    const dealId = crm.addDeal({ dealname: 'Harbour', dealstage: 'closedwon', amount: '100' });
    const read = async (id: string) => (await api.expect(200, 'GET', `/v1/deals/${id}`)).crmUrl;
    await api.expect(200, 'POST', '/auth/workspace/connect-crmb', crm.oauth.issue());
    await api.expect(200, 'POST', '/v1/commissions/sync', {});
    await workspace.calculated();
    const url = `https://app-eu1.hubspot.com/contacts/${crm.portalId}/record/0-3/${dealId}`;
    expect(await read(dealId)).to.equal(url);
    expect((await api.expect(200, 'GET', '/v1/deals')).deals[0].crmUrl).to.equal(url);
    await api.expect(201, 'PUT', '/v1/deals/mine', { amount: 5 });
    expect(await read('mine')).to.equal(null);
    await api.expect(200, 'POST', '/auth/workspace/disconnect-crmb');
    expect(await read(dealId)).to.equal(null);
  });
});
