import { z } from 'zod';
import { type ZodOpenApiResponseObject, type ZodOpenApiResponsesObject } from 'zod-openapi';
import { groupBy } from '../../kernel/group-by.js';
import { type AnyOperation, commonFailures, isPublic } from '../operations/operation.js';
import { acceptsIdempotencyKey } from '../operations/operation-scope.js';
import { limitHeaders, toHeaders } from './headers.js';

export const failure = z
  .object({
    statusCode: z.int().describe('HTTP status of the response'),
    code: z.string().describe('Error code; never changes'),
    message: z.string().describe('What is wrong and what to do, for a person; may change'),
    docs: z
      .string()
      .describe('Address of the page that explains the code; relative to this service without PUBLIC_URL'),
    details: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Data of the error, such as `issues` with the path and the message of every invalid field'),
  })
  .meta({ description: 'The body of every error response' });

/** The error codes of the operation by status; common codes only where they can occur. */
export function failureCodes(operation: AnyOperation): Map<number, string[]> {
  const common = commonCodes(operation).map((code) => [code, commonFailures[code] as number]);
  const all = { ...Object.fromEntries(common), ...operation.failures } as Record<string, number>;
  const grouped = groupBy(Object.entries(all), ([, status]) => status);
  return new Map(
    [...grouped].sort(([a], [b]) => a - b).map(([status, codes]) => [status, codes.map(([code]) => code)]),
  );
}

function commonCodes(operation: AnyOperation): string[] {
  const takesBody =
    operation.method !== 'get' &&
    (operation.body !== undefined || operation.upload !== undefined || operation.raw !== undefined);
  return [
    'VALIDATION_FAILED',
    ...(takesBody ? ['invalid_json', 'payload_too_large', 'unsupported_media_type'] : []),
    ...(isPublic(operation) ? [] : ['unauthorized', 'forbidden', 'insufficient_scope', 'rate_limited']),
    ...(operation.stepUp === undefined ? [] : ['step_up_required']),
    ...(acceptsIdempotencyKey(operation) ? ['duplicate_idempotency_key', 'request_in_progress'] : []),
    'internal_error',
    'database_unavailable',
    'workspace_busy',
  ];
}

/** Responses that most operations share, defined once as components with the name of their first code. */
const sharedCodes = [
  ['unauthorized'],
  ['forbidden', 'insufficient_scope'],
  ['rate_limited'],
  ['internal_error'],
  ['database_unavailable', 'workspace_busy'],
] as const;

export const sharedFailures = Object.fromEntries(
  sharedCodes.map((codes) => [codes[0], response(commonFailures[codes[0]] as number, codes, true)]),
);

export function failureResponses(operation: AnyOperation): ZodOpenApiResponsesObject {
  const described = [...failureCodes(operation)].map(([status, codes]) => {
    const [code] = codes as [string];
    const isShared = sharedCodes.some((shared) => shared.join() === codes.join());
    return [
      String(status),
      isShared ? { $ref: `#/components/responses/${code}` } : response(status, codes, !isPublic(operation)),
    ] as const;
  });
  return Object.fromEntries(described) as never;
}

function response(status: number, codes: readonly string[], hasToken: boolean): ZodOpenApiResponseObject {
  const limits = hasToken && status !== 401 ? limitHeaders : [];
  const retry = status === 429 || status === 503 ? (['Retry-After'] as const) : [];
  const ofCodes = {
    type: 'object',
    description: 'The error codes with this status',
    properties: { code: { enum: codes, description: 'Error codes of the operation with this status' } },
  };
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: toHeaders(['X-Request-Id', ...limits, ...retry]),
    content: {
      'application/json': { schema: { allOf: [{ $ref: '#/components/schemas/Failure' }, ofCodes] } as never },
    },
  };
}
