import { z } from 'zod';
import { type CrmRefusal, type CrmVerdict } from '../http.js';
import { type CrmFailureKind } from '../port.js';

/** The org's requests of a day are used up; they come back over the next 24 hours, and the CRM names no time. */
export const quotaPauseMs = 15 * 60_000;

const kinds: ReadonlyMap<string, CrmFailureKind> = new Map([
  ['INVALID_SESSION_ID', 'unauthorized'],
  ['INVALID_QUERY_LOCATOR', 'cursor_expired'],
  ['QUERY_TIMEOUT', 'unavailable'],
  ['SERVER_UNAVAILABLE', 'unavailable'],
  // What the token endpoint says when it is not the refresh token's fault.
  ['unknown_error', 'unavailable'],
  ['invalid_grant', 'unauthorized'],
  ['inactive_user', 'unauthorized'],
  ['inactive_org', 'unauthorized'],
]);

const answers = z.array(z.object({ errorCode: z.string() })).min(1);
const tokenAnswer = z.object({ error: z.string() });

/**
 * What crm-c means by a refusal. Its status alone misleads: used up requests are a 403, and a dead refresh token a 400.
 */
export function judgeCrmc({ status, body }: Pick<CrmRefusal, 'status' | 'body'>): CrmVerdict | null {
  const code = errorCode(body);
  if (code === null) return null;
  const message = `answered ${status} ${code}`;
  if (code === 'REQUEST_LIMIT_EXCEEDED') return { kind: 'rate_limited', retryAfterMs: quotaPauseMs, message };
  const kind = kinds.get(code);
  if (kind !== undefined) return { kind, message };
  return status === 400 || status === 403 ? { kind: 'refused', message } : null;
}

/** Told to people, so only what looks like a code. */
function errorCode(body: unknown): string | null {
  const code = answers.safeParse(body).data?.[0]?.errorCode ?? tokenAnswer.safeParse(body).data?.error;
  return code !== undefined && /^[A-Za-z_]{1,60}$/.test(code) ? code : null;
}
