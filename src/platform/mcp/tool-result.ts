import { type Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { type AnyOperation, type AnyTool } from '../operations/operation.js';
import { removeHidden } from './hidden-characters.js';
import { type Reading, readsPages } from './tool-arguments.js';

/** The result of a tool call, as the protocol defines it. */
export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: Readonly<Record<string, unknown>>;
  readonly isError?: true;
}

/** About 20,000 tokens: a larger result pushes the question out of a model's context. */
export const maxResultBytes = 64 * 1024;
/** Reserved for the sentences before the JSON. */
const proseBytes = 2048;

type Json = Readonly<Record<string, unknown>>;

/** The requested page of a list. */
interface Listing {
  readonly name: string;
  /** The whole result is this list, and not an object that contains it. */
  readonly isAll: boolean;
  readonly items: readonly unknown[];
  readonly total: number;
  readonly offset: number;
  readonly hasPages: boolean;
}

/** The response of the operation, and the number of items on all pages where the response does not contain it. */
interface ToolAnswer {
  readonly response: unknown;
  readonly count?: number | undefined;
}

interface Presented {
  readonly value: Json;
  readonly notes: readonly string[];
}

/** The result as a page that fits, with a summary line and notes about what was left out. */
export function buildToolResult(
  { operation, tool }: { readonly operation: AnyOperation; readonly tool: AnyTool },
  { response, count }: ToolAnswer,
  reading: Reading,
  caller: Caller,
): ToolResult {
  const listing = findListing(operation, tool, { response, count }, reading);
  const { value, notes } = present(tool, response, listing, reading);
  return toResult([tool.summary(response, caller, listing?.total ?? 0), ...notes], value);
}

/** Text for the reader, then the same as JSON for clients that do not support structured content. */
export function toResult(lines: readonly string[], value: Json): ToolResult {
  const structuredContent = removeHidden(value) as Json;
  const prose = lines.map((line) => removeHidden(line)).join('\n');
  return { content: [{ type: 'text', text: `${prose}\n${JSON.stringify(structuredContent)}` }], structuredContent };
}

function present(tool: AnyTool, response: unknown, listing: Listing | null, reading: Reading): Presented {
  const omits = tool.detail?.summaryOmits ?? [];
  const summary = (value: Json) => omits.reduce<unknown>((left, path) => drop(left, path.split('.')), value) as Json;
  const whole = (Array.isArray(response) ? {} : response) as Json;
  const shorten = reading.detail === 'summary' ? summary : (value: Json) => value;
  const first = fitted(whole, listing, shorten);
  if (first !== null) return first;
  const shorter = reading.detail === 'full' && omits.length > 0 ? fitted(whole, listing, summary) : null;
  if (shorter === null) throw tooLarge(tool);
  const note = `The full result is too large, so this is the summary without ${omits.join(', ')}. Narrow the request to see all.`;
  return { value: shorter.value, notes: [note, ...shorter.notes] };
}

function findListing(
  operation: AnyOperation,
  tool: AnyTool,
  { response, count = (response as { readonly count?: number }).count }: ToolAnswer,
  { limit, offset }: Reading,
): Listing | null {
  const hasPages = tool.hints.readOnlyHint;
  const isAll = tool.list !== undefined;
  const names = isAll ? [tool.list] : (tool.listsWithin ?? []);
  const name = names.find((candidate) => Array.isArray(response) || Array.isArray((response as Json)[candidate]));
  if (name === undefined) return null;
  const items = (Array.isArray(response) ? response : (response as Json)[name]) as readonly unknown[];
  const known = { name, isAll, offset, hasPages };
  if (readsPages(operation) && count !== undefined) return { ...known, items, total: count };
  return { ...known, items: items.slice(offset, offset + limit), total: items.length };
}

/** The value within the size limit, its list truncated to as many items as fit; null when not even one item fits. */
function fitted(whole: Json, listing: Listing | null, shorten: (value: Json) => Json): Presented | null {
  if (listing === null) {
    const value = shorten(whole);
    return countBytes(value) <= maxResultBytes - proseBytes ? { value, notes: [] } : null;
  }
  const { name, isAll, items, total, offset, hasPages } = listing;
  const page = (part: readonly unknown[]): Json => {
    const end = offset + part.length;
    const paging = { total, nextOffset: hasPages && end < total && part.length > 0 ? end : null };
    return shorten({ ...whole, [name]: part, ...(isAll ? paging : { page: { list: name, ...paging } }) });
  };
  const count = howManyFit(page([]), (page(items)[name] ?? []) as readonly unknown[]);
  if (count === null || (count === 0 && items.length > 0)) return null;
  return { value: page(items.slice(0, count)), notes: pageNotes(listing, count) };
}

function howManyFit(empty: Json, items: readonly unknown[]): number | null {
  let left = maxResultBytes - proseBytes - countBytes(empty);
  if (left < 0) return null;
  const tooMany = items.findIndex((item) => {
    left -= countBytes(item) + 1;
    return left < 0;
  });
  return tooMany < 0 ? items.length : tooMany;
}

function pageNotes({ name, items, total, offset, hasPages }: Listing, count: number): string[] {
  if (offset === 0 && count === total) return [];
  if (count === 0) return [`There are ${total} ${name}; offset ${offset} is beyond the last.`];
  const range = `${name} ${offset + 1} to ${offset + count} of ${total}`;
  const cut = count < items.length ? ', cut to fit' : '';
  const next = hasPages && offset + count < total ? ` Call again with offset ${offset + count} for more.` : '';
  return [`This page shows ${range}${cut}.${next}`];
}

/** The value without the part at the path; lists on the path are traversed. */
function drop(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path as readonly [string, ...string[]];
  if (Array.isArray(value)) return value.map((item) => drop(item, path));
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return value;
  const { [name]: inner, ...others } = value as Json;
  return rest.length === 0 ? others : { ...others, [name]: drop(inner, rest) };
}

function countBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

function tooLarge({ hints }: AnyTool): Failure {
  const message = hints.readOnlyHint
    ? 'The result is too large, even as a summary. Narrow the request, or use the REST API.'
    : 'The change is done, but its result is too large to show. Do not call again; read it with the REST API.';
  return new Failure('payload_too_large', message);
}
