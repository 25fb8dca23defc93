import { Failure } from '../kernel/failure.js';
import { isBadValue, isExhausted, isTransient, isUnavailable } from './database/database-errors.js';
import { type Log } from './log.js';
import { type AnyOperation, commonFailures } from './operations/operation.js';

/** The body of every error response. */
export interface ErrorBody {
  readonly statusCode: number;
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The body with the address that explains its code, at PUBLIC_URL if it is set. */
export function withDocs(body: ErrorBody, publicUrl = ''): ErrorBody & { readonly docs: string } {
  const { details, ...rest } = body;
  const docs = `${publicUrl}/docs/errors#${body.code.toLowerCase()}`;
  return { ...rest, docs, ...(details === undefined ? {} : { details }) };
}

/**
 * Converts an error to the body of an error response. An unexpected error is logged, and the response contains only
 * the request id.
 */
export function toErrorResponse(
  error: unknown,
  operation: AnyOperation | undefined,
  requestId: string,
  log: Log,
): ErrorBody {
  const response = expectedError(error, operation);
  if (response !== null) return response;
  log.error({ err: error, requestId }, 'request failed with an unexpected error');
  return {
    statusCode: 500,
    code: 'internal_error',
    message: 'An unexpected error occurred in the service.',
    details: { requestId },
  };
}

function expectedError(error: unknown, operation: AnyOperation | undefined): ErrorBody | null {
  if (error instanceof Failure) {
    const { code, message, details } = error;
    const statusCode = operation?.failures[code] ?? commonFailures[code];
    return statusCode === undefined
      ? null
      : { statusCode, code, message, ...(details === undefined ? {} : { details }) };
  }
  if (isTransient(error))
    return {
      statusCode: 503,
      code: 'workspace_busy',
      message: 'Other changes of this workspace did not end in time. Try again shortly.',
    };
  if (isExhausted(error))
    return {
      statusCode: 503,
      code: 'database_unavailable',
      message: 'The database has no disk space, memory or connections left. Try again when the operator has made room.',
    };
  if (isUnavailable(error))
    return {
      statusCode: 503,
      code: 'database_unavailable',
      message:
        'The database cannot be reached. Try again shortly; if this was a change, check first whether it was stored.',
    };
  if (isBadValue(error))
    return {
      statusCode: 400,
      code: 'VALIDATION_FAILED',
      message: 'A value in the request is outside the range that can be stored.',
    };
  return requestReadError(error);
}

/** Express and its body parser report errors with a separate type or status. */
function requestReadError(error: unknown): ErrorBody | null {
  const { type, status, limit } = (error ?? {}) as { type?: string; status?: number; limit?: number };
  if (type === 'entity.too.large')
    return {
      statusCode: 413,
      code: 'payload_too_large',
      message: `The body is larger than ${formatSize(limit ?? 0)}.`,
    };
  if (type === 'encoding.unsupported' || type === 'charset.unsupported')
    return {
      statusCode: 415,
      code: 'unsupported_media_type',
      message: 'The body must be UTF-8 JSON without an unknown Content-Encoding.',
    };
  if (type === 'entity.parse.failed')
    return { statusCode: 400, code: 'invalid_json', message: 'The body is not valid JSON.' };
  if (status !== undefined && status >= 400 && status < 500)
    return { statusCode: 400, code: 'VALIDATION_FAILED', message: 'The request could not be read.' };
  return null;
}

function formatSize(bytes: number): string {
  return bytes >= 1024 * 1024 ? `${Math.floor(bytes / 1024 / 1024)} MiB` : `${Math.floor(bytes / 1024)} KiB`;
}
