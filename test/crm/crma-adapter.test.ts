import { expect } from 'chai';
import { FakeCrma } from '#fakes/fake-crma.js';
import { hangUp, respondWith } from '#fakes/fake-server.js';
import { crmaAdapter } from '#src/crm/adapters/crma/adapter.js';
import { crmaDeal, crmaReading, crmaRecord, crmaValue } from '#src/crm/adapters/crma/values.js';
import { type CrmAccount, type CrmAdapter, type CrmDeal } from '#src/crm/adapters/port.js';
import { collected, kindOf, listed, StoredAccess, tokenOnly } from './crm-access.js';
import { SleptTime } from './crm-timing.js';

const pagePath = /POST .*records\/query/;

describe('crm-a', () => {
  let time: SleptTime;
  let crm: FakeCrma;
  let adapter: CrmAdapter;
  let account: CrmAccount;

  beforeEach(async () => {
    time = new SleptTime();
    crm = await FakeCrma.start({ now: time.now });
    adapter = crmaAdapter(crm.settings, time);
    account = connected();
  });

  afterEach(() => crm.stop());

  function connected(timeZone = 'UTC'): CrmAccount {
    return adapter.account(new StoredAccess(adapter, tokenOnly(crm.oauth.issue().accessToken)), { timeZone });
  }

  it('has the address of deals as the CRM states it, if the host is its own', async () => {
    expect(await account.dealUrl()).to.equal(null);
    crm.addDeal({ name: 'A' });
    expect(await account.dealUrl()).to.equal('https://app.attio.com/acme/deals/record/{id}/overview');
    crm.webUrl = 'https://evil.test/deals';
    expect(await account.dealUrl()).to.equal(null);
    crm.webUrl = 'http://app.attio.com/acme/deals';
    expect(await account.dealUrl()).to.equal(null);
  });

  it('gives members the requested values of the people with their addresses', async () => {
    crm.addMember({ firstName: 'Ada', lastName: 'Lind', email: 'Ada@acme.test' });
    crm.addMember({ firstName: 'Bo', lastName: 'Berg', email: 'bo@acme.test' });
    crm.addPerson('Ada@acme.test', { region: 'DACH', hobby: 'Chess' });
    const access = new StoredAccess(adapter, tokenOnly(crm.oauth.issue().accessToken));
    const members = await adapter.account(access, { memberFields: ['region', 'level'] }).listMembers();
    expect(members.map(({ name, values }) => [name, values])).to.deep.equal([
      ['Ada Lind', { region: 'DACH' }],
      ['Bo Berg', undefined],
    ]);
    expect((await account.listMembers()).map(({ values }) => values)).to.deep.equal([undefined, undefined]);
  });

  describe('connecting', () => {
    const redirectUri = 'https://service.test/callback';

    async function consent(): Promise<string> {
      const address = adapter.authorizeUrl({ state: 'state-1', redirectUri, codeChallenge: 'unused' });
      const response = await fetch(address, { redirect: 'manual' });
      const back = new URL(response.headers.get('location') ?? '');
      expect(back.searchParams.get('state')).to.equal('state-1');
      return back.searchParams.get('code') ?? '';
    }

    it('exchanges a code for a token that does not expire, and reads its workspace', async () => {
      const code = await consent();
      const credentials = await adapter.exchangeCode({ code, redirectUri, codeVerifier: 'unused' });
      expect(credentials).to.deep.include({ refreshToken: null, expiresAt: null, accountId: crm.workspaceId });
      expect(crm.oauth.isAlive(credentials.accessToken)).to.equal(true);
    });

    it('rejects a code that was used before', async () => {
      const code = await consent();
      await adapter.exchangeCode({ code, redirectUri, codeVerifier: '' });
      expect(await kindOf(adapter.exchangeCode({ code, redirectUri, codeVerifier: '' }))).to.equal('rejected');
    });

    it('accepts a pasted key, and rejects one that is inactive in the CRM', async () => {
      const { accessToken } = crm.oauth.issue();
      expect(await adapter.verify({ accessToken })).to.deep.include({ accessToken, accountId: crm.workspaceId });
      crm.oauth.revoke(accessToken);
      expect(await kindOf(adapter.verify({ accessToken }))).to.equal('unauthorized');
    });

    it('names the scopes that the account has not granted', async () => {
      crm.oauth.scopes.delete('user_management:read');
      const failure = await account.listMembers().catch((error: unknown) => error);
      expect(failure).to.include({ kind: 'rejected' });
      expect((failure as Error).message).to.contain('grant user_management:read and connect again');
      const permissions = await account.permissions();
      expect(permissions.filter(({ granted }) => !granted).map(({ name }) => name)).to.deep.equal([
        'user_management:read',
      ]);
    });

    it('cannot be refreshed after the token was revoked', async () => {
      crm.oauth.revokeAll();
      expect(await kindOf(account.listMembers())).to.equal('unauthorized');
    });

    it('reports that the workspace has no deals object', async () => {
      crm.hasDeals = false;
      const failure = await account.registerWebhook('https://service.test/hook').catch((error: unknown) => error);
      expect(failure).to.include({
        kind: 'rejected',
        message: 'crma has no deals object: an admin of the account must enable it',
      });
      expect(await kindOf(account.listFields())).to.equal('rejected');
    });
  });

  describe('people and fields', () => {
    it('lists members; suspended ones are inactive', async () => {
      const ada = crm.addMember({ firstName: 'Ada', lastName: 'Lovelace', email: 'ada@acme.test' });
      const bob = crm.addMember({ firstName: '', lastName: '', email: 'bob@acme.test' });
      crm.suspendMember(bob);
      expect(await account.listMembers()).to.deep.equal([
        {
          crmId: ada,
          email: 'ada@acme.test',
          name: 'Ada Lovelace',
          avatar: `https://avatars.example.com/${ada}.png`,
          active: true,
        },
        {
          crmId: bob,
          email: 'bob@acme.test',
          name: 'bob@acme.test',
          avatar: `https://avatars.example.com/${bob}.png`,
          active: false,
        },
      ]);
    });

    it('lists fields with their types and the options of choices, over several pages', async () => {
      for (let index = 0; index < 100; index++)
        crm.attributes.push({ slug: `custom_${index}`, title: `Custom ${index}`, type: 'record-reference' });
      crm.attributes.push({ slug: 'old', title: 'Old', type: 'text', isArchived: true });
      const fields = await account.listFields();
      expect(fields).to.have.length(112);
      expect(fields.find(({ slug }) => slug === 'stage')).to.deep.equal({
        slug: 'stage',
        label: 'Deal stage',
        type: 'status',
        native: 'stage',
        options: ['Lead', 'In Progress', 'Won 🎉', 'Lost'].map((title) => ({ label: title, value: title })),
      });
      expect(fields.find(({ slug }) => slug === 'segment')?.options).to.have.length(3);
      expect(Object.fromEntries(fields.slice(0, 10).map(({ slug, type }) => [slug, type]))).to.deep.equal({
        name: 'text',
        stage: 'status',
        owner: 'text',
        value: 'currency',
        close_date: 'date',
        segment: 'select',
        products: 'select',
        seats: 'number',
        renewal: 'checkbox',
        custom_0: 'text',
      });
    });
  });

  describe('deals', () => {
    it('arrive under their own slugs and the canonical ones', async () => {
      const owner = crm.addMember({ firstName: 'Ada', lastName: 'L', email: 'ada@acme.test' });
      const id = crm.addDeal({
        name: 'Contract',
        stage: 'Lead',
        owner,
        value: 4200.5,
        close_date: '2026-11-30',
        products: ['Core', 'Support'],
        seats: 12,
        renewal: false,
      });
      crm.change(id, { stage: 'Won 🎉', seats: null });
      const [deal] = await account.getDeals([id]);
      expect(deal).to.deep.equal({
        id,
        deleted: false,
        modifiedAt: null,
        fields: {
          name: 'Contract',
          stage: 'Won 🎉',
          owner,
          owner_id: owner,
          value: 4200.5,
          amount: 4200.5,
          currency: 'USD',
          is_won: true,
          is_closed: true,
          stage_label: 'Won 🎉',
          close_date: '2026-11-30',
          segment: null,
          products: 'Core;Support',
          seats: null,
          renewal: false,
        },
      });
    });

    it('take the day of a closing instant in the zone of the workspace', async () => {
      crm.attributes[4] = { slug: 'closed_at', title: 'Closed at', type: 'timestamp' };
      const id = crm.addDeal({ closed_at: '2026-12-01T02:00:00.000000000Z' });
      const dayIn = async (zone: string) => (await connected(zone).getDeals([id]))[0]?.fields['close_date'];
      expect(await dayIn('UTC')).to.equal('2026-12-01');
      expect(await dayIn('America/New_York')).to.equal('2026-11-30');
    });

    it('are listed completely, page by page, each once', async () => {
      const ids = Array.from({ length: 2000 }, (_, index) => crm.addDeal({ name: `Deal ${index}`, value: index }));
      const pages = await collected(account.listDeals());
      expect(pages.flatMap(({ deals }) => deals.map(({ id }) => id))).to.deep.equal(ids);
      expect(pages.at(-1)?.next).to.equal(null);
      expect(pages[0]?.serverTime.getTime()).to.equal(time.now());
    });

    it('are listed completely in an empty workspace and with exactly one full page', async () => {
      expect(await listed(account)).to.deep.equal([]);
      for (let index = 0; index < 500; index++) crm.addDeal({ value: index });
      expect(await listed(account)).to.have.length(500);
    });

    it('are all listed if a page exceeds the size of a response, by smaller pages', async () => {
      crm.attributes.push({ slug: 'notes', title: 'Notes', type: 'text' });
      const ids = Array.from({ length: 30 }, () => crm.addDeal({ name: 'Long', notes: 'x'.repeat(500_000) }));
      expect((await listed(account)).map(({ id }) => id)).to.deep.equal(ids);
      expect(await account.getDeals(ids)).to.have.length(30);
    });

    it('in Taiwan dollars, for which the vendor has its own code, have the ISO code', async () => {
      const [deal] = await account.getDeals([crm.addDeal({ value: { amount: 10, currency: 'NTD' } })]);
      expect(deal?.fields).to.include({ amount: 10, currency: 'TWD' });
      crm.defaultCurrency = 'NTD';
      expect(await connected().settings()).to.include({ currency: 'TWD' });
    });

    it('have amounts in the currency of the value or of the attribute, which are marked if it is not that of the deal', async () => {
      crm.attributes.push({ slug: 'fee', title: 'Fee', type: 'currency', currency: 'GBP' });
      const [first, second] = await account.getDeals([
        crm.addDeal({ value: 10, fee: 1 }),
        crm.addDeal({ value: { amount: 10, currency: 'EUR' }, fee: { amount: 1, currency: 'EUR' } }),
      ]);
      expect(first?.fields).to.include({ currency: 'USD', fee: 1, fee_currency: 'GBP' });
      expect(second?.fields).to.include({ currency: 'EUR', fee: 1 }).and.not.have.property('fee_currency');
    });

    it('are not skipped when others are deleted during the listing', async () => {
      const ids = Array.from({ length: 1200 }, (_, index) => crm.addDeal({ value: index }));
      const seen: string[] = [];
      for await (const { deals } of account.listDeals()) {
        if (seen.length === 0) for (const id of ids.slice(400, 500)) crm.delete(id);
        seen.push(...deals.map(({ id }) => id));
      }
      expect(seen).to.deep.equal(ids);
    });

    it('are all listed if an import created more at one instant than a page contains', async () => {
      const ids = Array.from({ length: 1100 }, () => crm.addDeal({}, '2026-11-21T09:00:00.000000000Z'));
      crm.addDeal({});
      expect((await listed(account)).map(({ id }) => id)).to.deep.equal([...ids, crm.dealIds.at(-1)]);
    });

    it('are listed by another process from the cursor of any page', async () => {
      const ids = Array.from({ length: 1200 }, () => crm.addDeal({}));
      const first = await account.listDeals()[Symbol.asyncIterator]().next();
      const cursor = first.value.next;
      account = connected();
      const rest = await listed(account, { cursor });
      expect([...first.value.deals, ...rest].map(({ id }: CrmDeal) => id)).to.deep.equal(ids);
    });

    it('are listed from the start if the cursor is invalid', async () => {
      for (const cursor of ['', '500', '{"from":1}', '[]'])
        expect(await kindOf(listed(account, { cursor }))).to.equal('cursor_expired');
    });

    it('are reported as deleted only if the CRM reports each as deleted', async () => {
      const [remaining, gone] = [crm.addDeal({ name: 'Kept' }), crm.addDeal({ name: 'Gone' })] as const;
      crm.delete(gone);
      const deals = await account.getDeals([remaining, gone, 'from-a-csv', remaining]);
      expect(deals.map(({ id, deleted }) => [id, deleted])).to.have.deep.members([
        [remaining, false],
        [gone, true],
        ['from-a-csv', true],
      ]);
    });

    it('are not reported as deleted while they are merged', async () => {
      const id = crm.addDeal({ name: 'Merging' });
      crm.server.fault({ on: pagePath, times: 1, answer: respondWith(200, { data: [] }) });
      crm.server.fault({ on: /GET .*records/, times: 2, answer: respondWith(404, { code: 'merge_in_progress' }) });
      expect(await account.getDeals([id])).to.deep.include.members([(await account.getDeals([id]))[0]]);
      crm.server.fault({ on: pagePath, times: 1, answer: respondWith(200, { data: [] }) });
      crm.server.fault({ on: /GET .*records/, answer: respondWith(404, { code: 'merge_in_progress' }) });
      expect(await kindOf(account.getDeals([id]))).to.equal('unavailable');
    });

    it('are fetched in batches', async () => {
      const ids = Array.from({ length: 250 }, () => crm.addDeal({}));
      expect(await account.getDeals(ids)).to.have.length(250);
      expect(crm.server.countRequests(pagePath)).to.equal(3);
    });

    it('are listed despite a page that fails twice and a rate limit', async () => {
      for (let index = 0; index < 1200; index++) crm.addDeal({});
      crm.server.fault({ on: pagePath, after: 1, times: 1, answer: respondWith(502) });
      crm.server.fault({ on: pagePath, after: 1, times: 1, answer: hangUp });
      crm.readsPerSecond = 1;
      expect(await listed(account)).to.have.length(1200);
      expect(time.slept.length).to.be.greaterThan(2);
    });

    it('are unavailable while the CRM is down, and are resumed at the last page', async () => {
      for (let index = 0; index < 1200; index++) crm.addDeal({});
      const seen: CrmDeal[] = [];
      let cursor: string | undefined;
      const failed = (async () => {
        for await (const page of account.listDeals()) {
          seen.push(...page.deals);
          cursor = page.next ?? undefined;
          crm.server.fault({ on: /./, times: 6, answer: hangUp });
        }
      })();
      expect(await kindOf(failed)).to.equal('unavailable');
      seen.push(...(await listed(account, cursor === undefined ? {} : { cursor })));
      expect(new Set(seen.map(({ id }) => id)).size).to.equal(1200);
    });

    it('are rejected if the response is no list of deals', async () => {
      crm.server.fault({ on: pagePath, answer: respondWith(200, { data: [{ id: 'x' }] }) });
      expect(await kindOf(listed(account))).to.equal('rejected');
    });
  });

  describe('webhooks', () => {
    const target = 'https://service.test/webhooks/crma';

    it('are registered for deals only, and their secret is stored', async () => {
      const registered = await account.registerWebhook(target);
      expect(crm.webhookIds).to.deep.equal([registered?.webhookId]);
      expect(registered?.secret).to.match(/^[0-9a-f]{64}$/);
      const { body } = crm.server.requests.at(-1) as { body: { data: { subscriptions: unknown[] } } };
      expect(body.data.subscriptions).to.deep.equal(
        ['record.created', 'record.updated', 'record.deleted', 'record.merged'].map((event_type) => ({
          event_type,
          filter: { $and: [{ field: 'id.object_id', operator: 'equals', value: crm.objectId }] },
        })),
      );
    });

    it('replace earlier webhooks of the service and leave others unchanged', async () => {
      const first = await account.registerWebhook(target);
      const other = await account.registerWebhook('https://elsewhere.test/');
      const second = await account.registerWebhook(target);
      expect(crm.webhookIds).to.have.members([other?.webhookId, second?.webhookId]);
      expect(second?.secret).not.to.equal(first?.secret);
    });

    it('are found behind a full page of others', async () => {
      for (let index = 0; index < 120; index++) await account.registerWebhook(`https://elsewhere.test/${index}`);
      await account.registerWebhook(target);
      await account.registerWebhook(target);
      expect(crm.webhookIds).to.have.length(121);
    });

    it('are removed, without an error if they do not exist', async () => {
      const registered = await account.registerWebhook(target);
      await account.removeWebhook(registered?.webhookId ?? '');
      await account.removeWebhook(registered?.webhookId ?? '');
      expect(crm.webhookIds).to.deep.equal([]);
    });
  });
});

describe('values of crm-a', () => {
  it('are read from the vendor’s example', () => {
    const actor = { created_by_actor: { type: 'system', id: null } };
    const live = { active_from: '2023-01-01T15:00:00.000000000Z', active_until: null, ...actor };
    const record = crmaRecord.parse({
      id: { workspace_id: 'w', object_id: 'o', record_id: 'bf071e1f-6035-429d-b874-d83ea64ea13b' },
      created_at: '2022-11-21T13:22:49.061281000Z',
      web_url: 'https://app.attio.com/x/deals/bf07',
      values: {
        name: [{ ...live, value: 'Contract with Fundstack', attribute_type: 'text' }],
        stage: [
          { ...live, status: { title: 'In Progress', id: {}, is_archived: false }, attribute_type: 'status' },
          { ...live, active_until: '2023-02-01T15:00:00.000000000Z', status: 'Lead', attribute_type: 'status' },
        ],
        value: [{ ...live, currency_value: 4200, currency_code: 'EUR', attribute_type: 'currency' }],
        owner: [
          {
            ...live,
            referenced_actor_type: 'workspace-member',
            referenced_actor_id: '50cf242c-7fa3-4cad-87d0-75b1af71c57b',
            attribute_type: 'actor-reference',
          },
        ],
        tags: [],
      },
    });
    const attributes = [{ api_slug: 'value', title: 'Value', type: 'currency' }];
    expect(crmaDeal(record, crmaReading(attributes, [{ title: 'Won' }], 'UTC'))).to.deep.equal({
      id: 'bf071e1f-6035-429d-b874-d83ea64ea13b',
      modifiedAt: null,
      deleted: false,
      fields: {
        name: 'Contract with Fundstack',
        stage: 'In Progress',
        value: 4200,
        amount: 4200,
        currency: 'EUR',
        owner: '50cf242c-7fa3-4cad-87d0-75b1af71c57b',
        owner_id: '50cf242c-7fa3-4cad-87d0-75b1af71c57b',
        close_date: null,
        is_won: false,
        is_closed: false,
        stage_label: 'In Progress',
        tags: null,
      },
    });
  });

  for (const [attribute_type, wire, expected] of [
    ['number', { value: 0 }, 0],
    ['number', { value: '' }, null],
    ['rating', { value: 4 }, 4],
    ['checkbox', { value: false }, false],
    ['date', { value: '2026-11-30' }, '2026-11-30'],
    ['timestamp', { value: '2026-11-30T10:00:00.123456789Z' }, '2026-11-30T10:00:00.123Z'],
    ['interaction', { interacted_at: '2026-11-30T10:00:00Z' }, '2026-11-30T10:00:00.000Z'],
    ['currency', { currency_value: 12.3456, currency_code: null }, 12.3456],
    ['status', { status: 'Won' }, 'Won'],
    ['select', { option: { title: 'SMB' } }, 'SMB'],
    ['select', { option: 'SMB' }, 'SMB'],
    ['record-reference', { target_record_id: 'r1' }, 'r1'],
    ['email-address', { email_address: 'a@b.test' }, 'a@b.test'],
    ['domain', { domain: 'b.test' }, 'b.test'],
    ['phone-number', { original_phone_number: '+1 5' }, '+1 5'],
    ['personal-name', { full_name: 'Ada Lovelace' }, 'Ada Lovelace'],
    ['location', { locality: 'Paris', region: null, country_code: 'FR' }, 'Paris, FR'],
    ['location', {}, null],
    ['text', { value: '' }, null],
    ['text', { value: { odd: true } }, null],
    ['formula', { value: 7 }, 7],
  ] as const)
    it(`${attribute_type} ${JSON.stringify(wire)} is ${JSON.stringify(expected)}`, () => {
      expect(crmaValue({ attribute_type, ...wire })).to.equal(expected);
    });

  it('says which stages win and close a deal: by their names, otherwise those that the CRM celebrates', () => {
    const closingOf = (title: string, statuses: Parameters<typeof crmaReading>[1]) => {
      const stage = [{ attribute_type: 'status', status: { title } }];
      const record = { id: { record_id: 'r' }, created_at: '2026-01-01T00:00:00Z', values: { stage } };
      const { is_won, is_closed } = crmaDeal(record, crmaReading([], statuses, 'UTC')).fields;
      return [is_won, is_closed];
    };
    const usual = [{ title: 'Demo', celebration_enabled: true }, { title: 'Won 🎉' }, { title: 'Lost' }];
    expect(closingOf('Demo', usual)).to.deep.equal([false, false]);
    expect(closingOf('Won 🎉', usual)).to.deep.equal([true, true]);
    expect(closingOf('Lost', usual)).to.deep.equal([false, true]);
    const renamed = [{ title: 'Offen' }, { title: 'Unterschrieben', celebration_enabled: true }];
    expect(closingOf('Unterschrieben', renamed)).to.deep.equal([true, true]);
    expect(closingOf('Offen', renamed)).to.deep.equal([false, false]);
  });

  it('reads no close date if several fields qualify', () => {
    const date = (api_slug: string) => ({ api_slug, title: api_slug, type: 'date' });
    const slugOf = (...slugs: string[]) => crmaReading(slugs.map(date), [], 'UTC').closeDateSlug;
    expect(slugOf('expected_close')).to.equal('expected_close');
    expect(slugOf('expected_close', 'closed_on')).to.equal(null);
    expect(slugOf('expected_close', 'closedate')).to.equal('closedate');
    expect(slugOf('signed_on')).to.equal(null);
  });
});
