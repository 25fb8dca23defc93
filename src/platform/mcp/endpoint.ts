import { type Express, type Request, type RequestHandler, type Response } from 'express';
import { type Caller } from '../../kernel/caller.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { type Authenticate } from '../http/authenticate.js';
import { type RateLimit } from '../http/rate-limit.js';
import { jsonReader } from '../http/read-json.js';
import { type Log } from '../log.js';
import { type AnyOperation } from '../operation.js';
import { type OperationDispatcher } from '../operation-dispatcher.js';
import { type AgentParts, AgentSession } from './agent-session.js';
import { type Guidance } from './guidance.js';
import { isOneOf } from './own-hosts.js';
import { offeredTools } from './tool-definition.js';

export interface McpParts {
  readonly operations: readonly AnyOperation[];
  readonly guidance: Guidance;
  readonly dispatcher: OperationDispatcher;
  readonly authenticate: Authenticate;
  readonly rateLimit: RateLimit;
  /** Names under which this service may be reached. */
  readonly hosts: readonly string[];
  readonly log: Log;
}

const address = '/v1/mcp';
const readBody = jsonReader(256 * 1024);
const mostInBatch = 20;

/** `POST /v1/mcp`: the operations as tools, without sessions, for the same tokens and within the same limits as REST. */
export class McpEndpoint {
  private agents: AgentParts | null = null;

  constructor(private readonly parts: McpParts) {}

  routes(app: Express): void {
    app.use(address, this.guardOrigin);
    app.route(address).post(this.answer).all(onlyPost);
  }

  /**
   * A page on the web can make a browser call this machine under a name of its own, or under ours: neither is
   * answered, whatever token comes along.
   */
  private readonly guardOrigin: RequestHandler = (request, _response, next) => {
    const { host, origin } = request.headers;
    if (!isOneOf(this.parts.hosts, `http://${host ?? ''}`))
      throw new Failure('forbidden', 'This service is not reached under that name. MCP_HOSTS lists the names it has.');
    if (origin !== undefined && !isOneOf(this.parts.hosts, origin))
      throw new Failure('forbidden', 'Requests from pages of another origin are refused.');
    next();
  };

  private readonly answer: RequestHandler = async (request, response) => {
    const caller = await this.callerOf(request, response);
    const body = await readBody(request, response);
    await this.admitBatch(body, caller, response);
    // Loaded with the first request: it takes a quarter of a second that most processes never need.
    const { answerWithSdk } = await import('./sdk-server.js');
    await answerWithSdk(request, response, body, new AgentSession(this.agentParts(), caller));
  };

  private async callerOf(request: Request, response: Response): Promise<Caller> {
    const requestId = String(response.getHeader('X-Request-Id'));
    response.setHeader('Cache-Control', 'no-store');
    const { authorization } = request.headers;
    const asked = this.parts.authenticate(authorization, requestId, request.ip ?? '', false);
    const { caller, counted } = await asked.catch((error: unknown) => {
      // Without resource_metadata: there is no authorization server, and clients told of one drop the token they have.
      if (isUnauthorized(error)) response.setHeader('WWW-Authenticate', 'Bearer realm="mcp"');
      throw error;
    });
    const actor = `mcp:${caller.actor}`;
    response.locals['actor'] = actor;
    await this.parts.rateLimit.admit(caller, response, counted);
    return { ...caller, actor };
  }

  /** Messages that come together count one by one, or a batch would be a way around the limit. */
  private async admitBatch(body: unknown, caller: Caller, response: Response): Promise<void> {
    if (!Array.isArray(body)) return;
    if (body.length > mostInBatch)
      throw invalid({ path: '', message: `a batch holds at most ${mostInBatch} messages` });
    for (const _ of body.slice(1)) await this.parts.rateLimit.admit(caller, response, null);
  }

  private agentParts(): AgentParts {
    const { operations, guidance, dispatcher, log } = this.parts;
    this.agents ??= { dispatcher, tools: offeredTools(operations), guidance, log };
    return this.agents;
  }
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof Failure && error.code === 'unauthorized';
}

const onlyPost: RequestHandler = (request, response) => {
  response.setHeader('Allow', 'POST');
  throw new Failure('method_not_allowed', `${request.method} is not possible here; POST is: there are no sessions.`);
};
