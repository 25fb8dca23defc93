import { z } from 'zod';
import { type CrmErrorResponse, type ErrorClassification } from '../http.js';
import { type CrmFailureKind } from '../port.js';

/** The daily request limit is used up. It recovers over 24 hours, and the CRM gives no time. */
export const quotaPauseMs = 15 * 60_000;

const kinds: ReadonlyMap<string, CrmFailureKind> = new Map([
  ['INVALID_SESSION_ID', 'unauthorized'],
  ['INVALID_QUERY_LOCATOR', 'cursor_expired'],
  ['QUERY_TIMEOUT', 'unavailable'],
  ['SERVER_UNAVAILABLE', 'unavailable'],
  // Error codes of the token endpoint that do not mean an invalid refresh token.
  ['unknown_error', 'unavailable'],
  ['invalid_client_id', 'misconfigured'],
  ['invalid_client', 'misconfigured'],
  ['redirect_uri_mismatch', 'misconfigured'],
  ['UNSUPPORTED_API_VERSION', 'misconfigured'],
  ['invalid_grant', 'unauthorized'],
  ['inactive_user', 'unauthorized'],
  ['inactive_org', 'unauthorized'],
]);

/** What the code means, and what to do. */
const explanations: ReadonlyMap<string, string> = new Map([
  ['invalid_client_id', 'the client id is wrong: the operator must correct CRMC_CLIENT_ID'],
  ['invalid_client', 'the client secret is wrong: the operator must correct CRMC_CLIENT_SECRET'],
  ['UNSUPPORTED_API_VERSION', 'the CRM has retired this API version: the operator must raise CRMC_API_VERSION'],
  ['API_DISABLED_FOR_ORG', 'the user needs the permission API Enabled'],
  ['API_CURRENTLY_DISABLED', 'the user needs the permission API Enabled'],
  ['INVALID_TYPE', 'the user needs read access to the object'],
  ['INSUFFICIENT_ACCESS', 'the user lacks a permission'],
  ['REQUEST_LIMIT_EXCEEDED', 'the requests of a day are used up'],
  ['QUERY_TOO_COMPLICATED', 'the object has too many formula fields for one query'],
]);

const errorResponse = z.array(z.object({ errorCode: z.string() })).min(1);
const tokenErrorResponse = z.object({ error: z.string() });

/**
 * Classifies an error of crm-c. The status alone misleads: a used-up limit is 403, and an invalid refresh token 400.
 */
export function classifyCrmcError({
  status,
  body,
}: Pick<CrmErrorResponse, 'status' | 'body'>): ErrorClassification | null {
  const code = errorCode(body);
  if (code === null) return null;
  const explanation = explanations.get(code);
  const message = `status ${status} ${code}${explanation === undefined ? '' : `, ${explanation}`}`;
  // The token is valid and lacks the scope of the API, so renewing it does not help.
  if (status === 403 && code === 'INVALID_SESSION_ID')
    return { kind: 'rejected', message: `${message}: grant the scope api and connect again` };
  if (code === 'REQUEST_LIMIT_EXCEEDED') return { kind: 'rate_limited', retryAfterMs: quotaPauseMs, message };
  const kind = kinds.get(code);
  if (kind !== undefined) return { kind, message };
  return status === 400 || status === 403 ? { kind: 'rejected', message } : null;
}

/** Shown to people, so only text that looks like a code is returned. */
function errorCode(body: unknown): string | null {
  const code = errorResponse.safeParse(body).data?.[0]?.errorCode ?? tokenErrorResponse.safeParse(body).data?.error;
  return code !== undefined && /^[A-Za-z_]{1,60}$/.test(code) ? code : null;
}
