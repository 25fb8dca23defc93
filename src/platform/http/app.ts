import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import helmet from 'helmet';
import { anonymousCaller } from '../../kernel/caller.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { groupBy } from '../../kernel/group-by.js';
import { newId } from '../../kernel/ids.js';
import { toErrorResponse } from '../error-response.js';
import { type Log } from '../log.js';
import { metrics } from '../metrics.js';
import { type AnyOperation, acceptsIdempotencyKey, Download, type RawBody, Redirect } from '../operation.js';
import { type OperationDispatcher } from '../operation-dispatcher.js';
import { type Authenticate, type Bearer } from './authenticate.js';
import { fingerprintRequest, type IdempotencyStore, idempotencyKeyOf, type StoredResponse } from './idempotency.js';
import { guardJson } from './json-body.js';
import { type RateLimit } from './rate-limit.js';
import { jsonReader, mediaTypeOf, type ReadJson, unsupported } from './read-json.js';
import { type ResponseCache } from './response-cache.js';

export interface AppParts {
  readonly operations: readonly AnyOperation[];
  readonly dispatcher: OperationDispatcher;
  readonly authenticate: Authenticate;
  /** So many proxies before us are believed about the address of who asks. */
  readonly trustProxyHops?: number;
  readonly rateLimit?: RateLimit;
  readonly idempotentAnswers?: IdempotencyStore;
  readonly rememberedAnswers?: ResponseCache;
  readonly log: Log;
  /** Routes that are not operations: health, documents. */
  readonly extra?: readonly ((app: Express) => void)[];
}

const requestIdPattern = /^[A-Za-z0-9._-]{1,100}$/;

/** The HTTP face of the operations: it routes, authenticates, reads bodies, and gives every refusal the envelope. */
export function createApp(parts: AppParts): Express {
  const { operations, log, extra = [] } = parts;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', parts.trustProxyHops ?? 0);
  app.use(protect());
  app.use(nameRequest(log));
  const readJson = jsonReader(1024 * 1024);
  const served = operations.map((operation) => ({ ...operation, handle: serve(operation, parts, readJson) }));
  app.use(serveDirectly(served));
  for (const add of extra) add(app);
  for (const { method, path, handle } of served) app[method](path, handle);
  app.use(refuseMethod(operations));
  app.use(() => {
    throw new Failure('not_found', 'There is nothing at this address. GET /v1/openapi.json lists what there is.');
  });
  app.use(answerFailure(operations, log));
  return app;
}

/** What helmet puts on an answer is the same for every request, so it is asked for it once. */
function protect(): RequestHandler {
  const sample = new ServerResponse(new IncomingMessage(new Socket()));
  const protection = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  });
  protection(sample.req, sample, () => undefined);
  const headers = Object.entries(sample.getHeaders()) as [name: string, value: string][];
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}

/** Addresses without parameters are found at once: the router tries one route after the other. */
function serveDirectly(
  served: readonly { readonly method: string; readonly path: string; readonly handle: RequestHandler }[],
): RequestHandler {
  const plain = served.filter(({ path }) => !path.includes(':'));
  const byAddress = new Map(plain.map((one) => [`${one.method.toUpperCase()} ${one.path}`, one]));
  return (request, response, next) => {
    const found = byAddress.get(`${request.method} ${request.path}`);
    if (found === undefined) return next();
    request.route = { path: found.path };
    return found.handle(request, response, next);
  };
}

/** From a request to its answer; the order is that of trust: who asks, how often, whether they may, what they say. */
function serve(operation: AnyOperation, parts: AppParts, readJson: ReadJson): RequestHandler {
  const { dispatcher, authenticate, rateLimit, idempotentAnswers, rememberedAnswers } = parts;
  return async (request, response) => {
    const requestId = String(response.getHeader('X-Request-Id'));
    response.setHeader('Cache-Control', 'no-store');
    const address = request.ip ?? '';
    const isPublic = operation.access === 'public';
    const rests = operation.cacheScope !== undefined;
    const { caller, counted, revisions }: Bearer = isPublic
      ? { caller: anonymousCaller(requestId, address), counted: null, revisions: null }
      : await authenticate(request.headers.authorization, requestId, address, rests);
    response.locals['actor'] = caller.actor;
    await rateLimit?.admit(caller, response, counted);
    dispatcher.checkAccess(operation, caller);
    guardQuery(request);
    if (revisions !== null && rememberedAnswers !== undefined) {
      const input = dispatcher.parse(operation, { params: request.params, query: request.query, body: {} }, caller);
      const make = async () => (await dispatcher.execute(operation, input, caller)).body;
      const json = await rememberedAnswers.respond(operation, input, caller, revisions, make);
      response.type('application/json').send(json);
      return;
    }
    const body = await readBody(operation, request, response, readJson);
    const run = (read: unknown) =>
      dispatcher.run(operation, { params: request.params, query: request.query, body: read }, caller);
    const key = acceptsIdempotencyKey(operation) ? idempotencyKeyOf(request) : null;
    if (key !== null && idempotentAnswers !== undefined) {
      const { asked, body: toRead } = fingerprintRequest(key, operation, request, caller, body);
      sendKept(response, await idempotentAnswers.run(caller, asked, operation.secret === true, () => run(toRead)));
      return;
    }
    const { status, body: answer } = await run(body);
    if (answer instanceof Download) await sendFile(response, answer);
    else if (answer instanceof Redirect) response.redirect(status, answer.location);
    else response.status(status).json(answer);
  };
}

function sendKept(response: Response, { status, json, replayed }: StoredResponse): void {
  if (replayed) response.setHeader('Idempotent-Replay', 'true');
  response.status(status).type('application/json').send(json);
}

/** Gives the request its id, the caller's own when it is a sane token, and writes one log line at the end. */
function nameRequest(log: Log): RequestHandler {
  return (request, response, next) => {
    const given = request.headers['x-request-id'];
    const requestId = typeof given === 'string' && requestIdPattern.test(given) ? given : `req_${newId()}`;
    const startedAt = performance.now();
    response.setHeader('X-Request-Id', requestId);
    response.on('finish', () => {
      const route = (request.route as { path?: string } | undefined)?.path ?? null;
      const took = performance.now() - startedAt;
      const { method } = request;
      metrics.httpRequests.observe({ method, route: route ?? 'unknown', status: response.statusCode }, took / 1000);
      log.info(
        {
          requestId,
          method,
          route,
          status: response.statusCode,
          ms: Math.round(took),
          actor: response.locals['actor'],
        },
        'request',
      );
    });
    next();
  };
}

function guardQuery(request: Request): void {
  for (const [name, value] of Object.entries(request.query)) {
    if (Array.isArray(value)) throw invalid({ path: name, message: 'is given more than once' });
  }
  guardJson(request.query);
}

async function readBody(
  operation: AnyOperation,
  request: Request,
  response: Response,
  readJson: ReadJson,
): Promise<unknown> {
  if (operation.method === 'get') return {};
  if (operation.upload !== undefined) {
    const type = mediaTypeOf(request);
    if (!operation.upload.types.includes(type)) throw unsupported(operation.upload.types);
    return { contentType: type, stream: limited(request, operation.upload.limitBytes) };
  }
  if (operation.raw !== undefined) return readRaw(request, operation.raw.limitBytes);
  const body = await readJson(request, response);
  guardJson(body);
  return body;
}

/** By its events: webhooks are many and small, and a stream of our own would cost more than reading them. */
function readRaw(request: Request, limitBytes: number): Promise<RawBody> {
  refuseUpload(request, limitBytes);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limitBytes) reject(tooLarge(limitBytes));
      else chunks.push(chunk);
    });
    request.on('error', reject);
    request.on('end', () =>
      resolve({ bytes: Buffer.concat(chunks), url: request.originalUrl, header: (name) => request.header(name) }),
    );
  });
}

/**
 * Breaks a stream off that grows past its limit, whatever its length header said. Nothing is begun before somebody reads:
 * until then nobody would hear of a client that leaves, and an error that nobody hears ends the process.
 */
function limited(request: Request, limitBytes: number): Readable {
  refuseUpload(request, limitBytes);
  return Readable.from(chunksWithin(request, limitBytes), { objectMode: false });
}

async function* chunksWithin(request: Request, limitBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw tooLarge(limitBytes);
    yield chunk;
  }
}

/** Refuses what its headers already tell. */
function refuseUpload(request: Request, limitBytes: number): void {
  if (request.headers['content-encoding'] !== undefined)
    throw new Failure('unsupported_media_type', 'Send the body without Content-Encoding.');
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
}

/** Made when it is needed: an error costs as much as the rest of a small request. */
function tooLarge(limitBytes: number): Failure {
  const limit = limitBytes < mebibyte ? `${limitBytes / 1024} KiB` : `${limitBytes / mebibyte} MiB`;
  return new Failure('payload_too_large', `The body is larger than ${limit}.`);
}

const mebibyte = 1024 * 1024;

async function sendFile(response: Response, { contentType, filename, body, headers }: Download): Promise<void> {
  response.set({
    'Content-Type': contentType,
    'Content-Disposition': `attachment; filename="${filename}"; filename*=UTF-8''${filename}`,
    ...headers,
  });
  if (body instanceof Readable) await pipeline(body, response).catch(unlessTheClientLeft);
  else response.send(Buffer.from(body as string));
}

/** Many close the connection as soon as they have the length that was promised, a moment before our own end. */
function unlessTheClientLeft(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
}

/** A path that exists under other methods answers 405 with the list of them. */
function refuseMethod(operations: readonly AnyOperation[]): RequestHandler {
  const paths = [...groupBy(operations, (operation) => operation.path)].map(([path, all]) => ({
    pattern: new RegExp(`^${path.replace(/:[A-Za-z]+/g, '[^/]+').replace(/\./g, '\\.')}/?$`),
    methods: all.map((operation) => operation.method.toUpperCase()),
  }));
  return (request, response, next) => {
    const methods = paths.filter(({ pattern }) => pattern.test(request.path)).flatMap((path) => path.methods);
    if (methods.length === 0 || methods.includes(request.method)) return next();
    response.setHeader('Allow', [...new Set(methods)].join(', '));
    throw new Failure('method_not_allowed', `${request.method} is not possible here; ${methods.join(', ')} is.`);
  };
}

function answerFailure(operations: readonly AnyOperation[], log: Log): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const requestId = String(response.getHeader('X-Request-Id'));
    const path = (request.route as { path?: string } | undefined)?.path;
    const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase();
    const operation = operations.find((one) => one.path === path && one.method === method);
    const told = toErrorResponse(error, operation, requestId, log);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (told.statusCode === 401 && !response.hasHeader('WWW-Authenticate'))
      response.setHeader('WWW-Authenticate', 'Bearer');
    if (told.statusCode === 429 && told.details?.['retryAfter'] !== undefined)
      response.setHeader('Retry-After', String(told.details['retryAfter']));
    if (told.statusCode === 503) response.setHeader('Retry-After', '2');
    response.status(told.statusCode).json(told);
    // What is left of an upload would otherwise be read as the next request.
    if (!request.readableEnded) request.resume();
  };
}
