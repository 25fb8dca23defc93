import { Client, Signature } from '@hubspot/api-client';
import { expect } from 'chai';
import { FakeCrmb } from '#fakes/fake-crmb.js';

describe('the fake crm-b with the vendor’s own client', () => {
  let crm: FakeCrmb;
  let client: Client;

  beforeEach(async () => {
    crm = await FakeCrmb.start();
    crm.callsPerTenSeconds = 1000;
    crm.searchesPerSecond = 1000;
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

  it('finds deals by every operator and by words', async () => {
    const [small, large, none] = [
      crm.addDeal({ dealname: 'Acme renewal', amount: '10', dealstage: 'contractsent' }),
      crm.addDeal({ dealname: 'Globex expansion', amount: '500', dealstage: 'closedwon' }),
      crm.addDeal({ dealname: 'Initech' }),
    ];
    const found = async (body: object) =>
      (await client.crm.deals.searchApi.doSearch({ limit: 10, properties: [], ...body } as never)).results.map(
        ({ id }) => id,
      );
    const by = (filter: object) => found({ filterGroups: [{ filters: [{ propertyName: 'amount', ...filter }] }] });
    expect(await by({ operator: 'EQ', value: '10' })).to.deep.equal([small]);
    expect(await by({ operator: 'NEQ', value: '10' })).to.deep.equal([large]);
    expect(await by({ operator: 'LT', value: '500' })).to.deep.equal([small]);
    expect(await by({ operator: 'LTE', value: '500' })).to.deep.equal([small, large]);
    expect(await by({ operator: 'GT', value: '10' })).to.deep.equal([large]);
    expect(await by({ operator: 'GTE', value: '10' })).to.deep.equal([small, large]);
    expect(await by({ operator: 'BETWEEN', value: '5', highValue: '20' })).to.deep.equal([small]);
    expect(await by({ operator: 'IN', values: ['10', '500'] })).to.deep.equal([small, large]);
    expect(await by({ operator: 'NOT_IN', values: ['10'] })).to.deep.equal([large]);
    expect(await by({ operator: 'HAS_PROPERTY' })).to.deep.equal([small, large]);
    expect(await by({ operator: 'NOT_HAS_PROPERTY' })).to.deep.equal([none]);
    const name = { propertyName: 'dealname', value: 'exp*' };
    expect(await by({ ...name, operator: 'CONTAINS_TOKEN' })).to.deep.equal([large]);
    expect(await by({ ...name, operator: 'NOT_CONTAINS_TOKEN' })).to.deep.equal([small, none]);
    expect(await found({ query: 'acme' })).to.deep.equal([small]);
  });

  it('rejects searches that the vendor rejects', async () => {
    const filter = { propertyName: 'amount', operator: 'GT', value: '1' };
    const groups = (count: number, filters: object[]) => Array.from({ length: count }, () => ({ filters }));
    for (const body of [
      { filterGroups: groups(1, [{ ...filter, propertyName: 'unknown' }]) },
      { filterGroups: groups(1, [{ ...filter, operator: 'LIKE' }]) },
      { filterGroups: groups(6, [filter]) },
      { filterGroups: groups(1, Array(7).fill(filter)) },
      { filterGroups: groups(4, Array(5).fill(filter)) },
      { sorts: ['unknown'] },
      { sorts: ['amount', 'dealname'] },
      { limit: 201 },
      { limit: 100, after: '9950' },
      { query: 'x'.repeat(3000) },
    ]) {
      const failure = await client.crm.deals.searchApi.doSearch(body as never).catch((error: unknown) => error);
      expect(failure, JSON.stringify(body).slice(0, 100)).to.have.property('code', 400);
    }
  });

  it('rejects values of properties that it does not have', () => {
    expect(() => crm.addDeal({ made_up: '1' })).to.throw('made_up');
    expect(() => crm.addDeal({ amount: 'ten' })).to.throw('ten');
  });

  it('names the scope that a request lacks, and reports the limit in the headers', async () => {
    crm.oauth.scopes.delete('crm.objects.owners.read');
    const failure = await client.crm.owners.ownersApi.getPage().catch((error: unknown) => error);
    expect(failure).to.have.property('code', 403);
    expect(JSON.stringify((failure as { body: unknown }).body)).to.contain('crm.objects.owners.read');
    const response = await client.apiRequest({ path: '/crm/v3/objects/deals' });
    expect(response.headers.get('x-hubspot-ratelimit-max')).to.equal('1000');
    expect(Number(response.headers.get('x-hubspot-ratelimit-remaining'))).to.be.below(1000);
  });

  it('has pipelines whose stages are numbers, and derives from them whether a deal is won', async () => {
    const { id: pipeline, stageIds } = crm.addPipeline('Renewals', [
      { label: 'Renewing', probability: '0.5' },
      { label: 'Renewed', probability: '1.0' },
    ]);
    expect(stageIds.every((id) => /^\d+$/.test(id))).to.equal(true);
    const dealId = crm.addDeal({ pipeline, dealstage: stageIds[1] as string });
    const { properties } = await client.crm.deals.basicApi.getById(dealId, ['hs_is_closed', 'hs_is_closed_won']);
    expect(properties).to.include({ hs_is_closed: 'true', hs_is_closed_won: 'true' });
    const { results } = await client.crm.pipelines.pipelinesApi.getAll('deals');
    expect(results.map(({ label }) => label)).to.deep.equal(['Sales Pipeline', 'Renewals']);
  });

  it('returns a third deal for both sources of a merge, line items, owners and properties by id', async () => {
    const [first, second] = [crm.addDeal({ dealname: 'First' }), crm.addDeal({ dealname: 'Second', amount: '7' })];
    crm.addLineItem(first, { name: 'Core', price: '5', quantity: '2' });
    const { results } = await client.crm.associations.v4.batchApi.getPage('deals', 'line_items', {
      inputs: [{ id: first }],
    });
    const itemId = String(results[0]?.to[0]?.toObjectId);
    const items = await client.crm.lineItems.batchApi.read({
      properties: ['name', 'price'],
      propertiesWithHistory: [],
      inputs: [{ id: itemId }],
    });
    expect(items.results[0]?.properties).to.include({ name: 'Core', price: '5' });
    const third = crm.mergeIntoNew(first, second);
    for (const id of [first, second, third])
      expect(await client.crm.deals.basicApi.getById(id, ['amount'])).to.deep.include({ id: third });
    const ownerId = crm.addOwner({ firstName: 'Ada', lastName: 'L', email: 'ada@acme.test' });
    expect(await client.crm.owners.ownersApi.getById(Number(ownerId))).to.include({ email: 'ada@acme.test' });
    expect(await client.crm.properties.coreApi.getByName('deals', 'amount')).to.include({ type: 'number' });
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
