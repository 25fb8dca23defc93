import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { FetchClient, message, seededWorkspace } from './mcp-fixture.js';

const version = '2026-07-28';
const envelope = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe('version 2026-07-28 of the protocol', () => {
  const service = Service.duringSuite();
  let seeded: Awaited<ReturnType<typeof seededWorkspace>>;

  before(async () => {
    seeded = await seededWorkspace(service);
  });

  const send = (method: string, params: object = {}, headers: Record<string, string> = {}) =>
    new FetchClient(service.url, seeded.apiKey).post(message(method, { ...params, _meta: envelope }), {
      'MCP-Protocol-Version': version,
      'Mcp-Method': method,
      ...headers,
    });

  it('needs no handshake: server/discover names the version and the capabilities', async () => {
    const { status, body } = await send('server/discover');
    expect(status).to.equal(200);
    expect(body.result.supportedVersions).to.include(version);
    expect(body.result.capabilities).to.include.keys(['tools', 'resources', 'prompts', 'completions']);
  });

  it('lists may be cached by one client for five minutes', async () => {
    const { body } = await send('tools/list');
    expect(body.result).to.include({ ttlMs: 300_000, cacheScope: 'private' });
  });

  it('a failed call is a result, an unknown tool or resource an error of the protocol', async () => {
    const failed = await send(
      'tools/call',
      { name: 'get_plan', arguments: { planId: 'x' } },
      { 'Mcp-Name': 'get_plan' },
    );
    expect(failed.body.result).to.deep.include({ isError: true });
    for (const [method, params, name] of [
      ['tools/call', { name: 'drop_tables', arguments: {} }, 'drop_tables'],
      ['tools/call', { name: 'list_plans', arguments: null }, 'list_plans'],
      ['resources/read', { uri: 'commission://nope' }, 'commission://nope'],
    ] as const) {
      const { body } = await send(method, params, { 'Mcp-Name': name });
      expect(body.error.code, name).to.equal(-32602);
    }
  });

  it('rejects a header that contradicts the message, and an unknown version', async () => {
    expect((await send('tools/list', {}, { 'Mcp-Method': 'tools/call' })).status).to.equal(400);
    const unknown = await send('tools/list', {}, { 'MCP-Protocol-Version': '2027-01-01' });
    expect(unknown.status).to.equal(400);
  });

  it('streams progress only to clients that accept a stream', async () => {
    const name = 'recalculate_commissions';
    const _meta = { ...envelope, progressToken: 7 };
    const call = (accept: string) =>
      new FetchClient(service.url, seeded.apiKey).post(message('tools/call', { name, arguments: {}, _meta }), {
        'MCP-Protocol-Version': version,
        'Mcp-Method': 'tools/call',
        'Mcp-Name': name,
        Accept: accept,
      });
    const { messages } = await call('application/json, text/event-stream');
    expect(messages[0]).to.deep.include({ method: 'notifications/progress' });
    expect(messages.at(-1).result.structuredContent).to.have.property('jobId');
    const { headers, messages: only } = await call('application/json');
    expect(headers.get('content-type')).to.include('application/json');
    expect(only).to.have.length(1);
  });
});
