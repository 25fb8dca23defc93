import { expect } from 'chai';
import { FakeCrma } from '#fakes/fake-crma.js';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { type SellingCrm, startCrmb, startCrmc } from '#test/support/selling-crms.js';
import { Service } from '#test/support/service.js';
import { flatTier } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';

/** What {@link SellingCrm.addFullItem} is as a line, apart from what only one CRM has. */
const fullLine = {
  name: 'Suite',
  productCode: 'S-1',
  family: 'software',
  quantity: 3,
  unitPrice: 100,
  discount: 0.25,
  amount: 225,
  startDate: '2026-03-01',
  fields: { Region: 'EMEA' },
};

for (const start of [startCrmb, startCrmc]) {
  describe(`line items of ${start === startCrmb ? 'crm-b' : 'crm-c'}`, () => {
    let crm: SellingCrm;
    let service: Service;
    let workspace: Workspace;
    let api: ApiClient;
    let deal: string;

    before(async () => {
      crm = await start();
      service = await Service.start({ settings: { ...crm.environment, CRM_POLL_SECONDS: '86400' } });
    });
    after(async () => {
      await service?.stop();
      await crm?.stop();
    });
    beforeEach(async () => {
      workspace = await service.workspace();
      ({ api } = workspace);
      await api.expect(200, 'POST', `/auth/workspace/connect-${crm.provider}`, crm.token());
      deal = crm.addDeal('ada');
    });
    afterEach(() => workspace.expectSoundLedger());

    const settings = () => `/v1/integrations/${crm.provider}/settings`;
    const setLines = (lines: object | null) => api.expect(200, 'PUT', settings(), { lines });
    const linesOf = async () => {
      const { source, lines } = await api.expect(200, 'GET', `/v1/deals/${deal}/lines`);
      return [source, ...lines.map(({ lineId }: { lineId: string }) => lineId)];
    };
    const sync = async () => {
      await api.expect(200, 'POST', '/v1/commissions/sync', {});
      await workspace.calculated();
    };
    const products = { name: 'Products', measure: 'line.amount', lines: {}, tiers: flatTier(0.1) };
    const syncWithPlan = async (rule: object = products) => {
      await sync();
      const { reps } = await api.expect(200, 'GET', '/v1/reps');
      const { id } = reps.find(({ email }: { email: string }) => email === 'ada@lines.io');
      await api.createPlan({ name: 'AE', config: { rules: [rule] } }, [id]);
      await workspace.calculated();
    };
    const earned = async (dealKey = deal): Promise<number> => {
      const [{ sum }] = await workspace.sql(
        `select coalesce(sum(amount), 0)::float8 as sum from commission_events
         where workspace_id = $1 and deal_key = $2 and status = 'earned'`,
        dealKey,
      );
      return sum;
    };

    it('become the lines of the deal, without headings and characters that cannot be stored', async () => {
      await setLines({ fields: crm.fields });
      const first = crm.addFullItem(deal);
      crm.addItem(deal, { name: '', amount: 0 });
      const second = crm.addItem(deal, { name: 'Trial', amount: null });
      const third = crm.addItem(deal, { name: 'Zero\u0000byte', amount: 5 });
      await sync();
      expect(await linesOf()).to.deep.equal(['crm', first, second, third]);
      const { lines } = await api.expect(200, 'GET', `/v1/deals/${deal}/lines`);
      expect(lines[0]).to.deep.include(fullLine);
      if (crm.provider === 'crmb')
        expect(lines[0]).to.deep.include({ cost: 31.5, currency: 'USD', months: 12, recurring: 'annually' });
      else expect(lines[0]).to.deep.include({ listPrice: 120, currency: null });
      expect(lines[1]).to.deep.include({ name: 'Trial', amount: null });
      expect(lines[2]).to.deep.include({ name: null, amount: 5 });
    });

    it('pay, and those that are removed or changed reverse what they paid', async () => {
      await setLines({});
      const first = crm.addItem(deal, { name: 'A', amount: 600 });
      const second = crm.addItem(deal, { name: 'B', amount: 400 });
      await syncWithPlan();
      expect(await earned()).to.equal(100);
      crm.removeItem(second);
      await sync();
      expect(await linesOf()).to.deep.equal(['crm', first]);
      expect(await earned()).to.equal(60);
      crm.changeAmount(first, 500);
      await sync();
      expect(await earned()).to.equal(50);
    });

    it('that change decide what a refund takes back, also if no rule reads lines', async () => {
      await setLines({});
      const item = crm.addItem(deal, { name: 'A', amount: 600 });
      const clawback = { window: { days: 3650 } };
      await syncWithPlan({ name: 'Whole', measure: 'amount', tiers: flatTier(0.1), clawback });
      const refund = { day: '2026-04-20', cause: 'refund', lines: [{ lineId: item }] };
      await api.expect(200, 'PUT', `/v1/deals/${deal}/refunds/r`, refund);
      await workspace.calculated();
      const takenBack = await earned(`refund:${deal}:r`);
      expect(takenBack).to.be.below(0);
      crm.changeAmount(item, 300);
      await sync();
      expect(await earned(`refund:${deal}:r`)).to.equal(takenBack / 2);
    });

    it('yield to lines of the API, and are removed when the setting is switched off', async () => {
      await setLines({});
      const first = crm.addItem(deal, { name: 'A', amount: 600 });
      await syncWithPlan();
      await api.expect(200, 'PUT', `/v1/deals/${deal}/lines`, { lines: [{ lineId: 'own', amount: 50 }] });
      await sync();
      expect(await linesOf()).to.deep.equal(['api', 'own']);
      expect(await earned()).to.equal(5);
      await api.expect(200, 'DELETE', `/v1/deals/${deal}/lines`);
      expect(await linesOf()).to.deep.equal(['crm', first]);
      await setLines(null);
      await sync();
      expect(await linesOf()).to.deep.equal([null]);
      expect(await earned()).to.equal(0);
    });

    it('need their permission, and no one maps their id', async () => {
      crm.forbidItems(true);
      const { details } = await expectError('400 crm_refused', api.put(settings(), { lines: {} }));
      crm.forbidItems(false);
      expect(details.missing).to.include(crm.permission);
      for (const name of ['lineId', 'line.id', 'ID'])
        await expectError('400 VALIDATION_FAILED', api.put(settings(), { lines: { fields: { [name]: 'x' } } }));
      await expectError('400 VALIDATION_FAILED', api.put('/v1/integrations/crma/settings', { lines: {} }));
    });
  });
}

describe('records to which deals of crm-a refer', () => {
  let crm: FakeCrma;
  let service: Service;
  let workspace: Workspace;

  before(async () => {
    crm = await FakeCrma.start();
    const positions = { slug: 'positions', title: 'Positions', type: 'record-reference', isMulti: true };
    crm.attributes.push({ ...positions, object: 'positions' });
    service = await Service.start({ settings: { ...crm.environment, CRM_POLL_SECONDS: '86400' } });
  });
  after(async () => {
    await service?.stop();
    await crm?.stop();
  });
  afterEach(() => workspace.expectSoundLedger());

  it('become the lines of the deal with the next sync, and need a reference and an amount', async () => {
    workspace = await service.workspace();
    const { api } = workspace;
    const { accessToken } = crm.oauth.issue();
    await api.expect(200, 'POST', '/auth/workspace/connect-crma', { accessToken });
    const settings = '/v1/integrations/crma/settings';
    const lines = { reference: 'positions', fields: { 'line.amount': 'net', family: 'line_of_business' } };
    for (const incomplete of [{}, { reference: 'positions' }, { fields: lines.fields }])
      await expectError('400 VALIDATION_FAILED', api.put(settings, { lines: incomplete }));
    await expectError('400 VALIDATION_FAILED', api.put('/v1/integrations/crmc/settings', { lines }));
    expect((await api.expect(200, 'PUT', settings, { lines })).lines).to.deep.equal(lines);
    const position = (amount: number) => ({
      name: 'Suite',
      net: { amount, currency: 'USD' },
      line_of_business: 'software',
    });
    const record = crm.addRecord('positions', position(600));
    const owner = crm.addMember({ firstName: 'Ada', lastName: 'Lind', email: 'ada@lines.io' });
    const value = { amount: 1000, currency: 'USD' };
    const won = { name: 'Large', stage: 'Won 🎉', value, close_date: '2026-02-10', owner };
    const deal = crm.addDeal({ ...won, positions: [record] });
    const sync = async () => {
      await api.expect(200, 'POST', '/v1/commissions/sync', {});
      await workspace.calculated();
      return (await api.expect(200, 'GET', `/v1/deals/${deal}/lines`)).lines;
    };
    const [line] = await sync();
    expect(line).to.deep.include({ lineId: record, name: 'Suite', family: 'software', amount: 600, currency: 'USD' });
    crm.setRecord('positions', record, position(500));
    expect((await sync())[0].amount).to.equal(500);
    crm.change(deal, { positions: null });
    expect(await sync()).to.deep.equal([]);
  });
});
