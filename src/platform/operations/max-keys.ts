import { defaultMaxKeys } from '../http/json-body.js';
import { type JsonSchema, toJsonSchema } from '../json-schema.js';
import { type AnyOperation } from './operation.js';

type Declared = Pick<AnyOperation, 'body' | 'maxKeys'>;

const known = new WeakMap<Declared, number>();

/** The most keys of a JSON body: what its lists hold at their declared limits, and at least the default. */
export function maxKeysOf(operation: Declared): number {
  const found = known.get(operation) ?? operation.maxKeys ?? Math.max(defaultMaxKeys, keysOfBody(operation));
  known.set(operation, found);
  return found;
}

function keysOfBody({ body }: Declared): number {
  return body === undefined ? 0 : countKeys(toJsonSchema(body, 'input', true));
}

/** Lists without a limit and maps count nothing: the default is their limit. */
function countKeys(schema: JsonSchema): number {
  const choices = [schema['anyOf'], schema['oneOf']].flatMap((list) => (list as JsonSchema[] | undefined) ?? []);
  const properties = Object.values((schema['properties'] as Record<string, JsonSchema> | undefined) ?? {});
  const items = schema['items'] as JsonSchema | undefined;
  const max = (schema['maxItems'] as number | undefined) ?? 0;
  return (
    properties.reduce((sum, property) => sum + 1 + countKeys(property), 0) +
    (items === undefined || max === 0 ? 0 : max * countKeys(items)) +
    Math.max(0, ...choices.map(countKeys))
  );
}
