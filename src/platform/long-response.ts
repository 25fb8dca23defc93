import { z } from 'zod';
import { mapInSlices } from '../kernel/waiting.js';

/** Lists of more items are processed in slices of the event loop. */
const minLongList = 200;

/** Parses a response like `schema.parse`, and its long lists without blocking the process. */
export async function parseInSlices(schema: z.ZodType, body: unknown): Promise<unknown> {
  const lists = longLists(body);
  if (lists.length === 0) return schema.parse(body);
  const short = { ...(body as object), ...Object.fromEntries(lists.map(([name]) => [name, []])) };
  const objects = optionsOf(schema).filter((one) => one instanceof z.ZodObject);
  const matching = objects.find((one) => lists.every(([name]) => itemsOf(one, name)) && one.safeParse(short).success);
  if (matching === undefined) return schema.parse(body);
  const parsed = matching.parse(short) as Record<string, unknown>;
  for (const [name, list] of lists) {
    const items = itemsOf(matching, name) as z.ZodType;
    parsed[name] = await mapInSlices(list, (item) => items.parse(item));
  }
  return parsed;
}

/** Serializes a response like `JSON.stringify`, and its long lists without blocking the process. */
export async function jsonInSlices(body: unknown): Promise<string> {
  const lists = new Map(longLists(body));
  if (lists.size === 0) return JSON.stringify(body);
  const members: string[] = [];
  for (const [name, value] of Object.entries(body as object)) {
    const list = lists.get(name);
    const json =
      list === undefined
        ? JSON.stringify(value)
        : `[${(await mapInSlices(list, (item) => JSON.stringify(item) ?? 'null')).join()}]`;
    if (json !== undefined) members.push(`${JSON.stringify(name)}:${json}`);
  }
  return `{${members.join()}}`;
}

function longLists(body: unknown): [name: string, list: readonly unknown[]][] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  return Object.entries(body).filter(
    (entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length >= minLongList,
  );
}

function optionsOf(schema: z.ZodType): readonly z.ZodType[] {
  return schema instanceof z.ZodUnion ? (schema.options as z.ZodType[]) : [schema];
}

/** The schema of the items of a list without checks of its own. */
function itemsOf(schema: z.ZodObject, name: string): z.ZodType | null {
  let field = schema.shape[name] as z.ZodType | undefined;
  while (field instanceof z.ZodOptional || field instanceof z.ZodNullable) field = field.unwrap() as z.ZodType;
  if (!(field instanceof z.ZodArray) || (field.def.checks ?? []).length > 0) return null;
  return field.element as z.ZodType;
}
