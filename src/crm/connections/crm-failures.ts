import { Failure } from '../../kernel/failure.js';
import { CrmFailure } from '../adapters/port.js';

/** Statuses of the failures that {@link callingCrm} throws, for operations that call a CRM. */
export const crmFailures = { crm_unavailable: 502, crm_refused: 400 } as const;

/** Calls a CRM, and throws its errors as failures that the caller of the operation can act on. */
export async function callingCrm<T>(call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toFailure(error);
  }
}

function toFailure(error: unknown): unknown {
  if (!(error instanceof CrmFailure)) return error;
  const { kind, message, retryAfterMs } = error;
  const details = { reason: kind, ...(retryAfterMs === null ? {} : { retryAfter: Math.ceil(retryAfterMs / 1000) }) };
  if (kind === 'unauthorized')
    return new Failure('crm_refused', `The CRM rejected the credentials: ${message}. Connect it again.`, details);
  if (kind === 'rejected' || kind === 'oversized')
    return new Failure('crm_refused', `The CRM rejected the request: ${message}.`, details);
  if (kind === 'misconfigured')
    return new Failure('crm_refused', `The settings of this service are wrong: ${message}.`, details);
  return new Failure('crm_unavailable', `The CRM is unavailable: ${message}. Try again later.`, details);
}
