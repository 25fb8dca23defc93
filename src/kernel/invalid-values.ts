import { type Issue } from './failure.js';

/** What a schema reports about a value, in the shape of zod. */
interface Finding {
  readonly code?: string | undefined;
  readonly input?: unknown;
  readonly expected?: string | undefined;
  readonly values?: readonly unknown[] | undefined;
  readonly origin?: string | undefined;
  readonly minimum?: number | bigint | undefined;
  readonly maximum?: number | bigint | undefined;
  readonly inclusive?: boolean | undefined;
}

/** The part of a zod schema that {@link readValue} needs. */
interface Schema<Value> {
  safeParse(
    value: unknown,
    options: { readonly error: typeof whatIsWrong },
  ):
    | { readonly success: true; readonly data: Value }
    | { readonly success: false; readonly error: { readonly issues: readonly Problem[] } };
}

type ReadValue<Value> = { readonly value: Value } | { readonly issues: readonly [Issue, ...Issue[]] };

/** The value as the schema returns it, or what is wrong with it, in paths that begin with the prefix. */
export function readValue<Value>(
  schema: Schema<Value>,
  value: unknown,
  prefix: readonly PropertyKey[] = [],
): ReadValue<Value> {
  const parsed = schema.safeParse(value, { error: whatIsWrong });
  return parsed.success ? { value: parsed.data } : { issues: toIssues(parsed.error.issues, prefix) };
}

/** What is wrong with a value, without its name; undefined for zod's own words. */
function whatIsWrong(finding: Finding): string | undefined {
  const { code, input, expected = '', values = [], minimum = 0, maximum = 0 } = finding;
  if (input === undefined && (code === 'invalid_type' || code === 'invalid_value')) return 'is required';
  if (code === 'invalid_type') return `must be ${typeNames[expected] ?? expected}`;
  if (code === 'invalid_value')
    return `must be ${values.length === 1 ? '' : 'one of '}${values.map(String).join(', ')}`;
  if (code === 'too_small') return tooSmall(finding, minimum);
  if (code === 'too_big') return tooBig(finding, maximum);
  return undefined;
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

function tooSmall({ origin, inclusive }: Finding, minimum: number | bigint): string {
  const unit = formatUnit(origin, minimum);
  if (unit === null) return `must be ${inclusive === false ? 'more than' : 'at least'} ${grouped(minimum)}`;
  return minimum === 1 ? 'must not be empty' : `must have at least ${grouped(minimum)} ${unit}`;
}

function tooBig({ origin, inclusive }: Finding, maximum: number | bigint): string {
  const unit = formatUnit(origin, maximum);
  if (unit === null) return `must be ${inclusive === false ? 'less than' : 'at most'} ${grouped(maximum)}`;
  return `must have at most ${grouped(maximum)} ${unit}`;
}

/** What a bound of this kind of value counts; null for a number. */
function formatUnit(origin: string | undefined, bound: number | bigint): string | null {
  if (origin !== 'string' && origin !== 'array') return null;
  return `${origin === 'string' ? 'character' : 'item'}${bound === 1 ? '' : 's'}`;
}

function grouped(bound: number | bigint): string {
  return bound.toLocaleString('en-US');
}

/** More issues than an error lists. A body can have 100,000, and describing all of them takes 40 ms. */
const maxDescribedIssues = 1000;

/** An issue of zod. */
interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** Lists the unknown keys. */
  readonly keys?: readonly string[];
}

/** The first problem of each path below the prefix. Each unknown key is a separate one. */
function toIssues(problems: readonly Problem[], prefix: readonly PropertyKey[]): [Issue, ...Issue[]] {
  const issues = new Map<string, Issue>();
  for (const { path, message, keys } of problems.slice(0, maxDescribedIssues)) {
    const unknown = keys?.slice(0, maxDescribedIssues).map((key) => [[...path, key], 'unknown field'] as const);
    for (const [at, what] of unknown ?? [[path, message] as const]) {
      const name = [...prefix, ...at].map(String).join('.');
      if (!issues.has(name)) issues.set(name, { path: name, message: what });
    }
  }
  return [...issues.values()] as [Issue, ...Issue[]];
}
