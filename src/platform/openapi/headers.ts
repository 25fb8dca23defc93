import { type ZodOpenApiHeadersObject } from 'zod-openapi';

export const headers = {
  'X-Request-Id': header('Names this request in the logs; taken from the request when it gives one', 'string'),
  'X-RateLimit-Limit': header('Requests that the token may make a minute', 'integer'),
  'X-RateLimit-Remaining': header('How many of them are left', 'integer'),
  'X-RateLimit-Reset': header('When more are, in seconds since 1970', 'integer'),
  'Retry-After': header('Seconds to wait before trying again', 'integer'),
  'Idempotent-Replay': header('`true` when this is the kept answer to an earlier request', 'string'),
};
type HeaderName = keyof typeof headers;

export const limitHeaders: readonly HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

function header(description: string, type: 'string' | 'integer') {
  return { description, schema: { type } };
}

export function headersOf(names: readonly HeaderName[]): ZodOpenApiHeadersObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) as never;
}
