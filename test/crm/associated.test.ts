import { expect } from 'chai';
import { FakeCrma } from '#fakes/fake-crma.js';
import { FakeCrmb } from '#fakes/fake-crmb.js';
import { FakeCrmc } from '#fakes/fake-crmc.js';
import { crmaAdapter } from '#src/crm/adapters/crma/adapter.js';
import { crmbAdapter } from '#src/crm/adapters/crmb/adapter.js';
import { CrmcAdapter } from '#src/crm/adapters/crmc/adapter.js';
import { type CrmAccount, type CrmAccountOptions, fixedAccess, type ListDeals } from '#src/crm/adapters/port.js';
import { failureOf, kindOf, listed, tokenOnly } from './crm-access.js';

describe('records that belong to deals', () => {
  const fieldsOf = async (account: CrmAccount, dealId: string) => {
    const inListing = (await listed(account)).find(({ id }) => id === dealId)?.fields;
    const [read] = await account.getDeals([dealId]);
    expect(read?.fields).to.deep.equal(inListing);
    return inListing;
  };

  describe('of crm-a to which deals refer', () => {
    let crm: FakeCrma;
    beforeEach(async () => {
      crm = await FakeCrma.start();
      const reference = { slug: 'positions', title: 'Positions', type: 'record-reference', isMulti: true };
      crm.attributes.push({ ...reference, object: 'positions' }, { ...reference, slug: 'anything' });
    });
    afterEach(() => crm.stop());
    const lines = { standard: { amount: 'net', family: 'line_of_business' }, own: { Region: 'region' } };
    const account = (options: CrmAccountOptions) =>
      crmaAdapter(crm.settings).account(fixedAccess(tokenOnly(crm.oauth.issue().accessToken)), options);

    it('are its products: the records of a reference, in its order', async () => {
      const software = crm.addRecord('positions', {
        name: 'Suite',
        net: { amount: 225.5, currency: 'EUR' },
        line_of_business: 'software',
        region: 'EMEA',
      });
      const heading = crm.addRecord('positions', { region: 'EMEA' });
      const services = crm.addRecord('positions', { name: 'Onboarding', net: { amount: 10, currency: null } });
      const deal = crm.addDeal({ name: 'Large', positions: [software, heading, services] });
      const alone = crm.addDeal({ name: 'Small' });
      const read = account({ lines: { ...lines, reference: 'positions' } });
      const products = new Map((await listed(read)).map((each) => [each.id, each.products]));
      expect(products.get(deal)).to.deep.equal([
        {
          lineId: software,
          name: 'Suite',
          family: 'software',
          amount: '225.5',
          currency: 'EUR',
          fields: { Region: 'EMEA' },
        },
        { lineId: services, name: 'Onboarding', amount: '10' },
      ]);
      expect(products.get(alone)).to.deep.equal([]);
      expect((await read.getDeals([deal]))[0]?.products).to.have.length(2);
      expect((await listed(account({})))[0]).not.to.have.property('products');
    });

    it('cause an error that names the attribute if it refers to no object or to several', async () => {
      crm.addDeal({ name: 'Large' });
      for (const reference of ['anything', 'name', 'none']) {
        const failure = await failureOf(listed(account({ lines: { ...lines, reference } })));
        expect(failure.message).to.contain(`no attribute ${reference} that refers`);
      }
    });
  });

  describe('of crm-b', () => {
    let crm: FakeCrmb;
    let now: number;
    beforeEach(async () => {
      now = Date.parse('2026-03-01T10:00:00Z');
      crm = await FakeCrmb.start({ now: () => now });
    });
    afterEach(() => crm.stop());
    const account = (options: CrmAccountOptions) =>
      crmbAdapter(crm.settings).account(fixedAccess(tokenOnly(crm.oauth.issue().accessToken)), options);

    it('are its line items: their number, their sum and their products', async () => {
      const deal = crm.addDeal({ dealname: 'Large' });
      const small = crm.addDeal({ dealname: 'Small' });
      crm.addLineItem(deal, { name: 'Core', amount: '0.10' });
      crm.addLineItem(deal, { name: 'Analytics', amount: '0.20' });
      crm.addLineItem(deal, { name: 'Core', amount: null });
      const read = account({ lineItems: true });
      expect(await fieldsOf(read, deal)).to.deep.include({
        line_items_count: 3,
        line_items_sum: 0.3,
        line_items_products: ['Analytics', 'Core'],
      });
      expect(await fieldsOf(read, small)).to.deep.include({
        line_items_count: 0,
        line_items_sum: 0,
        line_items_products: [],
      });
      expect((await read.listFields()).map(({ slug }) => slug)).to.include('line_items_products');
      expect(await fieldsOf(account({}), deal)).not.to.have.property('line_items_count');
    });

    it('are its products, and a poll finds the deals of those that changed', async () => {
      const [deal, other] = [crm.addDeal({ dealname: 'Large' }), crm.addDeal({ dealname: 'Small' })];
      const item = crm.addLineItem(deal, { name: 'Core', amount: '0.10', hs_product_type: 'software' });
      crm.addLineItem(other, { name: 'Core', amount: '5' });
      for (const apiVersion of ['2026-09', 'v3']) {
        const access = fixedAccess(tokenOnly(crm.oauth.issue().accessToken));
        const lines = { standard: { family: 'hs_product_type' }, own: {} };
        const read = crmbAdapter({ ...crm.settings, apiVersion }).account(access, { lines });
        const [found] = await read.getDeals([deal]);
        expect(found?.products).to.deep.equal([{ lineId: item, name: 'Core', family: 'software', amount: '0.1' }]);
        now += 60_000;
        const from = new Date(now);
        crm.changeLineItem(item, { amount: '0.10' });
        const polled = await listed(read, { modifiedFrom: from });
        expect(polled.map(({ id }) => id)).to.deep.equal([deal]);
        expect(await listed(account({}), { modifiedFrom: from })).to.deep.equal([]);
      }
    });

    it('are read once for their sums and for the products of the deal', async () => {
      const deal = crm.addDeal({ dealname: 'Large' });
      const item = crm.addLineItem(deal, { name: 'Core', amount: '0.10', hs_product_type: 'software' });
      const lines = { standard: { family: 'hs_product_type' }, own: {} };
      const [read] = await account({ lineItems: true, lines }).getDeals([deal]);
      expect(read?.fields).to.include({ line_items_count: 1, line_items_sum: 0.1 });
      expect(read?.products).to.deep.equal([{ lineId: item, name: 'Core', family: 'software', amount: '0.1' }]);
      const reads = crm.server.requests.filter(({ path }) => path.includes('line_items'));
      expect(reads).to.have.length(2);
    });

    it('are the fields of its company, with the types of the properties', async () => {
      const deal = crm.addDeal({ dealname: 'Large' });
      const alone = crm.addDeal({ dealname: 'No company' });
      crm.addCompany(deal, { industry: 'BANKING', numberofemployees: '250' });
      const read = account({ companyFields: ['industry', 'numberofemployees'] });
      expect(await fieldsOf(read, deal)).to.include({ company_industry: 'BANKING', company_numberofemployees: 250 });
      expect(await fieldsOf(read, alone)).to.include({ company_industry: null, company_numberofemployees: null });
    });

    it('are its splits, in percent, with every version of the paths', async () => {
      const [deal, alone] = [crm.addDeal({ dealname: 'Shared' }), crm.addDeal({ dealname: 'Alone' })];
      crm.setSplits(deal, [
        { ownerId: '11', share: '0.33333333' },
        { ownerId: '12', share: '0.66666667' },
      ]);
      for (const apiVersion of ['2026-09', 'v3']) {
        const access = fixedAccess(tokenOnly(crm.oauth.issue().accessToken));
        const read = crmbAdapter({ ...crm.settings, apiVersion }).account(access, { splits: true });
        const splits = new Map((await listed(read)).map((each) => [each.id, each.splits]));
        expect(splits.get(deal)).to.deep.equal([
          { ownerId: '11', type: 'Deal splits', percent: '33.333333' },
          { ownerId: '12', type: 'Deal splits', percent: '66.666667' },
        ]);
        expect(splits.get(alone)).to.deep.equal([]);
        expect((await read.getDeals([deal]))[0]?.splits).to.have.length(2);
      }
      expect((await listed(account({})))[0]).not.to.have.property('splits');
    });

    it('cause an error that names the missing scope or the unknown property', async () => {
      const deal = crm.addDeal({ dealname: 'Large' });
      const messageOf = async (read: CrmAccount) => (await failureOf(read.getDeals([deal]))).message;
      expect(await messageOf(account({ companyFields: ['color'] }))).to.contain('companies have no property color');
      crm.addLineItem(deal, { name: 'Core', amount: '1' });
      crm.oauth.scopes.delete('crm.objects.line_items.read');
      expect(await messageOf(account({ lineItems: true }))).to.contain('crm.objects.line_items.read');
      crm.oauth.scopes.delete('crm.dealsplits.read_write');
      const ofSplits = account({ splits: true });
      expect(await messageOf(ofSplits)).to.contain('crm.dealsplits.read_write');
      expect((await ofSplits.permissions()).at(-1)).to.include({ name: 'crm.dealsplits.read_write', granted: false });
    });
  });

  describe('of crm-c', () => {
    let crm: FakeCrmc;
    let now: number;
    beforeEach(async () => {
      now = Date.parse('2026-03-01T10:00:00Z');
      crm = await FakeCrmc.start({ now: () => now });
    });
    afterEach(() => crm.stop());

    it('are its line items and the fields of its account', async () => {
      crm.rows.set('Account', [{ Id: '001RO0000000001YAA', Name: 'Acme', Industry: 'Banking' }]);
      crm.rows.set('Product2', [{ Id: '01tRO0000000001YAA', Name: 'Core' }]);
      const deal = crm.addDeal({ AccountId: '001RO0000000001YAA' });
      const item = { OpportunityId: deal, Product2Id: '01tRO0000000001YAA', Name: 'Core for Acme', IsDeleted: false };
      crm.rows.set('OpportunityLineItem', [
        { Id: '00kRO0000000001YAA', ...item, TotalPrice: 1200.5 },
        { Id: '00kRO0000000002YAA', ...item, TotalPrice: 5, IsDeleted: true },
      ]);
      const adapter = new CrmcAdapter(crm.settings);
      const credentials = { ...tokenOnly(crm.oauth.issue().accessToken), instanceUrl: crm.url };
      const read = (companyFields: string[]) =>
        adapter.account(fixedAccess(credentials), { lineItems: true, companyFields });
      expect(await fieldsOf(read(['Industry']), deal)).to.deep.include({
        line_items_count: 1,
        line_items_sum: 1200.5,
        line_items_products: ['Core'],
        company_industry: 'Banking',
      });
      expect(await kindOf(read(['Id FROM User --']).getDeals([deal]))).to.equal('rejected');
    });

    it('are its products, and a poll finds the deals of those that changed or were deleted', async () => {
      crm.rows.set('Product2', [{ Id: '01tRO0000000001YAA', Name: 'Core', ProductCode: 'C', Family: 'software' }]);
      const [deal, other] = [crm.addDeal(), crm.addDeal()];
      const product = { Name: 'Core', Product2Id: '01tRO0000000001YAA' };
      const item = crm.addLineItem(deal, { ...product, TotalPrice: 0.1, Discount: 12.5, Region__c: 'EMEA' });
      crm.addLineItem(other, { Name: 'Other', TotalPrice: 5 });
      const adapter = new CrmcAdapter(crm.settings);
      const credentials = { ...tokenOnly(crm.oauth.issue().accessToken), instanceUrl: crm.url };
      const lines = { standard: {}, own: { region: 'region__c' } };
      const account = adapter.account(fixedAccess(credentials), { lines });
      const productsOf = async (options: ListDeals) =>
        (await listed(account, options)).map(({ id, products }) => [id, products]);
      const line = {
        lineId: item,
        name: 'Core',
        productCode: 'C',
        family: 'software',
        discount: '0.125',
        amount: '0.1',
      };
      expect(await productsOf({})).to.deep.include([deal, [{ ...line, fields: { region: 'EMEA' } }]]);
      now += 60_000;
      const since = { modifiedFrom: new Date(now) };
      crm.changeLineItem(item, { IsDeleted: true });
      now += 60_000;
      expect(await productsOf(since)).to.deep.equal([[deal, []]]);
      const unknown = { lines: { standard: { family: 'Nothing__c' }, own: {} } };
      const permissions = await adapter.account(fixedAccess(credentials), unknown).permissions();
      expect(permissions.find(({ name }) => name === 'Read on fields of OpportunityLineItem')?.granted).to.equal(false);
    });

    it('are its splits with the labels of their types, also where only the splits changed', async () => {
      const [deal, other] = [crm.addDeal(), crm.addDeal()];
      const [ada, bo] = [crm.addUser(), crm.addUser()];
      crm.setSplits(deal, [
        { ownerId: ada, percent: 60, type: 'Revenue' },
        { ownerId: bo, percent: 40, type: 'Revenue' },
        { ownerId: bo, percent: 12.5, type: 'SE credit' },
      ]);
      const adapter = new CrmcAdapter(crm.settings);
      const credentials = { ...tokenOnly(crm.oauth.issue().accessToken), instanceUrl: crm.url };
      const account = adapter.account(fixedAccess(credentials), { splits: true });
      const splitsOf = async (options: ListDeals) =>
        new Map((await listed(account, options)).map(({ id, splits }) => [id, splits]));
      const all = await splitsOf({});
      expect(all.get(deal)).to.deep.equal([
        { ownerId: ada, type: 'Revenue', percent: '60' },
        { ownerId: bo, type: 'Revenue', percent: '40' },
        { ownerId: bo, type: 'SE credit', percent: '12.5' },
      ]);
      expect(all.get(other)).to.deep.equal([]);
      now += 60_000;
      const since = { modifiedFrom: new Date(now) };
      crm.setSplits(deal, []);
      now += 60_000;
      expect([...(await splitsOf(since))]).to.deep.equal([[deal, []]]);
    });
  });

  describe('of crm-a', () => {
    let crm: FakeCrma;
    beforeEach(async () => {
      crm = await FakeCrma.start();
    });
    afterEach(() => crm.stop());

    it('are the fields of its company', async () => {
      crm.attributes.push({ slug: 'associated_company', title: 'Company', type: 'record-reference' });
      const company = crm.addCompany({ name: 'Acme', industry: 'Banking' });
      const deal = crm.addDeal({ name: 'Large', stage: 'Lead', associated_company: company });
      const access = fixedAccess(tokenOnly(crm.oauth.issue().accessToken));
      const account = crmaAdapter(crm.settings).account(access, { companyFields: ['industry', 'size'] });
      expect(await fieldsOf(account, deal)).to.include({ company_industry: 'Banking', company_size: null });
    });
  });
});
