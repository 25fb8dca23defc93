import { Document, isMap, isSeq, type Node, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { type z } from 'zod';
import { readValue } from '../../kernel/invalid-values.js';

/** A file that cannot be used: the message names the file and the place. */
export class FileError extends Error {
  override readonly name = 'FileError';
}

/** Reads a file of the form. JSON is YAML too, so one reader is enough; the server checks the values. */
export function parseFile<Terms>(text: string, file: string, form: z.ZodType<Terms>): Terms {
  const document = parseDocument(text, { prettyErrors: true });
  const [problem] = document.errors;
  if (problem !== undefined) throw new FileError(`${file}: ${problem.message}`);
  const read = readValue(form, document.toJS({ maxAliasCount: 100 }));
  if ('value' in read) return read.value;
  const issues = read.issues.map(({ path, message }) => `${path || 'the file'}: ${message}`);
  throw new FileError(`${file}: ${issues.join('; ')}`);
}

/**
 * The order of known keys, so that the same terms are always the same text. The database does not keep the order in which a
 * config was sent. Other keys follow in alphabetical order.
 */
const keyOrder: readonly string[] = [
  'name',
  'status',
  'effectiveStart',
  'effectiveEnd',
  'currency',
  'fx',
  'fieldMapping',
  'config',
  'tests',
  // A config
  'quotaPeriod',
  'dealConditions',
  'rules',
  // A condition
  'field',
  'fieldType',
  'operator',
  'value',
  // A rule
  'measure',
  'baseField',
  'executionPhase',
  'dependsOn',
  'conditions',
  'attainmentPeriod',
  'quotaGroup',
  'quotaMeasure',
  'quotaCredit',
  'weight',
  'tierBy',
  'tierValueField',
  'tierMode',
  'payoutMode',
  'payoutBase',
  'tiers',
  // A tier
  'tierIndex',
  'minThreshold',
  'min',
  'rate',
  'flatAmount',
  // A test
  'asOf',
  'assignment',
  'managers',
  'quotas',
  'deals',
  'dealId',
  'period',
  'target',
  'variableTarget',
  'closeDate',
  'stage',
  'ruleName',
  'rep',
  'amount',
  'fields',
  'expected',
  'total',
  // A rate table
  'noMatch',
  'keys',
  'columns',
  'rows',
  'match',
  'kind',
  'values',
];
const keyIndexes = new Map(keyOrder.map((key, index) => [key, index]));

/** The value with its keys in the order of files. Keys without a value are left out. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const keyIndex = (key: string) => keyIndexes.get(key) ?? keyOrder.length;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => keyIndex(a) - keyIndex(b) || (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sortKeys(item)]));
}

const yamlFormat = { lineWidth: 0 } as const;

/**
 * The text of a plan or a rate table, whose rows have a line each. If the file exists, only what differs is written into
 * it, so that comments, order and spelling stay; a file without a difference stays as it is, byte for byte.
 */
export function formatFile(terms: object, isJson: boolean, existing: string | null): string {
  const value = sortKeys(terms);
  if (existing !== null) {
    const document = parseDocument(existing);
    if (document.errors.length === 0) {
      if (isSame(document.toJS(), value)) return existing;
      if (!isJson) {
        document.contents = mergeNode(document, document.contents, value) as typeof document.contents;
        return toYaml(document);
      }
    }
  }
  return isJson ? `${JSON.stringify(value, null, 2)}\n` : toYaml(new Document(value));
}

function toYaml(document: Document): string {
  const rows = document.get('rows');
  if (isSeq(rows)) for (const row of rows.items) if (isMap(row)) row.flow = true;
  return document.toString(yamlFormat);
}

/** The node changed to the value. Nodes of equal values stay, with their comments. */
function mergeNode(document: Document, node: unknown, value: unknown): unknown {
  const current = (node as Node | null)?.toJS(document);
  if (node !== null && isSame(current, value)) return node;
  if (isMap(node) && typeof value === 'object' && value !== null && !Array.isArray(value))
    return mergeMap(document, node, value as Record<string, unknown>);
  if (isSeq(node) && Array.isArray(value)) return mergeList(document, node, value);
  return document.createNode(value);
}

function mergeMap(document: Document, map: YAMLMap, value: Readonly<Record<string, unknown>>): YAMLMap {
  for (const key of Object.keys(map.toJS(document) as object)) if (!Object.hasOwn(value, key)) map.delete(key);
  for (const [key, item] of Object.entries(value)) map.set(key, mergeNode(document, map.get(key, true) ?? null, item));
  return map;
}

/** Items with a name, such as rules and tests, keep their node when they move; others keep it by position. */
function mergeList(document: Document, list: YAMLSeq, values: readonly unknown[]): YAMLSeq {
  const items = [...list.items];
  const readName = (item: unknown) =>
    typeof item === 'object' && item !== null ? (item as Readonly<Record<string, unknown>>)['name'] : undefined;
  const byName = new Map(items.map((item) => [readName((item as Node).toJS(document)), item]));
  list.items = values.map((value, index) => {
    const name = readName(value);
    return mergeNode(document, (name === undefined ? items[index] : byName.get(name)) ?? null, value);
  });
  return list;
}

/** One difference between a file and the server. */
export interface FileChange {
  readonly path: string;
  /** It is undefined if the value is absent. */
  readonly before: unknown;
  readonly after: unknown;
}

/** The differences, each at the deepest place that is still one value. Lists with names are compared by name. */
export function listChanges(before: unknown, after: unknown, path = ''): FileChange[] {
  if (isSame(before, after)) return [];
  const [a, b] = [listChildren(before), listChildren(after)];
  if (a === null || b === null) return [{ path, before, after }];
  const keys = [...new Set([...a.keys(), ...b.keys()])];
  const changes = keys.flatMap((key) =>
    listChanges(a.get(key), b.get(key), path === '' || key.startsWith('[') ? `${path}${key}` : `${path}.${key}`),
  );
  return changes.length === 0 ? [{ path, before, after }] : changes;
}

function listChildren(value: unknown): ReadonlyMap<string, unknown> | null {
  if (Array.isArray(value)) {
    const names = value.map((item) => (item as { name?: unknown } | null)?.name);
    const isNamed = names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
    return new Map(value.map((item, index) => [`[${isNamed ? names[index] : index}]`, item]));
  }
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : null;
}

/** Whether the values are equal, whatever the order of their keys. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sortKeys(a)) === JSON.stringify(sortKeys(b));
}
