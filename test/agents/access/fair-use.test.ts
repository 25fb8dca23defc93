import { expect } from 'chai';
import { ShardAuthorization } from '#src/app/shards/shard-authorization.js';
import { type Caller } from '#src/kernel/caller.js';
import { RateLimit } from '#src/platform/http/rate-limit.js';
import { createLog } from '#src/platform/log.js';
import { displayName } from '#src/platform/mcp/agent-client.js';
import { FetchClient, listTools, seededWorkspace } from '#test/mcp/mcp-fixture.js';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { ClientProgram, forAgents, redirectUri } from './oauth-fixture.js';

const limit = 12;

describe('agents of one person or network', () => {
  const service = Service.duringSuite({
    ...forAgents,
    settings: { ...forAgents.settings, TRUST_PROXY_HOPS: '1', RATE_LIMIT_PER_MINUTE: String(limit) },
  });
  let ada: ApiClient;

  before(async () => {
    const seeded = await seededWorkspace(service);
    ada = await service.as(seeded.workspaceId, seeded.ada);
  });

  async function register(address: string, redirect = redirectUri): Promise<string> {
    const response = await fetch(`${service.url}/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
      body: JSON.stringify({ client_name: 'Agent', redirect_uris: [redirect] }),
    });
    return `${response.status} ${((await response.json()) as { error?: string }).error ?? 'registered'}`;
  }

  describe('that register', () => {
    const full = '400 temporarily_unavailable';
    const copies = (count: number, network: string) =>
      service.sql(
        `insert into agent_clients (client_id, metadata, network_hash)
         select gen_random_uuid()::text, '{}', ${network} from generate_series(1, $1::int) n`,
        count,
      );

    beforeEach(() => service.sql('delete from agent_clients'));

    it('are at most 100 an hour of one network, which does not affect other networks', async () => {
      expect(await register('192.0.2.1')).to.equal('201 registered');
      await copies(99, '(select network_hash from agent_clients)');
      expect(await register('192.0.2.1')).to.equal(full);
      expect(await register('192.0.2.2')).to.equal('201 registered');
      await service.sql(`update agent_clients set created_at = created_at - interval '1 hour'`);
      expect(await register('192.0.2.1')).to.equal('201 registered');
    });

    it('are at most 20,000 an hour of all networks', async () => {
      await copies(20_000, 'null');
      expect(await register('192.0.2.1')).to.equal(full);
    });

    it('are deleted after an hour and a sign-in, unless they have got tokens', async () => {
      const [asking, connected] = [
        await ClientProgram.register(service.url),
        await ClientProgram.register(service.url),
      ];
      await asking.pending();
      await connected.connect(ada);
      const remaining = async (age: string) => {
        await service.sql(`update agent_clients set created_at = now() - $1::interval`, age);
        await service.sql('select delete_old_sign_ins()');
        return (await service.sql('select client_id as id from agent_clients')).map(({ id }) => id);
      };
      expect(await remaining('70 minutes')).to.have.members([asking.clientId, connected.clientId]);
      expect(await remaining('76 minutes')).to.deep.equal([connected.clientId]);
    });

    it('and refresh their tokens are used again', async () => {
      const program = await ClientProgram.register(service.url);
      const { refresh_token: token } = await program.connect(ada);
      await service.sql('update agent_clients set used_at = null');
      expect((await program.refresh(token)).status).to.equal(200);
      expect(await service.sql('select from agent_clients where used_at is not null')).to.have.length(1);
    });

    it('are used in every database that serves, whichever has registered them', async () => {
      const noted: string[] = [];
      const server = (name: string, isServing: boolean) =>
        [{ isServing }, { noteUse: async (id: string) => noted.push(`${name} ${id}`) }] as never;
      const servers = [server('a', true), server('b', false), server('c', true)];
      await new ShardAuthorization(servers[0]?.[1] as never, null as never, new Map(servers)).noteUse('agent');
      expect(noted).to.deep.equal(['a agent', 'c agent']);
    });
  });

  describe('receive codes', () => {
    const outcomeOf = async (redirect: string) => (await register('192.0.2.9', redirect)).replace(/^\d+ /, '');

    before(() => service.sql('delete from agent_clients'));

    for (const redirect of [
      'https://claude.ai/api/mcp/auth_callback',
      'http://127.0.0.1:5173/callback',
      'http://localhost:1/cb',
      'com.raycast:/oauth',
      'org.example.agent://callback',
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'vscode://vscode.github-authentication/did-authenticate',
    ])
      it(`at ${redirect}`, async () => expect(await outcomeOf(redirect)).to.equal('registered'));

    for (const scheme of [
      ...['search-ms', 'ms-msdt', 'ms-settings', 'mailto', 'tel', 'sms', 'smb', 'ssh', 'intent', 'chrome', 'about'],
      ...['x-apple.systempreferences', 'X-Apple.Preferences', 'x-apple-helpbasic.x'],
      ...['blob', 'data', 'file', 'filesystem', 'ftp', 'view-source', 'ws', 'steam', 'zoommtg', 'x'],
    ])
      it(`not at an address of ${scheme}:`, async () =>
        expect(await outcomeOf(`${scheme}://evil.test/x`)).to.match(/^invalid_(redirect_uri|client_metadata)$/));
  });

  describe('that refresh their tokens', () => {
    const statusOf = async (token: string) => (await new FetchClient(service.url, token).post(listTools)).status;

    /** The access tokens of one connection, in the order in which they were issued. */
    async function refreshed(count: number): Promise<string[]> {
      const program = await ClientProgram.register(service.url);
      let tokens = await program.connect(ada);
      const issued = [tokens.access_token];
      while (issued.length < count) {
        ({ body: tokens } = await program.refresh(tokens.refresh_token));
        issued.push(tokens.access_token);
      }
      return issued;
    }

    it('have two valid access tokens', async () => {
      const issued = await refreshed(4);
      const statuses = [];
      for (const token of issued) statuses.push(await statusOf(token));
      expect(statuses).to.deep.equal([401, 401, 200, 200]);
    });

    it('get no further requests: the requests of all tokens of a connection are counted together', async () => {
      const [first, second] = (await refreshed(2)) as [string, string];
      const statuses: number[] = [];
      for (let request = 0; request < limit; request += 1)
        statuses.push(await statusOf(request % 2 === 0 ? first : second));
      expect(new Set(statuses)).to.deep.equal(new Set([200]));
      expect([await statusOf(first), await statusOf(second)]).to.deep.equal([429, 429]);
      const [other] = (await refreshed(1)) as [string];
      expect(await statusOf(other)).to.equal(200);
    });

    it('are counted together in Redis too', async () => {
      const counted: string[] = [];
      const counter = {
        count: async (_workspaceId: string, tokenId: string) => {
          counted.push(tokenId);
          return { accepted: true, remaining: 1, resetSecond: 1, nowSecond: 0 };
        },
        close: async () => {},
      };
      const rateLimit = new RateLimit(counter, limit, createLog('silent'));
      const response = { setHeader: () => response } as never;
      const agent = { connectionId: 'connection', clientName: 'Agent', audience: '', scopes: [] };
      const caller: Caller = {
        workspaceId: 'workspace',
        accessLevel: 'rep',
        repId: 'ada',
        actor: 'rep:ada',
        requestId: 'test',
        tokenId: 'token',
      };
      await rateLimit.admit({ ...caller, agent }, response, null);
      await rateLimit.admit(caller, response, null);
      expect(counted).to.deep.equal(['connection', 'token']);
    });
  });

  describe('have names', () => {
    it('without any character that is displayed as nothing', () => {
      const invisible = Array.from({ length: 0x110000 }, (_, code) => code)
        .filter((code) => code < 0xd800 || code > 0xdfff)
        .map((code) => String.fromCodePoint(code))
        .filter((character) => /\p{Default_Ignorable_Code_Point}|\p{Cc}/u.test(character) && !/\s/.test(character));
      expect(invisible).to.include.members(['\u200b', '\u200d', '\u034f', '\ufe0f', '\u202e']);
      expect(invisible.filter((one) => displayName(`Cl${one}aude${one}`, 'Agent') !== 'Claude')).to.deep.equal([]);
      expect(displayName(invisible.join(''), 'Agent')).to.equal('Agent');
    });

    it('whose words begin with no mark, and that are cut between characters', () => {
      expect(displayName('\u0301Claude \u20ddCode', 'Agent')).to.equal('Claude Code');
      expect(displayName('Zoë में', 'Agent')).to.equal('Zoë में');
      expect(displayName('😀'.repeat(150), 'Agent')).to.equal('😀'.repeat(100));
    });
  });
});
