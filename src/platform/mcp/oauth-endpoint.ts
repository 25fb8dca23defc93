import { type Express, json, type Request, type RequestHandler, type Response, urlencoded } from 'express';
import { agentScopes } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { guardJson } from '../http/json-body.js';
import { type AddressLimit } from '../limits/address-limit.js';
import { type Log } from '../log.js';
import { type AuthorizationServer } from './authorization-server.js';

const resourceDocument = '/.well-known/oauth-protected-resource';
const serverDocument = '/.well-known/oauth-authorization-server';
/** Anyone can send such a body. */
const maxBody = { limit: '8kb', inflate: false } as const;

/**
 * The endpoints of OAuth: the metadata of the MCP endpoint (RFC 9728) and of the authorization server (RFC 8414), and
 * under `/oauth` authorization, tokens, registration and revocation.
 */
export class OAuthEndpoint {
  private router: RequestHandler | null = null;

  constructor(
    private readonly server: AuthorizationServer,
    private readonly addressLimit: AddressLimit,
    private readonly log: Log,
  ) {}

  routes(app: Express): void {
    const { issuer, resource } = this.server;
    const paths = (document: string, url: string) => [document, `${document}${readPath(url)}`];
    app.get(
      [...paths(resourceDocument, resource), `${resourceDocument}/v1/mcp`],
      sendMetadata(this.resourceMetadata()),
    );
    app.get(paths(serverDocument, issuer), sendMetadata(this.serverMetadata()));
    app.use('/oauth', this.limit, urlencoded({ extended: false, ...maxBody }), json(maxBody), guardInput, this.serve);
  }

  /** Runs before the body is read. */
  private readonly limit: RequestHandler = (request, _response, next) => {
    this.addressLimit.admit(request.ip ?? '');
    next();
  };

  private readonly serve: RequestHandler = async (request, response, next) => {
    // Loaded with the first request, as in McpEndpoint.
    const { authorizationRouter } = await import('./sdk-authorization.js');
    this.router ??= authorizationRouter(this.server, this.log);
    await this.router(request, response, next);
  };

  private resourceMetadata(): object {
    return {
      resource: this.server.resource,
      authorization_servers: [this.server.issuer],
      scopes_supported: agentScopes,
      bearer_methods_supported: ['header'],
      resource_name: 'Commissions',
    };
  }

  private serverMetadata(): object {
    const { issuer } = this.server;
    const clientAuthentication = ['none', 'client_secret_post'];
    return {
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      registration_endpoint: `${issuer}/oauth/register`,
      revocation_endpoint: `${issuer}/oauth/revoke`,
      scopes_supported: agentScopes,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: clientAuthentication,
      revocation_endpoint_auth_methods_supported: clientAuthentication,
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    };
  }
}

/** The header WWW-Authenticate that refers clients to the metadata of the MCP endpoint. */
export function challenge({ resource }: AuthorizationServer, scope: string, error?: string): string {
  const { origin } = new URL(resource);
  const document = `${origin}${resourceDocument}${readPath(resource)}`;
  const problem = error === undefined ? '' : `error="${error}", `;
  return `Bearer realm="mcp", ${problem}scope="${scope}", resource_metadata="${document}"`;
}

function readPath(url: string): string {
  const { pathname } = new URL(url);
  return pathname === '/' ? '' : pathname;
}

/** Rejects what other bodies may not contain either, such as texts that PostgreSQL cannot store. */
const guardInput: RequestHandler = (request, response, next) => {
  try {
    guardJson(request.query);
    guardJson(request.body);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    response.setHeader('Cache-Control', 'no-store');
    response.status(400).json({ error: 'invalid_request', error_description: error.message });
    return;
  }
  next();
};

/** Clients in browsers read the metadata from other origins. */
function sendMetadata(metadata: object): (request: Request, response: Response) => void {
  return (_request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Cache-Control', 'public, max-age=300');
    response.json(metadata);
  };
}
