import { z } from 'zod';
import { mapInSlices } from '../kernel/waiting.js';

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

/** Serializes a response like `JSON.stringify`, and its long lists without blocking the process. */
export async function jsonInSlices(body: unknown): Promise<string> {
  if (isLongList(body)) return listJson(body);
  const lists = new Map(longLists(body));
  if (lists.size === 0) return JSON.stringify(body);
  const members: string[] = [];
  for (const [name, value] of Object.entries(body as object)) {
    const list = lists.get(name);
    const json = list === undefined ? JSON.stringify(value) : await listJson(list);
    if (json !== undefined) members.push(`${JSON.stringify(name)}:${json}`);
  }
  return `{${members.join()}}`;
}

async function listJson(list: readonly unknown[]): Promise<string> {
  return `[${(await mapInSlices(list, (item) => JSON.stringify(item) ?? 'null')).join()}]`;
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
