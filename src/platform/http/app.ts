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
import { anonymousCaller, type Caller } from '../../kernel/caller.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { groupBy } from '../../kernel/group-by.js';
import { newId } from '../../kernel/ids.js';
import { isBadValue, isUnavailable } from '../database/database-errors.js';
import { type Doorway } from '../doorway.js';
import { type Log } from '../log.js';
import { type AnyOperation, commonFailures, Download, keepsAnswers, Redirect } from '../operation.js';
import { ask, type Given, type IdempotentAnswers, idempotencyKeyOf } from './idempotency.js';
import { guardJson } from './json-body.js';
import { type RateLimit } from './rate-limit.js';

export interface AppParts {
  readonly operations: readonly AnyOperation[];
  readonly doorway: Doorway;
  readonly authenticate: (authorization: string | undefined, requestId: string, address: string) => Promise<Caller>;
  /** So many proxies before us are believed about the address of who asks. */
  readonly trustProxyHops?: number;
  readonly rateLimit?: RateLimit;
  readonly idempotentAnswers?: IdempotentAnswers;
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
  app.use(
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    }),
  );
  app.use(nameRequest(log));
  for (const add of extra) add(app);
  const readJson = express.json({ limit: '1mb', strict: false, type: 'application/json' });
  for (const operation of operations) app[operation.method](operation.path, serve(operation, parts, readJson));
  app.use(refuseMethod(operations));
  app.use(() => {
    throw new Failure('not_found', 'There is nothing at this address. GET /v1/openapi.json lists what there is.');
  });
  app.use(tellFailure(operations, log));
  return app;
}

/** From a request to its answer; the order is that of trust: who asks, how often, whether they may, what they say. */
function serve(operation: AnyOperation, parts: AppParts, readJson: RequestHandler): RequestHandler {
  const { doorway, authenticate, rateLimit, idempotentAnswers } = parts;
  return async (request, response) => {
    const requestId = String(response.getHeader('X-Request-Id'));
    response.setHeader('Cache-Control', 'no-store');
    const address = request.ip ?? '';
    const isPublic = operation.access === 'public';
    const caller = isPublic
      ? anonymousCaller(requestId, address)
      : await authenticate(request.headers.authorization, requestId, address);
    response.locals['actor'] = caller.actor;
    await rateLimit?.admit(caller, response);
    doorway.admit(operation, caller);
    guardQuery(request);
    const body = await readBody(operation, request, response, readJson);
    const run = (read: unknown) =>
      doorway.run(operation, { params: request.params, query: request.query, body: read }, caller);
    const key = keepsAnswers(operation) ? idempotencyKeyOf(request) : null;
    if (key !== null && idempotentAnswers !== undefined) {
      const { asked, body: toRead } = ask(key, request, caller, body);
      sendKept(response, await idempotentAnswers.answer(caller, asked, operation.secret === true, () => run(toRead)));
      return;
    }
    const { status, answer } = await run(body);
    if (answer instanceof Download) await sendFile(response, answer);
    else if (answer instanceof Redirect) response.redirect(status, answer.location);
    else response.status(status).json(answer);
  };
}

function sendKept(response: Response, { status, json, replayed }: Given): void {
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
      const ms = Math.round(performance.now() - startedAt);
      log.info(
        { requestId, method: request.method, route, status: response.statusCode, ms, actor: response.locals['actor'] },
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
  readJson: RequestHandler,
): Promise<unknown> {
  if (operation.method === 'get') return {};
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (operation.upload !== undefined) {
    if (!operation.upload.types.includes(type)) throw unsupported(operation.upload.types);
    return { contentType: type, stream: limited(request, operation.upload.limitBytes) };
  }
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  if (!hasBody) return undefined;
  if (type !== 'application/json') throw unsupported(['application/json']);
  await new Promise<void>((resolve, reject) => {
    void readJson(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error as Error)));
  });
  guardJson(request.body);
  return request.body;
}

function unsupported(types: readonly string[]): Failure {
  return new Failure('unsupported_media_type', `Send the body as ${types.join(' or ')}.`);
}

/** Breaks a stream off that grows past its limit, whatever its length header said. */
function limited(request: Request, limitBytes: number): Readable {
  const tooLarge = new Failure(
    'payload_too_large',
    `The body is larger than ${Math.floor(limitBytes / 1024 / 1024)} MiB.`,
  );
  if (request.headers['content-encoding'] !== undefined)
    throw new Failure('unsupported_media_type', 'Send the body without Content-Encoding.');
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge;
  return request.compose(async function* (source: AsyncIterable<Buffer>) {
    let bytes = 0;
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > limitBytes) throw tooLarge;
      yield chunk;
    }
  }) as Readable;
}

async function sendFile(response: Response, { contentType, filename, body, headers }: Download): Promise<void> {
  response.set({
    'Content-Type': contentType,
    'Content-Disposition': `attachment; filename="${filename}"; filename*=UTF-8''${filename}`,
    ...headers,
  });
  if (body instanceof Readable) await pipeline(body, response);
  else response.send(Buffer.from(body as string));
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

interface Told {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

function tellFailure(operations: readonly AnyOperation[], log: Log): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const requestId = String(response.getHeader('X-Request-Id'));
    const path = (request.route as { path?: string } | undefined)?.path;
    const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase();
    const operation = operations.find((one) => one.path === path && one.method === method);
    const told = tell(error, operation) ?? internalError(error, requestId, log);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (told.status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
    if (told.status === 429 && told.details?.['retryAfter'] !== undefined)
      response.setHeader('Retry-After', String(told.details['retryAfter']));
    if (told.status === 503) response.setHeader('Retry-After', '2');
    const { status: statusCode, code, message, details } = told;
    response.status(statusCode).json({ statusCode, code, message, ...(details === undefined ? {} : { details }) });
    // What is left of an upload would otherwise be read as the next request.
    if (!request.readableEnded) request.resume();
  };
}

/** What may be told of an error; null when it is none of the caller's business. */
function tell(error: unknown, operation: AnyOperation | undefined): Told | null {
  if (error instanceof Failure) {
    const status = operation?.failures[error.code] ?? commonFailures[error.code];
    return status === undefined ? null : { status, code: error.code, message: error.message, details: error.details };
  }
  if (isUnavailable(error))
    return {
      status: 503,
      code: 'database_unavailable',
      message: 'The database cannot be reached at the moment. Try again shortly.',
    };
  if (isBadValue(error))
    return {
      status: 400,
      code: 'VALIDATION_FAILED',
      message: 'A value in the request is outside of what can be stored.',
    };
  return tellReadError(error);
}

/** Errors of Express and its body parser carry a type or a status of their own. */
function tellReadError(error: unknown): Told | null {
  const { type, status } = (error ?? {}) as { type?: string; status?: number };
  if (type === 'entity.too.large')
    return { status: 413, code: 'payload_too_large', message: 'The body is larger than 1 MiB.' };
  if (type === 'encoding.unsupported' || type === 'charset.unsupported')
    return {
      status: 415,
      code: 'unsupported_media_type',
      message: 'The body must be UTF-8 JSON without an unknown Content-Encoding.',
    };
  if (type === 'entity.parse.failed')
    return { status: 400, code: 'invalid_json', message: 'The body is not valid JSON.' };
  if (status !== undefined && status >= 400 && status < 500)
    return { status: 400, code: 'VALIDATION_FAILED', message: 'The request could not be read.' };
  return null;
}

function internalError(error: unknown, requestId: string, log: Log): Told {
  log.error({ err: error, requestId }, 'a request failed unexpectedly');
  return { status: 500, code: 'internal_error', message: 'Something failed on our side.', details: { requestId } };
}
