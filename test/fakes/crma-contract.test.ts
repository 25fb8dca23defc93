import { expect } from 'chai';
import { FakeCrma } from '#fakes/fake-crma.js';
import { crmaAdapter } from '#src/crm/adapters/crma/adapter.js';
import { type CrmAccount, fixedAccess } from '#src/crm/adapters/port.js';
import { kindOf, listed, tokenOnly } from '../crm/crm-access.js';
import { type DescribedOperation, describedError, describedOperations } from './crma-description.js';

interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly sent: unknown;
  readonly status: number;
  readonly received: unknown;
}

/**
 * The vendor publishes a description of its API and no client. The adapter sends its requests to the fake, and both
 * sides of every exchange are compared with the description. The description does not contain webhook deliveries, rate
 * limits, the operators of filters and the OAuth pages: hand-written assertions in `fake-crma.test.ts` cover these.
 */
describe('crm-a and its fake, against the description of the vendor', () => {
  let crm: FakeCrma;
  let token: string;
  let exchanges: Exchange[];
  const { fetch: original } = globalThis;

  beforeEach(async () => {
    crm = await FakeCrma.start();
    crm.readsPerSecond = 10_000;
    crm.oauth.scopes.add('record_permission:read-write');
    token = crm.oauth.issue().accessToken;
    exchanges = [];
    globalThis.fetch = async (input, init) => {
      const response = await original(input, init);
      const text = await response.clone().text();
      const { method = 'GET', body } = init ?? {};
      exchanges.push({
        method,
        path: new URL(String(input)).pathname,
        sent: typeof body === 'string' ? JSON.parse(body) : undefined,
        status: response.status,
        received: text === '' ? undefined : JSON.parse(text),
      });
      return response;
    };
  });

  afterEach(async () => {
    globalThis.fetch = original;
    await crm.stop();
  });

  function described({ method, path }: Pick<Exchange, 'method' | 'path'>): [string, DescribedOperation] {
    const found = Object.entries(describedOperations).find(([, one]) => one.method === method && one.path.test(path));
    return found ?? expect.fail(`the description has no ${method} ${path}`);
  }

  function check(exchange: Exchange): string {
    const [name, operation] = described(exchange);
    const { sent, status, received } = exchange;
    const problems = (schema: DescribedOperation['response'], value: unknown) => {
      const { success, error } = schema.safeParse(value);
      return success ? '' : `${name}: ${error.message}`;
    };
    if (operation.body === undefined) expect(sent, name).to.equal(undefined);
    else expect(problems(operation.body, sent)).to.equal('');
    if (status < 300) expect(problems(operation.response, received)).to.equal('');
    else {
      const error = describedError.parse(received);
      expect(error.status_code).to.equal(status);
      expect(operation.errors?.[status] ?? [], `error: ${name}`).to.include(error.code);
    }
    return name;
  }

  /** Every request that the adapter sends. */
  async function sendEverything(account: CrmAccount, dealId: string): Promise<void> {
    await crmaAdapter(crm.settings).verify({ accessToken: token });
    await account.permissions();
    await account.listMembers();
    await account.listFields();
    await listed(account);
    await account.getDeals([dealId, '00000000-0000-4000-8000-000000000000']);
    const { webhookId } = (await account.registerWebhook('https://pay.acme.test/webhooks/crma')) ?? expect.fail();
    expect(await account.isWebhookActive(webhookId)).to.equal(true);
    await account.removeWebhook(webhookId);
    await account.removeWebhook(webhookId);
    const values = { commission: '10', currency: 'USD', state: 'earned', attainment: '1' };
    const targets = { commission: 'commission', state: null, currency: null, attainment: null };
    const { results, failure } = await account.writeDeals(targets, [{ dealId, values }]);
    expect([results, failure]).to.deep.equal([[{ dealId, problem: null }], null]);
  }

  function filled(): string {
    crm.attributes.push(
      { slug: 'commission', title: 'Commission', type: 'number' },
      { slug: 'associated_company', title: 'Company', type: 'record-reference' },
    );
    const owner = crm.addMember({ firstName: 'Ada', lastName: 'Lovelace', email: 'ada@acme.test' });
    const company = crm.addCompany({ industry: 'Energy' });
    const dealId = crm.addDeal({
      name: 'Deal',
      stage: 'Lead',
      owner,
      value: { amount: 5, currency: 'EUR' },
      close_date: '2026-02-10',
      segment: 'SMB',
      products: ['Core', 'Support'],
      seats: 3,
      renewal: true,
      associated_company: company,
    });
    crm.change(dealId, { stage: 'Won 🎉', value: 7 });
    return dealId;
  }

  const account = () =>
    crmaAdapter(crm.settings).account(fixedAccess(tokenOnly(token)), { companyFields: ['industry'] });

  it('agree on every request, response and error', async () => {
    const dealId = filled();
    await sendEverything(account(), dealId);
    const used = new Set(exchanges.map(check));
    expect([...used]).to.have.members(Object.keys(describedOperations));
  });

  it('agree on the answer to a revoked token', async () => {
    crm.oauth.revokeGrant(token);
    expect(await kindOf(crmaAdapter(crm.settings).verify({ accessToken: token }))).to.equal('unauthorized');
    expect(exchanges.map(check)).to.deep.equal(['identify the token']);
  });

  it('require the same scopes for every request', async () => {
    const dealId = filled();
    await sendEverything(account(), dealId);
    const samples = new Map(exchanges.map((exchange) => [described(exchange)[0], exchange]));
    for (const [name, { method, path, sent }] of samples) {
      const { scopes } = described({ method, path })[1];
      const send = async () =>
        (
          await original(`${crm.server.url}${path}`, {
            method,
            headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
            ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
          })
        ).status;
      for (const scope of scopes) {
        const held = [scope, `${scope}-write`].filter((one) => crm.oauth.scopes.delete(one));
        expect(await send(), `${name} without ${scope}`).to.equal(403);
        for (const one of held) crm.oauth.scopes.add(one);
      }
    }
  });
});
