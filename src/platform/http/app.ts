import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import helmet from 'helmet';
import { anonymousCaller, type Caller } from '../../kernel/caller.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { groupBy } from '../../kernel/group-by.js';
import { newId } from '../../kernel/ids.js';
import { type ErrorBody, toErrorResponse, withDocs } from '../error-response.js';
import { type AddressLimit } from '../limits/address-limit.js';
import { type Log } from '../log.js';
import { jsonChunks } from '../long-response.js';
import { metrics } from '../metrics.js';
import { maxKeysOf } from '../operations/max-keys.js';
import {
  type AnyOperation,
  Download,
  isPublic,
  type RawBody,
  Redirect,
  type StreamedBody,
  type UploadTerms,
} from '../operations/operation.js';
import { type OperationDispatcher, type OperationResult } from '../operations/operation-dispatcher.js';
import { acceptsIdempotencyKey, assertNoChangeByAgent } from '../operations/operation-scope.js';
import { type Authenticate, type Bearer } from './authenticate.js';
import { type BrowserSessions } from './browser-sessions.js';
import { fingerprintRequest, type IdempotencyStore, readIdempotencyKey, type StoredResponse } from './idempotency.js';
import { guardJson, parseText } from './json-body.js';
import { type BodyTurn, LargeBodies, noTurn } from './large-bodies.js';
import { failedSignInPage, sendPage } from './page.js';
import { type RateLimit } from './rate-limit.js';
import { jsonTextReader, type ReadText, readMediaType, unsupported } from './read-json.js';
import { runForRequest } from './request-context.js';
import { type ResponseCache } from './response-cache.js';
import { ResponseWriter } from './response-writer.js';

interface AppParts {
  readonly operations: readonly AnyOperation[];
  readonly dispatcher: OperationDispatcher;
  readonly authenticate: Authenticate;
  /** Accepts the session cookie in place of the header Authorization. */
  readonly browser?: BrowserSessions;
  /** Number of trusted proxies: so many X-Forwarded-For entries are used for the client's address. */
  readonly trustProxyHops?: number;
  readonly rateLimit?: RateLimit;
  /** How long a client may take to receive 64 KiB of a response. Default: 20 s. */
  readonly slowClientMs?: number;
  /** Limits requests without a token that have a body. */
  readonly addressLimit?: AddressLimit;
  readonly largeBodies?: LargeBodies;
  readonly idempotency?: IdempotencyStore;
  readonly responseCache?: ResponseCache;
  readonly log: Log;
  /** It precedes the addresses of the documentation in errors. */
  readonly publicUrl?: string | undefined;
  /** Routes that are not operations: health, documents. */
  readonly extra?: readonly ((app: Express) => void)[];
}

/** Applies after decompression too, because anyone can send such a body. */
const maxAnonymousBytes = 8 * 1024;

const requestIdPattern = /^[A-Za-z0-9._-]{1,100}$/;

/** Serves the operations over HTTP: routes, authenticates, reads bodies, and sends every error as an error body. */
export function createApp(parts: AppParts): Express {
  const { operations, log, extra = [] } = parts;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', parts.trustProxyHops ?? 0);
  app.use(protect());
  const handleError = sendError(parts);
  app.use(assignRequestId(log, handleError));
  const readAnonymous = jsonTextReader(maxAnonymousBytes);
  const readAuthenticated = jsonTextReader(1024 * 1024);
  const { largeBodies = new LargeBodies() } = parts;
  const served = operations.map((operation) => {
    const readText = isPublic(operation) ? readAnonymous : readAuthenticated;
    return { ...operation, handle: serve(operation, parts, new BodyReader(operation, readText, largeBodies)) };
  });
  app.use(serveDirectly(served));
  for (const add of extra) add(app);
  for (const { method, path, handle } of served) app[method](path, handle);
  app.use(admitUnrouted(parts));
  app.use(rejectMethod(operations));
  app.use(() => {
    throw new Failure('not_found', 'No route has this path. GET /v1/openapi.json lists the routes.');
  });
  app.use(handleError);
  return app;
}

/** Helmet sets the same headers on every response, so they are computed once. */
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

/** Paths without parameters are looked up in a map; the router would try one route after the other. */
function serveDirectly(
  served: readonly { readonly method: string; readonly path: string; readonly handle: RequestHandler }[],
): RequestHandler {
  const plain = served.filter(({ path }) => !path.includes(':'));
  const byRoute = new Map(plain.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route]));
  return (request, response, next) => {
    const found = byRoute.get(`${request.method} ${request.path}`);
    if (found === undefined) return next();
    request.route = { path: found.path };
    return found.handle(request, response, next);
  };
}

/** Handles a request. The order is authentication, rate limit, access, input. */
function serve(operation: AnyOperation, parts: AppParts, bodies: BodyReader): RequestHandler {
  const { dispatcher, rateLimit, idempotency, responseCache } = parts;
  const writer = new ResponseWriter(parts.slowClientMs ?? 20_000);
  return async (request, response) => {
    response.setHeader('Cache-Control', 'no-store');
    const { caller, counted, cacheVersions }: Bearer = isPublic(operation)
      ? { caller: publicCaller(operation, parts, request, response), counted: null, cacheVersions: null }
      : await identify(parts, operation, request, response);
    response.locals['actor'] = caller.actor;
    await rateLimit?.admit(caller, response, counted);
    await dispatcher.admit(operation, caller);
    await dispatcher.recordingRejections(operation, caller, async () => assertNoChangeByAgent(caller, operation));
    guardQuery(request);
    if (cacheVersions !== null && responseCache !== undefined) {
      const { status, json } = await dispatcher.recordingRejections(operation, caller, async () => {
        const input = dispatcher.parse(operation, { params: request.params, query: request.query, body: {} }, caller);
        const make = () => dispatcher.execute(operation, input, caller);
        return responseCache.respond(operation, input, caller, cacheVersions, make);
      });
      await writer.json(response.status(status), json);
      return;
    }
    const left = leaving(response);
    await bodies.read(request, response, caller, async (body, turn) => {
      const run = (read: unknown, as: Caller) =>
        dispatcher.run(
          operation,
          { params: request.params, query: request.query, body: read },
          { ...as, left },
          turn.spendLast,
        );
      const key = acceptsIdempotencyKey(operation) ? readIdempotencyKey(request) : null;
      if (key !== null && idempotency !== undefined) {
        const { fingerprinted, body: toRead } = turn.spend(() =>
          fingerprintRequest(key, operation, request, caller, body),
        );
        const stored = await idempotency.run(caller, fingerprinted, operation.secret === true, (as) => run(toRead, as));
        turn.end();
        return sendStored(response, writer, stored);
      }
      const result = await run(body, caller);
      if (isBrowserSignIn(operation, request)) startSession(parts.browser, response, result);
      else await send(addSession(parts.browser, operation, response, result), writer, result);
    });
  };
}

/** Aborted when the connection ends before the response. */
function leaving(response: Response): AbortSignal {
  const left = new AbortController();
  response.once('close', () => response.writableFinished || left.abort());
  return left.signal;
}

/** What handles a request whose body was read. It ends the turn when the body is checked. */
type HandleBody = (body: unknown, turn: BodyTurn) => Promise<void>;

/** Reads the bodies of an operation: as parsed JSON, as a stream or as bytes. */
class BodyReader {
  constructor(
    private readonly operation: AnyOperation,
    private readonly readText: ReadText,
    private readonly largeBodies: LargeBodies,
  ) {}

  async read(request: Request, response: Response, { workspaceId }: Caller, handle: HandleBody): Promise<void> {
    const { upload, raw, method } = this.operation;
    if (upload !== undefined) return handle(toUpload(request, upload), noTurn);
    if (raw !== undefined) return handle(await readRaw(request, raw.limitBytes), noTurn);
    const text = method === 'get' ? undefined : await this.readText(request, response);
    if (text === undefined) return handle(method === 'get' ? {} : undefined, noTurn);
    const turn = await this.largeBodies.turn(workspaceId, text.length);
    try {
      const body = turn.spend(() => {
        const parsed = text === '' ? {} : parseText(text);
        guardJson(parsed, maxKeysOf(this.operation));
        return parsed;
      });
      await handle(body, turn);
    } finally {
      turn.end();
    }
  }
}

function publicCaller(
  { body, browserSignIn }: AnyOperation,
  { browser, addressLimit }: AppParts,
  request: Request,
  response: Response,
): Caller {
  const address = request.ip ?? '';
  if (body !== undefined) addressLimit?.admit(address);
  const caller = anonymousCaller(String(response.getHeader('X-Request-Id')), address);
  if (browserSignIn === undefined || browserSignIn === 'code' || browser === undefined) return caller;
  const browserKey = browserSignIn === 'begin' ? browser.beginSignIn(response) : browser.endSignIn(request, response);
  return browserKey === null ? caller : { ...caller, browserKey };
}

/** Whether a browser returns from a sign-in at another site. It gets a cookie; other clients get the token. */
function isBrowserSignIn(operation: AnyOperation, request: Request): boolean {
  return operation.browserSignIn === 'end' && isNavigation(operation, request);
}

/** Whether a person sees the response in a browser. */
function isNavigation({ browserSignIn }: AnyOperation, request: Request): boolean {
  return browserSignIn !== undefined && request.accepts(['json', 'html']) === 'html';
}

function startSession(browser: BrowserSessions | undefined, response: Response, { body }: OperationResult): void {
  const { sessionToken, expiresAt } = body as { sessionToken: string; expiresAt: string };
  browser?.start(response, sessionToken, new Date(expiresAt));
  response.redirect(303, `${browser?.basePath ?? ''}/`);
}

/** Adds the cookie of the session to the response of a sign-in that a page of this service has requested. */
function addSession(
  browser: BrowserSessions | undefined,
  { browserSignIn }: AnyOperation,
  response: Response,
  { body }: OperationResult,
): Response {
  if (browserSignIn !== 'code' || browser?.isScriptOfOwnPage(response.req) !== true) return response;
  const { sessionToken, expiresAt } = body as { sessionToken: string; expiresAt: string };
  browser.start(response, sessionToken, new Date(expiresAt));
  return response;
}

/** The caller by the header Authorization, otherwise by the session cookie, which is deleted if the session has ended. */
async function identify(
  { authenticate, browser }: AppParts,
  { cacheScope, startsWork }: Pick<AnyOperation, 'cacheScope' | 'startsWork'>,
  request: Request,
  response: Response,
): Promise<Bearer> {
  const { authorization } = request.headers;
  const requestId = String(response.getHeader('X-Request-Id'));
  const ofCookie = authorization === undefined ? browser?.readAuthorization(request) : undefined;
  if (ofCookie !== undefined && startsWork === true) browser?.assertNotOfOtherSite(request);
  try {
    return await authenticate(authorization ?? ofCookie, requestId, request.ip ?? '', cacheScope !== undefined);
  } catch (error) {
    if (ofCookie !== undefined && error instanceof Failure && error.code === 'unauthorized') browser?.end(response);
    throw error;
  }
}

async function send(response: Response, writer: ResponseWriter, { status, body }: OperationResult): Promise<void> {
  if (body instanceof Download) await sendFile(response, writer, body);
  else if (body instanceof Redirect) response.redirect(status, body.location);
  else if (body === undefined) response.status(status).json(body);
  else await writer.json(response.status(status), await jsonChunks(body));
}

async function sendStored(
  response: Response,
  writer: ResponseWriter,
  { status, json, replayed }: StoredResponse,
): Promise<void> {
  if (replayed) response.setHeader('Idempotent-Replay', 'true');
  await writer.json(response.status(status), json);
}

/**
 * Sets the request id, from the caller's X-Request-Id if it is valid, and logs one line when the response is sent. What
 * follows runs in the context of the request.
 */
function assignRequestId(log: Log, handleError: ErrorRequestHandler): RequestHandler {
  return (request, response, next) => {
    const sentId = request.headers['x-request-id'];
    const requestId = typeof sentId === 'string' && requestIdPattern.test(sentId) ? sentId : `req_${newId()}`;
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
    const fail = (error: unknown) => {
      if (!response.headersSent) handleError(error, request, response, next);
    };
    runForRequest({ requestId, fail }, next);
  };
}

function guardQuery(request: Request): void {
  assertDecodable(request.url);
  for (const [name, value] of Object.entries(request.query)) {
    if (Array.isArray(value)) throw invalid({ path: name, message: 'is given more than once' });
  }
  guardJson(request.query);
}

/** Express would replace bytes that are not UTF-8 by U+FFFD, and different values would become equal. */
function assertDecodable(url: string): void {
  try {
    decodeURIComponent(url.replace(/%(?![\da-f]{2})/gi, '%25'));
  } catch {
    throw invalid({ path: '', message: 'the query is not valid UTF-8' });
  }
}

function toUpload(request: Request, { types, limitBytes }: UploadTerms): StreamedBody {
  const contentType = readMediaType(request);
  if (!types.includes(contentType)) throw unsupported(types);
  return { contentType, stream: limited(request, limitBytes) };
}

/**
 * Reads the body by its events: webhooks are frequent and small, and a stream of our own costs more than reading
 * them.
 */
function readRaw(request: Request, limitBytes: number): Promise<RawBody> {
  assertNotEncoded(request);
  assertLength(request, limitBytes);
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
 * Fails the stream when it exceeds the limit, whatever its Content-Length is. Reading begins only with the consumer:
 * an error without a listener, such as that of a client that disconnects, would end the process.
 */
function limited(request: Request, limitBytes: number): Readable {
  if (!isGzip(request)) assertNotEncoded(request);
  assertLength(request, limitBytes);
  return Readable.from(chunksWithin(request, limitBytes), { objectMode: false });
}

const isGzip = ({ headers }: Request) => headers['content-encoding'] === 'gzip';

/** The limit applies after decompression, so that a small body cannot become a large one. */
async function* chunksWithin(request: Request, limitBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of isGzip(request) ? decompressed(request) : (request as AsyncIterable<Buffer>)) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw tooLarge(limitBytes);
    yield chunk;
  }
}

async function* decompressed(request: Request): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  const fail = () => gunzip.destroy(new Error('the client has left'));
  request.on('error', fail).on('close', () => request.readableEnded || fail());
  try {
    for await (const chunk of request.pipe(gunzip)) yield chunk as Buffer;
  } catch (error) {
    if (!/^Z_/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
    throw invalid({ path: '', message: 'the body is not gzip, as Content-Encoding says' });
  }
}

/** Signatures are of the bytes as they are sent. */
function assertNotEncoded(request: Request): void {
  if (request.headers['content-encoding'] !== undefined)
    throw new Failure('unsupported_media_type', 'Send the body without Content-Encoding; files may be gzip.');
}

function assertLength(request: Request, limitBytes: number): void {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
}

/** A function, since creating an error costs as much as the rest of a small request. */
function tooLarge(limitBytes: number): Failure {
  const limit = limitBytes < mebibyte ? `${limitBytes / 1024} KiB` : `${limitBytes / mebibyte} MiB`;
  return new Failure('payload_too_large', `The body is larger than ${limit}.`);
}

const mebibyte = 1024 * 1024;

async function sendFile(
  response: Response,
  writer: ResponseWriter,
  { contentType, filename, body, headers }: Download,
): Promise<void> {
  response.set({
    'Content-Type': contentType,
    'Content-Disposition': `attachment; filename="${filename}"; filename*=UTF-8''${filename}`,
    ...headers,
  });
  if (body instanceof Readable) await writer.stream(response, body);
  else response.send(Buffer.from(body as string));
}

/** Counts a request without a route if it has a valid token, like every other. It needs none for its response. */
function admitUnrouted(parts: AppParts): RequestHandler {
  return async (request, response, next) => {
    try {
      const { caller, counted } = await identify(parts, {}, request, response);
      response.locals['actor'] = caller.actor;
      await parts.rateLimit?.admit(caller, response, counted);
    } catch (error) {
      if (!(error instanceof Failure && error.code === 'unauthorized')) throw error;
    }
    next();
  };
}

/** Responds with 405 and the allowed methods for a path that exists with other methods. */
function rejectMethod(operations: readonly AnyOperation[]): RequestHandler {
  const paths = [...groupBy(operations, (operation) => operation.path)].map(([path, all]) => ({
    pattern: new RegExp(`^${path.replace(/:[A-Za-z]+/g, '[^/]+').replace(/\./g, '\\.')}/?$`),
    methods: all.map((operation) => operation.method.toUpperCase()),
  }));
  return (request, response, next) => {
    const methods = paths.filter(({ pattern }) => pattern.test(request.path)).flatMap((path) => path.methods);
    if (methods.length === 0 || methods.includes(request.method)) return next();
    response.setHeader('Allow', [...new Set(methods)].join(', '));
    throw new Failure(
      'method_not_allowed',
      `This path does not support ${request.method}, only ${methods.join(', ')}.`,
    );
  };
}

function sendError({ operations, browser, log, publicUrl }: AppParts): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const requestId = String(response.getHeader('X-Request-Id'));
    const path = (request.route as { path?: string } | undefined)?.path;
    const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase();
    const operation = operations.find((candidate) => candidate.path === path && candidate.method === method);
    const body = toErrorResponse(error, operation, requestId, log);
    if (response.headersSent) {
      if (!response.writableEnded) response.destroy();
      return;
    }
    setErrorHeaders(response, body);
    const { basePath = '' } = browser ?? {};
    if (operation !== undefined && isNavigation(operation, request))
      sendPage(response, basePath, failedSignInPage(basePath, body.statusCode, body.message));
    else response.status(body.statusCode).json(withDocs(body, publicUrl));
    // Discards the rest of an upload, which would otherwise be read as the next request.
    if (!request.readableEnded) request.resume();
  };
}

function setErrorHeaders(response: Response, { statusCode, details }: ErrorBody): void {
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'no-store');
  if (statusCode === 401 && !response.hasHeader('WWW-Authenticate')) response.setHeader('WWW-Authenticate', 'Bearer');
  if (statusCode === 429 && details?.['retryAfter'] !== undefined)
    response.setHeader('Retry-After', String(details['retryAfter']));
  if (statusCode === 503) response.setHeader('Retry-After', '2');
}
