type Schema = Record<string, unknown>;

/** A document whose parts are changed in place. */
interface Shareable {
  readonly paths?: unknown;
  readonly components?: {
    readonly schemas?: Record<string, unknown>;
    readonly responses?: Record<string, unknown>;
  };
}

/** Characters of a schema from which a reference is shorter and says more. */
const minLength = 200;

/** Keywords whose values are no schemas. */
const values: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'x-default', 'enum', 'const']);

/**
 * Describes each object that several places contain once, as a named schema, and each error response that several
 * operations have once, as a named response.
 */
export function shareSchemas(document: Shareable): void {
  const { schemas = {}, responses = {} } = document.components ?? {};
  const sharing = new Sharing(schemas);
  sharing.count(document.paths);
  sharing.count(schemas);
  for (const [path, item] of Object.entries((document.paths ?? {}) as Record<string, Record<string, Schema>>))
    for (const operation of Object.values(item)) sharing.replaceIn(operation, [operationName(operation, path)]);
  for (const [name, schema] of Object.entries({ ...schemas })) sharing.replaceIn(schema, [name]);
  shareResponses(document.paths, responses);
}

function operationName({ operationId }: Schema, path: string): string {
  return capital(typeof operationId === 'string' ? operationId : path);
}

class Sharing {
  private readonly counts = new Map<string, number>();
  private readonly names = new Map<string, string>();

  constructor(private readonly schemas: Record<string, unknown>) {}

  count(part: unknown): void {
    if (typeof part !== 'object' || part === null) return;
    if (isShareable(part)) {
      const text = JSON.stringify(part);
      const before = this.counts.get(text) ?? 0;
      this.counts.set(text, before + 1);
      // What a counted object contains is counted with it.
      if (before > 0) return;
    }
    for (const [key, value] of Object.entries(part)) if (!values.has(key)) this.count(value);
  }

  /** Replaces repeated objects below the part. `place` are the names on the way to it. */
  replaceIn(part: unknown, place: readonly string[]): void {
    if (typeof part !== 'object' || part === null) return;
    for (const [key, value] of Object.entries(part)) {
      if (values.has(key) || typeof value !== 'object' || value === null) continue;
      const inside = isName(part, key, place) ? [...place, key] : place;
      const text = this.repeatedText(part, value);
      if (text === null) this.replaceIn(value, inside);
      else (part as Schema)[key] = { $ref: `#/components/schemas/${this.nameOf(text, value, inside)}` };
    }
  }

  /** The text of a repeated object. One of several alternatives stays where it is, as a description of one value. */
  private repeatedText(part: object, value: object): string | null {
    const isChoice = Array.isArray(part) && part.filter((form) => (form as Schema)['type'] !== 'null').length > 1;
    if (isChoice || !isShareable(value)) return null;
    const text = JSON.stringify(value);
    return (this.counts.get(text) ?? 0) > 1 ? text : null;
  }

  private nameOf(text: string, schema: object, place: readonly string[]): string {
    const known = this.names.get(text);
    if (known !== undefined) return known;
    const name = this.freeName(place.filter((part) => part !== '').map(singular));
    this.names.set(text, name);
    this.schemas[name] = schema;
    (schema as Schema)['description'] ??= `What the body of ${place[0]} has in common with others`;
    this.replaceIn(schema, [name]);
    return name;
  }

  /** The last name on the way, with as many of those before it as make it unique. */
  private freeName(place: readonly string[]): string {
    for (let length = 1; length <= place.length; length += 1) {
      const name = place.slice(-length).map(capital).join('');
      if (this.schemas[name] === undefined) return name;
    }
    for (let number = 2; ; number += 1) {
      const name = `${place.map(capital).join('')}${number}`;
      if (this.schemas[name] === undefined) return name;
    }
  }
}

/** Whether the key names a field; other keys, such as `items`, are keywords. */
function isName(part: object, key: string, place: readonly string[]): boolean {
  return place.length > 0 && !Array.isArray(part) && !keywords.has(key) && !/^\d+$/.test(key);
}

const keywords: ReadonlySet<string> = new Set([
  ...['properties', 'items', 'anyOf', 'oneOf', 'allOf', 'additionalProperties', 'prefixItems', 'propertyNames'],
  ...['requestBody', 'responses', 'content', 'schema', 'parameters', 'application/json', 'headers'],
]);

function isShareable(part: object): boolean {
  const { type, properties } = part as Schema;
  return type === 'object' && typeof properties === 'object' && JSON.stringify(part).length >= minLength;
}

function singular(name: string): string {
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`;
  if (name.endsWith('ches')) return name.slice(0, -2);
  return name.endsWith('s') && !name.endsWith('ss') && !name.endsWith('us') ? name.slice(0, -1) : name;
}

function capital(name: string): string {
  const letters = name.replace(/[^A-Za-z0-9]/g, '');
  return `${letters.slice(0, 1).toUpperCase()}${letters.slice(1)}`;
}

type Responses = Record<string, Record<string, { responses?: Record<string, Schema> }>>;

/** Error responses that several operations have, by status and a number. */
function shareResponses(paths: unknown, shared: Record<string, unknown>): void {
  const places = Object.values((paths ?? {}) as Responses).flatMap((item) =>
    Object.values(item).flatMap(({ responses = {} }) =>
      Object.entries(responses)
        .filter(([status, response]) => Number(status) >= 400 && response['$ref'] === undefined)
        .map(([status, response]) => ({ responses, status, text: JSON.stringify(response) })),
    ),
  );
  const counts = new Map<string, number>();
  for (const { text } of places) counts.set(text, (counts.get(text) ?? 0) + 1);
  const names = new Map<string, string>();
  for (const { responses, status, text } of places) {
    if ((counts.get(text) ?? 0) < 2) continue;
    const known = names.get(text);
    const name =
      known ?? `error_${status}_${[...names.values()].filter((one) => one.includes(`_${status}_`)).length + 1}`;
    names.set(text, name);
    shared[name] ??= responses[status];
    responses[status] = { $ref: `#/components/responses/${name}` };
  }
}
