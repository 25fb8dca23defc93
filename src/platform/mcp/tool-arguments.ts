import { z } from 'zod';
import { invalid } from '../../kernel/failure.js';
import { guardJson } from '../http/json-body.js';
import { type AnyOperation } from '../operation.js';
import { parsePart, type RawInput } from '../operation-dispatcher.js';
import { type Argument, type Tool } from './tool.js';

/** How much of an answer is wanted: arguments that every tool of the kind has, whatever its operation. */
export interface Reading {
  readonly limit: number;
  readonly offset: number;
  readonly detail?: 'summary' | 'full';
}

const usualLimit = 50;
const mostLimit = 200;

const page = {
  limit: z.int().min(1).max(mostLimit).default(usualLimit).meta({ description: 'Items of one page' }),
  offset: z.int().min(0).max(1e9).default(0).meta({ description: 'nextOffset of the page before' }),
};

/** The schema of what is read here and not by the operation. */
export function readingArguments({ list, listsWithin, hints, detail, confirmed }: Tool): z.ZodType {
  return z.object({
    ...((list ?? listsWithin) !== undefined && hints.readOnlyHint ? page : {}),
    ...(detail === undefined
      ? {}
      : {
          detail: z
            .enum(['summary', 'full'])
            .default(detail.unlessAsked)
            .meta({ description: `summary leaves out ${detail.summaryOmits.join(', ')}` }),
        }),
    ...(confirmed === undefined
      ? {}
      : {
          confirm: z
            .literal(true, 'must be true: it cannot be undone, so ask the person first')
            .meta({ description: 'true, once a person has agreed: it cannot be undone' }),
        }),
  });
}

/** Sorts a call's arguments into the parts that the operation reads; nothing is checked twice, nothing is dropped. */
export function readArguments(operation: AnyOperation, tool: Tool, given: Readonly<Record<string, unknown>>) {
  guardJson(given);
  const reading = parsePart(readingArguments(tool), given) as Partial<Reading>;
  const own = Object.keys(reading);
  const fixed = Object.entries(tool.arguments as Readonly<Record<string, Argument>>).flatMap(([name, argument]) =>
    typeof argument !== 'string' && 'always' in argument ? [[name, argument.always] as const] : [],
  );
  for (const [name] of fixed) if (name in given) throw invalid({ path: name, message: 'is not known here' });
  assertRequired(tool, given);
  const rest = [...Object.entries(given).filter(([name]) => !own.includes(name)), ...fixed].map(
    ([name, value]) => [name, meantBy(tool, name, value)] as const,
  );
  // What was just written is shown as far as it fits; there is no asking again for the rest.
  const wanted: Reading = { limit: Number.MAX_SAFE_INTEGER, offset: 0, ...reading };
  return { raw: partsOf(operation, rest, wanted), reading: wanted };
}

function assertRequired(tool: Tool, given: Readonly<Record<string, unknown>>): void {
  for (const [name, argument] of Object.entries(tool.arguments as Readonly<Record<string, Argument>>))
    if (typeof argument !== 'string' && 'required' in argument && given[name] === undefined)
      throw invalid({ path: name, message: `is required: ${argument.description}` });
}

/** The value that a word of the argument stands for, otherwise the value itself. */
function meantBy(tool: Tool, name: string, value: unknown): unknown {
  const argument = (tool.arguments as Readonly<Record<string, Argument>>)[name];
  const words = argument === undefined || typeof argument === 'string' || !('words' in argument) ? {} : argument.words;
  return typeof value === 'string' && words !== undefined && Object.hasOwn(words, value) ? words[value] : value;
}

function partsOf(
  operation: AnyOperation,
  given: readonly (readonly [string, unknown])[],
  { limit, offset }: Reading,
): RawInput {
  const params = namesIn(operation.params);
  const query = namesIn(operation.query);
  // An argument of no part goes where its name is refused.
  const where = (name: string) => {
    if (params.has(name)) return 'params';
    return query.has(name) || operation.body === undefined ? 'query' : 'body';
  };
  const part = (name: 'params' | 'query' | 'body') => Object.fromEntries(given.filter(([key]) => where(key) === name));
  const pages = query.has('limit') ? { limit, offset } : {};
  const texts = Object.entries({ ...part('query'), ...pages }).map(([name, value]) => [name, asQuery(value)]);
  return {
    params: part('params'),
    query: Object.fromEntries(texts),
    body: operation.body === undefined ? undefined : part('body'),
  };
}

/** Whether the operation pages by itself. */
export function pagesItself(operation: AnyOperation): boolean {
  return namesIn(operation.query).has('limit');
}

function namesIn(schema: unknown): ReadonlySet<string> {
  return new Set(schema instanceof z.ZodObject ? Object.keys(schema.shape) : []);
}

/** Queries are texts. What could not stand in one is left as it is, for the schema to refuse. */
function asQuery(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}
