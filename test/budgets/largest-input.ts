import { z } from 'zod';
import { guardJson } from '#src/platform/http/json-body.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';

// biome-ignore lint/suspicious/noExplicitAny: JSON schemas are read at every depth
type Schema = any;

/** Bodies stay below the limits of 1 MiB, 8 KiB without a token. */
const maxJsonBytes = 1000 * 1024;
const maxAnonymousBytes = 8000;

/** Valid values of formats and names whose schemas cannot state them. */
export interface KnownValues {
  /** By the name of the field, such as repId. */
  readonly byName: Readonly<Record<string, unknown>>;
}

/**
 * The largest body that the schema of the operation accepts, or nearly so: lists and texts fill the body. Where the
 * schema of a field does not state what its checks require, the body has the value of the operation's example.
 */
export function largestBody(operation: AnyOperation, known: KnownValues): unknown {
  if (operation.body === undefined) return undefined;
  const limit = operation.access === 'public' ? maxAnonymousBytes : maxJsonBytes;
  const schema = z.toJSONSchema(operation.body, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Schema;
  for (let scale = 1; scale > 1e-5; scale *= 0.6) {
    const filled = new Filler(known, scale).fill(schema);
    if (filled === null) continue;
    const body = accepted(operation, filled);
    if (JSON.stringify(body).length <= limit && hasFewerKeys(body, operation.maxKeys)) return body;
  }
  throw new Error(`no body of ${operation.id} is small enough`);
}

function hasFewerKeys(body: unknown, maxKeys: number | undefined): boolean {
  try {
    guardJson(body, maxKeys);
    return true;
  } catch {
    return false;
  }
}

const maxRepairs = 20;
/** A day that may lie neither in the past nor in the future. */
const today = new Date().toISOString().slice(0, 10);
/** What is filled before the checks of the schema shorten it. */
const maxValues = 300_000;
const maxCharacters = 30_000_000;

class TooLarge extends Error {}

/** The body with every value that the schema rejects replaced by that of the example, or left out without one. */
function accepted(operation: AnyOperation, filled: unknown): unknown {
  const schema = operation.body as z.ZodType;
  const body = structuredClone(filled);
  for (let round = 0; round < maxRepairs; round += 1) {
    const parsed = schema.safeParse(body);
    if (parsed.success) return body;
    const places = parsed.error.issues.flatMap(({ path, code, ...issue }) =>
      code === 'unrecognized_keys' ? (issue as { keys?: string[] }).keys?.map((key) => [...path, key]) : [path],
    );
    const { body: example } = operation.example;
    const isNowhere = (path: Path) => [body, example].every((at) => valueAt(at, path) === undefined);
    // A required value that the example does not have either: its object is left out.
    const repaired = (places as Path[]).map((path) => (isNowhere(path) ? path.slice(0, -1) : path));
    repair(body, repairInEach(body, repaired, example), example);
  }
  const { error } = schema.safeParse(body);
  throw new Error(
    `no valid body of ${operation.id}: ${error?.issues[0]?.path.join('.')}: ${error?.issues[0]?.message}`,
  );
}

type Path = readonly (string | number)[];

/**
 * Replaces the values at the paths by those of the example, or removes values that the example does not have, or has
 * with the same value. A list ends before its first rejected item after the first one.
 */
export function repair(body: unknown, paths: readonly Path[], example: unknown): void {
  const ends = new Map<Schema[], number>();
  for (const path of paths) {
    const item = path.findIndex((key) => Number(key) > 0);
    const list = item < 0 ? undefined : valueAt(body, path.slice(0, item));
    if (Array.isArray(list)) ends.set(list, Math.min(ends.get(list) ?? list.length, Number(path[item])));
    else replace(valueAt(body, path.slice(0, -1)), path.at(-1) ?? '', valueAt(example, path));
  }
  for (const [list, end] of ends) list.length = Math.min(list.length, end);
}

/** The paths of values that are rejected in every item are left out, once each of them is replaced as in the first item. */
function repairInEach(body: unknown, paths: readonly Path[], example: unknown): Path[] {
  const rejected = new Set(paths.map((path) => path.join('.')));
  return paths.filter((path) => {
    const inFirst = path.map((key) => (typeof key === 'number' ? 0 : key));
    if (!rejected.has(inFirst.join('.'))) return true;
    replace(valueAt(body, path.slice(0, -1)), path.at(-1) ?? '', valueAt(example, inFirst));
    return false;
  });
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<Schema>((at, key) => at?.[key], value);
}

function replace(at: Schema, key: string | number, replacement: unknown): void {
  if (typeof at !== 'object' || at === null) return;
  const isSame = JSON.stringify(at[key]) === JSON.stringify(replacement);
  if (Array.isArray(at) && (replacement === undefined || isSame)) at.splice(Number(key), 1);
  else if (replacement === undefined || isSame) delete at[key];
  else at[key] = structuredClone(replacement);
}

/** Fills a schema: every optional field is present, lists and texts have their max length times the scale. */
class Filler {
  private values = 0;
  private characters = 0;

  constructor(
    private readonly known: KnownValues,
    private readonly scale: number,
  ) {}

  /** Null: lists within lists would fill the memory of this process. */
  fill(schema: Schema): unknown {
    try {
      return this.value(schema, 'body', 0);
    } catch (error) {
      if (error instanceof TooLarge) return null;
      throw error;
    }
  }

  private value(schema: Schema, name: string, index: number): unknown {
    this.values += 1;
    if (this.values > maxValues || this.characters > maxCharacters) throw new TooLarge();
    const given = this.known.byName[name] ?? this.knownBySuffix(name);
    if (given !== undefined) return typeof given === 'function' ? given(index) : given;
    const one = this.branch(schema);
    if (one.const !== undefined) return one.const;
    if (one.enum !== undefined) return one.enum[index % one.enum.length];
    if (one.type === 'array') return this.list(one, name);
    if (one.type === 'object') return this.object(one, index);
    if ([one.type].flat().some((type) => type === 'number' || type === 'integer'))
      return Math.min(one.maximum ?? 1_000_000, 1_000_000);
    if (one.type === 'boolean') return false;
    return this.text(one, index);
  }

  private knownBySuffix(name: string): unknown {
    return /(From|Until|Date)$/.test(name) ? '2026-01-15' : undefined;
  }

  private branch(schema: Schema): Schema {
    const branches: Schema[] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [schema];
    return branches.find(({ type }) => type === 'array' || type === 'object') ?? branches[0];
  }

  private list(schema: Schema, name: string): unknown[] {
    const length = Math.max(schema.minItems ?? 1, Math.floor((schema.maxItems ?? 1000) * this.scale));
    return Array.from({ length }, (_, index) => this.value(schema.items ?? {}, name.replace(/s$/, ''), index));
  }

  private object(schema: Schema, index: number): Record<string, unknown> {
    // A rep is named in one of two ways.
    const { email, ...withoutEmail } = schema.properties ?? {};
    const properties = withoutEmail.repId === undefined ? schema.properties : withoutEmail;
    const named = Object.entries(properties ?? {}).map(([key, field]) => [key, this.value(field, key, index)]);
    if (typeof schema.additionalProperties !== 'object' || Object.keys(schema.properties ?? {}).length > 0)
      return Object.fromEntries(named);
    const keys = Math.max(1, Math.floor(500 * this.scale));
    this.values += keys;
    return Object.fromEntries(Array.from({ length: keys }, (_, at) => [`key${at}`, `value ${at}`]));
  }

  private text(schema: Schema, index: number): string {
    if (schema.format === 'uuid') return `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    if (schema.format === 'email') return `person${index}@example.test`;
    if (schema.format === 'date') return '2026-01-15';
    if (schema.description?.includes('YYYY-MM-DD')) return today;
    const length = Math.max(schema.minLength ?? 1, Math.floor(Math.min(schema.maxLength ?? 500, 10_000) * this.scale));
    this.characters += length;
    return `${index}`.padEnd(length, 'x').slice(0, Math.max(length, 1));
  }
}

/** Plans near the limit of their cost: 50 rules that share 75 conditions, and lists of dates in another. */
const condition = (at: number) => ({
  field: `field${at % 9}`,
  fieldType: 'text',
  operator: 'not_contains',
  value: `value ${at}`.padEnd(400, 'x'),
});
const day = (at: number) => new Date(Date.UTC(2000, 0, 1 + at)).toISOString().slice(0, 10);
const tiers = Array.from({ length: 10 }, (_, at) => ({ tierIndex: at, minThreshold: at / 10, rate: 0.1 }));
const rulesWith = (count: number, conditions: (rule: number) => unknown[]) =>
  Array.from({ length: count }, (_, at) => ({
    name: `Rule ${at}`,
    measure: 'amount',
    tiers,
    conditions: conditions(at),
  }));

export const largestConfigs: Readonly<Record<string, object>> = {
  conditions: {
    dealConditions: [{ operator: 'or', rules: Array.from({ length: 25 }, (_, at) => condition(at)) }],
    rules: rulesWith(25, (rule) => Array.from({ length: 30 }, (_, at) => condition(rule + at))),
  },
  dates: {
    rules: rulesWith(4, () =>
      Array.from({ length: 15 }, (_, at) => ({
        field: `date${at}`,
        fieldType: 'date',
        operator: 'not_in',
        value: Array.from({ length: 1000 }, (_unused, index) => day(index)),
      })),
    ),
  },
};

/** A query in which numbers are as large as the schema accepts. */
export function largestQuery(operation: AnyOperation, known: KnownValues): Record<string, string> {
  const query: Record<string, string> = { ...operation.example.query };
  for (const name of Object.keys(query)) {
    const value = known.byName[name];
    if (typeof value === 'string') query[name] = value;
  }
  const schema = operation.query as z.ZodType | undefined;
  if (schema === undefined) return query;
  for (const limit of ['100000', '10000', '1000', '500', '200', '100', '50'])
    if (schema.safeParse({ ...query, limit }).success) return { ...query, limit };
  return query;
}

const maxRows = 10_000;

/** The example of the upload with its row repeated under other keys until the file has the size. */
export function largestFile(example: unknown, bytes: number): Buffer {
  if (typeof example !== 'string') {
    const [[name, [item]]] = Object.entries(example as Record<string, [Record<string, unknown>]>) as [
      [string, [Record<string, unknown>]],
    ];
    const [[key, id]] = Object.entries(item) as [[string, string]];
    const count = Math.floor(bytes / (JSON.stringify(item).length + 8));
    return Buffer.from(JSON.stringify({ [name]: times(count, (at) => ({ ...item, [key]: `${id}${at}` })) }));
  }
  const [header, row = ''] = example.split('\n');
  const [key = '', ...cells] = row.split(',');
  const count = Math.min(maxRows, Math.floor(bytes / (row.length + 8)));
  const rows = times(count, (at) => [key.includes('@') ? key.replace('@', `${at}@`) : `${key}${at}`, ...cells].join());
  return Buffer.from(`${header}\n${rows.join('\n')}\n`);
}

/** Just below the limit of a record, 1 MiB. */
const maxRecordLength = 1000 * 1024;

/** CSV files with the widest lines and the longest cells. An import may reject them, and must not be long about it. */
export function largestRecords(example: string): Readonly<Record<string, Buffer>> {
  const [header = '', row = ''] = example.split('\n');
  const count = header.split(',').length;
  // A search for a line end stops at each of these characters, whose lower bytes are those of a line end.
  const cells = ',\u010a'.repeat(maxRecordLength / 2 - 200);
  const length = Math.floor(maxRecordLength / count) - 20;
  const filled = (cell: string) => times(count, () => cell).join();
  const files = {
    'the widest header': `${header}${cells}\n${row}\n`,
    'the widest line': `${header}\n"x"${cells}\n`,
    'many unknown columns': `${header},${times(490, (at) => `${at}${'u'.repeat(400)}`).join()}\n${row}${','.repeat(490)}\n`,
    'the longest numbers': `${header}\n${filled(`${'1'.repeat(length)}x`)}\n`,
    'the longest days': `${header}\n${filled(`"2026-01-15${' '.repeat(length - 20)}\nx"`)}\n`,
  };
  return Object.fromEntries(Object.entries(files).map(([name, file]) => [name, Buffer.from(file)]));
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}
