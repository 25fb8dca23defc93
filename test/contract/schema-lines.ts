import { createHash } from 'node:crypto';
import { type Keyword, keywords, type LineValue, printEnum, printValue } from './line-value.js';

/** A JSON Schema of draft 7 or of OpenAPI 3.0. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

export type Line = readonly [key: string, value: string];

/** How a schema is read. */
export interface Reading {
  readonly resolve: (reference: string) => Schema;
  /** Whether descriptions are part of the contract. */
  readonly withText: boolean;
  /** Whether objects are marked that accept other fields than their own. */
  readonly withOpen: boolean;
}

/** The keywords that determine lines, and those that no caller depends on. */
const structure = ['type', 'nullable', 'required', 'properties', 'items', 'additionalProperties', 'const', '$ref'];
const combinations = ['allOf', 'anyOf', 'oneOf'];
const silent = ['x-default', 'description', 'example', 'examples', 'title', 'additionalProperties', 'propertyNames'];
const known: ReadonlySet<string> = new Set([...structure, ...combinations, ...silent, ...keywords]);

/**
 * One line for the value at `key` and one for each field within it. Throws for keywords that it does not know, since
 * their changes would not be reported.
 */
export function schemaLines(key: string, schema: Schema, required: boolean, reading: Reading): Line[] {
  return new SchemaReader(reading).lines(key, schema, required);
}

class SchemaReader {
  constructor(private readonly reading: Reading) {}

  lines(key: string, schema: Schema, required: boolean): Line[] {
    const found = this.resolved(key, schema);
    return [[key, printValue(this.value(key, found, required))], ...this.fields(key, found)];
  }

  /** The schema with references, and combinations of one member, merged into it. */
  private resolved(key: string, schema: Schema): Schema {
    for (const keyword of Object.keys(schema))
      if (!known.has(keyword)) throw new Error(`${key}: the contract check does not know the keyword ${keyword}`);
    const { $ref, allOf, anyOf, oneOf, ...own } = withNullAlternative(schema);
    if (typeof $ref === 'string') return { ...this.resolved(key, this.reading.resolve($ref)), ...own };
    const members = (allOf ?? anyOf ?? oneOf ?? []) as readonly Schema[];
    const forms = members.filter((member) => !isNull(member));
    if (forms.length > 1 && allOf !== undefined)
      throw new Error(`${key}: the contract check does not know allOf with several members`);
    const merged = forms.length === 1 ? this.resolved(key, forms[0] as Schema) : mergeSimple(forms);
    if (merged === null) return withNullAlternative(schema);
    return { ...merged, ...own, ...(members.length > forms.length ? { nullable: true } : {}) };
  }

  private value(key: string, schema: Schema, required: boolean): LineValue {
    const { alternatives, isNullable } = alternativesOf(schema);
    const inner = innerSchema(schema);
    const types = alternatives.length > 0 ? ['alternatives'] : typesOf(schema);
    return {
      types: isNullable ? [...types, 'null'] : types,
      required,
      facets: this.facets(schema),
      of: inner === null ? null : this.value(key, this.resolved(key, inner), false),
    };
  }

  private facets(schema: Schema): Map<Keyword, string> {
    const { properties, additionalProperties, description } = schema;
    const isOpen = this.reading.withOpen && properties !== undefined && additionalProperties !== false;
    const values: Partial<Record<Keyword, unknown>> = {
      ...(schema as object),
      // The patterns of days and instants are a page long and say what the format says.
      pattern: schema['format'] === undefined ? schema['pattern'] : undefined,
      enum: enumOf(schema),
      // OpenAPI states the default of a request in an extension; see describeDefault.
      default: printDefault('default' in schema ? schema['default'] : schema['x-default']),
      deprecated: schema['deprecated'] === true ? '' : undefined,
      open: isOpen ? '' : undefined,
      text: this.reading.withText && typeof description === 'string' ? fingerprint(description) : undefined,
    };
    const present = keywords.filter((keyword) => values[keyword] !== undefined);
    return new Map(present.map((keyword) => [keyword, String(values[keyword])]));
  }

  private fields(key: string, schema: Schema): Line[] {
    const inner = innerSchema(schema);
    if (inner !== null) {
      const suffix = schema['items'] === undefined ? '{}' : '[]';
      return this.fields(`${key}${suffix}`, this.resolved(key, inner));
    }
    const { alternatives } = alternativesOf(schema);
    const names = new Set((schema['required'] ?? []) as readonly string[]);
    const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
    return [
      ...properties
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([name, field]) => this.lines(`${key}.${named(name)}`, field, names.has(name))),
      ...label(alternatives).flatMap(([name, form]) => this.lines(`${key}|${name}`, form, false)),
    ];
  }
}

function printDefault(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

/** The schema of the items of a list or of the values of a map, but not of the unnamed fields of an object. */
function innerSchema({ items, properties, additionalProperties }: Schema): Schema | null {
  if (items !== undefined) return items as Schema;
  if (properties !== undefined || typeof additionalProperties !== 'object') return null;
  return additionalProperties as Schema;
}

function typesOf({ type, nullable, properties, additionalProperties, ...rest }: Schema): string[] {
  const listed = type === undefined ? [constType(rest) ?? 'any'] : [type].flat();
  const isMap = properties === undefined && typeof additionalProperties === 'object';
  const types = listed.map((name) => (name === 'object' && isMap ? 'map' : String(name)));
  return nullable === true ? [...types, 'null'] : types;
}

/** Alternatives of different simple types as one schema with several types; null if they are not that simple. */
function mergeSimple(forms: readonly Schema[]): Schema | null {
  const types = forms.map(({ type }) => type);
  const isSimple = ({ type, enum: values, nullable }: Schema) =>
    ['string', 'number', 'integer', 'boolean'].includes(type as string) && values === undefined && nullable !== true;
  if (types.length === 0 || new Set(types).size < types.length || !forms.every(isSimple)) return null;
  return Object.assign({}, ...forms, { type: types }) as Schema;
}

function constType({ const: value }: Schema): string | null {
  return value === undefined ? null : typeof value;
}

/** OpenAPI 3.0 has no type null: an alternative that is only null is a string whose only value is null. */
function isNull({ type, enum: values }: Schema): boolean {
  return type === 'null' || (Array.isArray(values) && values.length === 1 && values[0] === null);
}

/** In OpenAPI 3.0 each alternative of a value that may be null is nullable. */
function withNullAlternative(schema: Schema): Schema {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf) || anyOf.length === 0 || !anyOf.every(({ nullable }: Schema) => nullable === true))
    return schema;
  const forms = (anyOf as readonly Schema[]).map(({ nullable: _, ...form }) => form);
  return { ...schema, anyOf: [...forms, { enum: [null] }] };
}

function alternativesOf({ anyOf, oneOf }: Schema): { readonly alternatives: Schema[]; readonly isNullable: boolean } {
  const forms = (anyOf ?? oneOf ?? []) as readonly Schema[];
  return { alternatives: forms.filter((form) => !isNull(form)), isNullable: forms.some(isNull) };
}

function enumOf({ enum: values, const: only }: Schema): string | undefined {
  if (only !== undefined) return printEnum([only]);
  return values === undefined ? undefined : printEnum((values as readonly unknown[]).filter((value) => value !== null));
}

/** Names the alternatives: by the name of the schema, by the type, and with a number where these are not unique. */
function label(alternatives: readonly Schema[]): (readonly [string, Schema])[] {
  const count = new Map<string, number>();
  return alternatives.map((form) => {
    const name =
      typeof form['$ref'] === 'string' ? (form['$ref'].split('/').at(-1) as string) : typesOf(form).join('-');
    const number = (count.get(name) ?? 0) + 1;
    count.set(name, number);
    return [number === 1 ? name : `${name}-${number}`, form] as const;
  });
}

function named(name: string): string {
  if (!/^[\w$-]+$/.test(name)) throw new Error(`The name ${name} cannot be part of a line of the contract`);
  return name;
}

export function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
