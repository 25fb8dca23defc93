import { Failure } from '../kernel/failure.js';
import { isBadValue, isUnavailable } from './database/database-errors.js';
import { type Log } from './log.js';
import { type AnyOperation, commonFailures } from './operation.js';

/** The envelope of every refusal. */
export interface ErrorBody {
  readonly statusCode: number;
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What is told of an error, whoever asked; of what is none of the caller's business only the request's id. */
export function toErrorResponse(
  error: unknown,
  operation: AnyOperation | undefined,
  requestId: string,
  log: Log,
): ErrorBody {
  const told = tell(error, operation);
  if (told !== null) return told;
  log.error({ err: error, requestId }, 'a request failed unexpectedly');
  return { statusCode: 500, code: 'internal_error', message: 'Something failed on our side.', details: { requestId } };
}

function tell(error: unknown, operation: AnyOperation | undefined): ErrorBody | null {
  if (error instanceof Failure) {
    const { code, message, details } = error;
    const statusCode = operation?.failures[code] ?? commonFailures[code];
    return statusCode === undefined
      ? null
      : { statusCode, code, message, ...(details === undefined ? {} : { details }) };
  }
  if (isUnavailable(error))
    return {
      statusCode: 503,
      code: 'database_unavailable',
      message: 'The database cannot be reached at the moment. Try again shortly.',
    };
  if (isBadValue(error))
    return {
      statusCode: 400,
      code: 'VALIDATION_FAILED',
      message: 'A value in the request is outside of what can be stored.',
    };
  return tellReadError(error);
}

/** Errors of Express and its body parser carry a type or a status of their own. */
function tellReadError(error: unknown): ErrorBody | null {
  const { type, status, limit } = (error ?? {}) as { type?: string; status?: number; limit?: number };
  if (type === 'entity.too.large')
    return { statusCode: 413, code: 'payload_too_large', message: `The body is larger than ${sizeOf(limit ?? 0)}.` };
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

function sizeOf(bytes: number): string {
  return bytes >= 1024 * 1024 ? `${Math.floor(bytes / 1024 / 1024)} MiB` : `${Math.floor(bytes / 1024)} KiB`;
}
