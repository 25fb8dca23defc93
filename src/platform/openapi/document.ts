import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiRequestBodyObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { groupBy } from '../../kernel/group-by.js';
import { scriptHeader, sessionCookie } from '../http/browser-sessions.js';
import { tidySchema, toJsonSchema } from '../json-schema.js';
import { type AnyOperation, type Example, isPublic } from '../operations/operation.js';
import { acceptsIdempotencyKey, findScope, listAlsoFor } from '../operations/operation-scope.js';
import { failure, failureResponses, sharedFailures } from './failure-responses.js';
import { headers, limitHeaders, toHeaders } from './headers.js';
import { allowNulls } from './nullable.js';
import { shareSchemas } from './shared-schemas.js';

export type ApiDocument = ReturnType<typeof createDocument>;

/** What is sent to other systems: what has happened, and the named schema of the body, by type. */
type DescribedEvents = Readonly<Record<string, { readonly summary: string; readonly schema: string }>>;

interface DescribedApi {
  /** What the operations of a tag are about. */
  readonly tags: Readonly<Record<string, string>>;
  readonly operations: readonly AnyOperation[];
  readonly version: string;
  /** The named schemas. */
  readonly records: Readonly<Record<string, z.ZodType>>;
  readonly events: DescribedEvents;
}

/** The document of the operations in OpenAPI 3.0, for the tools of the last years, or 3.1, which has webhooks. */
export function describeApi(
  { operations, version, records, events, tags }: DescribedApi,
  openapi: '3.0' | '3.1',
): ApiDocument {
  const described: ZodOpenApiObject = {
    openapi: openapi === '3.0' ? '3.0.3' : '3.1.1',
    info: {
      title: 'Commission service',
      version,
      description: introduction,
      contact: { name: 'The operator of this server' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }, { session: [] }],
    tags: [...new Set(operations.map(toTag))].map((name) => ({ name, description: tags[name] ?? name })),
    paths: paths(operations),
    components: {
      schemas: { ...records, Failure: failure },
      headers: headers as never,
      responses: sharedFailures,
      parameters: { IdempotencyKey: idempotencyKey as never },
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A workspace key (ws_…), an integration key (int_…), a session (sess_…) or a connection token (conn_…).',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookie,
          description: `The session of a browser, with the prefix \`__Host-\` over TLS. Methods other than GET need the header ${scriptHeader} and a page of this service.`,
        },
      },
    },
  };
  const document = createDocument(described, {
    override: ({ jsonSchema, io }) => {
      tidySchema({ jsonSchema: jsonSchema as Record<string, unknown>, io });
      describeDefault(jsonSchema as Record<string, unknown>);
      // Linters do not support Unicode classes; these are the control characters.
      if (openapi === '3.1' && jsonSchema.pattern === '^[^\\p{Cc}]*$')
        jsonSchema.pattern = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';
    },
  });
  addQueryExamples(document, operations);
  if (openapi === '3.0') allowNulls(document);
  shareSchemas(document as never);
  // OpenAPI 3.0 has no webhooks; tools that render them read this extension.
  return Object.assign(document, { [openapi === '3.0' ? 'x-webhooks' : 'webhooks']: toWebhooks(events) });
}

function toWebhooks(events: DescribedEvents) {
  const toPath = ({ summary, schema }: DescribedEvents[string]) => ({
    post: {
      operationId: `receive${schema}`,
      summary,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
      },
      responses: { '2XX': { description: 'The receiver has stored the event' } },
    },
  });
  return Object.fromEntries(Object.entries(events).map(([type, event]) => [type, toPath(event)]));
}

/** Generators take a field with a default for one that is always present, also in requests, where it may be left out. */
function describeDefault(schema: Record<string, unknown>): void {
  const { default: value, description, ...rest } = schema;
  if (value === undefined) return;
  for (const key of ['default', 'description']) delete schema[key];
  const stated = typeof value === 'object' ? null : `Default: ${String(value)}`;
  const text = [description, stated].filter((part) => part !== undefined && part !== null).join('. ');
  Object.assign(schema, rest, text === '' ? {} : { description: text }, { 'x-default': value });
}

/** Adds examples of query parameters, which their schemas do not contain. */
function addQueryExamples({ paths = {} }: ApiDocument, operations: readonly AnyOperation[]): void {
  const examples = new Map(operations.map(({ id, example }) => [id, example]));
  for (const { operationId = '', parameters = [] } of Object.values(paths).flatMap((path) => Object.values(path))) {
    for (const parameter of parameters as QueryParameter[]) {
      const example = parameter.in === 'query' ? examples.get(operationId)?.query?.[parameter.name ?? ''] : undefined;
      if (example !== undefined) parameter.example = toTyped(example, parameter.schema?.type);
    }
  }
}

interface QueryParameter {
  readonly in?: string;
  readonly name?: string;
  readonly schema?: { readonly type?: string };
  example?: unknown;
}

/** The value that a text in a query string stands for. */
function toTyped(text: unknown, type: string | undefined): unknown {
  if (type === 'boolean') return text === 'true';
  return type === 'integer' || type === 'number' ? Number(text) : text;
}

const introduction = `Turns CRM deals, versioned plans and quotas into commission.

Every error has the same body; match on \`code\`, not on \`message\`. Each operation lists its error codes.
Responses may gain fields, and enumerations in responses may gain values: ignore what you do not know.
\`x-least-role\` is the minimum role for an operation, and \`x-key-scope\` the scope that an integration key needs (\`none\`: no integration key suffices).
\`x-step-up\`: in workspaces with \`stepUpMinutes\`, a session needs a recent sign-in or confirmation (\`POST /auth/confirm\`) for every call (\`always\`) or for some (\`sometimes\`).

\`webhooks\` (\`x-webhooks\` in OpenAPI 3.0) describes the events that are sent to other systems.

Amounts of money are JSON numbers, rounded to the minor unit of their currency. A sum beyond 2^53 minor units (90 trillion dollars) is the nearest number of double precision; CSV files and the header \`X-Net-Total\` have every digit.`;

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Any text. The first successful response is stored for 24 hours and returned again to the same request. A response larger than 256 KiB, or with a secret, is not stored: the same request then gets 409 `duplicate_idempotency_key`, which says that the first one was executed.',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
};

/**
 * OpenAPI treats `/plans/{planId}` and `/plans/{planRef}` as one path: the parameter names of the first apply to
 * all.
 */
function paths(operations: readonly AnyOperation[]): ZodOpenApiPathsObject {
  const toShape = ({ path }: AnyOperation) => path.replace(/:[A-Za-z]+/g, ':');
  const grouped = [...groupBy(operations, toShape).values()].map((alike) => {
    const path = toTemplate((alike[0] as AnyOperation).path);
    return [path, Object.fromEntries(alike.map((operation) => [operation.method, describe(operation, path)]))] as const;
  });
  return Object.fromEntries(grouped);
}

function toTemplate(path: string): string {
  return path.replace(/:([A-Za-z]+)/g, '{$1}');
}

function toTag({ path }: AnyOperation): string {
  const [first, second] = path.split('/').slice(1);
  return first === 'v1' ? (second ?? 'service') : (first ?? 'service');
}

function describe(operation: AnyOperation, path: string): ZodOpenApiOperationObject {
  const body = toRequestBody(operation);
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: describeAccess(operation),
    ...(operation.deprecated === true ? { deprecated: true } : {}),
    tags: [toTag(operation)],
    ...(isPublic(operation) ? { security: [] } : {}),
    'x-least-role': operation.access,
    ...(isPublic(operation) ? {} : { 'x-key-scope': findScope(operation) ?? 'none' }),
    ...(operation.stepUp === undefined ? {} : { 'x-step-up': operation.stepUp === 'always' ? 'always' : 'sometimes' }),
    ...(listAlsoFor(operation).length === 0 ? {} : { 'x-also-for': listAlsoFor(operation) }),
    parameters: toParameters(operation, path) as never,
    ...(operation.query === undefined ? {} : { requestParams: { query: operation.query } }),
    ...(body === null ? {} : { requestBody: body }),
    responses: { ...success(operation), ...failureResponses(operation) },
  };
}

function describeAccess(operation: AnyOperation): string {
  if (isPublic(operation)) return 'Needs no token.';
  const also = listAlsoFor(operation)
    .map((role) => `, or ${role}`)
    .join('');
  const scope = findScope(operation);
  const keys = scope === null ? 'No integration key suffices.' : `Integration keys need the scope ${scope}.`;
  return `Minimum role: ${operation.access}${also}. ${keys}`;
}

function toParameters(operation: AnyOperation, path: string): object[] {
  const own = [...operation.path.matchAll(/:([A-Za-z]+)/g)].map(([, name]) => name as string);
  const inPath = [...path.matchAll(/\{([A-Za-z]+)\}/g)].map(([, name], index) => {
    const example = operation.example.params?.[own[index] as string];
    const { description } = toJsonSchema(
      (operation.params as z.ZodObject).shape[own[index] as string] as z.ZodType,
      'input',
    );
    return {
      name,
      in: 'path',
      required: true,
      description,
      schema: { type: 'string' },
      ...(example === undefined ? {} : { example }),
    };
  });
  return [...inPath, ...(acceptsIdempotencyKey(operation) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : [])];
}

function toRequestBody(operation: AnyOperation): ZodOpenApiRequestBodyObject | null {
  const { example } = operation;
  if (operation.upload !== undefined) {
    const { types, limitBytes } = operation.upload as { types: readonly string[]; limitBytes: number };
    return {
      required: true,
      description: `At most ${limitBytes / 1024 / 1024} MiB, as a stream.`,
      content: Object.fromEntries(types.map((type) => [type, uploaded(type, example)])),
    };
  }
  if (operation.raw !== undefined) return rawBody(operation.raw, example);
  if (operation.body === undefined) return null;
  const body = operation.body as z.ZodType;
  return {
    required: !body.safeParse({}).success,
    description: operation.summary,
    content: {
      'application/json': { schema: body, ...(example.body === undefined ? {} : { example: example.body }) },
    },
  };
}

function rawBody({ limitBytes }: { readonly limitBytes: number }, example: Example) {
  const withExample = example.body === undefined ? {} : { example: example.body };
  return {
    required: true,
    description: `At most ${limitBytes / 1024} KiB, as the sender signs it.`,
    content: {
      'application/json': {
        schema: { description: 'The payload of the sender, as its documentation describes it' },
        ...withExample,
      },
    },
  };
}

function uploaded(type: string, example: Example) {
  const upload = example.uploads?.[type];
  const schema =
    type === 'application/json'
      ? ({ type: 'object', description: 'The rows of the file as an object with one list' } as const)
      : ({ type: 'string', description: 'The file: a header line, then one line for each row' } as const);
  return { schema, ...(upload === undefined ? {} : { example: upload }) };
}

function success(operation: AnyOperation): ZodOpenApiResponsesObject {
  const good = {
    description: operation.summary,
    headers: toHeaders([
      'X-Request-Id',
      ...(isPublic(operation) ? [] : limitHeaders),
      ...(acceptsIdempotencyKey(operation) ? (['Idempotent-Replay'] as const) : []),
    ]),
    ...(operation.status === 302 ? {} : { content: toContent(operation) }),
  };
  const statuses = [operation.status ?? 200, operation.otherStatus].filter((status) => status !== undefined);
  return Object.fromEntries(statuses.map((status) => [String(status), good]));
}

/** An operation that returns files returns JSON as one of them or not at all. */
function toContent({ response, example, files }: AnyOperation) {
  const asJson = {
    schema: response as z.ZodType,
    ...(example.response === undefined ? {} : { example: example.response }),
  };
  const asFile = { schema: { type: 'string', format: 'binary', description: 'The bytes of the file' } } as const;
  const types: readonly string[] = files ?? ['application/json'];
  return Object.fromEntries(types.map((type) => [type, type === 'application/json' ? asJson : asFile]));
}
