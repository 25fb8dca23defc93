import { expect } from 'chai';
import { FakeCrma } from '#fakes/fake-crma.js';
import { FakeCrmb } from '#fakes/fake-crmb.js';
import { FakeCrmc } from '#fakes/fake-crmc.js';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { flatTier } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';

/** A CRM whose deals have line items, in the terms of both vendors. */
interface SellingCrm {
  readonly provider: 'crmb' | 'crmc';
  readonly environment: Record<string, string>;
  /** The permission without which line items are not read. */
  readonly permission: string;
  /** Maps a further value, Region, and for a CRM without families the family. */
  readonly fields: Record<string, string>;
  token(): object;
  addDeal(owner: string): string;
  addItem(dealId: string, item: { readonly name: string; readonly amount: number | null }): string;
  /** An item with every value. */
  addFullItem(dealId: string): string;
  changeAmount(itemId: string, amount: number): void;
  removeItem(itemId: string): void;
  forbidItems(isForbidden: boolean): void;
  stop(): Promise<void>;
}

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

async function startCrmb(): Promise<SellingCrm> {
  const crm = await FakeCrmb.start();
  crm.callsPerTenSeconds = 1_000_000;
  const scope = 'crm.objects.line_items.read';
  return {
    provider: 'crmb',
    environment: crm.environment,
    permission: scope,
    fields: { 'line.family': 'hs_product_type', Region: 'sales_region' },
    token: () => crm.oauth.issue(),
    addDeal: (owner) =>
      crm.addDeal({
        dealname: 'Suite',
        dealstage: 'closedwon',
        amount: '1000',
        closedate: '2026-02-10T12:00:00.000Z',
        hubspot_owner_id: crm.addOwner({ firstName: owner, lastName: 'Lind', email: `${owner}@lines.io` }),
      }),
    addItem: (dealId, { name, amount }) =>
      crm.addLineItem(dealId, { name, amount: amount === null ? null : amount.toFixed(2) }),
    addFullItem: (dealId) =>
      crm.addLineItem(dealId, {
        name: 'Suite',
        hs_sku: 'S-1',
        hs_product_type: 'software',
        quantity: '3',
        price: '100',
        hs_discount_percentage: '25',
        amount: '225.00',
        hs_cost_of_goods_sold: '10.50',
        hs_line_item_currency_code: 'USD',
        hs_recurring_billing_start_date: '2026-03-01',
        hs_recurring_billing_period: 'P1Y',
        recurringbillingfrequency: 'annually',
        sales_region: 'EMEA',
      }),
    changeAmount: (itemId, amount) => crm.changeLineItem(itemId, { amount: String(amount) }),
    removeItem: (itemId) => crm.removeLineItem(itemId),
    forbidItems: (isForbidden) => {
      if (isForbidden) crm.oauth.scopes.delete(scope);
      else crm.oauth.scopes.add(scope);
    },
    stop: () => crm.stop(),
  };
}

async function startCrmc(): Promise<SellingCrm> {
  const crm = await FakeCrmc.start({ currency: 'USD' });
  crm.rows.set('Product2', [{ Id: '01tRO0000000001YAA', Name: 'Suite', ProductCode: 'S-1', Family: 'software' }]);
  return {
    provider: 'crmc',
    environment: crm.environment,
    permission: 'Read on OpportunityLineItem',
    fields: { Region: 'region__c' },
    token: () => ({ ...crm.oauth.issue(), instanceUrl: crm.url }),
    addDeal: (owner) =>
      crm.addDeal({
        Name: 'Suite',
        StageName: 'Closed Won',
        Amount: 1000,
        CloseDate: '2026-02-10',
        OwnerId: crm.addUser({ Name: owner, Email: `${owner}@lines.io` }),
      }),
    addItem: (dealId, { name, amount }) => crm.addLineItem(dealId, { Name: name, TotalPrice: amount }),
    addFullItem: (dealId) =>
      crm.addLineItem(dealId, {
        Name: 'Suite',
        Product2Id: '01tRO0000000001YAA',
        Quantity: 3,
        UnitPrice: 100,
        ListPrice: 120,
        Discount: 25,
        TotalPrice: 225,
        ServiceDate: '2026-03-01',
        Region__c: 'EMEA',
      }),
    changeAmount: (itemId, amount) => crm.changeLineItem(itemId, { TotalPrice: amount }),
    removeItem: (itemId) => crm.changeLineItem(itemId, { IsDeleted: true }),
    forbidItems: (isForbidden) => {
      if (isForbidden) crm.unreadable.add('OpportunityLineItem');
      else crm.unreadable.delete('OpportunityLineItem');
    },
    stop: () => crm.stop(),
  };
}

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
    const syncWithPlan = async () => {
      await sync();
      const { reps } = await api.expect(200, 'GET', '/v1/reps');
      const { id } = reps.find(({ email }: { email: string }) => email === 'ada@lines.io');
      const rule = { name: 'Products', measure: 'line.amount', lines: {}, tiers: flatTier(0.1) };
      await api.createPlan({ name: 'AE', config: { rules: [rule] } }, [id]);
      await workspace.calculated();
    };
    const earned = async (): Promise<number> => {
      const [{ sum }] = await workspace.sql(
        `select coalesce(sum(amount), 0)::float8 as sum from commission_events
         where workspace_id = $1 and deal_key = $2 and status = 'earned'`,
        deal,
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
