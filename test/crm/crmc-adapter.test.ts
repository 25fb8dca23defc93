import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { FakeCrmc } from '#fakes/fake-crmc.js';
import { hangUp, respondWith } from '#fakes/fake-server.js';
import { CrmcAdapter } from '#src/crm/adapters/crmc/adapter.js';
import { realTiming } from '#src/crm/adapters/http.js';
import {
  type CrmAccount,
  type CrmAccountOptions,
  type CrmCredentials,
  fixedAccess,
  type ListDeals,
} from '#src/crm/adapters/port.js';
import { collected, failureOf, kindOf, listed, StoredAccess } from './crm-access.js';

const minuteMs = 60_000;
const redirectUri = 'http://127.0.0.1:9/callback';

describe('the adapter of crm-c', () => {
  let now = Date.parse('2026-11-20T10:00:00Z');
  let crm: FakeCrmc;
  let adapter: CrmcAdapter;
  let slept: number[];

  beforeEach(async () => {
    now = Date.parse('2026-11-20T10:00:00Z');
    slept = [];
    await startCrm();
  });

  afterEach(() => crm.stop());

  async function startCrm(options: { multiCurrency?: boolean } = {}) {
    crm = await FakeCrmc.start({ now: () => now, ...options });
    const timing = { ...realTiming, now: () => now, sleep: async (ms: number) => void slept.push(ms) };
    adapter = new CrmcAdapter(crm.settings, timing);
  }

  async function connect(options?: CrmAccountOptions): Promise<{ account: CrmAccount; access: StoredAccess }> {
    const access = new StoredAccess(adapter, await consent());
    return { account: adapter.account(access, options), access };
  }

  async function consent(verifier = randomBytes(32).toString('base64url'), used = verifier): Promise<CrmCredentials> {
    const codeChallenge = createHash('sha256').update(verifier).digest('base64url');
    const address = adapter.authorizeUrl({ state: 'the state', redirectUri, codeChallenge });
    const response = await fetch(address, { redirect: 'manual' });
    const back = new URL(response.headers.get('location') ?? '');
    expect(back.searchParams.get('state')).to.equal('the state');
    return adapter.exchangeCode({ code: back.searchParams.get('code') ?? '', redirectUri, codeVerifier: used });
  }

  const pagesOf = (account: CrmAccount, options?: ListDeals) => collected(account.listDeals(options));

  describe('connecting', () => {
    it('returns credentials with the instance URL of the org', async () => {
      const credentials = await consent();
      expect(credentials).to.include({ instanceUrl: crm.url, accountId: crm.orgId, expiresAt: null });
      expect(credentials.accessToken).to.match(/^00D/);
      expect(credentials.refreshToken).to.be.a('string');
    });

    it('requires the code verifier', async () => {
      const failure = await failureOf(consent('the right verifier', 'another'));
      expect(failure.kind).to.equal('unauthorized');
      expect(failure.message).to.equal('crmc POST /services/oauth2/token: status 400 invalid_grant');
    });

    it('replaces a refresh token at each use', async () => {
      const first = await consent();
      const second = await adapter.refresh(first);
      expect(second.refreshToken).to.not.equal(first.refreshToken);
      expect(await kindOf(adapter.refresh(first))).to.equal('unauthorized');
      const third = await adapter.refresh(second);
      expect(third).to.include({ instanceUrl: crm.url, accountId: crm.orgId });
    });

    it('renews the tokens of a sandbox and of production at their own login hosts', async () => {
      const sandbox = await FakeCrmc.start({ now: () => now, orgId: '00DSB0000005678AAA' });
      try {
        const verifier = randomBytes(32).toString('base64url');
        const codeChallenge = createHash('sha256').update(verifier).digest('base64url');
        const request = { state: 's', redirectUri, codeChallenge, loginUrl: sandbox.loginUrl };
        const page = await fetch(adapter.authorizeUrl(request), { redirect: 'manual' });
        const code = new URL(page.headers.get('location') ?? '').searchParams.get('code') ?? '';
        const consented = await adapter.exchangeCode({
          code,
          redirectUri,
          codeVerifier: verifier,
          loginUrl: sandbox.loginUrl,
        });
        const { refreshToken } = sandbox.oauth.issue();
        const pasted = await adapter.verify({
          accessToken: 'spent',
          refreshToken: `${refreshToken}`,
          instanceUrl: sandbox.url,
        });
        for (const credentials of [consented, pasted]) {
          const renewed = await adapter.refresh(await adapter.refresh(credentials));
          expect(sandbox.oauth.isAlive(renewed.accessToken)).to.equal(true);
          expect(renewed.accountId).to.equal(sandbox.orgId);
        }
        expect(crm.oauth.isAlive((await adapter.refresh(await consent())).accessToken)).to.equal(true);
      } finally {
        await sandbox.stop();
      }
    });

    it('rejects a login URL that is not the vendor’s', () => {
      for (const loginUrl of [
        'https://evil.test',
        'https://login.salesforce.com.evil.test',
        'http://test.salesforce.com',
      ])
        expect(() => adapter.authorizeUrl({ state: '', redirectUri, codeChallenge: '', loginUrl })).to.throw(
          'login URL',
        );
    });

    it('revokes the refresh token and the access tokens that it renewed', async () => {
      const credentials = await consent();
      await adapter.revoke(credentials);
      expect(crm.oauth.isAlive(credentials.accessToken)).to.equal(false);
      expect(await kindOf(adapter.refresh(credentials))).to.equal('unauthorized');
    });

    it('reports a wrong client and a retired version as wrong settings', async () => {
      const credentials = await consent();
      crm.oauth.clientSecret = 'another';
      const failure = await failureOf(adapter.refresh(credentials));
      expect([failure.kind, failure.message.includes('CRMC_CLIENT_SECRET')]).to.deep.equal(['misconfigured', true]);
      crm.oauth.clientSecret = 'crmc-secret';
      expect((await adapter.refresh(credentials)).accessToken).to.be.a('string');
      const old = new CrmcAdapter({ ...crm.settings, apiVersion: 'v21.0' });
      const access = fixedAccess({ ...credentials, accessToken: crm.oauth.issue().accessToken });
      const retired = await failureOf(old.account(access).listFields());
      expect([retired.kind, retired.message.includes('CRMC_API_VERSION')]).to.deep.equal(['misconfigured', true]);
    });

    it('reports an outage during the renewal of a token as unavailable', async () => {
      const first = await consent();
      crm.login.fault({ on: /oauth2\/token/, times: 1, answer: hangUp });
      expect(await kindOf(adapter.refresh(first))).to.equal('unavailable');
      expect((await adapter.refresh(first)).accessToken).to.be.a('string');
    });

    it('accepts pasted credentials and reads their org', async () => {
      const { accessToken } = crm.oauth.issue();
      expect(await adapter.verify({ accessToken, instanceUrl: `${crm.url}/` })).to.deep.equal({
        accessToken,
        refreshToken: null,
        expiresAt: null,
        accountId: crm.orgId,
        instanceUrl: crm.url,
      });
    });

    it('renews pasted credentials whose access token has expired', async () => {
      const { refreshToken } = crm.oauth.issue();
      const adopted = await adapter.verify({
        accessToken: 'spent',
        refreshToken: refreshToken ?? '',
        instanceUrl: crm.url,
      });
      expect(crm.oauth.isAlive(adopted.accessToken)).to.equal(true);
      expect(adopted.refreshToken).to.be.a('string').and.not.equal(refreshToken);
    });

    it('rejects invalid pasted credentials, and addresses that are not the vendor’s', async () => {
      expect(await kindOf(adapter.verify({ accessToken: 'wrong', instanceUrl: crm.url }))).to.equal('unauthorized');
      for (const instanceUrl of [undefined, 'https://evil.test', 'https://x.salesforce.com.evil.test'])
        expect(await kindOf(adapter.verify({ accessToken: 'any', instanceUrl }))).to.equal('rejected');
    });

    it('uses client credentials if the org allows it and there is no refresh token', async () => {
      const { accessToken } = crm.oauth.issue();
      const pasted = await adapter.verify({ accessToken, instanceUrl: crm.url });
      expect(await kindOf(adapter.refresh(pasted))).to.equal('unauthorized');
      crm.allowsClientCredentials = true;
      const renewed = await adapter.refresh(pasted);
      expect(renewed).to.include({ refreshToken: null, accountId: crm.orgId, instanceUrl: crm.url });
      expect(crm.oauth.isAlive(renewed.accessToken)).to.equal(true);
    });

    it('has the address of deals in the organisation, but none of this machine', async () => {
      const credentials = { ...(await consent()), instanceUrl: 'https://acme.my.salesforce.com' };
      expect(await adapter.account(fixedAccess(credentials)).dealUrl()).to.equal('https://acme.my.salesforce.com/{id}');
      expect(await (await connect()).account.dealUrl()).to.equal(null);
    });

    it('sends no token to an address that is not the vendor’s', async () => {
      const credentials = { ...(await consent()), instanceUrl: 'http://127.0.0.1.evil.test' };
      const account = adapter.account({ ...fixedAccess(credentials), renewed: async () => credentials });
      expect((await failureOf(account.listFields())).message).to.match(/instance URL/);
    });

    it('rejects a token response with an instance URL that is not the vendor’s', async () => {
      crm.login.fault({
        on: /oauth2\/token/,
        answer: respondWith(200, { access_token: 't', instance_url: 'https://evil.test', id: null }),
      });
      expect(await kindOf(consent())).to.equal('rejected');
    });
  });

  describe('permissions', () => {
    const granted = async (account: CrmAccount) =>
      Object.fromEntries((await account.permissions()).map((one) => [one.name, one.granted]));

    it('are all granted to a user who sees every deal', async () => {
      const { account } = await connect();
      const all = { 'Read on Opportunity': true, 'Read on User': true, 'View All on Opportunity': true };
      expect(await granted(account)).to.deep.equal(all);
      crm.viewsAllDeals = false;
      expect(await granted(account)).to.deep.equal({ ...all, 'View All on Opportunity': false });
      crm.dealAccess = 'Edit';
      expect(await granted(account)).to.deep.equal(all);
    });

    it('include those of line items and accounts if these are read', async () => {
      const { access } = await connect();
      const account = adapter.account(access, { lineItems: true, companyFields: ['Industry'] });
      const added = { 'Read on OpportunityLineItem': true, 'Read on Product2': true, 'Read on Account': true };
      expect(await granted(account)).to.include(added);
      crm.unreadable.add('Product2');
      expect(await granted(account)).to.include({ ...added, 'Read on Product2': false });
    });

    it('are named when a request is denied', async () => {
      const { account } = await connect();
      crm.readsDeals = false;
      expect(await granted(account)).to.include({ 'Read on Opportunity': false, 'View All on Opportunity': false });
      expect((await failureOf(account.listFields())).message).to.contain('read access to Opportunity');
      crm.readsDeals = true;
      crm.oauth.scopes.delete('api');
      const failure = await failureOf(account.listFields());
      expect([failure.kind, failure.message.includes('grant the scope api')]).to.deep.equal(['rejected', true]);
    });

    it('returns the currency and the time zone of the organisation', async () => {
      crm.timeZone = 'Asia/Tokyo';
      const { account } = await connect();
      expect(await account.settings()).to.deep.equal({ currency: 'EUR', timeZone: 'Asia/Tokyo' });
    });
  });

  describe('fields', () => {
    it('are those of the org, under the slugs of the other CRMs, with the options of choices', async () => {
      const { account } = await connect();
      const fields = new Map((await account.listFields()).map((field) => [field.slug, field]));
      expect(fields.get('amount')).to.deep.equal({
        slug: 'amount',
        native: 'Amount',
        label: 'Amount',
        type: 'currency',
      });
      expect(fields.get('stage')).to.include({ native: 'StageName', type: 'status' });
      expect(fields.get('stage')?.options).to.deep.include({ label: 'Negotiation', value: 'Negotiation/Review' });
      expect(fields.get('regions')?.options).to.deep.equal([{ label: 'EMEA', value: 'emea' }]);
      expect(fields.get('probability')?.type).to.equal('number');
      expect(fields.get('close_date')?.type).to.equal('date');
      expect(fields.get('created_date')?.type).to.equal('timestamp');
      expect(fields.get('is_won')?.type).to.equal('checkbox');
      expect([...fields.keys()]).to.not.include.members(['site', 'description', 'id', 'is_deleted']);
    });
  });

  describe('members', () => {
    it('are the active and inactive users', async () => {
      const ada = crm.addUser();
      const bob = crm.addUser({ Name: 'Bob', Email: 'bob@acme.test', IsActive: false });
      crm.addUser({ Name: 'Automated Process', UserType: 'AutomatedProcess' });
      const { account } = await connect();
      expect(await account.listMembers()).to.deep.equal([
        { crmId: ada, name: 'Ada', email: 'ada@acme.test', avatar: null, active: true },
        { crmId: bob, name: 'Bob', email: 'bob@acme.test', avatar: null, active: false },
      ]);
    });

    it('have the requested fields that users have, and are listed without the others', async () => {
      const ada = crm.addUser({ Name: 'Ada', Email: 'ada@acme.test', Division: 'DACH' });
      const { account } = await connect({ memberFields: ['division', 'Shoe__c'] });
      expect(await account.listMembers()).to.deep.equal([
        { crmId: ada, name: 'Ada', email: 'ada@acme.test', avatar: null, active: true, values: { Division: 'DACH' } },
      ]);
    });
  });

  describe('all deals', () => {
    it('are listed page by page with deleted ones marked, and resumed at any page', async () => {
      const ids = Array.from({ length: 2100 }, () => crm.addDeal());
      crm.deleteDeal(ids[7] as string);
      const { account } = await connect();
      const pages = await pagesOf(account);
      expect(pages.map((page) => [page.deals.length, page.total])).to.deep.equal([
        [2000, 2100],
        [100, 2100],
      ]);
      const deals = pages.flatMap((page) => page.deals);
      expect(new Set(deals.map((deal) => deal.id))).to.deep.equal(new Set(ids));
      expect(deals.filter((deal) => deal.deleted).map((deal) => deal.id)).to.deep.equal([ids[7]]);
      expect(pages[0]?.coveredUntil).to.equal(undefined);
      expect(pages[1]?.next).to.equal(null);

      const resumed = await pagesOf(account, { cursor: pages[0]?.next as string });
      expect(resumed.map((page) => page.deals.length)).to.deep.equal([100]);
      expect(resumed[0]?.deals).to.deep.equal(pages[1]?.deals);
      expect(resumed[0]?.coveredUntil).to.deep.equal(pages[1]?.coveredUntil);
    });

    it('include deals that change during the listing', async () => {
      for (let count = 0; count < 2100; count++) crm.addDeal();
      const { account } = await connect();
      now += 1000;
      const last = crm.addDeal();
      const ids = (await listed(account)).map((deal) => deal.id);
      expect(ids).to.include(last);
    });

    it('are in the currency of the org, or in the currency of the deal', async () => {
      crm.addDeal();
      const { account } = await connect();
      expect((await listed(account))[0]?.fields).to.include({ amount: 1000, currency: 'EUR' });
      await crm.stop();
      await startCrm({ multiCurrency: true });
      crm.addDeal({ CurrencyIsoCode: 'JPY' });
      const { account: other } = await connect();
      expect((await listed(other))[0]?.fields).to.include({ currency: 'JPY' });
    });

    it('report an expired cursor', async () => {
      for (let count = 0; count < 2100; count++) crm.addDeal();
      const { account } = await connect();
      const [first] = await pagesOf(account);
      crm.expireLocators();
      expect(await kindOf(pagesOf(account, { cursor: first?.next as string }))).to.equal('cursor_expired');
      for (const cursor of [
        '',
        'x',
        '2026-11-20T10:00:00.000Z @evil.test/',
        '2026-11-20T10:00:00.000Z /services/data/v67.0/query/../x',
      ])
        expect(await kindOf(pagesOf(account, { cursor })), cursor).to.equal('cursor_expired');
    });

    it('with many fields are listed in smaller pages, and requested in a body', async () => {
      for (let field = 0; field < 300; field++) crm.addField({ name: `Custom_Field_${field}__c`, type: 'double' });
      for (let count = 0; count < 700; count++) crm.addDeal({ Custom_Field_299__c: count });
      const { account } = await connect();
      const pages = await pagesOf(account);
      expect(pages.length).to.be.greaterThan(2);
      expect(pages.flatMap((page) => page.deals).map((deal) => deal.fields['custom_field_299'])).to.have.members(
        Array.from({ length: 700 }, (_, count) => count),
      );
      expect(crm.server.countRequests(/POST .*\/composite/)).to.equal(1);
      const longest = Math.max(...crm.server.requests.map(({ path, query }) => path.length + query.length));
      expect(longest).to.be.below(2100);
    });

    it('report a field that a request with a body rejects', async () => {
      crm.server.fault({
        on: /composite/,
        answer: respondWith(200, {
          compositeResponse: [
            { httpStatusCode: 400, body: [{ errorCode: 'INVALID_FIELD', message: 'No such column' }] },
          ],
        }),
      });
      for (let field = 0; field < 300; field++) crm.addField({ name: `Custom_Field_${field}__c`, type: 'double' });
      const { account } = await connect();
      const failure = await failureOf(pagesOf(account));
      expect(failure.kind).to.equal('rejected');
      expect(failure.message).to.contain('INVALID_FIELD').and.not.contain('column');
    });
  });

  describe('a window', () => {
    it('contains the changes from its first second to before its last', async () => {
      const before = crm.addDeal();
      now += minuteMs;
      const first = crm.addDeal();
      const modifiedFrom = new Date(now);
      now += 10 * minuteMs;
      crm.changeDeal(before, { Amount: 2 });
      now += 10 * minuteMs;
      const modifiedBefore = new Date(now);
      const after = crm.addDeal();
      now += minuteMs;
      const { account } = await connect();
      const ids = (await listed(account, { modifiedFrom, modifiedBefore })).map((deal) => deal.id);
      expect(ids).to.have.members([first, before]).and.not.include(after);
    });

    it('ends shortly before the time of the CRM by default', async () => {
      now += 3 * 60 * minuteMs;
      const { account } = await connect();
      const [page] = await pagesOf(account, { modifiedFrom: new Date(now - 10 * minuteMs) });
      expect(page?.coveredUntil?.getTime()).to.be.within(now - 2 * minuteMs, now - 5000);
    });

    /** Polls with overlapping windows: each starts before the end of the previous one. */
    async function poll(account: CrmAccount, state: { through: Date; seen: Set<string> }, overlapMs: number) {
      const modifiedFrom = new Date(state.through.getTime() - overlapMs);
      for await (const page of account.listDeals({ modifiedFrom })) {
        for (const deal of page.deals) state.seen.add(deal.id);
        if (page.coveredUntil !== undefined) state.through = page.coveredUntil;
      }
    }

    it('finds a row that was committed after its window was read in the next window', async () => {
      const { account } = await connect();
      const state = { through: new Date(now - 30 * minuteMs), seen: new Set<string>() };
      const late = crm.addLateDeal();
      now += 5 * minuteMs;
      await poll(account, state, 10 * minuteMs);
      expect(state.seen).to.not.include(late.id);
      late.commit();
      now += 5 * minuteMs;
      await poll(account, state, 10 * minuteMs);
      expect(state.seen).to.include(late.id);
    });

    it('does not advance the watermark past a transaction longer than the overlap', async () => {
      const { account } = await connect();
      const state = { through: new Date(now - 30 * minuteMs), seen: new Set<string>() };
      const stampedAt = now;
      const late = crm.addLateDeal();
      for (let round = 0; round < 4; round++) {
        now += 5 * minuteMs;
        await poll(account, state, 2 * minuteMs);
      }
      expect(state.through.getTime()).to.equal(stampedAt);
      late.commit();
      now += 5 * minuteMs;
      await poll(account, state, 2 * minuteMs);
      expect(state.seen).to.include(late.id);
      expect(state.through.getTime()).to.be.greaterThan(stampedAt);
    });

    it('uses the end of the window if the user may not read open transactions', async () => {
      crm.allowsReplication = false;
      crm.addLateDeal();
      now += 5 * minuteMs;
      const { account } = await connect();
      const modifiedBefore = new Date(now - 10_000);
      const [page] = await pagesOf(account, { modifiedFrom: new Date(now - 10 * minuteMs), modifiedBefore });
      expect(page?.coveredUntil).to.deep.equal(modifiedBefore);
    });

    it('reports deletions, also of deals that queries do not return any more', async () => {
      const [binned, purged] = [crm.addDeal(), crm.addDeal()] as [string, string];
      now += 30 * minuteMs;
      crm.deleteDeal(binned);
      crm.purgeDeal(purged);
      now += 5 * minuteMs;
      const { account } = await connect();
      const deals = await listed(account, { modifiedFrom: new Date(now - 15 * minuteMs) });
      expect(deals.map(({ id, deleted }) => ({ id, deleted }))).to.have.deep.members([
        { id: binned, deleted: true },
        { id: purged, deleted: true },
      ]);
    });
  });

  describe('single deals', () => {
    it('are read with their current values; missing ones are returned as deleted', async () => {
      const [live, binned, purged] = [crm.addDeal({ Amount: 5 }), crm.addDeal(), crm.addDeal()] as [
        string,
        string,
        string,
      ];
      crm.deleteDeal(binned);
      crm.purgeDeal(purged);
      const { account } = await connect();
      const deals = await account.getDeals([live, binned, purged, 'not-of-this-crm', live.slice(0, 15)]);
      expect(deals.map(({ id, deleted }) => [id, deleted])).to.deep.equal([
        [live, false],
        [binned, true],
        [purged, true],
        ['not-of-this-crm', true],
      ]);
      expect(deals[0]?.fields).to.include({ amount: 5, stage: 'Prospecting' });
      expect(deals[0]?.modifiedAt).to.be.instanceOf(Date);
    });

    it('that sharing hides are not returned as deleted', async () => {
      const [seen, hidden, purged] = [crm.addDeal(), crm.addDeal(), crm.addDeal()];
      const { account } = await connect();
      crm.hiddenDeals.add(hidden);
      crm.purgeDeal(purged);
      const deals = await account.getDeals([seen, hidden, purged]);
      expect(deals.map(({ id, deleted }) => [id, deleted])).to.deep.equal([
        [seen, false],
        [purged, true],
      ]);
      crm.allowsReplication = false;
      expect((await account.getDeals([hidden, purged])).map(({ id }) => id)).to.deep.equal([]);
    });

    it('are fetched two hundred at a time', async () => {
      const ids = Array.from({ length: 450 }, () => crm.addDeal());
      const { account } = await connect();
      expect((await account.getDeals(ids)).map((deal) => deal.id)).to.deep.equal(ids);
      expect(crm.server.countRequests(/queryAll|composite/)).to.equal(3);
    });

    it('are fetched again without a field that was deleted', async () => {
      const id = crm.addDeal();
      const { account } = await connect();
      await account.getDeals([id]);
      crm.removeField('ARR__c');
      const [deal] = await account.getDeals([id]);
      expect(deal?.fields).to.not.have.property('arr');
      expect(crm.server.countRequests(/describe/)).to.equal(2);
    });
  });

  describe('when the CRM rejects requests', () => {
    it('renews an expired session during a listing', async () => {
      for (let count = 0; count < 2100; count++) crm.addDeal();
      const { account, access } = await connect();
      const first = access.current;
      const seen: number[] = [];
      for await (const page of account.listDeals()) {
        seen.push(page.deals.length);
        crm.oauth.expireAccessTokens();
      }
      expect(seen).to.deep.equal([2000, 100]);
      expect(access.current.accessToken).to.not.equal(first.accessToken);
      expect(access.current.refreshToken).to.not.equal(first.refreshToken);
    });

    it('reports that the app was removed', async () => {
      const { account } = await connect();
      crm.oauth.revokeAll();
      expect(await kindOf(account.listMembers())).to.equal('unauthorized');
    });

    it('waits 15 minutes after the request limit without renewing the token', async () => {
      const { account, access } = await connect();
      const { accessToken } = access.current;
      crm.requestsPerDay = crm.requestsUsed;
      const failure = await failureOf(account.listMembers());
      expect(failure).to.include({ kind: 'rate_limited', retryAfterMs: 15 * minuteMs });
      expect(access.current.accessToken).to.equal(accessToken);
      expect(slept).to.deep.equal([]);
    });

    it('does not poll with the last tenth of the request limit, but still fetches single deals', async () => {
      const id = crm.addDeal();
      const { account } = await connect();
      crm.requestsPerDay = 100;
      crm.requestsUsed = 95;
      const failure = await failureOf(pagesOf(account, { modifiedFrom: new Date(now - minuteMs) }));
      expect(failure).to.include({ kind: 'rate_limited', retryAfterMs: 15 * minuteMs });
      expect(crm.server.countRequests(/queryAll/)).to.equal(0);
      crm.requestsUsed = 95;
      expect((await account.getDeals([id]))[0]?.deleted).to.equal(false);
    });

    it('retries during short outages', async () => {
      const id = crm.addDeal();
      const { account } = await connect();
      crm.server.fault({
        on: /queryAll|composite/,
        times: 2,
        answer: respondWith(503, [{ errorCode: 'SERVER_UNAVAILABLE' }]),
      });
      crm.server.fault({ on: /queryAll|composite/, after: 0, times: 1, answer: hangUp });
      expect((await account.getDeals([id]))[0]?.deleted).to.equal(false);
      expect(slept.length).to.be.at.least(2);
    });

    it("contains neither a token nor the CRM's text in errors", async () => {
      const { account, access } = await connect();
      crm.server.fault({ on: /describe/, answer: respondWith(400, [{ errorCode: 'ODD', message: 'salary of Ada' }]) });
      const failure = await failureOf(account.listFields());
      expect(failure.message).to.equal('crmc GET /services/data/v67.0/sobjects/Opportunity/describe: status 400 ODD');
      expect(JSON.stringify([failure.message, failure.stack])).to.not.contain(access.current.accessToken);
    });

    it('does not follow a next page on another host', async () => {
      crm.server.fault({
        on: /queryAll|composite/,
        answer: respondWith(200, { totalSize: 1, nextRecordsUrl: '@evil.test/steal', records: [] }),
      });
      const { account } = await connect();
      expect((await failureOf(pagesOf(account))).message).to.contain('unexpected URL');
    });
  });
});
