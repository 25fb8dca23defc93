import { type IncomingMessage, type ServerResponse } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { serviceVersion } from '../version.js';
import { type AgentSession, type OpenCall } from './agent-session.js';
import { ProtocolError, rpcCodes } from './protocol-error.js';

/**
 * The only file that imports the SDK. Every request has its own server and transport: a shared one sends one client
 * the responses of another (GHSA-345p-7cg4-v4c7).
 */
export async function answerWithSdk(
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
  session: AgentSession,
): Promise<void> {
  const server = serverFor(session);
  // Only a stream can carry progress notifications; every other response is one JSON document, which is cheaper for
  // both sides.
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: !requestsProgress(body) });
  response.on('close', () => void server.close());
  // The SDK declares the transport's handlers without `| undefined`, which `exactOptionalPropertyTypes` rejects.
  await server.connect(transport as Parameters<Server['connect']>[0]);
  await transport.handleRequest(request, response, body);
}

function requestsProgress(body: unknown): boolean {
  return [body].flat().some((message) => progressTokenOf(message) !== undefined);
}

const withToken = z.object({
  params: z.object({ _meta: z.object({ progressToken: z.union([z.string(), z.number()]) }) }),
});

function progressTokenOf(message: unknown): string | number | undefined {
  return withToken.safeParse(message).data?.params._meta.progressToken;
}

interface Method<Params> {
  readonly request: z.ZodObject<{ method: z.ZodLiteral<string>; params: z.ZodOptional<z.ZodUnknown> }>;
  readonly params: z.ZodType<Params>;
}

/** Parameters are parsed here and not by the SDK's schemas, whose errors have none of the codes that clients expect. */
function method<Params>(name: string, params: z.ZodType<Params>): Method<Params> {
  return { request: z.object({ method: z.literal(name), params: z.unknown().optional() }), params };
}

const texts = z.record(z.string(), z.string());
const methods = {
  listTools: method('tools/list', z.unknown()),
  callTool: method(
    'tools/call',
    z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() }),
  ),
  listResources: method('resources/list', z.unknown()),
  listTemplates: method('resources/templates/list', z.unknown()),
  readResource: method('resources/read', z.object({ uri: z.string() })),
  listPrompts: method('prompts/list', z.unknown()),
  getPrompt: method('prompts/get', z.object({ name: z.string(), arguments: texts.optional() })),
  complete: method('completion/complete', z.object({ argument: z.object({ name: z.string(), value: z.string() }) })),
};

const identity = { name: 'commissions', title: 'Commission service', version: serviceVersion };

/** The service sends no forms. The SDK would create a validator for them with every request, in 4 ms. */
const noForms = {
  getValidator: () => {
    throw new Error('forms are not supported');
  },
};

function serverFor(session: AgentSession): Server {
  const server = new Server(identity, {
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    instructions: session.instructions,
    jsonSchemaValidator: noForms,
  });
  const on = registrar(server, session);
  on(methods.listTools, () => ({ tools: session.tools() }));
  on(methods.callTool, ({ name, arguments: given = {} }, open) => session.callTool(name, given, open));
  on(methods.listResources, () => ({ resources: session.documents() }));
  on(methods.listTemplates, () => ({ resourceTemplates: session.resourceTemplates() }));
  on(methods.readResource, async ({ uri }) => ({ contents: [await session.readResource(uri)] }));
  on(methods.listPrompts, () => ({ prompts: session.prompts() }));
  on(methods.getPrompt, ({ name, arguments: given = {} }) => {
    const { description, text } = session.prompt(name, given);
    return { description, messages: [{ role: 'user', content: { type: 'text', text } }] };
  });
  on(methods.complete, async ({ argument }) => {
    const { values, total } = await session.complete(argument.name, argument.value);
    return { completion: { values, total, hasMore: total > values.length } };
  });
  return server;
}

type On = <Params>(
  method: Method<Params>,
  answer: (params: Params, open: OpenCall) => object | Promise<object>,
) => void;

/**
 * The SDK sends the message of every thrown error to the client, so each error is converted to one without
 * internals.
 */
function registrar(server: Server, session: AgentSession): On {
  return (method, answer) => {
    server.setRequestHandler(method.request, async ({ params }, { signal, sendNotification }) => {
      const token = progressTokenOf({ params });
      const progress = (done: number, total: number) =>
        sendNotification({
          method: 'notifications/progress',
          params: { progressToken: token as string | number, progress: done, total },
        });
      try {
        const open = { signal, ...(token === undefined ? {} : { progress }) };
        return { ...(await answer(read(method.params, params), open)) };
      } catch (error) {
        throw session.toProtocolError(error);
      }
    });
  };
}

function read<Params>(schema: z.ZodType<Params>, params: unknown): Params {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ProtocolError(rpcCodes.invalidParams, `params.${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}
