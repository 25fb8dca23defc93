import { expect } from 'chai';
import { FakeCrma } from '#fakes/fake-crma.js';
import { FakeCrmb } from '#fakes/fake-crmb.js';
import { FakeCrmc } from '#fakes/fake-crmc.js';
import { respondWith } from '#fakes/fake-server.js';
import { crmaAdapter } from '#src/crm/adapters/crma/adapter.js';
import { crmbAdapter } from '#src/crm/adapters/crmb/adapter.js';
import { CrmcAdapter } from '#src/crm/adapters/crmc/adapter.js';
import { type CrmAccount } from '#src/crm/adapters/port.js';
import { type DealValues, type WriteProblem, type WriteTargets } from '#src/crm/adapters/write-back.js';
import { StoredAccess, tokenOnly } from './crm-access.js';
import { SleptTime } from './crm-timing.js';

const values: DealValues = { commission: '1250.5', currency: 'USD', state: 'Earned', attainment: '1.255' };
const targetsOf = (commission: string, more: Partial<WriteTargets> = {}): WriteTargets => ({
  commission,
  state: null,
  currency: null,
  attainment: null,
  ...more,
});

function write(account: CrmAccount, targets: WriteTargets, dealIds: readonly string[], of = values) {
  return account.writeDeals(
    targets,
    dealIds.map((dealId) => ({ dealId, values: of })),
  );
}

/** The problems of the deals that were not written. */
async function problems(written: ReturnType<typeof write>): Promise<Record<string, WriteProblem>> {
  const { results, failure } = await written;
  if (failure !== null) throw failure;
  return Object.fromEntries(results.flatMap(({ dealId, problem }) => (problem === null ? [] : [[dealId, problem]])));
}

describe('writing to the deals of', () => {
  let time: SleptTime;
  beforeEach(() => {
    time = new SleptTime();
  });

  describe('crm-a', () => {
    let crm: FakeCrma;
    let account: CrmAccount;

    beforeEach(async () => {
      crm = await FakeCrma.start({ now: time.now });
      crm.oauth.scopes.add('record_permission:read-write');
      crm.attributes.push({ slug: 'commission', title: 'Commission', type: 'currency' });
      crm.attributes.push({ slug: 'attainment', title: 'Attainment', type: 'number' });
      crm.attributes.push({ slug: 'formula', title: 'Formula', type: 'number', isReadOnly: true });
      const adapter = crmaAdapter(crm.settings, time);
      account = adapter.account(new StoredAccess(adapter, tokenOnly(crm.oauth.issue().accessToken)));
    });
    afterEach(() => crm.stop());

    const dealsOf = (count: number) => Array.from({ length: count }, () => crm.addDeal({ name: 'Deal' }));

    it('waits as long as the CRM requests when it limits requests', async () => {
      const dealIds = dealsOf(30);
      expect(await problems(write(account, targetsOf('commission'), dealIds))).to.deep.equal({});
      expect(dealIds.map((dealId) => crm.valueOf(dealId, 'commission'))).to.deep.equal(dealIds.map(() => 1250.5));
      expect(time.slept.length).to.be.at.least(1);
      expect(Math.max(...time.slept)).to.be.at.most(1000);
    });

    it('reports the deals that the CRM rejects and those that it does not have, and writes the others', async () => {
      const [first = '', rejected = '', gone = ''] = dealsOf(3);
      crm.rejectedDeals.add(rejected);
      crm.delete(gone);
      expect(
        await problems(write(account, targetsOf('commission'), [first, rejected, gone, 'elsewhere'])),
      ).to.deep.equal({
        [rejected]: { kind: 'failed', reason: 'the CRM rejects the values: value_not_unique' },
        [gone]: { kind: 'gone' },
        elsewhere: { kind: 'gone' },
      });
      expect(crm.valueOf(first, 'commission')).to.equal(1250.5);
    });

    it('keeps the results before a failure that concerns no single deal', async () => {
      const dealIds = dealsOf(10);
      crm.server.fault({ on: /PATCH/, after: 4, answer: respondWith(403, {}) });
      const { results, failure } = await write(account, targetsOf('commission'), dealIds);
      expect(results.length).to.equal(4);
      expect(failure).to.include({ kind: 'rejected' });
      expect(failure?.message).to.include('record_permission:read-write');
    });

    it('clears the attainment of a deal without a quota', async () => {
      const [dealId = ''] = dealsOf(1);
      const targets = targetsOf('commission', { attainment: 'attainment' });
      await problems(write(account, targets, [dealId]));
      expect(crm.valueOf(dealId, 'attainment')).to.equal(125.5);
      await problems(write(account, targets, [dealId], { ...values, attainment: null }));
      expect(crm.valueOf(dealId, 'attainment')).to.equal(null);
    });

    it('is not possible in another currency than that of the attribute', async () => {
      const [dealId = ''] = dealsOf(1);
      const euro = { ...values, currency: 'EUR' };
      expect(await problems(write(account, targetsOf('commission'), [dealId], euro))).to.deep.equal({
        [dealId]: { kind: 'failed', reason: 'the commission is in EUR, and commission holds USD' },
      });
    });

    it('is checked: read-only attributes, those of the vendor and other types are named', async () => {
      const targets = { commission: 'formula', state: 'name', currency: 'attainment', attainment: 'missing' };
      const { findings } = await account.checkWrites(targets);
      expect(findings.map(({ code, field }) => [code, field])).to.deep.equal([
        ['field_read_only', 'formula'],
        ['field_standard', 'name'],
        ['field_type', 'attainment'],
        ['field_missing', 'missing'],
      ]);
    });
  });

  describe('crm-b', () => {
    let crm: FakeCrmb;
    let account: CrmAccount;
    const number = { type: 'number', fieldType: 'number', hubspotDefined: false };

    beforeEach(async () => {
      crm = await FakeCrmb.start({ now: time.now });
      crm.oauth.scopes.add('crm.objects.deals.write');
      crm.properties.push({ name: 'commission', label: 'Commission', ...number });
      crm.properties.push({ name: 'paid', label: 'Paid', ...number, showCurrencySymbol: true });
      crm.properties.push({ name: 'reached', label: 'Reached', ...number, numberDisplayHint: 'percentage' });
      crm.properties.push({ name: 'computed', label: 'Computed', ...number, readOnlyValue: true });
      const adapter = crmbAdapter(crm.settings, time);
      account = adapter.account(new StoredAccess(adapter, { ...tokenOnly(''), ...crm.oauth.issue() }));
    });
    afterEach(() => crm.stop());

    const dealsOf = (count: number) => Array.from({ length: count }, () => crm.addDeal({ dealname: 'Deal' }));
    const requests = () => crm.server.countRequests(/batch\/update/);

    it('takes one request for a hundred deals', async () => {
      const dealIds = dealsOf(account.maxWrites);
      expect(await problems(write(account, targetsOf('commission', { attainment: 'reached' }), dealIds))).to.deep.equal(
        {},
      );
      expect(requests()).to.equal(1);
      expect(crm.valueOf(dealIds[99] as string, 'commission')).to.equal('1250.5');
      expect(crm.valueOf(dealIds[99] as string, 'reached'), 'a percentage is a ratio').to.equal('1.255');
    });

    it('finds the deal that makes the CRM reject a batch, and writes the others', async () => {
      const dealIds = dealsOf(20);
      const [, , , rejected = ''] = dealIds;
      crm.rejectedDeals.add(rejected);
      expect(await problems(write(account, targetsOf('commission'), dealIds))).to.deep.equal({
        [rejected]: { kind: 'failed', reason: 'the CRM rejects the values: VALIDATION_ERROR' },
      });
      const written = dealIds.filter((dealId) => crm.valueOf(dealId, 'commission') === '1250.5');
      expect(written).to.deep.equal(dealIds.filter((dealId) => dealId !== rejected));
      expect(requests()).to.be.at.most(11);
    });

    it('reports deals that are archived, and the deal into which one was merged', async () => {
      const [first = '', archived = '', merged = '', survivor = ''] = dealsOf(4);
      crm.delete(archived);
      crm.merge(survivor, merged);
      expect(
        await problems(write(account, targetsOf('commission'), [first, archived, merged, 'elsewhere'])),
      ).to.deep.equal({
        [archived]: { kind: 'gone' },
        [merged]: { kind: 'gone', survivor },
        elsewhere: { kind: 'gone' },
      });
    });

    it('ends at once if the property is missing: no deal can be written', async () => {
      const { results, failure } = await write(account, targetsOf('missing'), dealsOf(20));
      expect(results).to.deep.equal([]);
      expect(failure).to.include({ kind: 'rejected' });
      expect(requests()).to.equal(1);
    });

    it('is not possible in another currency than that of the account, in a property with a currency', async () => {
      const [dealId = ''] = dealsOf(1);
      crm.companyCurrency = 'JPY';
      expect(await problems(write(account, targetsOf('paid'), [dealId]))).to.deep.equal({
        [dealId]: { kind: 'failed', reason: 'the commission is in USD, and paid holds JPY' },
      });
    });

    it('needs a scope that the page of the consent requests only if commission is written', () => {
      const adapter = crmbAdapter(crm.settings, time);
      const page = { state: 's', redirectUri: 'https://service.test/callback', codeChallenge: 'c' };
      const optional = (writes: boolean) =>
        new URL(adapter.authorizeUrl({ ...page, writes })).searchParams.get('optional_scope')?.split(' ') ?? [];
      expect(optional(false)).not.to.include('crm.objects.deals.write');
      expect(optional(true)).to.include('crm.objects.deals.write');
    });

    it('is checked without changing anything', async () => {
      expect((await account.checkWrites(targetsOf('commission'))).findings).to.deep.equal([]);
      crm.oauth.scopes.delete('crm.objects.deals.write');
      const { findings } = await account.checkWrites({ ...targetsOf('computed'), state: 'dealname' });
      expect(findings.map(({ code, field }) => [code, field])).to.deep.equal([
        ['permission_missing', null],
        ['field_read_only', 'computed'],
        ['field_standard', 'dealname'],
      ]);
    });
  });

  describe('crm-c', () => {
    let crm: FakeCrmc;
    let account: CrmAccount;

    beforeEach(async () => {
      crm = await FakeCrmc.start({ now: time.now });
      crm.addField({ name: 'Commission__c', type: 'currency' });
      crm.addField({ name: 'Attainment__c', type: 'percent' });
      crm.addField({ name: 'Hidden__c', type: 'double', updateable: false });
      const adapter = new CrmcAdapter(crm.settings, time);
      const credentials = { ...tokenOnly(crm.oauth.issue().accessToken), instanceUrl: crm.url };
      account = adapter.account(new StoredAccess(adapter, credentials));
    });
    afterEach(() => crm.stop());

    const dealsOf = (count: number) => Array.from({ length: count }, () => crm.addDeal());
    const targets = targetsOf('Commission__c', { attainment: 'Attainment__c' });

    it('takes one request for two hundred deals', async () => {
      const dealIds = dealsOf(account.maxWrites);
      expect(await problems(write(account, targets, dealIds))).to.deep.equal({});
      expect(crm.server.countRequests(/PATCH/)).to.equal(1);
      expect(crm.valueOf(dealIds[199] as string, 'Commission__c')).to.equal(1250.5);
      expect(crm.valueOf(dealIds[199] as string, 'Attainment__c')).to.equal(125.5);
    });

    it('reports each deal that the CRM rejects with its code, and writes the others', async () => {
      const [first = '', invalid = '', deleted = '', hidden = ''] = dealsOf(4);
      crm.invalidDeals.add(invalid);
      crm.deleteDeal(deleted);
      crm.hiddenDeals.add(hidden);
      expect(
        await problems(write(account, targetsOf('Commission__c'), [first, invalid, deleted, hidden])),
      ).to.deep.equal({
        [invalid]: {
          kind: 'failed',
          reason: 'FIELD_CUSTOM_VALIDATION_EXCEPTION: a validation rule rejects the change (Commission__c)',
        },
        [deleted]: { kind: 'gone' },
        [hidden]: {
          kind: 'failed',
          reason: 'INSUFFICIENT_ACCESS_OR_READONLY: the connected user may not edit the deal',
        },
      });
      expect(crm.valueOf(first, 'Commission__c')).to.equal(1250.5);
    });

    it('ends at once if the user may not write the field', async () => {
      const { results, failure } = await write(account, targetsOf('Hidden__c'), dealsOf(3));
      expect(results).to.deep.equal([]);
      expect(failure).to.include({ kind: 'rejected' });
      expect(failure?.message).to.include('Hidden__c');
    });

    it('pauses when nine tenths of the requests of a day are used, and keeps what was written', async () => {
      crm.requestsPerDay = 100;
      crm.requestsUsed = 95;
      const { results, failure } = await write(account, targets, dealsOf(3));
      expect(results.map(({ problem }) => problem)).to.deep.equal([null, null, null]);
      expect(failure).to.include({ kind: 'rate_limited' });
    });

    it('is checked: Edit on the object, and Edit access to the fields', async () => {
      crm.editsDeals = false;
      const { findings } = await account.checkWrites(targetsOf('Hidden__c', { state: 'Missing__c', currency: 'Name' }));
      expect(findings.map(({ code, field }) => [code, field])).to.deep.equal([
        ['permission_missing', null],
        ['field_read_only', 'Hidden__c'],
        ['field_missing', 'Missing__c'],
        ['field_standard', 'Name'],
      ]);
    });
  });
});
