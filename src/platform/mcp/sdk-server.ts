import { type IncomingMessage, type ServerResponse } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { serviceVersion } from '../version.js';
import { type AgentSession, type OpenCall } from './agent-session.js';
import { ProtocolRefusal, rpcCodes } from './protocol-refusal.js';

/**
 * The only file that knows the SDK. A new server and a new transport for every request: one that is shared gives one
 * client the answers of another (GHSA-345p-7cg4-v4c7).
 */
export async function answerWithSdk(
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
  session: AgentSession,
): Promise<void> {
  const server = serverFor(session);
  // Only a stream can carry progress; everything else is one JSON answer, which is cheaper for both sides.
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: !wantsProgress(body) });
  response.on('close', () => void server.close());
  // The SDK declares the transport's handlers without `| undefined`, which exact optional types tell apart.
  await server.connect(transport as Parameters<Server['connect']>[0]);
  await transport.handleRequest(request, response, body);
}

function wantsProgress(body: unknown): boolean {
  return [body].flat().some((message) => progressTokenOf(message) !== undefined);
}

const withToken = z.object({
  params: z.object({ _meta: z.object({ progressToken: z.union([z.string(), z.number()]) }) }),
});

function progressTokenOf(message: unknown): string | number | undefined {
  return withToken.safeParse(message).data?.params._meta.progressToken;
}

const callParams = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() });
const resourceParams = z.object({ uri: z.string() });
const promptParams = z.object({ name: z.string(), arguments: z.record(z.string(), z.string()).optional() });
const completeParams = z.object({ argument: z.object({ name: z.string(), value: z.string() }) });
const noParams = z.unknown().optional();

function serverFor(session: AgentSession): Server {
  const server = new Server(
    { name: 'commissions', title: 'Commission service', version: serviceVersion },
    { capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} }, instructions: session.instructions },
  );
  const on = answering(server, session);
  on('tools/list', noParams, () => ({ tools: session.tools() }));
  on('tools/call', callParams, ({ name, arguments: given = {} }, open) => session.callTool(name, given, open));
  on('resources/list', noParams, () => ({ resources: session.documents() }));
  on('resources/templates/list', noParams, () => ({ resourceTemplates: session.resourceTemplates() }));
  on('resources/read', resourceParams, async ({ uri }) => ({ contents: [await session.readResource(uri)] }));
  on('prompts/list', noParams, () => ({ prompts: session.prompts() }));
  on('prompts/get', promptParams, ({ name, arguments: given = {} }) => {
    const { description, text } = session.prompt(name, given);
    return { description, messages: [{ role: 'user', content: { type: 'text', text } }] };
  });
  on('completion/complete', completeParams, async ({ argument }) => {
    const { values, total } = await session.complete(argument.name, argument.value);
    return { completion: { values, total, hasMore: total > values.length } };
  });
  return server;
}

type On = <Params>(
  method: string,
  params: z.ZodType<Params>,
  answer: (params: Params, open: OpenCall) => object | Promise<object>,
) => void;

/** What is thrown would reach the client word by word, so nothing leaves here but what may be told. */
function answering(server: Server, session: AgentSession): On {
  return (method, schema, answer) => {
    const request = z.object({ method: z.literal(method), params: z.unknown().optional() });
    server.setRequestHandler(request, async ({ params }, { signal, sendNotification }) => {
      const token = progressTokenOf({ params });
      const progress = (done: number, total: number) =>
        sendNotification({
          method: 'notifications/progress',
          params: { progressToken: token as string | number, progress: done, total },
        });
      try {
        return { ...(await answer(read(schema, params), { signal, ...(token === undefined ? {} : { progress }) })) };
      } catch (error) {
        throw session.protocolRefusal(error);
      }
    });
  };
}

function read<Params>(schema: z.ZodType<Params>, params: unknown): Params {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ProtocolRefusal(rpcCodes.invalidParams, `params.${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}
