import { expect } from 'chai';
import { FakeCrma } from '#fakes/fake-crma.js';
import { FakeCrmb } from '#fakes/fake-crmb.js';
import { FakeCrmc } from '#fakes/fake-crmc.js';
import { crmaAdapter } from '#src/crm/adapters/crma/adapter.js';
import { crmbAdapter } from '#src/crm/adapters/crmb/adapter.js';
import { CrmcAdapter } from '#src/crm/adapters/crmc/adapter.js';
import { type CrmAccount, fixedAccess } from '#src/crm/adapters/port.js';
import { failureOf, kindOf, listed, tokenOnly } from './crm-access.js';

describe('records that belong to deals', () => {
  const fieldsOf = async (account: CrmAccount, dealId: string) => {
    const inListing = (await listed(account)).find(({ id }) => id === dealId)?.fields;
    const [read] = await account.getDeals([dealId]);
    expect(read?.fields).to.deep.equal(inListing);
    return inListing;
  };

  describe('of crm-b', () => {
    let crm: FakeCrmb;
    beforeEach(async () => {
      crm = await FakeCrmb.start();
    });
    afterEach(() => crm.stop());
    const account = (options: { lineItems?: boolean; companyFields?: string[] }) =>
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

    it('are the fields of its company, with the types of the properties', async () => {
      const deal = crm.addDeal({ dealname: 'Large' });
      const alone = crm.addDeal({ dealname: 'No company' });
      crm.addCompany(deal, { industry: 'BANKING', numberofemployees: '250' });
      const read = account({ companyFields: ['industry', 'numberofemployees'] });
      expect(await fieldsOf(read, deal)).to.include({ company_industry: 'BANKING', company_numberofemployees: 250 });
      expect(await fieldsOf(read, alone)).to.include({ company_industry: null, company_numberofemployees: null });
    });

    it('cause an error that names the missing scope or the unknown property', async () => {
      const deal = crm.addDeal({ dealname: 'Large' });
      const messageOf = async (read: CrmAccount) => (await failureOf(read.getDeals([deal]))).message;
      expect(await messageOf(account({ companyFields: ['color'] }))).to.contain('companies have no property color');
      crm.addLineItem(deal, { name: 'Core', amount: '1' });
      crm.oauth.scopes.delete('crm.objects.line_items.read');
      expect(await messageOf(account({ lineItems: true }))).to.contain('crm.objects.line_items.read');
    });
  });

  describe('of crm-c', () => {
    let crm: FakeCrmc;
    beforeEach(async () => {
      crm = await FakeCrmc.start();
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
