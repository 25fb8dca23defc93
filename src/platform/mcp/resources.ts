import { removeHidden } from './hidden-characters.js';
import { maxResultBytes } from './tool-result.js';

/** The values of the placeholders of `commission://plans/{planId}` in a URI; null when the URI does not match. */
export function matchTemplate(template: string, uri: string): Readonly<Record<string, string>> | null {
  const [pattern, parts] = [template.split('/'), uri.split('/')];
  if (pattern.length !== parts.length) return null;
  const variables: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const value = parts[index] as string;
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined && part !== value) return null;
    if (name !== undefined) variables[name] = decoded(value);
  }
  return variables;
}

/** The decoded text, or the text itself if it is badly escaped: then no record has that id. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The result as JSON, its list truncated to the size limit. A resource has no pages, so the text states how many
 * items there are.
 */
export function formatResource(response: unknown, list: string | undefined): string {
  const whole = removeHidden(response) as Readonly<Record<string, unknown>>;
  const text = JSON.stringify(whole);
  if (list === undefined || Buffer.byteLength(text) <= maxResultBytes) return text;
  const items = whole[list] as readonly unknown[];
  let left = maxResultBytes - Buffer.byteLength(JSON.stringify({ ...whole, [list]: [] })) - 200;
  const count = items.findIndex((item) => {
    left -= Buffer.byteLength(JSON.stringify(item)) + 1;
    return left < 0;
  });
  return JSON.stringify({
    note: `Shows ${count} of ${items.length} ${list}: the whole list is too large for one resource.`,
    ...whole,
    [list]: items.slice(0, count),
  });
}
