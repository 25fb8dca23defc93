import { AsyncLocalStorage } from 'node:async_hooks';
import { type OAuthRegisteredClientsStore } from '@modelcontextprotocol/sdk/server/auth/clients.js';
import { CustomOAuthError, OAuthError, ServerError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { authorizationHandler } from '@modelcontextprotocol/sdk/server/auth/handlers/authorize.js';
import { clientRegistrationHandler } from '@modelcontextprotocol/sdk/server/auth/handlers/register.js';
import { revocationHandler } from '@modelcontextprotocol/sdk/server/auth/handlers/revoke.js';
import { tokenHandler } from '@modelcontextprotocol/sdk/server/auth/handlers/token.js';
import { type AuthorizationParams, type OAuthServerProvider } from '@modelcontextprotocol/sdk/server/auth/provider.js';
import { type OAuthClientInformationFull, type OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { type RequestHandler, type Response, Router } from 'express';
import { type Log } from '../log.js';
import {
  type AgentClient,
  AuthorizationFailure,
  type AuthorizationServer,
  type IssuedTokens,
} from './authorization-server.js';

/** The HTTP endpoints of the authorization server, which the SDK parses and answers. */
export function authorizationRouter(server: AuthorizationServer, log: Log): RequestHandler {
  const provider = new SdkProvider(server, log);
  // Requests are limited by address before they reach the router.
  const options = { provider, rateLimit: false } as const;
  const router = Router();
  router.use('/authorize', completeErrors(server.issuer), authorizationHandler(options));
  router.use('/token', tokenHandler(options));
  const register = clientRegistrationHandler({ clientsStore: provider.clientsStore, rateLimit: false });
  router.use('/register', (request, response, next) =>
    provider.address.run(request.ip ?? '', () => register(request, response, next)),
  );
  router.use('/revoke', revocationHandler(options));
  return router;
}

/** Adds `iss` (RFC 9207) and `state` to the redirects of rejected requests, which the SDK sends without them. */
function completeErrors(issuer: string): RequestHandler {
  return (request, response, next) => {
    const redirect = response.redirect.bind(response) as (status: number, url: string) => void;
    const { state } = (request.method === 'POST' ? (request.body ?? {}) : request.query) as { state?: unknown };
    response.redirect = ((status: number, url: string) => {
      const target = new URL(url);
      target.searchParams.set('iss', issuer);
      if (typeof state === 'string') target.searchParams.set('state', state);
      redirect(status, target.href);
    }) as Response['redirect'];
    next();
  };
}

/** Translates between the SDK and the authorization server. */
class SdkProvider implements OAuthServerProvider {
  /** The code is consumed by the statement that reads its challenge, so the server verifies PKCE. */
  readonly skipLocalPkceValidation = true;
  /** The network address of the request; the SDK passes only the metadata. */
  readonly address = new AsyncLocalStorage<string>();

  constructor(
    private readonly server: AuthorizationServer,
    private readonly log: Log,
  ) {}

  readonly clientsStore: OAuthRegisteredClientsStore = {
    getClient: (clientId) =>
      this.guarded(async () => {
        const client = await this.server.findClient(clientId);
        return client === null ? undefined : toSdkClient(client);
      }),
    registerClient: ({ client_name: name, redirect_uris: redirectUris }) =>
      this.guarded(async () => {
        const address = this.address.getStore() ?? '';
        const client = await this.server.registerClient({ name, redirectUris }, address);
        return { ...toSdkClient(client), client_id_issued_at: Math.floor(Date.now() / 1000) };
      }),
  };

  authorize(client: OAuthClientInformationFull, request: AuthorizationParams, response: Response): Promise<void> {
    return this.guarded(async () => {
      const { state, scopes = [], redirectUri, codeChallenge, resource } = request;
      const pending = { state, scopes, redirectUri, codeChallenge, resource: resource?.href };
      const location = this.server.consentUrl(fromSdkClient(client), pending);
      response.writeHead(302, { Location: location }).end();
    });
  }

  challengeForAuthorizationCode(): Promise<string> {
    throw new Error('the authorization server verifies PKCE');
  }

  exchangeAuthorizationCode(
    client: OAuthClientInformationFull,
    code: string,
    codeVerifier = '',
    redirectUri?: string,
    resource?: URL,
  ): Promise<OAuthTokens> {
    const exchange = { code, codeVerifier, redirectUri, resource: resource?.href };
    return this.issue(client, () => this.server.exchangeCode(fromSdkClient(client), exchange));
  }

  exchangeRefreshToken(
    client: OAuthClientInformationFull,
    refreshToken: string,
    scopes?: string[],
    resource?: URL,
  ): Promise<OAuthTokens> {
    const exchange = { refreshToken, scopes, resource: resource?.href };
    return this.issue(client, () => this.server.refresh(fromSdkClient(client), exchange));
  }

  verifyAccessToken(): Promise<never> {
    throw new Error('the MCP endpoint authenticates tokens itself');
  }

  revokeToken(client: OAuthClientInformationFull, { token }: { token: string }): Promise<void> {
    return this.guarded(() => this.server.revoke(fromSdkClient(client), token));
  }

  /** The grant is consumed by then, so the client gets its tokens even if its use cannot be noted. */
  private issue(
    { client_id: clientId }: OAuthClientInformationFull,
    exchange: () => Promise<IssuedTokens>,
  ): Promise<OAuthTokens> {
    return this.guarded(async () => {
      const tokens = await exchange();
      await this.server
        .noteUse(clientId)
        .catch((error: unknown) => this.log.warn({ err: error }, 'the use of a client of agents was not noted'));
      return toSdkTokens(tokens);
    });
  }

  /** The SDK answers an unexpected error with `server_error` and drops it, so it is logged here. */
  private async guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof OAuthError) throw error;
      if (error instanceof AuthorizationFailure) throw new CustomOAuthError(error.code, error.message);
      this.log.error({ err: error }, 'authorization of an agent failed with an unexpected error');
      throw new ServerError('An unexpected error occurred in the service.');
    }
  }
}

function toSdkClient({ clientId, name, redirectUris, secret }: AgentClient): OAuthClientInformationFull {
  return {
    client_id: clientId,
    client_name: name,
    redirect_uris: [...redirectUris],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: secret === undefined ? 'none' : 'client_secret_post',
    ...(secret === undefined ? {} : { client_secret: secret }),
  };
}

function fromSdkClient({ client_id, client_name, redirect_uris }: OAuthClientInformationFull): AgentClient {
  return { clientId: client_id, name: client_name ?? client_id, redirectUris: redirect_uris };
}

function toSdkTokens({ accessToken, refreshToken, expiresInSeconds, scopes }: IssuedTokens): OAuthTokens {
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: expiresInSeconds,
    refresh_token: refreshToken,
    scope: scopes.join(' '),
  };
}
