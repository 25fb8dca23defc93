type Schema = Record<string, unknown>;

/** Values of a request or response, which are no schemas. */
const valueKeys: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'enum', 'const']);

/**
 * Rewrites what is null as OpenAPI 3.0 defines it: `nullable` only beside a `type`, and `null` among the values of an
 * `enum`. Linters and code generators reject other forms.
 */
export function allowNulls(part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  if (Array.isArray(part)) {
    for (const item of part) allowNulls(item);
    return;
  }
  const schema = part as Schema;
  for (const [key, value] of Object.entries(schema)) if (!valueKeys.has(key)) allowNulls(value);
  dropNullBranch(schema);
  if (schema['nullable'] !== true) return;
  const { enum: values } = schema;
  if (Array.isArray(values) && !values.includes(null)) schema['enum'] = [...values, null];
  if (schema['type'] !== undefined) return;
  if (Array.isArray(schema['anyOf'])) {
    delete schema['nullable'];
    setNullable(schema['anyOf'] as Schema[]);
  } else schema['type'] = 'object';
}

/** A branch that is only null makes the other branches nullable. */
function dropNullBranch(schema: Schema): void {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf)) return;
  const others = (anyOf as Schema[]).filter(({ enum: values }) => JSON.stringify(values) !== '[null]');
  if (others.length === anyOf.length) return;
  schema['anyOf'] = others;
  setNullable(others);
}

function setNullable(branches: readonly Schema[]): void {
  for (const branch of branches) if (branch['type'] !== undefined) branch['nullable'] = true;
}
