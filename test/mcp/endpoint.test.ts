import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { FetchClient, listTools, message, type Reply, seededWorkspace, toolCall } from './mcp-fixture.js';

describe('POST /v1/mcp', () => {
  const service = Service.duringSuite({
    settings: {
      MCP_HOSTS: 'pay.internal',
      PUBLIC_URL: 'https://pay.acme.test/app',
      MCP_OAUTH: '0',
    },
  });
  let seeded: Awaited<ReturnType<typeof seededWorkspace>>;
  let agent: FetchClient;

  before(async () => {
    seeded = await seededWorkspace(service);
    agent = new FetchClient(service.url, seeded.apiKey);
  });

  /** fetch sets Host and chooses connections by itself, so this uses node:http. */
  function send(
    body: unknown,
    { headers = {}, token = seeded.apiKey, socket }: { headers?: object; token?: string; socket?: HttpAgent },
  ): Promise<{ status: number; body: string; port: number }> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest(
        `${service.url}/v1/mcp`,
        {
          method: 'POST',
          ...(socket === undefined ? {} : { agent: socket }),
          headers: {
            Authorization: `Bearer ${token}`,
            'Content-Type': 'application/json',
            Accept: 'application/json, text/event-stream',
            ...headers,
          },
        },
        (response) => {
          const port = response.socket.localPort ?? 0;
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text, port }));
        },
      );
      sent.on('error', reject);
      sent.end(JSON.stringify(body));
    });
  }

  const statusWith = async (headers: object) => (await send(listTools, { headers })).status;

  it('returns 401 without a token, with the realm and without an authorization server', async () => {
    for (const token of [null, 'ws_wrong']) {
      const { status, headers, body } = await new FetchClient(service.url, token).post(listTools);
      expect(status).to.equal(401);
      expect(headers.get('www-authenticate')).to.equal('Bearer realm="mcp"');
      expect(body).to.include({ statusCode: 401, code: 'unauthorized' });
    }
    const good = await agent.post(listTools);
    expect(good.headers.get('www-authenticate')).to.equal(null);
  });

  it('returns 403 for a page of another origin, with any token', async () => {
    for (const origin of [
      'https://evil.test',
      'null',
      'http://localhost.evil.test',
      'file://',
      'http://user@localhost',
    ]) {
      const { status, body } = await agent.post(listTools, { Origin: origin });
      expect(status, origin).to.equal(403);
      expect(body.code).to.equal('forbidden');
    }
    for (const origin of [service.url, 'http://localhost:6274', 'https://pay.acme.test'])
      expect((await agent.post(listTools, { Origin: origin })).status, origin).to.equal(200);
  });

  it('returns 403 for an unknown Host header, against DNS rebinding', async () => {
    for (const host of ['evil.test', 'evil.test:3000', 'localhost.evil.test', '127.0.0.1.evil.test'])
      expect(await statusWith({ Host: host }), host).to.equal(403);
    for (const host of ['localhost:3000', '[::1]:3000', 'pay.internal', 'PAY.acme.test:443'])
      expect(await statusWith({ Host: host }), host).to.equal(200);
  });

  it('returns 405 for GET and DELETE, since there are no sessions', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const response = await fetch(`${service.url}/v1/mcp`, {
        method,
        headers: { Authorization: `Bearer ${seeded.apiKey}`, Accept: 'text/event-stream' },
      });
      expect(response.status).to.equal(405);
      expect(response.headers.get('allow')).to.equal('POST');
    }
  });

  it('returns protocol errors for an unknown tool and for invalid arguments', async () => {
    expect((await agent.post(toolCall('drop_tables'))).body.error.code).to.equal(-32602);
    for (const given of [null, [], 'x', 5]) {
      const { body } = await agent.post(toolCall('list_plans', given));
      expect(body.error.code, JSON.stringify(given)).to.equal(-32602);
    }
    expect((await agent.rpc('tools/call', {})).error.code).to.equal(-32602);
    expect((await agent.rpc('nothing/known')).error.code).to.equal(-32601);
  });

  it('rejects bodies that are not JSON, not JSON-RPC or not of a JSON media type', async () => {
    expect(await statusAndCode(agent.post('{"jsonrpc'))).to.equal('400 invalid_json');
    expect((await agent.post({ hello: 'world' })).status).to.equal(400);
    expect((await agent.post(listTools, { 'Content-Type': 'text/plain' })).status).to.equal(415);
    expect((await agent.post(listTools, { Accept: 'text/html' })).status).to.equal(406);
  });

  it('answers clients that accept JSON only, or anything, with JSON', async () => {
    for (const accept of ['application/json', '*/*', 'application/*', 'text/event-stream']) {
      const { status, headers, body } = await agent.post(listTools, { Accept: accept });
      expect(status, accept).to.equal(200);
      expect(headers.get('content-type')).to.include('application/json');
      expect(body.result.tools).not.to.deep.equal([]);
    }
    const progress = message('tools/call', { name: 'list_plans', _meta: { progressToken: 1 } });
    expect((await agent.post(progress, { Accept: '*/*' })).headers.get('content-type')).to.include('application/json');
  });

  it('acknowledges notifications with 202 and no body', async () => {
    const { status, messages } = await agent.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect({ status, messages }).to.deep.equal({ status: 202, messages: [] });
  });

  it('rejects an unknown reference of a completion, and returns no values for an unknown argument', async () => {
    const complete = (ref: object, name: string) =>
      agent.rpc('completion/complete', { ref, argument: { name, value: '' } });
    for (const ref of [
      { type: 'ref/prompt', name: 'nope' },
      { type: 'ref/resource', uri: 'commission://nope' },
      { type: 'ref/other' },
    ])
      expect((await complete(ref, 'planId')).error.code, JSON.stringify(ref)).to.equal(-32602);
    const known = { type: 'ref/prompt', name: 'explain_commission' };
    expect((await complete(known, 'nope')).result.completion).to.deep.equal({ values: [], total: 0, hasMore: false });
  });

  it('returns 413 for more than 256 KiB', async () => {
    const padded = (bytes: number) => toolCall('list_reps', { email: 'x'.repeat(bytes) });
    expect(await statusAndCode(agent.post(padded(256 * 1024)))).to.equal('413 payload_too_large');
    expect((await agent.post(padded(250 * 1024))).status).to.equal(200);
  });

  it('answers a batch of at most 20 messages in one response', async () => {
    const batch = (count: number) => Array.from({ length: count }, (_, id) => toolCall('list_fields', {}, id));
    const { status, body } = await agent.post(batch(20));
    expect(status).to.equal(200);
    expect(body.map((one: { id: number }) => one.id).sort((a: number, b: number) => a - b)).to.deep.equal(
      Array.from({ length: 20 }, (_, id) => id),
    );
    expect(await statusAndCode(agent.post(batch(21)))).to.equal('400 VALIDATION_FAILED');
    expect(await statusAndCode(agent.post(batch(1000)))).to.equal('400 VALIDATION_FAILED');
  });

  it('rejects an empty batch, and batches of versions without them', async () => {
    const invalid = async (reply: Promise<Reply>) => {
      const { status, body } = await reply;
      return `${status} ${body.error.code}`;
    };
    expect(await invalid(agent.post([]))).to.equal('400 -32600');
    for (const version of ['2025-06-18', '2025-11-25', '2026-07-28'])
      expect(await invalid(agent.post([listTools], { 'MCP-Protocol-Version': version })), version).to.equal(
        '400 -32600',
      );
    expect((await agent.post([listTools], { 'MCP-Protocol-Version': '2025-03-26' })).status).to.equal(200);
  });

  it('counts every message against the rate limit that the token has over REST', async () => {
    const limited = await Service.start({ settings: { RATE_LIMIT_PER_MINUTE: '30' } });
    try {
      const { apiKey, api } = await limited.workspace();
      const client = new FetchClient(limited.url, apiKey);
      const { headers } = await client.post(Array.from({ length: 10 }, (_, id) => toolCall('list_fields', {}, id)));
      expect(headers.get('x-ratelimit-remaining')).to.equal('20');
      expect((await api.get('/v1/fields')).headers.get('x-ratelimit-remaining')).to.equal('19');
      const many = await client.post(Array.from({ length: 20 }, (_, id) => toolCall('list_fields', {}, id)));
      expect(many.status).to.equal(429);
      expect(many.body.code).to.equal('rate_limited');
      expect(Number(many.headers.get('retry-after'))).to.be.greaterThan(0);
    } finally {
      await limited.stop();
    }
  });

  it('does not mix up 60 concurrent calls of two workspaces with the same message id', async () => {
    const other = await seededWorkspace(service, 'Other');
    const sides = [seeded, other].map((side) => ({ side, client: new FetchClient(service.url, side.apiKey) }));
    const calls = Array.from({ length: 60 }, async (_, index) => {
      const { side, client } = sides[index % 2] as (typeof sides)[number];
      const same = 7;
      const [name, given] = index % 3 === 0 ? ['get_workspace', {}] : ['list_reps', { email: 'ben@acme.test' }];
      const requested = index % 5 === 0 ? { _meta: { progressToken: same } } : {};
      const { messages } = await client.post(message('tools/call', { name, arguments: given, ...requested }, same));
      const { structuredContent } = messages.at(-1).result;
      const got = name === 'get_workspace' ? structuredContent.workspaceId : structuredContent.reps[0].id;
      expect(got).to.equal(name === 'get_workspace' ? side.workspaceId : side.ben);
    });
    await Promise.all(calls);
  });

  it('does not mix up two workspaces on one connection', async () => {
    const other = await seededWorkspace(service, 'Neighbour');
    const socket = new HttpAgent({ keepAlive: true, maxSockets: 1 });
    const sides = [seeded, other];
    const requested = Array.from({ length: 40 }, async (_, index) => {
      const side = sides[index % 2] as (typeof sides)[number];
      const { body, port } = await send(toolCall('get_workspace'), { token: side.apiKey, socket });
      expect(JSON.parse(body).result.structuredContent.workspaceId).to.equal(side.workspaceId);
      return port;
    });
    expect(new Set(await Promise.all(requested)).size).to.equal(1);
    socket.destroy();
  });
});

async function statusAndCode(reply: Promise<Reply>): Promise<string> {
  const { status, body } = await reply;
  return `${status} ${body.code}`;
}
