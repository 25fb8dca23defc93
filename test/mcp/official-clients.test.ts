import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { sdkClient, seededWorkspace } from './mcp-fixture.js';

const latest = '2026-07-28';
const withHandshake = SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version < latest);

/** How the client 2.x finds the version, and the version that it must agree on with the service. */
const negotiations: readonly (readonly [name: string, options: ClientOptions, version: string])[] = [
  ['by default', {}, '2025-11-25'],
  ['in the mode auto', { versionNegotiation: { mode: 'auto' } }, latest],
  ['in the mode legacy', { versionNegotiation: { mode: 'legacy' } }, '2025-11-25'],
  [`pinned to ${latest}`, { versionNegotiation: { mode: { pin: latest } } }, latest],
  ...withHandshake.map((version): [string, ClientOptions, string] => [
    `with ${version} only`,
    { supportedProtocolVersions: [version] },
    version,
  ]),
];

describe('the official clients', () => {
  const service = Service.duringSuite();
  let seeded: Awaited<ReturnType<typeof seededWorkspace>>;

  before(async () => {
    seeded = await seededWorkspace(service);
  });

  it('know several versions with a handshake', () => {
    expect(withHandshake).to.include.members(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']);
  });

  for (const [name, options, version] of negotiations)
    it(`2.x uses tools, resources and prompts ${name}`, async () => {
      const client = new Client({ name: 'test', version: '1' }, options);
      const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/v1/mcp`), {
        requestInit: { headers: { Authorization: `Bearer ${seeded.apiKey}` } },
      });
      await client.connect(transport);
      expect(client.getNegotiatedProtocolVersion()).to.equal(version);
      await usesEverything(client);
    });

  it('1.x uses tools, resources and prompts', async () => {
    const { client } = await sdkClient(service.url, seeded.apiKey);
    await usesEverything(client as unknown as Client);
  });

  async function usesEverything(client: Client): Promise<void> {
    expect((await client.listTools()).tools).to.have.length.greaterThan(30);
    const { structuredContent } = await client.callTool({ name: 'get_workspace', arguments: {} });
    expect(structuredContent).to.include({ workspaceId: seeded.workspaceId });
    const { contents } = await client.readResource({ uri: 'commission://guide/concepts' });
    expect(contents).to.have.length(1);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).to.include('close_period');
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'explain_commission' },
      argument: { name: 'repId', value: 'be' },
    });
    expect(completion.values).not.to.deep.equal([]);
    await client.close();
  }
});
