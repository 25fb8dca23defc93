import { type AgentScope } from '../../kernel/caller.js';

/** A client program that connects agents of people. */
export interface AgentClient {
  /** The URL of its metadata document, the id of its registration, or the id in the configuration. */
  readonly clientId: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** Only clients of the configuration have one; all others prove themselves with PKCE alone. */
  readonly secret?: string;
}

/** What a client says about itself when it registers or in its metadata document. */
export interface ClientMetadata {
  readonly name?: string | undefined;
  readonly redirectUris: readonly string[];
}

/** What a client asks a person to permit. */
export interface AuthorizationRequest {
  readonly redirectUri: string;
  readonly state?: string | undefined;
  /** PKCE with S256. */
  readonly codeChallenge: string;
  readonly scopes: readonly string[];
  readonly resource?: string | undefined;
}

export interface CodeExchange {
  readonly code: string;
  readonly codeVerifier: string;
  readonly redirectUri?: string | undefined;
  readonly resource?: string | undefined;
}

export interface RefreshExchange {
  readonly refreshToken: string;
  readonly scopes?: readonly string[] | undefined;
  readonly resource?: string | undefined;
}

export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
  readonly scopes: readonly AgentScope[];
}

/** Error codes of OAuth 2.1, RFC 7591 and RFC 8707. */
type AuthorizationErrorCode =
  | 'invalid_client'
  | 'invalid_client_metadata'
  | 'invalid_grant'
  | 'invalid_redirect_uri'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'temporarily_unavailable';

/** A rejection that the client receives, with an error code of OAuth. */
export class AuthorizationFailure extends Error {
  override readonly name = 'AuthorizationFailure';

  constructor(
    readonly code: AuthorizationErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** Clients, requests and tokens. The adapter of the SDK serves them over HTTP. */
export interface AuthorizationServer {
  /** The public address of the service, without a slash at its end. */
  readonly issuer: string;
  /** The public address of the MCP endpoint: the audience of every token. */
  readonly resource: string;
  findClient(clientId: string): Promise<AgentClient | null>;
  /** `address` is the network address of the request, by which registrations are limited. */
  registerClient(metadata: ClientMetadata, address: string): Promise<AgentClient>;
  /** The address of the page on which the person decides about the request. */
  consentUrl(client: AgentClient, request: AuthorizationRequest): string;
  exchangeCode(client: AgentClient, exchange: CodeExchange): Promise<IssuedTokens>;
  refresh(client: AgentClient, exchange: RefreshExchange): Promise<IssuedTokens>;
  /** The client has got tokens. One that registered and gets none is deleted. */
  noteUse(clientId: string): Promise<void>;
  /** Does nothing for an unknown token. */
  revoke(client: AgentClient, token: string): Promise<void>;
}
