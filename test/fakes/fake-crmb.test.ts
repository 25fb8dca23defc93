import { Client, Signature } from '@hubspot/api-client';
import { expect } from 'chai';
import { FakeCrmb } from '#fakes/fake-crmb.js';

describe('the fake crm-b with the vendor’s own client', () => {
  let crm: FakeCrmb;
  let client: Client;

  beforeEach(async () => {
    crm = await FakeCrmb.start();
    crm.callsPerTenSeconds = 1000;
    client = new Client({ basePath: crm.server.url, accessToken: crm.oauth.issue().accessToken });
  });

  afterEach(() => crm.stop());

  it('lists deals by pages', async () => {
    const ids = Array.from({ length: 250 }, (_, index) => crm.addDeal({ dealname: `Deal ${index}`, amount: '5' }));
    const deals = await client.crm.deals.getAll(100, undefined, ['dealname', 'amount']);
    expect(deals.map(({ id }) => id)).to.deep.equal(ids);
    expect(deals[0]?.properties).to.include({ dealname: 'Deal 0', amount: '5', hs_object_id: ids[0] });
    expect(deals[0]?.createdAt).to.be.instanceOf(Date);
  });

  it('searches by time', async () => {
    const id = crm.addDeal({ dealname: 'Found' });
    const filters = (value: number) => [
      { filters: [{ propertyName: 'hs_lastmodifieddate', operator: 'GTE' as never, value: String(value) }] },
    ];
    const search = (value: number) =>
      client.crm.deals.searchApi.doSearch({
        filterGroups: filters(value),
        sorts: ['hs_lastmodifieddate'],
        properties: ['dealname'],
        limit: 10,
      });
    expect((await search(0)).results.map((deal) => deal.id)).to.deep.equal([id]);
    expect(await search(Date.now() + 60_000)).to.include({ total: 0 });
  });

  it('stamps and delivers a save only if it changes a value', async () => {
    let now = Date.parse('2026-03-01T10:00:00Z');
    const clocked = await FakeCrmb.start({ now: () => now });
    try {
      clocked.webhookUrl = 'http://127.0.0.1:9/webhooks/crmb';
      const { accessToken } = clocked.oauth.issue();
      const id = clocked.addDeal({ amount: '5' });
      clocked.deliveries.take();
      const deals = new Client({ basePath: clocked.server.url, accessToken }).crm.deals.basicApi;
      const stampAfter = async (amount: string) => {
        now += 1000;
        clocked.change(id, { amount });
        return (await deals.getById(id)).properties['hs_lastmodifieddate'];
      };
      expect(await stampAfter('5')).to.equal('2026-03-01T10:00:00.000Z');
      expect(clocked.deliveries.take()).to.have.length(0);
      expect(await stampAfter('6')).to.equal('2026-03-01T10:00:02.000Z');
      expect(clocked.deliveries.take()).to.have.length(1);
    } finally {
      await clocked.stop();
    }
  });

  it('reads batches with errors for missing deals', async () => {
    const id = crm.addDeal({ dealname: 'There' });
    const gone = crm.addDeal({ dealname: 'Gone' });
    crm.delete(gone);
    const read = (...ids: string[]) =>
      client.crm.deals.batchApi.read({
        properties: ['dealname'],
        propertiesWithHistory: [],
        inputs: ids.map((one) => ({ id: one })),
      });
    expect((await read(id)).results[0]?.properties['dealname']).to.equal('There');
    const partial = await read(id, gone);
    expect(partial.results).to.have.length(1);
    expect(partial).to.have.property('numErrors', 1);
  });

  it('returns a deal, but no archived one', async () => {
    const id = crm.addDeal({ dealname: 'One' });
    expect((await client.crm.deals.basicApi.getById(id, ['dealname'])).properties['dealname']).to.equal('One');
    crm.delete(id);
    const failure = await client.crm.deals.basicApi.getById(id).catch((error: unknown) => error);
    expect(failure).to.have.property('code', 404);
    expect((await client.crm.deals.basicApi.getById(id, [], [], [], true)).archived).to.equal(true);
  });

  it('lists owners, properties and pipelines', async () => {
    crm.addOwner({ firstName: 'Ada', lastName: 'L', email: 'ada@acme.test' });
    const owners = await client.crm.owners.ownersApi.getPage();
    expect(owners.results[0]).to.include({ email: 'ada@acme.test', archived: false, type: 'PERSON' });
    const properties = await client.crm.properties.coreApi.getAll('deals');
    expect(properties.results.find(({ name }) => name === 'dealstage')?.options.map(({ value }) => value)).to.include(
      'closedwon',
    );
    const pipelines = await client.crm.pipelines.pipelinesApi.getAll('deals');
    expect(pipelines.results[0]?.stages.find(({ id }) => id === 'closedwon')?.metadata).to.deep.equal({
      isClosed: 'true',
      probability: '1.0',
    });
  });

  it('signs deliveries that the vendor’s validation accepts', () => {
    crm.webhookUrl = 'https://service.test/webhooks/crmb';
    crm.addDeal({ dealname: 'Ünïcode' });
    const [delivery] = crm.deliveries.take();
    const { body = '', headers = {}, targetUrl = '' } = delivery ?? {};
    const { clientSecret } = crm.oauth.options;
    const signed = (signatureVersion: string, signature: string | undefined) =>
      Signature.isValid({
        signatureVersion,
        signature: signature ?? '',
        method: 'POST',
        clientSecret,
        requestBody: body,
        url: targetUrl,
        timestamp: Number(headers['X-HubSpot-Request-Timestamp']),
      });
    expect(signed('v3', headers['X-HubSpot-Signature-v3'])).to.equal(true);
    expect(signed('v1', headers['X-HubSpot-Signature'])).to.equal(true);
  });

  it('rejects requests with statuses that the client handles', async () => {
    crm.oauth.expireAccessTokens();
    const failure = await client.crm.deals.basicApi.getPage().catch((error: unknown) => error);
    expect(failure).to.have.property('code', 401);
  });
});
