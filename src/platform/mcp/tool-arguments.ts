import { z } from 'zod';
import { invalid } from '../../kernel/failure.js';
import { guardJson } from '../http/json-body.js';
import { type JsonSchema } from '../json-schema.js';
import { maxKeysOf } from '../operations/max-keys.js';
import { type AnyOperation, type AnyTool } from '../operations/operation.js';
import { parsePart, type RawInput } from '../operations/operation-dispatcher.js';
import { type Argument } from './tool.js';

/** How much of the result to return: arguments that every tool of the kind has, whatever its operation. */
export interface Reading {
  readonly limit: number;
  readonly offset: number;
  readonly detail?: 'summary' | 'full';
}

const defaultLimit = 50;
const maxLimit = 200;

const page = {
  limit: z
    .int()
    .min(1)
    .max(maxLimit)
    .default(defaultLimit)
    .meta({ description: `Max ${maxLimit}` }),
  offset: z.int().min(0).max(1e9).default(0).meta({ description: 'nextOffset' }),
};

/** Omits the name of the list if the result is only a list. Beside a list, a field may have the name of an omitted one. */
function omittedParts(names: readonly string[], list = ''): string {
  return names.map((name) => (name.startsWith(`${list}.`) ? name.slice(list.length + 1) : name)).join(', ');
}

/** The schema of the arguments that are not the operation's. */
export function readingArguments({ list, listsWithin, hints, detail, confirmed }: AnyTool): z.ZodType {
  return z.object({
    ...((list ?? listsWithin) !== undefined && hints.readOnlyHint ? page : {}),
    ...(detail === undefined
      ? {}
      : {
          detail: z
            .enum(['summary', 'full'])
            .default(detail.defaultForm)
            .meta({ description: `summary omits ${omittedParts(detail.summaryOmits, list)}` }),
        }),
    ...(confirmed === undefined
      ? {}
      : {
          confirm: z
            .literal(true, 'must be true: it cannot be undone, so ask the person first')
            .meta({ description: 'true, once a person has agreed' }),
        }),
  });
}

interface CalledTool {
  readonly operation: AnyOperation;
  readonly tool: AnyTool;
  readonly definition: { readonly inputSchema: JsonSchema };
}

/** Assigns a call's arguments to the parts of the operation's input; every argument is checked exactly once. */
export function readArguments(
  { operation, tool, definition: { inputSchema } }: CalledTool,
  receivedArguments: Readonly<Record<string, unknown>>,
) {
  guardJson(receivedArguments, maxKeysOf(operation));
  const sentArguments = withoutBlanks(inputSchema, receivedArguments);
  const reading = parsePart(readingArguments(tool), sentArguments) as Partial<Reading>;
  const own = Object.keys(reading);
  const fixed = Object.entries(tool.arguments as Readonly<Record<string, Argument>>).flatMap(([name, argument]) =>
    typeof argument !== 'string' && 'always' in argument ? [[name, argument.always] as const] : [],
  );
  for (const [name] of fixed) if (name in sentArguments) throw invalid({ path: name, message: 'unknown field' });
  assertRequired(tool, sentArguments);
  const rest = [...Object.entries(sentArguments).filter(([name]) => !own.includes(name)), ...fixed].map(
    ([name, value]) => [name, argumentValue(tool, name, value)] as const,
  );
  // The result of a write has no pages: it shows as many items as fit.
  const page: Reading = { limit: Number.MAX_SAFE_INTEGER, offset: 0, ...reading };
  return { raw: assignParts(operation, rest, page), reading: page };
}

/** Clients that send every argument send null or an empty text for an optional one that the model left out. */
function withoutBlanks(
  inputSchema: JsonSchema,
  received: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const required = new Set((inputSchema['required'] ?? []) as readonly string[]);
  const isGiven = ([name, value]: readonly [string, unknown]) => required.has(name) || (value !== null && value !== '');
  return Object.fromEntries(Object.entries(received).filter(isGiven));
}

function assertRequired(tool: AnyTool, sentArguments: Readonly<Record<string, unknown>>): void {
  for (const [name, argument] of Object.entries(tool.arguments as Readonly<Record<string, Argument>>))
    if (typeof argument !== 'string' && 'required' in argument && (sentArguments[name] ?? null) === null)
      throw invalid({ path: name, message: `is required: ${argument.description}` });
}

/** The value that a keyword of the argument represents, otherwise the value itself. */
function argumentValue(tool: AnyTool, name: string, value: unknown): unknown {
  const argument = (tool.arguments as Readonly<Record<string, Argument>>)[name];
  const keywords =
    argument === undefined || typeof argument === 'string' || !('keywords' in argument) ? {} : argument.keywords;
  return typeof value === 'string' && keywords !== undefined && Object.hasOwn(keywords, value)
    ? keywords[value]
    : value;
}

function assignParts(
  operation: AnyOperation,
  values: readonly (readonly [string, unknown])[],
  { limit, offset }: Reading,
): RawInput {
  const params = namesIn(operation.params);
  const query = namesIn(operation.query);
  // An unknown argument is assigned to the part whose schema rejects it.
  const where = (name: string) => {
    if (params.has(name)) return 'params';
    return query.has(name) || operation.body === undefined ? 'query' : 'body';
  };
  const part = (name: 'params' | 'query' | 'body') => Object.fromEntries(values.filter(([key]) => where(key) === name));
  const pages = readsPages(operation) ? { limit, offset } : {};
  const texts = Object.entries({ ...part('query'), ...pages }).map(([name, value]) => [name, asQuery(value)]);
  return {
    params: part('params'),
    query: Object.fromEntries(texts),
    body: operation.body === undefined ? undefined : part('body'),
  };
}

/** Whether the operation reads one page of its list. */
export function readsPages({ query }: Pick<AnyOperation, 'query'>): boolean {
  const names = namesIn(query);
  return names.has('limit') && names.has('offset');
}

function namesIn(schema: unknown): ReadonlySet<string> {
  return new Set(schema instanceof z.ZodObject ? Object.keys(schema.shape) : []);
}

/** Query parameters are text. Other values are unchanged, and the schema rejects them. */
function asQuery(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}
