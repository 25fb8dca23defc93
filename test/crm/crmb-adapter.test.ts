import { expect } from 'chai';
import { FakeCrmb } from '#fakes/fake-crmb.js';
import { hangUp, respondWith } from '#fakes/fake-server.js';
import { crmbAdapter } from '#src/crm/adapters/crmb/adapter.js';
import { crmbUrl } from '#src/crm/adapters/crmb/paths.js';
import {
  crmbDeal,
  crmbDealRecord,
  crmbFieldType,
  crmbStages,
  crmbValue,
  readProperties,
} from '#src/crm/adapters/crmb/values.js';
import { type CrmAccount, type CrmAdapter, type ListDeals } from '#src/crm/adapters/port.js';
import { collected, failureOf, kindOf, listed, StoredAccess, tokenOnly } from './crm-access.js';
import { SleptTime } from './crm-timing.js';

const listPath = /GET .*objects.*\/deals$/;
const searchPath = /POST .*\/search$/;

describe('crm-b', () => {
  let time: SleptTime;
  let crm: FakeCrmb;
  let adapter: CrmAdapter;
  let access: StoredAccess;
  let account: CrmAccount;

  beforeEach(async () => {
    time = new SleptTime();
    crm = await FakeCrmb.start({ now: time.now });
    crm.callsPerTenSeconds = 10_000;
    adapter = crmbAdapter(crm.settings, time);
    account = connected();
  });

  afterEach(() => crm.stop());

  function connected(timeZone?: string): CrmAccount {
    access = new StoredAccess(adapter, { ...tokenOnly(''), ...crm.oauth.issue() });
    return adapter.account(access, timeZone === undefined ? {} : { timeZone });
  }

  it('has the address of deals in the region of the account, if the host is its own', async () => {
    expect(await account.dealUrl()).to.equal(`https://app-eu1.hubspot.com/contacts/${crm.portalId}/record/0-3/{id}`);
    for (const host of [
      'evil.test',
      'app.hubspot.com.evil.test',
      'app.hubspot.com:8443',
      'evil.test/app.hubspot.com',
    ]) {
      crm.uiDomain = host;
      expect(await connected().dealUrl(), host).to.equal(null);
    }
  });

  it('gives people the requested values of their users, and none without the scope', async () => {
    crm.addOwner({ firstName: 'Ada', lastName: 'Lind', email: 'ada@acme.test', user: { region: 'DACH', shoe: '39' } });
    const gone = crm.addOwner({
      firstName: 'Bo',
      lastName: 'Berg',
      email: 'bo@acme.test',
      user: { region: 'Nordics' },
    });
    crm.archiveOwner(gone);
    for (let count = 0; count < 120; count += 1)
      crm.addOwner({
        firstName: 'Cy',
        lastName: `${count}`,
        email: `cy${count}@acme.test`,
        user: { region: `${count}` },
      });
    const listed = async () => {
      const members = await adapter.account(access, { memberFields: ['Region', 'level'] }).listMembers();
      return new Map(members.map(({ name, values }) => [name, values]));
    };
    const found = await listed();
    expect(found.get('Ada Lind')).to.deep.equal({ region: 'DACH' });
    expect(found.get('Cy 119')).to.deep.equal({ region: '119' });
    expect(found.get('Bo Berg')).to.equal(undefined);
    crm.oauth.scopes.delete('crm.objects.users.read');
    expect((await listed()).get('Ada Lind')).to.equal(undefined);
    expect((await listed()).size).to.equal(122);
  });

  describe('connecting', () => {
    const redirectUri = 'https://service.test/callback';
    const codeVerifier = 'a verifier of more than forty characters, as it must be';
    const codeChallenge = 'mYXRDRBrTcgvyPJqzXzHPnBJzjB4RbpTZ9Zjwyxa5uY';

    async function consent(challenge: string): Promise<string> {
      const address = adapter.authorizeUrl({ state: 'state-1', redirectUri, codeChallenge: challenge });
      expect(new URL(address).searchParams.get('scope')).to.equal(
        'oauth crm.objects.deals.read crm.schemas.deals.read crm.objects.owners.read',
      );
      const response = await fetch(address, { redirect: 'manual' });
      return new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? '';
    }

    async function challengeOf(verifier: string): Promise<string> {
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
      return Buffer.from(digest).toString('base64url');
    }

    it('exchanges a code for tokens of half an hour and the portal id', async () => {
      const code = await consent(await challengeOf(codeVerifier));
      const credentials = await adapter.exchangeCode({ code, redirectUri, codeVerifier });
      expect(credentials).to.deep.include({
        expiresAt: new Date(time.now() + 1_800_000).toISOString(),
        accountId: String(crm.portalId),
        instanceUrl: null,
      });
      expect(credentials.refreshToken).to.be.a('string');
    });

    it('fails without the code verifier', async () => {
      const code = await consent(codeChallenge);
      expect(await kindOf(adapter.exchangeCode({ code, redirectUri, codeVerifier }))).to.equal('unauthorized');
    });

    it('retains the refresh token and the portal if the response has none', async () => {
      crm.server.fault({ on: /token$/, times: 1, answer: respondWith(200, { accessToken: 'camel', expiresIn: 60 }) });
      const spent = { ...tokenOnly('old'), refreshToken: 'refresh', accountId: '77' };
      expect(await adapter.refresh(spent)).to.deep.equal({
        accessToken: 'camel',
        refreshToken: 'refresh',
        expiresAt: new Date(time.now() + 60_000).toISOString(),
        accountId: '77',
        instanceUrl: null,
      });
    });

    it('distinguishes a rejected grant from a rejected client, which does not end the connection', async () => {
      const spent = { ...tokenOnly('old'), refreshToken: 'unknown' };
      expect(await kindOf(adapter.refresh(spent))).to.equal('unauthorized');
      crm.server.fault({ on: /token$/, answer: respondWith(401, { error: 'invalid_client' }) });
      expect(await kindOf(adapter.refresh(spent))).to.equal('misconfigured');
      expect(await kindOf(adapter.refresh(tokenOnly('old')))).to.equal('unauthorized');
    });

    it('reports a wrong client secret as a wrong setting, which the operator can correct', async () => {
      const spent = { ...tokenOnly('old'), refreshToken: crm.oauth.issue().refreshToken };
      crm.oauth.clientSecret = 'another';
      const failure = await failureOf(adapter.refresh(spent));
      expect(failure.kind).to.equal('misconfigured');
      expect(failure.message).to.contain('CRMB_CLIENT_SECRET');
      crm.oauth.clientSecret = crm.oauth.options.clientSecret;
      expect((await adapter.refresh(spent)).accessToken).to.be.a('string');
    });

    it('names the scope that the account has not granted', async () => {
      crm.oauth.scopes.delete('crm.objects.owners.read');
      const failure = await failureOf(account.listMembers());
      expect(failure.kind).to.equal('rejected');
      expect(failure.message).to.contain('grant crm.objects.owners.read and connect again');
      const permissions = await account.permissions();
      expect(permissions.map(({ name, granted }) => [name, granted])).to.deep.equal([
        ['crm.objects.deals.read', true],
        ['crm.schemas.deals.read', true],
        ['crm.objects.owners.read', false],
      ]);
    });

    it('revokes the tokens of a consent', async () => {
      const { accessToken, refreshToken } = crm.oauth.issue();
      await adapter.revoke({ ...tokenOnly(accessToken), refreshToken });
      expect(crm.oauth.isAlive(accessToken)).to.equal(false);
      expect(await kindOf(adapter.refresh({ ...tokenOnly('old'), refreshToken }))).to.equal('unauthorized');
    });

    it('accepts a pasted token and reads its portal', async () => {
      const { accessToken } = crm.oauth.issue();
      expect(await adapter.verify({ accessToken })).to.deep.include({ accessToken, accountId: String(crm.portalId) });
      expect(await kindOf(adapter.verify({ accessToken: 'made-up' }))).to.equal('unauthorized');
    });

    it('registers no webhooks, since they belong to the app', async () => {
      expect(await account.registerWebhook('https://service.test/webhooks/crmb')).to.equal(null);
      await account.removeWebhook('any');
      expect(crm.server.requests).to.deep.equal([]);
    });
  });

  describe('people and fields', () => {
    it('lists owners of all pages, archived ones as inactive, without queues', async () => {
      const first = crm.addOwner({ firstName: 'Ada', lastName: 'Lovelace', email: 'ada@acme.test' });
      const left = crm.addOwner({ firstName: 'Bob', lastName: '', email: 'bob@acme.test' });
      crm.addOwner({ firstName: 'All', lastName: 'deals', email: '', type: 'QUEUE' });
      for (let index = 0; index < 150; index++)
        crm.addOwner({ firstName: 'Rep', lastName: String(index), email: `rep${index}@acme.test` });
      crm.archiveOwner(left);
      const members = await account.listMembers();
      expect(members).to.have.length(152);
      expect(members.find(({ crmId }) => crmId === first)).to.deep.equal({
        crmId: first,
        email: 'ada@acme.test',
        name: 'Ada Lovelace',
        avatar: null,
        active: true,
      });
      expect(members.find(({ crmId }) => crmId === left)).to.include({ name: 'Bob', active: false });
    });

    it('lists fields with their types and the stages of the pipelines', async () => {
      const fields = await account.listFields();
      expect(Object.fromEntries(fields.map(({ slug, type }) => [slug, type]))).to.include({
        dealname: 'text',
        amount: 'currency',
        dealstage: 'status',
        pipeline: 'status',
        closedate: 'timestamp',
        hubspot_owner_id: 'text',
        deal_currency_code: 'select',
        hs_is_closed_won: 'checkbox',
        hs_arr: 'currency',
        products: 'select',
        signed_on: 'date',
        is_renewal: 'checkbox',
      });
      expect(fields.find(({ slug }) => slug === 'dealstage')?.options).to.deep.include({
        label: 'Closed Won',
        value: 'closedwon',
      });
      expect(fields.find(({ slug }) => slug === 'products')?.options).to.deep.equal([
        { label: 'Core', value: 'core' },
        { label: 'Analytics', value: 'analytics' },
      ]);
    });
  });

  describe('deals', () => {
    it('arrive with typed values, under their own slugs and the canonical ones', async () => {
      const owner = crm.addOwner({ firstName: 'Ada', lastName: 'L', email: 'ada@acme.test' });
      const id = crm.addDeal({
        dealname: 'Renewal',
        amount: '50000.50',
        dealstage: 'contractsent',
        closedate: '2026-12-01T02:00:00.000Z',
        hubspot_owner_id: owner,
        deal_currency_code: 'EUR',
        products: 'core;analytics',
        is_renewal: 'true',
        signed_on: '2026-11-20',
        hs_arr: '',
      });
      const createdAt = new Date(time.now()).toISOString();
      time.pass(1000);
      crm.change(id, { dealstage: 'closedwon' });
      const [deal] = await account.getDeals([id]);
      expect(deal).to.deep.equal({
        id,
        deleted: false,
        modifiedAt: new Date(time.now()),
        fields: {
          dealname: 'Renewal',
          name: 'Renewal',
          amount: 50000.5,
          amount_in_home_currency: 50000.5,
          amount_in_home_currency_currency: 'USD',
          hs_is_closed: true,
          hs_is_closed_won: true,
          dealstage: 'closedwon',
          stage: 'closedwon',
          pipeline: 'default',
          closedate: '2026-12-01T02:00:00.000Z',
          close_date: '2026-12-01',
          createdate: createdAt,
          hubspot_owner_id: owner,
          owner_id: owner,
          deal_currency_code: 'EUR',
          currency: 'EUR',
          products: 'core;analytics',
          is_won: true,
          is_closed: true,
          stage_label: 'Closed Won',
          pipeline_label: 'Sales Pipeline',
          is_renewal: true,
          signed_on: '2026-11-20',
          hs_lastmodifieddate: new Date(time.now()).toISOString(),
          hs_object_id: id,
        },
      });
      crm.timeZone = 'America/New_York';
      const [inNewYork] = await connected().getDeals([id]);
      expect(inNewYork?.fields['close_date']).to.equal('2026-11-30');
    });

    for (const apiVersion of ['2026-09', 'v3'])
      it(`are listed completely, page by page, each once (${apiVersion})`, async () => {
        adapter = crmbAdapter({ ...crm.settings, apiVersion }, time);
        account = connected();
        const ids = Array.from({ length: 2000 }, (_, index) => crm.addDeal({ amount: String(index) }));
        crm.delete(ids[7] as string);
        const pages = await collected(account.listDeals());
        const expected = ids.filter((_, index) => index !== 7);
        expect(pages.flatMap(({ deals }) => deals.map(({ id }) => id))).to.deep.equal(expected);
        expect(pages).to.have.length(20);
        expect(pages.at(-1)?.next).to.equal(null);
      });

    it('are listed from a stored cursor, and from the start if the cursor has expired', async () => {
      for (let index = 0; index < 250; index++) crm.addDeal({});
      const [first] = await collected(account.listDeals());
      expect(await listed(account, { cursor: first?.next ?? '' })).to.have.length(150);
      expect(await kindOf(listed(account, { cursor: 'deleted' }))).to.equal('cursor_expired');
    });

    it('are found by search if they changed in a window, with their number on the first page', async () => {
      for (let index = 0; index < 300; index++) crm.addDeal({});
      time.pass(60_000);
      const from = new Date(time.now());
      const changed = Array.from({ length: 450 }, () => {
        time.pass(10);
        return crm.addDeal({});
      });
      time.pass(1000);
      const before = new Date(time.now());
      crm.addDeal({ dealname: 'at the end of the window, which is not in it' });
      const pages = await collected(account.listDeals({ modifiedFrom: from, modifiedBefore: before }));
      expect(pages.flatMap(({ deals }) => deals.map(({ id }) => id))).to.deep.equal(changed);
      expect(pages[0]?.total).to.equal(450);
      expect(crm.server.countRequests(/GET .*deals.*archived=false/)).to.equal(0);
    });

    it('that were archived since an instant are returned as deleted after a search, if they are requested', async () => {
      const [early, late, live] = [crm.addDeal({}), crm.addDeal({}), crm.addDeal({})];
      crm.delete(early);
      time.pass(60_000);
      const from = new Date(time.now());
      crm.delete(late);
      crm.change(live, { amount: '1' });
      const changed = [live, false];
      const listing = /GET .*archived=true/;
      const of = async (options: ListDeals) => (await listed(account, options)).map(({ id, deleted }) => [id, deleted]);
      expect(await of({ modifiedFrom: from })).to.deep.equal([changed]);
      expect(crm.server.countRequests(listing)).to.equal(0);
      expect(await of({ modifiedFrom: from, deletedFrom: from })).to.deep.equal([changed, [late, true]]);
      expect(crm.server.countRequests(listing)).to.equal(1);
    });

    it('that were archived are listed page by page, from the position of the last page', async () => {
      const ids = Array.from({ length: 250 }, () => crm.addDeal({}));
      for (const id of ids) crm.delete(id);
      const options = { modifiedFrom: new Date(time.now()), deletedFrom: new Date(0) };
      const pages = await collected(account.listDeals(options));
      expect(pages.map(({ deals }) => deals.length)).to.deep.equal([0, 100, 100, 50]);
      for (const [index, { next }] of pages.entries()) {
        if (next === null) continue;
        const rest = await collected(account.listDeals({ ...options, cursor: next }));
        expect(rest).to.deep.equal(pages.slice(index + 1));
      }
    });

    it('have fields in the currency of the account or of another property, which are marked with it', async () => {
      crm.exchangeRates.set('EUR', 2);
      crm.properties.push(
        {
          name: 'setup_fee',
          label: 'Setup fee',
          type: 'number',
          fieldType: 'number',
          showCurrencySymbol: true,
          hubspotDefined: false,
        },
        { name: 'fee_currency', label: 'Fee currency', type: 'string', fieldType: 'text' },
        { name: 'fee', label: 'Fee', type: 'number', fieldType: 'number', currencyPropertyName: 'fee_currency' },
      );
      const values = { amount: '10', hs_arr: '7', setup_fee: '3', fee: '4', fee_currency: 'GBP' };
      const [inEuro, inDollars] = await account.getDeals([
        crm.addDeal({ ...values, deal_currency_code: 'EUR' }),
        crm.addDeal({ amount: '10', setup_fee: '3', deal_currency_code: 'USD' }),
      ]);
      expect(inEuro?.fields).to.include({ amount_in_home_currency: 20, amount_in_home_currency_currency: 'USD' });
      expect(inEuro?.fields).to.include({ setup_fee_currency: 'USD', fee_currency: 'GBP', currency: 'EUR' });
      expect(inEuro?.fields).to.not.have.any.keys('amount_currency', 'hs_arr_currency');
      expect(inDollars?.fields).to.not.have.any.keys('setup_fee_currency', 'amount_in_home_currency_currency');
    });

    it('are read in halves when a batch exceeds the size of a response', async () => {
      crm.properties.push({ name: 'notes', label: 'Notes', type: 'string', fieldType: 'textarea' });
      const ids = Array.from({ length: 8 }, () => crm.addDeal({ notes: 'x'.repeat(2_000_000) }));
      expect((await listed(account)).map(({ id }) => id)).to.deep.equal(ids);
      const huge = crm.addDeal({ notes: 'x'.repeat(11_000_000) });
      expect(await kindOf(account.getDeals([huge]))).to.equal('oversized');
    });

    it('without a currency are in the currency of the account, and their days in its time zone', async () => {
      crm.companyCurrency = 'JPY';
      crm.timeZone = 'Asia/Tokyo';
      account = connected('America/New_York');
      const id = crm.addDeal({ amount: '1000000', closedate: '2026-03-31T16:00:00.000Z' });
      const other = crm.addDeal({ amount: '5', deal_currency_code: 'USD' });
      const [deal, inDollars] = await account.getDeals([id, other]);
      expect(deal?.fields).to.include({ currency: 'JPY', close_date: '2026-04-01' });
      expect(inDollars?.fields).to.include({ currency: 'USD' });
      expect(await account.settings()).to.deep.equal({ currency: 'JPY', timeZone: 'Asia/Tokyo' });
    });

    it('are all found if more changed at one instant than a page contains', async () => {
      for (let index = 0; index < 950; index++) crm.addDeal({});
      const found = await listed(account, { modifiedFrom: new Date(0) });
      expect(new Set(found.map(({ id }) => id)).size).to.equal(950);
      expect(found).to.have.length(950);
    });

    it('are all found beyond the limit of ten thousand results per search', async () => {
      for (let index = 0; index < 10_400; index++) {
        if (index % 3 === 0) time.pass(1);
        crm.addDeal({});
      }
      crm.searchesPerSecond = 1000;
      const found = await listed(account, { modifiedFrom: new Date(0) });
      expect(new Set(found.map(({ id }) => id)).size).to.equal(10_400);
    });

    it('are not skipped when others change during the search', async () => {
      const ids = Array.from({ length: 600 }, () => {
        time.pass(5);
        return crm.addDeal({});
      });
      const seen = new Set<string>();
      for await (const { deals } of account.listDeals({ modifiedFrom: new Date(0) })) {
        if (seen.size === 0) for (const id of ids.slice(0, 100)) crm.change(id, { amount: '5' });
        for (const { id } of deals) seen.add(id);
      }
      expect(seen.size).to.equal(600);
    });

    it('are reported as deleted only if the CRM reports each as deleted; a merged deal is returned as its successor', async () => {
      const [remaining, gone, merged, old] = ['Remaining', 'Gone', 'Merged', 'Old'].map((dealname) =>
        crm.addDeal({ dealname }),
      );
      crm.delete(gone as string);
      crm.merge(merged as string, old as string);
      const deals = await account.getDeals([remaining, gone, old, 'from-a-csv'] as string[]);
      expect(deals.map(({ id, deleted }) => [id, deleted])).to.have.deep.members([
        [remaining, false],
        [gone, true],
        [merged, false],
        [old, true],
        ['from-a-csv', true],
      ]);
      crm.restore(gone as string);
      expect((await account.getDeals([gone as string]))[0]?.deleted).to.equal(false);
    });

    it('are not reported as deleted when a batch omits them', async () => {
      const id = crm.addDeal({ dealname: 'There' });
      crm.server.fault({ on: /batch/, times: 1, answer: respondWith(207, { results: [] }) });
      expect((await account.getDeals([id]))[0]).to.deep.include({ id, deleted: false });
    });

    it('are read with hundreds of custom properties', async () => {
      for (let index = 0; index < 400; index++)
        crm.properties.push({
          name: `a_property_with_a_long_name_${index}`,
          label: String(index),
          type: 'number',
          fieldType: 'number',
        });
      const id = crm.addDeal({ a_property_with_a_long_name_399: '7' });
      const [deal] = await listed(account);
      expect(deal?.fields).to.include({ a_property_with_a_long_name_399: 7 });
      expect(deal?.fields).not.to.have.property('a_property_with_a_long_name_398');
      expect((await listed(account, { modifiedFrom: new Date(0) })).map((one) => one.id)).to.deep.equal([id]);
    });
  });

  describe('failures', () => {
    it('renew a token once that expires during a listing', async () => {
      for (let index = 0; index < 500; index++) crm.addDeal({});
      let pages = 0;
      for await (const page of account.listDeals()) {
        expect(page.deals).to.have.length(100);
        if (++pages === 2) time.pass(1_800_001);
      }
      expect(pages).to.equal(5);
      expect(access.renewals).to.equal(1);
    });

    it('report a revoked connection as unauthorized', async () => {
      crm.oauth.revokeAll();
      expect(await kindOf(listed(account))).to.equal('unauthorized');
    });

    it('wait as the policy of the limit requires if there is no Retry-After', async () => {
      for (let index = 0; index < 1000; index++) {
        time.pass(1);
        crm.addDeal({});
      }
      crm.searchesPerSecond = 2;
      expect(await listed(account, { modifiedFrom: new Date(0) })).to.have.length(1000);
      expect(time.slept).to.include(1000);
      time.slept.length = 0;
      crm.callsPerTenSeconds = 5;
      expect(await listed(account)).to.have.length(1000);
      expect(time.slept).to.include(10_000);
    });

    it('wait longer after each attempt, then leave the retry to the job', async () => {
      crm.callsPerTenSeconds = 0;
      expect(await failureOf(account.listMembers())).to.include({ kind: 'rate_limited', retryAfterMs: 40_000 });
      expect(time.slept).to.deep.equal([10_000, 20_000, 30_000]);
    });

    it('leave an exhausted daily limit to the job', async () => {
      crm.server.fault({ on: /./, answer: respondWith(429, { policyName: 'DAILY' }) });
      expect(await failureOf(listed(account))).to.include({ kind: 'rate_limited', retryAfterMs: 3_600_000 });
      expect(time.slept).to.deep.equal([]);
    });

    for (const status of [423, 477, 521, 523, 524])
      it(`retry after status ${status}`, async () => {
        crm.server.fault({ on: listPath, times: 2, answer: respondWith(status) });
        expect(await listed(account)).to.deep.equal([]);
      });

    it('report an outage as unavailable and resume the listing at its last page', async () => {
      for (let index = 0; index < 300; index++) crm.addDeal({});
      crm.server.fault({ on: listPath, after: 1, times: 6, answer: hangUp });
      let cursor: string | null = null;
      const failed = (async () => {
        for await (const page of account.listDeals()) cursor = page.next;
      })();
      expect(await kindOf(failed)).to.equal('unavailable');
      expect(await listed(account, { cursor: cursor ?? '' })).to.have.length(200);
    });

    it('reject a malformed page', async () => {
      crm.server.fault({ on: searchPath, answer: respondWith(200, { results: [{ id: 5 }] }) });
      expect(await kindOf(listed(account, { modifiedFrom: new Date(0) }))).to.equal('rejected');
    });
  });
});

describe('values of crm-b', () => {
  const reading = { properties: readProperties([]), stages: crmbStages([]), timeZone: 'UTC', currency: null };

  it('take the name of the stage, its pipeline and whether it wins from the pipelines', () => {
    const stage = (id: string, label: string, isClosed: boolean, probability: string) => ({
      id,
      label,
      metadata: { isClosed: String(isClosed), probability },
    });
    const stages = crmbStages([
      { label: 'Sales', stages: [stage('closedwon', 'Closed won', true, '1.0')] },
      {
        label: 'Renewals',
        stages: [
          stage('99461', 'Talking', false, '0.4'),
          stage('99462', 'Renewed', true, '1.0'),
          stage('99463', 'Gone', true, '0.0'),
        ],
      },
    ]);
    const read = (dealstage: string, more: Record<string, string> = {}) => {
      const properties = { dealstage, pipeline: '8123', ...more };
      const {
        stage: id,
        stage_label,
        pipeline,
        pipeline_label,
        is_won,
        is_closed,
      } = crmbDeal({ id: '1', properties }, { ...reading, stages }).fields;
      return [id, stage_label, pipeline, pipeline_label, is_won, is_closed];
    };
    expect(read('99461')).to.deep.equal(['99461', 'Talking', '8123', 'Renewals', false, false]);
    expect(read('99462')).to.deep.equal(['99462', 'Renewed', '8123', 'Renewals', true, true]);
    expect(read('99463')).to.deep.equal(['99463', 'Gone', '8123', 'Renewals', false, true]);
    // The calculated property is still that of the former stage.
    expect(read('99463', { hs_is_closed_won: 'true' })[4]).to.equal(false);
    // A stage that was deleted: only the calculated properties say something.
    expect(read('7', { hs_is_closed_won: 'true', hs_is_closed: 'true' })).to.deep.equal([
      '7',
      null,
      '8123',
      null,
      true,
      true,
    ]);
  });

  it('are read from the vendor’s example', () => {
    const record = crmbDealRecord.parse({
      id: '87654321098',
      properties: {
        amount: '50000.00',
        closedate: '2024-03-31T00:00:00.000Z',
        createdate: '2024-01-10T09:15:30.234Z',
        dealname: 'Q1 2024 Enterprise Contract',
        dealstage: 'presentationscheduled',
        hs_lastmodifieddate: '2024-01-15T14:22:10.456Z',
        hs_object_id: '87654321098',
        pipeline: 'default',
      },
      createdAt: '2024-01-10T09:15:30.234Z',
      updatedAt: '2024-01-15T14:22:10.456Z',
      archived: false,
    });
    const deal = crmbDeal(record, reading);
    expect(deal).to.deep.include({ id: '87654321098', deleted: false });
    expect(deal.modifiedAt?.toISOString()).to.equal('2024-01-15T14:22:10.456Z');
    expect(deal.fields).to.deep.include({
      amount: 50000,
      stage: 'presentationscheduled',
      close_date: '2024-03-31',
      name: 'Q1 2024 Enterprise Contract',
      owner_id: null,
      currency: null,
    });
  });

  it('mark an archived deal as deleted', () => {
    const record = { id: '1', properties: {}, archived: true };
    expect(crmbDeal(record, reading).deleted).to.equal(true);
  });

  for (const [type, fieldType, raw, expected] of [
    ['number', 'number', '0', 0],
    ['number', 'number', '', null],
    ['number', 'number', 'n/a', null],
    ['bool', 'booleancheckbox', 'false', false],
    ['bool', 'booleancheckbox', '', null],
    ['enumeration', 'booleancheckbox', 'true', true],
    ['enumeration', 'checkbox', 'a;b', 'a;b'],
    ['date', 'date', '2026-11-30', '2026-11-30'],
    ['date', 'date', '1796083200000', '2026-12-01'],
    ['datetime', 'date', '1796083200000', '2026-12-01T00:00:00.000Z'],
    ['datetime', 'date', '2026-11-30T10:00:00Z', '2026-11-30T10:00:00.000Z'],
    ['datetime', 'date', 'soon', null],
    ['string', 'text', '007', '007'],
  ] as const)
    it(`${type} (${fieldType}) '${raw}' is ${JSON.stringify(expected)}`, () => {
      expect(crmbValue(raw, { name: 'any', type, fieldType })).to.equal(expected);
    });

  it('are money if the account shows a currency or the name implies it', () => {
    const typeOf = (name: string, more = {}) => crmbFieldType({ name, type: 'number', ...more });
    expect(typeOf('amount')).to.equal('currency');
    expect(typeOf('amount_in_home_currency')).to.equal('currency');
    expect(typeOf('fee', { showCurrencySymbol: true })).to.equal('currency');
    expect(typeOf('seats')).to.equal('number');
    expect(crmbFieldType({ name: 'odd', type: 'object_coordinates' })).to.equal('text');
  });

  it('are read under the paths of both API version formats', () => {
    const url = (apiVersion: string) => crmbUrl({ apiBase: 'https://b', apiVersion }, 'objects', '/deals?limit=1');
    expect(url('2026-09')).to.equal('https://b/crm/objects/2026-09/deals?limit=1');
    expect(url('v3')).to.equal('https://b/crm/v3/objects/deals?limit=1');
  });
});
