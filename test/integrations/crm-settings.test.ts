import { expect } from 'chai';
import { type Delivery, deliver } from '#fakes/deliveries.js';
import { FakeCrmb } from '#fakes/fake-crmb.js';
import { type ApiClient } from '#test/support/api-client.js';
import { untilInboxEmpty } from '#test/support/crm-worlds.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';

const settings = '/v1/integrations/crmb/settings';
const defaults = {
  people: null,
  deals: { closedFrom: null, pipelines: [] },
  fields: {},
  lineItems: false,
  companyFields: [],
  credits: null,
  lines: null,
  writeBack: null,
};

describe('the settings of a CRM', () => {
  let crm: FakeCrmb;
  let service: Service;
  let api: ApiClient;

  before(async () => {
    crm = await FakeCrmb.start();
    crm.callsPerTenSeconds = 1_000_000;
    service = await Service.start({ crms: [crm], settings: { CRM_POLL_SECONDS: '86400' } });
  });

  after(async () => {
    await service?.stop();
    await crm?.stop();
  });

  beforeEach(async () => {
    ({ api } = await service.workspace());
    await connect();
  });

  const connect = (status = 200) =>
    api.expect(status, 'POST', '/auth/workspace/connect-crmb', { ...crm.oauth.issue() });
  const sync = () => api.expect(200, 'POST', '/v1/commissions/sync', {});
  const set = (change: object, status = 200) => api.expect(status, 'PUT', settings, change);
  const deals = async (): Promise<Record<string, unknown>[]> => (await api.expect(200, 'GET', '/v1/deals')).deals;
  const namesOf = async () => (await deals()).map(({ name }) => name).sort();
  const deal = (dealname: string, more: Record<string, string> = {}) =>
    crm.addDeal({ dealname, dealstage: 'contractsent', amount: '100', closedate: '2026-02-10T12:00:00.000Z', ...more });

  it('are those that read everything until they are set, and are set as a whole', async () => {
    expect(await api.expect(200, 'GET', settings)).to.deep.equal(defaults);
    const { jobId, ...stored } = await set({ fields: { arr: 'hs_arr' } });
    expect(stored).to.deep.equal({ ...defaults, fields: { arr: 'hs_arr' } });
    expect(jobId).to.be.a('string');
    expect(await api.expect(200, 'GET', settings)).to.deep.equal(stored);
    await set({});
    expect(await api.expect(200, 'GET', settings)).to.deep.equal(defaults);
  });

  it('are rejected where they are invalid or the CRM has no such thing', async () => {
    for (const body of [
      { people: { teams: [], roles: [], emails: [] } },
      { deals: { closedFrom: '2026-02-30' } },
      { fields: { '': 'x' } },
      { lineItems: 'yes' },
      { color: 'red' },
      { credits: { types: { Revenue: 'half' } } },
      { writeBack: {} },
      { writeBack: { commission: 'no name' } },
      { writeBack: { commission: 'commission', state: 'commission' } },
      // Commission would depend on what is written.
      { writeBack: { commission: 'commission' }, fields: { amount: 'commission' } },
    ])
      await set(body, 400);
    await api.expect(400, 'PUT', '/v1/integrations/crmc/settings', { writeBack: { commission: 'Amount' } });
    await api.expect(400, 'PUT', '/v1/integrations/crma/settings', { deals: { pipelines: ['Sales'] } });
    await api.expect(400, 'PUT', '/v1/integrations/crma/settings', { credits: {} });
    expect(await api.expect(200, 'GET', settings)).to.deep.equal(defaults);
  });

  it('need the scopes of what they read, and are otherwise rejected with the missing scope', async () => {
    for (const [change, scope] of [
      [{ lineItems: true }, 'crm.objects.line_items.read'],
      [{ companyFields: ['industry'] }, 'crm.objects.companies.read'],
      [{ companyFields: ['industry'] }, 'crm.schemas.companies.read'],
      [{ credits: {} }, 'crm.dealsplits.read_write'],
    ] as const) {
      crm.oauth.scopes.delete(scope);
      const rejected = await set(change, 400);
      crm.oauth.scopes.add(scope);
      expect(rejected).to.include({ code: 'crm_refused' });
      expect(rejected.details.missing).to.deep.equal([scope]);
      expect(await api.expect(200, 'GET', settings)).to.deep.equal(defaults);
    }
    await set({ lineItems: true });
    const { integrations } = await api.expect(200, 'GET', '/auth/workspace/integrations');
    const granted = { name: 'crm.objects.line_items.read', purpose: 'line items', granted: true, required: true };
    expect(integrations[1].permissions).to.deep.include(granted);
    crm.oauth.scopes.delete('crm.objects.line_items.read');
    expect((await connect(400)).details.missing).to.have.length(1);
    crm.oauth.scopes.add('crm.objects.line_items.read');
  });

  it('make only the people of a team reps, and keep those who are reps already', async () => {
    const seller = { firstName: 'Nora', lastName: 'Lind' };
    crm.addOwner({ ...seller, email: 'nora@team.io', team: 'Sales' });
    crm.addOwner({ ...seller, email: 'omar@team.io', team: 'Support' });
    crm.addOwner({ ...seller, email: 'pia@team.io' });
    const emails = async () =>
      (await api.expect(200, 'GET', '/v1/reps')).reps
        .map((rep: { email: string }) => rep.email)
        .filter((email: string) => email.endsWith('@team.io'))
        .sort();
    await set({ people: { teams: ['sales'], roles: [], emails: ['PIA@team.io'] } });
    await sync();
    expect(await emails()).to.deep.equal(['nora@team.io', 'pia@team.io']);
    await set({ people: { teams: ['Support'], roles: [], emails: [] } });
    await sync();
    expect(await emails()).to.deep.equal(['nora@team.io', 'omar@team.io', 'pia@team.io']);
  });

  it('exclude deals by pipeline and close date, and delete imported ones only after a confirmation', async () => {
    const { id: renewals, stageIds } = crm.addPipeline('Renewals', [
      { label: 'Talking', probability: '0.2' },
      { label: 'Renewed', probability: '1.0' },
    ]);
    const before = new Set(await namesOf());
    deal('early', { closedate: '2025-12-31T12:00:00.000Z' });
    deal('new');
    const renewal = deal('renewal', { pipeline: renewals, dealstage: stageIds[1] as string });
    await set({ deals: { pipelines: ['Sales Pipeline'], closedFrom: '2026-01-01' } });
    await sync();
    const imported = async () => (await namesOf()).filter((name) => !before.has(name));
    expect(await imported()).to.deep.equal(['new']);
    await set({});
    await sync();
    expect(await imported()).to.deep.equal(['early', 'new', 'renewal']);
    const stored = (await deals()).find(({ deal_id: id }) => id === renewal);
    expect(stored).to.include({ stage: stageIds[1], stageLabel: 'Renewed', isWon: true });
    const rejected = await set({ deals: { pipelines: [renewals] } }, 409);
    expect(rejected).to.include({ code: 'confirmation_required' });
    expect(rejected.details).to.include({ excluded: 2 });
    expect(await api.expect(200, 'GET', settings)).to.deep.equal(defaults);
    await set({ deals: { pipelines: [renewals] }, confirm: true });
    await sync();
    expect(await imported()).to.deep.equal(['renewal']);
  });

  it('name fields for commission, which are checked when the CRM is connected', async () => {
    await set({ writeBack: { commission: 'commission' } });
    const { warnings } = await connect();
    const messages = warnings
      .filter(({ code }: { code: string }) => code === 'write_back_impossible')
      .map(({ message }: { message: string }) => message);
    expect(messages).to.have.length(2);
    expect(messages[0]).to.include('crm.objects.deals.write');
    expect(messages[1]).to.include('create the property commission of type number');
  });

  it('give fields of this CRM the slugs that plans and the field mapping use', async () => {
    const id = deal('mapped', { hs_arr: '777' });
    await set({ fields: { amount: 'hs_arr', arr: 'hs_arr' } });
    await sync();
    const mapped = (await deals()).find(({ deal_id: dealId }) => dealId === id) as { amount: number; fields: object };
    expect(mapped.amount).to.equal(777);
    expect(mapped.fields).to.include({ amount: 777, arr: 777, hs_arr: 777 });
  });

  it('stay when the CRM is disconnected, and apply to the next connection', async () => {
    const stored = { ...defaults, fields: { arr: 'amount' }, deals: { closedFrom: '2026-01-01', pipelines: [] } };
    await set(stored);
    await api.expect(200, 'PATCH', '/v1/integrations/crmb', { pollSeconds: 300 });
    await api.expect(200, 'POST', '/auth/workspace/disconnect-crmb');
    expect(await api.expect(200, 'GET', settings)).to.deep.equal(stored);
    const { accessToken, refreshToken } = crm.oauth.issue();
    await api.expect(200, 'POST', '/auth/workspace/connect-crmb', { accessToken, refreshToken });
    const { integrations } = await api.expect(200, 'GET', '/auth/workspace/integrations');
    const crmb = integrations.find(({ provider }: { provider: string }) => provider === 'crmb');
    expect(crmb).to.include({ connected: true, pollSeconds: 300 });
    deal('Mapped', { amount: '250' });
    deal('Early', { closedate: '2025-06-01T12:00:00.000Z' });
    await sync();
    expect(await namesOf())
      .to.include('Mapped')
      .and.not.include('Early');
    const mapped = (await deals()).find(({ name }) => name === 'Mapped') as { fields: Record<string, unknown> };
    expect(mapped.fields).to.include({ arr: 250 });
  });

  describe('and delivered values while the connection is broken', () => {
    beforeEach(() => {
      crm.webhookUrl = `${service.url}/webhooks/crmb`;
      crm.eventsPerDelivery = 1;
      for (const name of ['hs_arr', 'pipeline', 'dealname']) crm.watched.add(name);
    });

    const breakConnection = async () => {
      crm.oauth.revokeAll();
      await api.expect(400, 'POST', '/v1/commissions/sync', {});
      crm.deliveries.take();
    };
    const send = async (deliveries: readonly Delivery[]) => {
      for (const delivery of deliveries) expect(await deliver(delivery)).to.equal(200);
      await untilInboxEmpty(service.database.ownerUrl);
    };
    const change = async (id: string, values: Record<string, string>) => {
      crm.change(id, values);
      await send(crm.deliveries.take());
    };
    const stored = async (id: string) => (await deals()).find(({ deal_id: dealId }) => dealId === id);

    it('a close date is the day in the time zone of the workspace', async () => {
      ({ api } = await service.workspace({ timezone: 'America/New_York' }));
      await connect();
      const id = deal('zoned');
      await sync();
      await breakConnection();
      await change(id, { closedate: '2026-04-01T02:00:00.000Z' });
      expect(await stored(id)).to.include({ closeDate: '2026-03-31' });
    });

    it('a mapped slug follows the field that it names, and no other', async () => {
      const id = deal('mapped', { hs_arr: '777' });
      await set({ fields: { amount: 'hs_arr' } });
      await sync();
      await breakConnection();
      await change(id, { amount: '5' });
      expect(await stored(id)).to.include({ amount: 777 });
      await change(id, { hs_arr: '900' });
      const after = (await stored(id)) as { amount: number; fields: object };
      expect(after.amount).to.equal(900);
      expect(after.fields).to.include({ amount: 900, hs_arr: 900 });
    });

    it('an excluded deal stays excluded until a value includes it', async () => {
      const { id: renewals, stageIds } = crm.addPipeline('Renewals', [{ label: 'Renewed', probability: '1.0' }]);
      await set({ deals: { pipelines: ['default'], closedFrom: '2026-01-01' } });
      const [moved, early] = [deal('moved'), deal('early')];
      await sync();
      crm.change(moved, { pipeline: renewals, dealstage: stageIds[0] as string });
      crm.change(early, { closedate: '2025-12-01T12:00:00.000Z' });
      await sync();
      await breakConnection();
      for (const id of [moved, early]) {
        await change(id, { amount: '5' });
        expect(await stored(id)).to.equal(undefined);
      }
      const included = { pipeline: 'default', dealstage: 'contractsent', closedate: '2026-02-11T12:00:00.000Z' };
      await change(moved, included);
      expect(await stored(moved)).to.include({ amount: 5 });
      await change(moved, { pipeline: renewals });
      expect(await stored(moved)).to.equal(undefined);
    });

    it('one that is older than the last response of the CRM changes nothing, also after newer ones', async () => {
      const id = deal('late');
      await sync();
      crm.deliveries.take();
      crm.change(id, { amount: '200' });
      const late = crm.deliveries.take();
      const changedAt = Date.now();
      await until(() => Date.now() > changedAt, { pauseMs: 1 });
      crm.change(id, { amount: '300' });
      await sync();
      await breakConnection();
      await change(id, { dealname: 'renamed' });
      await send(late);
      expect(await stored(id)).to.include({ name: 'renamed', amount: 300 });
    });
  });
});
