import { type ZodOpenApiHeadersObject } from 'zod-openapi';

export const headers = {
  'X-Request-Id': header(
    'Id of the request in the logs; taken from the X-Request-Id of the request if it has one',
    'string',
  ),
  'X-RateLimit-Limit': header('Max number of requests a minute for the token', 'integer'),
  'X-RateLimit-Remaining': header('Number of requests that are left', 'integer'),
  'X-RateLimit-Reset': header('Time at which more requests are available, in seconds since 1970', 'integer'),
  'Retry-After': header('Seconds to wait before the next attempt', 'integer'),
  'Idempotent-Replay': header('`true` for the stored response to an earlier request', 'string'),
};
type HeaderName = keyof typeof headers;

export const limitHeaders: readonly HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

function header(description: string, type: 'string' | 'integer') {
  return { description, schema: { type } };
}

export function toHeaders(names: readonly HeaderName[]): ZodOpenApiHeadersObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) as never;
}
