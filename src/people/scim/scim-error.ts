import { Failure } from '../../kernel/failure.js';
import { toErrorResponse } from '../../platform/error-response.js';
import { type Log } from '../../platform/log.js';
import { type AnyOperation } from '../../platform/operations/operation.js';

/** An error of the protocol with its type (RFC 7644, section 3.12). */
export class ScimError extends Error {
  constructor(
    readonly status: number,
    readonly scimType: string | null,
    readonly detail: string,
  ) {
    super(detail);
  }
}

interface ErrorMessage {
  readonly schemas: readonly string[];
  readonly status: string;
  readonly scimType?: string;
  readonly detail: string;
}

/** The error as the protocol states it. Errors of the library have the same fields as {@link ScimError}. */
export function toErrorMessage(error: unknown, operation: AnyOperation, requestId: string, log: Log): ErrorMessage {
  if (isProtocolError(error)) return message(error.status, error.scimType, error.detail ?? error.message);
  if (error instanceof Failure && error.code === 'rep_not_found') return message(404, null, error.message);
  const { statusCode, message: detail } = toErrorResponse(error, operation, requestId, log);
  return message(statusCode, statusCode === 400 ? 'invalidValue' : null, detail);
}

interface ProtocolError extends Error {
  readonly status: number;
  readonly scimType: string | null;
  readonly detail?: string;
}

function isProtocolError(error: unknown): error is ProtocolError {
  return error instanceof Error && 'scimType' in error && 'status' in error;
}

function message(status: number, scimType: string | null, detail: string): ErrorMessage {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType === null ? {} : { scimType }),
    detail,
  };
}
