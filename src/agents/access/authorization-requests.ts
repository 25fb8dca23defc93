import { type AgentScope, agentScopes } from '../../kernel/caller.js';
import {
  type AgentClient,
  AuthorizationFailure,
  type AuthorizationRequest,
} from '../../platform/mcp/authorization-server.js';
import { type Secrets } from '../../platform/secrets/secrets.js';

/** What a client asks a person to permit, after the checks that need no person. */
export interface PendingRequest {
  readonly clientId: string;
  readonly clientName: string;
  readonly redirectUri: string;
  readonly state?: string | undefined;
  readonly codeChallenge: string;
  readonly scopes: readonly AgentScope[];
  readonly audience: string;
  readonly expiresAt: number;
}

const validMs = 10 * 60_000;
const maxStateLength = 2000;
const encryptionContext = 'agent_authorization_request';

/** Checks the request of a client. `resource` is the address of the MCP endpoint. */
export function checkRequest(
  { clientId, name }: AgentClient,
  { redirectUri, state, codeChallenge, scopes, resource: requested }: AuthorizationRequest,
  resource: string,
): PendingRequest {
  if (!/^[\w-]{43}$/.test(codeChallenge))
    throw new AuthorizationFailure(
      'invalid_request',
      'code_challenge must be the SHA-256 of the verifier in base64url.',
    );
  if (state !== undefined && state.length > maxStateLength)
    throw new AuthorizationFailure('invalid_request', `state must have at most ${maxStateLength} characters.`);
  assertResource(requested, resource);
  return {
    clientId,
    clientName: name,
    redirectUri,
    state,
    codeChallenge,
    scopes: grantedScopes(scopes),
    audience: resource,
    expiresAt: Date.now() + validMs,
  };
}

/** A token for another resource is not issued. Clients of earlier versions of the protocol name none. */
export function assertResource(requested: string | undefined, resource: string): void {
  if (requested !== undefined && requested.replace(/\/$/, '') !== resource)
    throw new AuthorizationFailure('invalid_target', `resource must be ${resource}.`);
}

/** The known scopes that were requested; all if none was. The scope write includes read. */
export function grantedScopes(requested: readonly string[]): readonly AgentScope[] {
  const named = requested.filter((scope) => scope !== '');
  if (named.length === 0) return agentScopes;
  if (!agentScopes.some((scope) => named.includes(scope)))
    throw new AuthorizationFailure('invalid_scope', `scope must contain ${agentScopes.join(' or ')}.`);
  return named.includes('write') ? agentScopes : ['read'];
}

/**
 * The request as a text that only the service can read and make. It is in the address of the consent page, so nothing
 * is stored until a person agrees.
 */
export function sealRequest(secrets: Secrets, request: PendingRequest): string {
  return secrets.seal(encryptionContext, JSON.stringify(request)).toString('base64url');
}

/** The request; null if it has expired or was not made by the service. */
export function openRequest(secrets: Secrets, sealed: string): PendingRequest | null {
  try {
    const request = JSON.parse(secrets.open(encryptionContext, Buffer.from(sealed, 'base64url'))) as PendingRequest;
    return request.expiresAt > Date.now() ? request : null;
  } catch {
    return null;
  }
}

/** The address to which the browser returns with the result. */
export function returnUrl(
  { redirectUri, state }: Pick<PendingRequest, 'redirectUri' | 'state'>,
  issuer: string,
  result: Readonly<Record<string, string>>,
): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(result)) url.searchParams.set(name, value);
  if (state !== undefined) url.searchParams.set('state', state);
  // RFC 9207: the client sees which server has answered.
  url.searchParams.set('iss', issuer);
  return url.href;
}
