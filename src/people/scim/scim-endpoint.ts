import { type Express, type Request, type RequestHandler, type Response } from 'express';
import { type Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { type Authenticate } from '../../platform/http/authenticate.js';
import { guardJson, parseText } from '../../platform/http/json-body.js';
import { LargeBodies } from '../../platform/http/large-bodies.js';
import { type RateLimit } from '../../platform/http/rate-limit.js';
import { jsonTextReader } from '../../platform/http/read-json.js';
import { type Log } from '../../platform/log.js';
import { ScimError, toErrorMessage } from './scim-error.js';
import { type ScimParts, ScimPeople } from './scim-people.js';
import { type Handle, type ScimMethod, type ScimPath, scimRoutes } from './scim-routes.js';

export interface ScimEndpointParts extends ScimParts {
  readonly authenticate: Authenticate;
  readonly rateLimit: RateLimit;
  /** Address of the service without a slash at the end; empty if it is not configured. */
  readonly publicUrl: string;
  readonly log: Log;
}

const basePath = '/scim/v2';
/** Parts of the protocol that a service need not have (RFC 7644, section 3). */
const optionalPaths: ReadonlySet<string> = new Set(['/bulk', '/me', '/.search', '/users/.search', '/groups/.search']);
const mediaType = 'application/scim+json';
const readText = jsonTextReader(1024 * 1024, ['application/json', mediaType]);

/**
 * SCIM 2.0 (RFC 7643 and 7644): an identity provider creates, changes and deactivates people, and sets their roles by
 * groups, with a key that has the scope `scim`.
 */
export class ScimEndpoint {
  private readonly largeBodies = new LargeBodies();

  constructor(private readonly parts: ScimEndpointParts) {}

  routes(app: Express): void {
    for (const [path, methods] of Object.entries(scimRoutes))
      for (const method of methods) app[method](`${basePath}${path}`, this.respond(path as ScimPath, method));
    app.use(basePath, (request, response) => {
      const isOptional = optionalPaths.has(request.path.toLowerCase());
      const error = isOptional
        ? new ScimError(501, null, 'The service does not have this part of the protocol.')
        : new ScimError(404, null, 'There is no such resource, or it does not have this method.');
      this.fail(request, response, error);
    });
  }

  private respond(path: ScimPath, method: ScimMethod): RequestHandler {
    return async (request, response) => {
      const requestId = String(response.getHeader('X-Request-Id'));
      response.setHeader('Cache-Control', 'no-store');
      try {
        const caller = await this.admit(request, response, requestId);
        const handle = await this.load(path, method);
        const { status, body } = await handle({
          people: new ScimPeople(this.parts, caller),
          id: String(request.params['id'] ?? ''),
          query: request.query,
          body: await this.readBody(request, response, caller),
        });
        response.status(status).type(mediaType);
        if (body === undefined) response.end();
        else response.send(JSON.stringify(body));
      } catch (error) {
        this.fail(request, response, error);
      }
    };
  }

  private fail(request: Request, response: Response, error: unknown): void {
    const requestId = String(response.getHeader('X-Request-Id'));
    const message = toErrorMessage(error, this.parts.upsertReps, requestId, this.parts.log);
    if (message.status === '401') response.setHeader('WWW-Authenticate', 'Bearer');
    response.status(Number(message.status)).type(mediaType).send(JSON.stringify(message));
    if (!request.readableEnded) request.resume();
  }

  /** The key is an admin for people alone: its scope permits nothing outside of this endpoint. */
  private async admit(request: Request, response: Response, requestId: string): Promise<Caller> {
    const { authenticate, rateLimit } = this.parts;
    const { authorization } = request.headers;
    const { caller, counted } = await authenticate(authorization, requestId, request.ip ?? '', false);
    const { scopes, ...permitted } = { ...caller, actor: `scim:${caller.actor}` };
    response.locals['actor'] = permitted.actor;
    await rateLimit.admit(caller, response, counted);
    if (scopes?.has('scim') !== true) throw new Failure('forbidden', 'This endpoint needs a key with the scope scim.');
    return permitted;
  }

  /** The library is loaded with the first request: most processes never need it. */
  private async load(path: ScimPath, method: ScimMethod): Promise<Handle> {
    const { declareResources } = await import('./scim-messages.js');
    const { handlers } = await import('./scim-handlers.js');
    declareResources(`${this.parts.publicUrl}${basePath}`);
    return (handlers[path] as Partial<Record<ScimMethod, Handle>>)[method] as Handle;
  }

  private async readBody(request: Request, response: Response, { workspaceId }: Caller): Promise<unknown> {
    if (request.method === 'GET' || request.method === 'DELETE') return undefined;
    const text = await readText(request, response);
    if (text === undefined || text === '') return {};
    const turn = await this.largeBodies.turn(workspaceId, text.length);
    return turn.spendLast(() => {
      const body = parseText(text);
      guardJson(body, 100_000);
      return body;
    });
  }
}
