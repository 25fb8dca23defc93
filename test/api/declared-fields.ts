import { z } from 'zod';
import { type AnyOperation } from '#src/platform/operations/operation.js';

// biome-ignore lint/suspicious/noExplicitAny: JSON schemas are read at every depth
type JsonSchema = any;

/** What a field holds, of the values that have bounds. */
export type BoundedKind = 'day' | 'instant' | 'day or instant' | 'period' | 'number';

export interface DeclaredField {
  readonly operation: AnyOperation;
  readonly part: 'params' | 'query' | 'body';
  /** Names and indexes, from the part to the field. */
  readonly path: readonly string[];
  readonly schema: JsonSchema;
}

/** Every field of the requests of an operation at every depth, a field of an array as that of its first item. */
function declaredFields(operation: AnyOperation): DeclaredField[] {
  return (['params', 'query', 'body'] as const).flatMap((part) => {
    const declared: z.ZodType | undefined = operation[part];
    if (declared === undefined) return [];
    const schema = z.toJSONSchema(declared, { io: 'input', unrepresentable: 'any', reused: 'inline' });
    return fieldsIn(schema, []).map((field) => ({ operation, part, ...field }));
  });
}

function fieldsIn(schema: JsonSchema, path: readonly string[]): Pick<DeclaredField, 'path' | 'schema'>[] {
  const nested = Object.entries<JsonSchema>(schema.properties ?? {}).map(([name, field]) => [name, field] as const);
  if (typeof schema.items === 'object') nested.push(['0', { description: schema.description, ...schema.items }]);
  const below = nested.flatMap(([name, field]) => [
    { path: [...path, name], schema: field },
    ...fieldsIn(field, [...path, name]),
  ]);
  return [...below, ...alternatives(schema).flatMap((one) => fieldsIn(one, path))];
}

function alternatives(schema: JsonSchema): JsonSchema[] {
  return [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
}

/** The kind of the field, by its type and description; null if it has no bounds. */
function boundedKind({ path, schema, part }: DeclaredField): BoundedKind | null {
  const all = [schema, ...alternatives(schema)];
  const texts = all.map(({ description }) => description ?? '').join(' ');
  const types = all.flatMap(({ type }) => type ?? []);
  if (types.includes('number') || types.includes('integer')) return 'number';
  if (!types.includes('string') || all.some((one) => one.enum !== undefined)) return null;
  const isInstant = all.some(({ format }) => format === 'date-time') || /YYYY-MM-DD or an instant/.test(texts);
  const isDay = /YYYY-MM-DD/.test(texts);
  if (isInstant) return isDay ? 'day or instant' : 'instant';
  if (isDay) return 'day';
  if (path.at(-1) === 'period') return 'period';
  return part === 'query' && /\b(number|limit|offset|version)\b/i.test(`${path.at(-1)} ${texts}`) ? 'number' : null;
}

export interface BoundedField extends DeclaredField {
  readonly kind: BoundedKind;
}

/** The fields of the query and the body whose values have bounds. */
export function boundedFields(operation: AnyOperation): BoundedField[] {
  return declaredFields(operation).flatMap((field) => {
    const kind = boundedKind(field);
    return kind === null || field.part === 'params' ? [] : [{ ...field, kind }];
  });
}

/** Sets the value in the object, and creates what contains it, also where another value is. */
export function setAt(holder: object, [name, ...rest]: readonly string[], value: unknown): void {
  if (name === undefined) return;
  const stored: unknown = Reflect.get(holder, name);
  const inside = typeof stored === 'object' && stored !== null ? stored : rest[0] === '0' ? [] : {};
  Reflect.set(holder, name, rest.length === 0 ? value : inside);
  setAt(inside, rest, value);
}
