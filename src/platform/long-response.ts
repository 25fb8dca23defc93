import { z } from 'zod';
import { EventLoopSlice, mapInSlices } from '../kernel/waiting.js';
import { PreparedJson } from './operations/operation.js';

/** In characters. A chunk is longer only if one item or the rest of the body is. */
const chunkLength = 64 * 1024;

/** Lists of this length and more are processed in slices of the event loop: one item can have a megabyte. */
const minLongList = 5;

/** Parses a response like `schema.parse`, and its long lists without blocking the process. */
export async function parseInSlices(schema: z.ZodType, body: unknown): Promise<unknown> {
  if (isLongList(body)) {
    const item = unwrapItem(schema);
    return item === null ? schema.parse(body) : mapInSlices(body, (element) => item.parse(element));
  }
  const lists = longLists(body);
  if (lists.length === 0) return schema.parse(body);
  const short = { ...(body as object), ...Object.fromEntries(lists.map(([name]) => [name, []])) };
  const objects = listOptions(schema).filter((option) => option instanceof z.ZodObject);
  const matching = objects.find(
    (option) => lists.every(([name]) => findItemSchema(option, name)) && option.safeParse(short).success,
  );
  if (matching === undefined) return schema.parse(body);
  const parsed = matching.parse(short) as Record<string, unknown>;
  for (const [name, list] of lists) {
    const items = findItemSchema(matching, name) as z.ZodType;
    parsed[name] = await mapInSlices(list, (item) => items.parse(item));
  }
  return parsed;
}

/**
 * Serializes a response like `JSON.stringify`, in UTF-8, and its long lists without blocking the process. A list of
 * 50,000 people would take 150 ms to join and encode as a whole.
 */
export async function jsonChunks(body: unknown): Promise<Buffer[]> {
  if (body instanceof PreparedJson) return [body.bytes];
  const json = new JsonChunks();
  if (isLongList(body)) await json.addList(body);
  else await addObject(json, body, new Map(longLists(body)));
  return json.end();
}

async function addObject(
  json: JsonChunks,
  body: unknown,
  lists: ReadonlyMap<string, readonly unknown[]>,
): Promise<void> {
  if (lists.size === 0) return json.add(JSON.stringify(body));
  let separator = '{';
  for (const [name, value] of Object.entries(body as object)) {
    const list = lists.get(name);
    const text = list === undefined ? JSON.stringify(value) : '';
    if (text === undefined) continue;
    json.add(`${separator}${JSON.stringify(name)}:${text}`);
    if (list !== undefined) await json.addList(list);
    separator = ',';
  }
  json.add('}');
}

export function byteLength(chunks: readonly Buffer[]): number {
  return chunks.reduce((bytes, { length }) => bytes + length, 0);
}

/** Encodes texts as they are added. */
class JsonChunks {
  private readonly chunks: Buffer[] = [];
  private readonly slice = new EventLoopSlice();
  private text = '';

  add(text: string): void {
    this.text += text;
    if (this.text.length >= chunkLength) this.encode();
  }

  async addList(list: readonly unknown[]): Promise<void> {
    this.add('[');
    const addItem = (item: unknown, index: number) =>
      this.add(`${index === 0 ? '' : ','}${JSON.stringify(item) ?? 'null'}`);
    await mapInSlices(list, addItem, this.slice);
    this.add(']');
  }

  end(): Buffer[] {
    this.encode();
    return this.chunks;
  }

  private encode(): void {
    this.chunks.push(Buffer.from(this.text));
    this.text = '';
  }
}

function isLongList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length >= minLongList;
}

function longLists(body: unknown): [name: string, list: readonly unknown[]][] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  return Object.entries(body).filter((entry): entry is [string, unknown[]] => isLongList(entry[1]));
}

function listOptions(schema: z.ZodType): readonly z.ZodType[] {
  return schema instanceof z.ZodUnion ? (schema.options as z.ZodType[]) : [schema];
}

function findItemSchema(schema: z.ZodObject, name: string): z.ZodType | null {
  return unwrapItem(schema.shape[name] as z.ZodType | undefined);
}

/** The schema of the items of a list without checks of its own. */
function unwrapItem(list: z.ZodType | undefined): z.ZodType | null {
  let field = list;
  while (field instanceof z.ZodOptional || field instanceof z.ZodNullable) field = field.unwrap() as z.ZodType;
  if (!(field instanceof z.ZodArray) || (field.def.checks ?? []).length > 0) return null;
  return field.element as z.ZodType;
}
