import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Service } from '#test/support/service.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Json = any;

/** The interface of both clients, so that a test runs with either. */
export interface Agent {
  tools(): Promise<Json[]>;
  /** The whole result, also of an error. */
  call(name: string, given?: Json, onProgress?: (progress: Json) => void): Promise<Json>;
  close(): Promise<void>;
}

/** The structured content of a call that must succeed. */
export async function done(agent: Agent, name: string, given: Json = {}): Promise<Json> {
  const result = await agent.call(name, given);
  if (result.isError) throw new Error(`${name} was rejected: ${result.content[0].text}`);
  return result.structuredContent;
}

/** The error of a call that must fail. */
export async function rejected(agent: Agent, name: string, given: Json = {}): Promise<Json> {
  const result = await agent.call(name, given);
  if (!result.isError) throw new Error(`${name} was not rejected: ${result.content[0].text.slice(0, 300)}`);
  return result.structuredContent;
}

/** The SDK's own client, which validates every structured content against the tool's output schema. */
export async function sdkClient(url: string, token: string): Promise<{ client: Client; agent: Agent }> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/v1/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  // The SDK declares the transport without `| undefined`, which exact optional property types distinguish.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  const agent: Agent = {
    tools: async () => (await client.listTools()).tools,
    call: (name, given = {}, onProgress) =>
      client.callTool(
        { name, arguments: given },
        undefined,
        onProgress === undefined ? undefined : { onprogress: onProgress },
      ),
    close: () => client.close(),
  };
  return { client, agent };
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
  /** The messages of a stream, in their order. */
  readonly messages: Json[];
}

/** A message to the MCP endpoint. */
export const message = (method: string, params?: object, id = 1) => ({ jsonrpc: '2.0', id, method, params });
export const listTools = message('tools/list');
export const toolCall = (name: string, given: unknown = {}, id = 1) =>
  message('tools/call', { name, arguments: given }, id);

/** A minimal client: fetch, JSON-RPC and lines that begin with `data:`. */
export class FetchClient implements Agent {
  private lastId = 0;

  constructor(
    private readonly url: string,
    private readonly token: string | null,
  ) {}

  async tools(): Promise<Json[]> {
    return (await this.rpc('tools/list')).result.tools;
  }

  async call(name: string, given: Json = {}, onProgress?: (progress: Json) => void): Promise<Json> {
    const id = ++this.lastId;
    const meta = onProgress === undefined ? {} : { _meta: { progressToken: id } };
    const params = { name, arguments: given, ...meta };
    const { messages } = await this.post(message('tools/call', params, id));
    for (const message of messages.slice(0, -1)) onProgress?.(message.params);
    const answer = messages.at(-1);
    if (answer?.result === undefined) throw new Error(JSON.stringify(answer));
    return answer.result;
  }

  async rpc(method: string, params?: Json): Promise<Json> {
    const { messages } = await this.post(message(method, params, ++this.lastId));
    return messages.at(-1);
  }

  async post(body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const response = await fetch(`${this.url}/v1/mcp`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...(this.token === null ? {} : { Authorization: `Bearer ${this.token}` }),
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const data = isStream ? [...text.matchAll(/^data: (.+)$/gm)].map(([, line]) => line as string) : [text];
    const messages = data.filter((line) => line !== '').map((line) => JSON.parse(line));
    return { status: response.status, headers: response.headers, body: messages[0], messages };
  }

  async close(): Promise<void> {}
}

/** A workspace with two reps, Ben below Mia, and deals that Ben has won. */
export async function seededWorkspace(service: Service, name = 'Acme') {
  const { workspaceId, apiKey, api } = await service.workspace({ name });
  const [mia, ben, ada] = await api.saveReps(
    { email: 'mia@acme.test', name: 'Mia', role: 'manager' },
    { email: 'ben@acme.test', name: 'Ben', crmMemberId: 'ben', managerEmail: 'mia@acme.test' },
    { email: 'ada@acme.test', name: 'Ada', role: 'admin' },
  );
  const won = { stage: 'Won', ownerId: 'ben' };
  await api.expect(201, 'PUT', '/v1/deals/D-1', { ...won, name: 'Alder', amount: 90_000, closeDate: '2026-01-20' });
  await api.expect(201, 'PUT', '/v1/deals/D-2', { ...won, name: 'Birch', amount: 30_000, closeDate: '2026-02-10' });
  return { workspaceId, apiKey, api, mia, ben, ada };
}
