import { type IncomingMessage, type ServerResponse } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { type AgentSession } from './agent-session.js';
import { noForms, protocolMethods, readProgressToken, respondToMethod } from './protocol-methods.js';
import { serverIdentity } from './server-identity.js';

/**
 * Answers with the SDK of the versions up to 2025-11-25. Every request has its own server and transport: a shared one
 * sends one client the responses of another (GHSA-345p-7cg4-v4c7).
 */
export async function respondWithSdk(
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
  session: AgentSession,
  acceptsStream: boolean,
): Promise<void> {
  const server = serverFor(session, await session.instructionsFor(body));
  // Only a stream can carry progress notifications; every other response is one JSON document, which is cheaper for
  // both sides.
  const transport = new StreamableHTTPServerTransport({
    enableJsonResponse: !(acceptsStream && requestsProgress(body)),
  });
  response.on('close', () => void server.close());
  // The SDK declares the transport's handlers without `| undefined`, which `exactOptionalPropertyTypes` rejects.
  await server.connect(transport as Parameters<Server['connect']>[0]);
  await transport.handleRequest(request, response, body);
}

function requestsProgress(body: unknown): boolean {
  return [body].flat().some((message) => readProgressToken(message) !== undefined);
}

function serverFor(session: AgentSession, instructions: string): Server {
  const server = new Server(serverIdentity, {
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    instructions,
    jsonSchemaValidator: noForms,
  });
  for (const method of protocolMethods) {
    const schema = z.object({ method: z.literal(method.name), params: z.unknown().optional() });
    server.setRequestHandler(schema, ({ params }, { signal, sendNotification: notify }) =>
      respondToMethod(method, session, params, { signal, notify }),
    );
  }
  return server;
}
