import { z } from 'zod';
import { Download } from '../platform/operations/operation.js';

export const feedFormat = z
  .enum(['json', 'ndjson'])
  .default('json')
  .describe(
    'ndjson: a file with one object a line, deleted ones with "deleted": true, and the headers X-Next-Cursor and X-More',
  );

export const nextCursorField = z
  .string()
  .describe(
    'Cursor of the next page, also after the last one: store it and continue with it later. A row that changes or is committed meanwhile is on a later page, and none is missed',
  );

export const moreField = z.boolean().describe('Whether the next page has rows already');

export const sampleCursor = 'WyI3NTc3MjU4NjA0NTg3NzM4NTQ3IixbIjkxMiIsIiJdLFsiOTEyIiwiIl0sbnVsbCwiOTEyIl0';

/** A page of a feed as lines. */
export function toNdjson(
  name: string,
  lines: readonly object[],
  { nextCursor, more }: { readonly nextCursor: string; readonly more: boolean },
): Download {
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return new Download('application/x-ndjson; charset=utf-8', `${name}.ndjson`, body, {
    'X-Next-Cursor': nextCursor,
    'X-More': String(more),
  });
}
