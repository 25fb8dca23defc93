import { type Express, type Request, type RequestHandler, type Response } from 'express';
import { agentScopes, type Caller } from '../../kernel/caller.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { type Authenticate } from '../http/authenticate.js';
import { parseText } from '../http/json-body.js';
import { type LargeBodies } from '../http/large-bodies.js';
import { type RateLimit } from '../http/rate-limit.js';
import { jsonTextReader } from '../http/read-json.js';
import { type Log } from '../log.js';
import { type AnyOperation } from '../operations/operation.js';
import { type OperationDispatcher } from '../operations/operation-dispatcher.js';
import { type AgentParts, AgentSession, permitsEffect } from './agent-session.js';
import { type AgentWrites } from './agent-writes.js';
import { hasAllowedHost } from './allowed-hosts.js';
import { type AuthorizationServer } from './authorization-server.js';
import { type Guidance } from './guidance.js';
import { challenge } from './oauth-endpoint.js';
import { rpcCodes } from './protocol-error.js';
import { acceptBoth, checkBatch, isModern } from './protocol-version.js';
import { offeredTools } from './tool-definition.js';

export interface McpParts {
  readonly operations: readonly AnyOperation[];
  readonly guidance: Guidance;
  readonly dispatcher: OperationDispatcher;
  readonly authenticate: Authenticate;
  readonly rateLimit: RateLimit;
  readonly largeBodies: LargeBodies;
  /** Host names of this service. */
  readonly hosts: readonly string[];
  /** Null where people cannot connect agents by signing in. */
  readonly authorization: AuthorizationServer | null;
  readonly writes: AgentWrites;
  readonly log: Log;
}

const endpointPath = '/v1/mcp';
const readText = jsonTextReader(256 * 1024);
const maxBatchSize = 20;

/** `POST /v1/mcp`: the operations as tools, without sessions, with the tokens and the rate limit of REST. */
export class McpEndpoint {
  private agents: AgentParts | null = null;

  constructor(private readonly parts: McpParts) {}

  routes(app: Express): void {
    app.use(endpointPath, this.guardOrigin);
    app.route(endpointPath).post(this.respond).all(onlyPost);
  }

  /**
   * A web page can make a browser call this machine through DNS rebinding or from another origin: such requests are
   * rejected with any token.
   */
  private readonly guardOrigin: RequestHandler = (request, _response, next) => {
    const { host, origin } = request.headers;
    if (!hasAllowedHost(this.parts.hosts, `http://${host ?? ''}`))
      throw new Failure(
        'forbidden',
        'The Host header names an unknown host. The operator can add it to the setting MCP_HOSTS.',
      );
    if (origin !== undefined && !hasAllowedHost(this.parts.hosts, origin))
      throw new Failure(
        'forbidden',
        'The Origin header names an unknown origin. The operator can add its host to the setting MCP_HOSTS.',
      );
    next();
  };

  private readonly respond: RequestHandler = async (request, response) => {
    const caller = await this.authenticate(request, response);
    const body = await this.readBody(request, response, caller);
    const problem = checkBatch(request, body);
    if (problem !== null) {
      const error = { code: rpcCodes.invalidRequest, message: problem };
      response.status(400).json({ jsonrpc: '2.0', error, id: null });
      return;
    }
    await this.admitBatch(body, caller, response);
    this.assertScope(body, caller, response);
    const acceptsStream = request.headers.accept?.includes('text/event-stream') === true;
    const session = new AgentSession(this.agentParts(), caller);
    // Loaded with the first request: loading takes a quarter of a second, and most processes never need it.
    if (isModern(request, body)) {
      const { respondWithModernSdk } = await import('./sdk-modern-server.js');
      await respondWithModernSdk(request, response, body, session, acceptsStream);
    } else {
      const { respondWithSdk } = await import('./sdk-server.js');
      acceptBoth(request);
      await respondWithSdk(request, response, body, session, acceptsStream);
    }
  };

  private async readBody(request: Request, response: Response, { workspaceId }: Caller): Promise<unknown> {
    const text = await readText(request, response);
    if (text === undefined) return undefined;
    const turn = await this.parts.largeBodies.turn(workspaceId, text.length);
    try {
      return turn.spend(() => parseText(text));
    } finally {
      turn.end();
    }
  }

  private async authenticate(request: Request, response: Response): Promise<Caller> {
    const requestId = String(response.getHeader('X-Request-Id'));
    response.setHeader('Cache-Control', 'no-store');
    const { authorization } = request.headers;
    const authenticated = this.parts.authenticate(authorization, requestId, request.ip ?? '', false);
    const { caller, counted } = await authenticated
      .then((bearer) => {
        this.assertAudience(bearer.caller);
        return bearer;
      })
      .catch((error: unknown) => {
        if (isUnauthorized(error)) response.setHeader('WWW-Authenticate', this.challenge(authorization));
        throw error;
      });
    const actor = `mcp:${caller.actor}`;
    response.locals['actor'] = actor;
    await this.parts.rateLimit.admit(caller, response, counted);
    return { ...caller, actor };
  }

  /** A client that is referred to an authorization server discards a key that it was given, so only if there is one. */
  private challenge(authorization: string | undefined): string {
    const { authorization: server } = this.parts;
    if (server === null) return 'Bearer realm="mcp"';
    return challenge(server, agentScopes.join(' '), authorization === undefined ? undefined : 'invalid_token');
  }

  /** A token of an agent is valid for one MCP endpoint only. */
  private assertAudience({ agent }: Caller): void {
    if (agent !== undefined && agent.audience !== this.parts.authorization?.resource)
      throw new Failure('unauthorized', 'The token was issued for another address. Connect the agent again.');
  }

  /** Rejects a request that changes data by an agent that may only read, before any of its messages is processed. */
  private assertScope(body: unknown, caller: Caller, response: Response): void {
    const { authorization } = this.parts;
    if (authorization === null) return;
    const rejected = this.agentParts().tools.filter(({ tool }) => !permitsEffect(caller, tool));
    const called = [body].flat().map(calledTool);
    if (!rejected.some(({ tool }) => called.includes(tool.name))) return;
    response.setHeader('WWW-Authenticate', challenge(authorization, agentScopes.join(' '), 'insufficient_scope'));
    throw new Failure('insufficient_scope', 'The agent may only read. Connect it again with the scope write.', {
      scope: 'write',
    });
  }

  /** Every message of a batch counts against the rate limit. */
  private async admitBatch(body: unknown, caller: Caller, response: Response): Promise<void> {
    if (!Array.isArray(body)) return;
    if (body.length > maxBatchSize)
      throw invalid({ path: '', message: `a batch must have at most ${maxBatchSize} messages` });
    for (const _ of body.slice(1)) await this.parts.rateLimit.admit(caller, response, null);
  }

  private agentParts(): AgentParts {
    const { operations, guidance, dispatcher, writes, log } = this.parts;
    this.agents ??= { dispatcher, tools: offeredTools(operations), guidance, writes, log };
    return this.agents;
  }
}

function calledTool(message: unknown): unknown {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } | null };
  return method === 'tools/call' ? params?.name : undefined;
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof Failure && error.code === 'unauthorized';
}

const onlyPost: RequestHandler = (request, response) => {
  response.setHeader('Allow', 'POST');
  throw new Failure(
    'method_not_allowed',
    `This path does not support ${request.method}, only POST: the endpoint has no sessions.`,
  );
};
