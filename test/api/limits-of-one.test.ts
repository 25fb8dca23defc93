import { expect } from 'chai';
import { maxWaiting } from '#src/exports/export-store.js';
import { forAgents } from '#test/agents/access/oauth-fixture.js';
import { FetchClient } from '#test/mcp/mcp-fixture.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';

const perMinute = { token: 40, publicRequests: 60, failures: 20 };

/** What two requesters of the same workspace or network share. */
interface Shared {
  readonly workspace: Workspace;
  readonly people: readonly [string, string];
}

/** One use by a requester, with the number of the use: whether it was accepted. */
type Use = (use: number) => Promise<boolean>;

interface Limit {
  readonly what: string;
  /** The uses of one requester that are accepted. */
  readonly ofOne: number;
  /** The limit that both requesters share; the uses of one must not reach it. */
  readonly ofAll: number;
  readonly requesters: (shared: Shared) => Promise<readonly [Use, Use]>;
  /** Repeats the first use of the requester without requests. */
  readonly repeat?: (shared: Shared, count: number) => Promise<unknown>;
}

const addresses = ['192.0.2.1', '198.51.100.1'] as const;

describe('limits of one person, key, address or network', () => {
  const service = Service.duringSuite({
    ...forAgents,
    worker: false,
    settings: {
      ...forAgents.settings,
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'pay@example.com',
      TRUST_PROXY_HOPS: '1',
      RATE_LIMIT_PER_MINUTE: String(perMinute.token),
      PUBLIC_REQUESTS_PER_MINUTE: String(perMinute.publicRequests),
      FAILED_SIGN_INS_PER_MINUTE: String(perMinute.failures),
    },
  });

  /** Requests without a token from two networks. */
  async function fromNetworks(path: string, body: object, accepted: (status: number) => boolean) {
    return addresses.map(
      (address): Use =>
        async () => {
          const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': address };
          const response = await fetch(`${service.url}${path}`, {
            method: 'POST',
            headers,
            body: JSON.stringify(body),
          });
          await response.arrayBuffer();
          return accepted(response.status);
        },
    ) as [Use, Use];
  }

  /** The same request by sessions of two people. */
  async function fromPeople(
    { workspace, people }: Shared,
    requestOf: (repId: string, use: number) => readonly [method: string, path: string, body?: object],
  ) {
    const clients = await Promise.all(people.map((repId) => workspace.as(repId)));
    return clients.map(
      (client, place): Use =>
        async (use) => {
          const [method, path, body] = requestOf(people[place] as string, use);
          return (await client.send(method, path, body)).status < 300;
        },
    ) as [Use, Use];
  }

  const limits: readonly Limit[] = [
    {
      what: 'Requests with a token',
      ofOne: perMinute.token,
      ofAll: Number.POSITIVE_INFINITY,
      requesters: (shared) => fromPeople(shared, () => ['GET', '/v1']),
    },
    {
      what: 'Wrong tokens',
      ofOne: perMinute.failures,
      ofAll: Number.POSITIVE_INFINITY,
      requesters: async () =>
        addresses.map(
          (address): Use =>
            async () => {
              const headers = { Authorization: `Bearer ws_${'0'.repeat(32)}`, 'X-Forwarded-For': address };
              return (await fetch(`${service.url}/v1`, { headers })).status === 401;
            },
        ) as [Use, Use],
    },
    {
      what: 'Sign-in codes',
      ofOne: 30,
      ofAll: Number.POSITIVE_INFINITY,
      requesters: () => fromNetworks('/auth/otp/send', { email: 'nobody@x.io' }, (status) => status === 200),
    },
    {
      what: 'Registrations of agents',
      ofOne: 100,
      ofAll: 20_000,
      repeat: (_shared, count) =>
        service.sql(
          `insert into agent_clients (client_id, metadata, network_hash)
           select gen_random_uuid()::text, '{}', c.network_hash from agent_clients c, generate_series(1, $1::int) n`,
          count,
        ),
      requesters: () =>
        fromNetworks(
          '/oauth/register',
          { client_name: 'Agent', redirect_uris: ['http://127.0.0.1:1/cb'] },
          (status) => status === 201,
        ),
    },
    {
      what: 'Outgoing events',
      ofOne: 10,
      ofAll: Number.POSITIVE_INFINITY,
      requesters: async ({ workspace: { api } }) => {
        const uses: Use[] = [];
        for (const name of ['a', 'b']) {
          const { id } = await api.expect(201, 'POST', '/v1/webhook-endpoints', { url: `https://example.com/${name}` });
          uses.push(async () => (await api.post(`/v1/webhook-endpoints/${id}/test`)).status < 300);
        }
        return uses as [Use, Use];
      },
    },
    {
      what: 'Invitations',
      ofOne: 1,
      ofAll: 1000,
      // A further invitation within the hour is accepted and sends no mail.
      requesters: async ({ workspace: { api }, people }) =>
        people.map(
          (repId): Use =>
            async () => {
              const count = () => service.sql('select 1 from mail_outbox').then(({ length }) => length);
              const before = await count();
              await api.expect(200, 'POST', `/v1/reps/${repId}/invite`);
              return (await count()) > before;
            },
        ) as [Use, Use],
    },
    {
      what: 'Files that wait for a worker',
      ofOne: maxWaiting.ofPerson,
      ofAll: maxWaiting.ofAll,
      requesters: (shared) =>
        fromPeople(shared, (repId, use) => [
          'GET',
          `/v1/statements/${repId}/export?format=xlsx&async=true&period=20${10 + use}`,
        ]),
    },
    {
      what: 'Comments',
      ofOne: 200,
      ofAll: Number.POSITIVE_INFINITY,
      repeat: ({ workspace }, count) =>
        workspace.sql(
          `insert into statement_comments (workspace_id, comment_id, rep_id, period, body, author_id)
           select c.workspace_id, gen_random_uuid(), c.rep_id, c.period, c.body, c.author_id
           from statement_comments c, generate_series(1, $2::int) n where c.workspace_id = $1`,
          count,
        ),
      requesters: (shared) =>
        fromPeople(shared, (repId) => [
          'POST',
          `/v1/statements/${repId}/comments`,
          { period: '2026-01', body: 'Why?' },
        ]),
    },
    {
      what: 'Changes that wait for an approval',
      ofOne: 20,
      ofAll: 200,
      requesters: async ({ workspace: { api }, people }) => {
        await api.createPlan({ name: 'AE', config: { rules: [flatRule('Sales', 0.1)] } }, people);
        await api.expect(200, 'PATCH', '/v1/workspaces', { agentWrites: 'confirm' });
        const keys: string[] = [];
        for (const name of ['A', 'B']) {
          const body = { name, scopes: ['read', 'plans'] };
          keys.push((await api.expect(201, 'POST', '/v1/workspaces/integration-keys', body)).key);
        }
        return keys.map((key): Use => {
          const agent = new FetchClient(service.url, key);
          return async (use) => {
            const given = { repIds: [people[0]], measure: 'Sales', period: '2026-Q1', target: use + 1 };
            return JSON.stringify(await agent.call('set_quota', given)).includes('approval_required');
          };
        }) as unknown as [Use, Use];
      },
    },
  ];

  for (const { what, ofOne, ofAll, requesters, repeat } of limits)
    it(`${what}: apply before those of all, and leave others what is theirs`, async () => {
      const workspace = await service.workspace();
      const people = await workspace.api.saveReps('Ben', 'Cat');
      const shared = { workspace, people };
      const [one, another] = await requesters(shared);
      let accepted = 0;
      if (repeat !== undefined) {
        expect(await one(0), 'the first use').to.equal(true);
        await repeat(shared, ofOne - 3);
        accepted = ofOne - 2;
      }
      while (accepted <= ofOne && (await one(accepted))) accepted += 1;
      expect(accepted, 'accepted uses of one').to.equal(ofOne);
      expect(accepted, 'the shared limit').to.be.below(ofAll);
      expect(await one(accepted + 1), 'a further use of the same').to.equal(false);
      expect(await another(0), 'the first use of another').to.equal(true);
    });
});
