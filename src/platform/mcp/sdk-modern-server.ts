import { type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type AgentSession } from './agent-session.js';
import { noForms, protocolMethods, respondToMethod } from './protocol-methods.js';
import { serverIdentity } from './server-identity.js';

/** Lists depend on the code and the caller's rights only. */
const hint = { ttlMs: 5 * 60_000, cacheScope: 'private' } as const;
const cacheHints = {
  'tools/list': hint,
  'prompts/list': hint,
  'resources/list': hint,
  'resources/templates/list': hint,
  'server/discover': hint,
};

/** Answers with the SDK of the version 2026-07-28, whose requests need no handshake. */
export async function respondWithModernSdk(
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
  session: AgentSession,
  acceptsStream: boolean,
): Promise<void> {
  const abort = new AbortController();
  response.on('close', () => abort.abort());
  const instructions = await session.instructionsFor(body);
  const handler = createMcpHandler(() => serverFor(session, instructions, acceptsStream), { legacy: 'reject' });
  const sdkResponse = await handler.fetch(webRequest(request, abort.signal), { parsedBody: body });
  response.statusCode = sdkResponse.status;
  for (const [name, value] of sdkResponse.headers) response.setHeader(name, value);
  if (sdkResponse.body === null) response.end();
  // A client that disconnects ends the response; its request has been aborted already.
  else await pipeline(Readable.fromWeb(sdkResponse.body as never), response).catch(() => undefined);
}

const omittedHeaders: ReadonlySet<string> = new Set(['connection', 'content-length', 'host', 'transfer-encoding']);

/** Omits the body, which has been read, and accepts both media types: the session decides whether it streams. */
function webRequest({ headers }: IncomingMessage, signal: AbortSignal): Request {
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (typeof value === 'string' && !omittedHeaders.has(name)) sent.set(name, value);
  sent.set('accept', 'application/json, text/event-stream');
  return new Request('http://localhost/v1/mcp', { method: 'POST', headers: sent, signal });
}

function serverFor(session: AgentSession, instructions: string, acceptsStream: boolean): Server {
  const server = new Server(serverIdentity, {
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    instructions,
    jsonSchemaValidator: noForms,
    cacheHints,
  });
  // The response becomes a stream with the first notification of progress.
  for (const method of protocolMethods)
    server.setRequestHandler(method.name, { params: anyParams }, (params, { mcpReq: { signal, notify } }) =>
      respondToMethod(method, session, params, { signal, notify: acceptsStream ? notify : null }),
    );
  return server;
}

const anyParams = z.looseObject({});
