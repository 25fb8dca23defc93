import { CrmFailure } from '../crm/port.js';
import { Failure } from '../kernel/failure.js';

/** Statuses of what {@link tellCrmFailure} gives, for the operations that ask a CRM. */
export const crmFailures = { crm_unavailable: 502, crm_refused: 400 } as const;

/** What a caller can do about a CRM that did not do as asked; anything else is passed on. */
export function tellCrmFailure(error: unknown): unknown {
  if (!(error instanceof CrmFailure)) return error;
  const { kind, message, retryAfterMs } = error;
  const details = { reason: kind, ...(retryAfterMs === null ? {} : { retryAfter: Math.ceil(retryAfterMs / 1000) }) };
  if (kind === 'unauthorized')
    return new Failure('crm_refused', `The CRM does not let us in: ${message}. Connect it again.`, details);
  if (kind === 'refused') return new Failure('crm_refused', `The CRM refused: ${message}.`, details);
  return new Failure('crm_unavailable', `The CRM could not be asked: ${message}. Try again later.`, details);
}
