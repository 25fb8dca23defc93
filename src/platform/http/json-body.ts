import { Failure, invalid } from '../../kernel/failure.js';

const mostDepth = 32;
const mostKeys = 100_000;

/** What a body says that was taken as bytes; refused like any other body. */
export function parseJson(bytes: Buffer): unknown {
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new Failure('invalid_json', 'The body is not valid JSON.');
  }
  guardJson(parsed);
  return parsed;
}

/**
 * Refuses JSON that is legal but must not go further: nested so deep that walking it overflows the stack, of more
 * keys than any request needs, with texts that PostgreSQL cannot store, or with keys that reach for prototypes.
 */
export function guardJson(body: unknown): void {
  let keys = 0;
  const open: { value: unknown; path: string; depth: number }[] = [{ value: body, path: '', depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path, depth } = next;
    if (typeof value === 'string') guardText(value, path);
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= mostDepth)
      throw invalid({ path: path.slice(0, 100), message: `is nested more than ${mostDepth} deep` });
    for (const [key, item] of Object.entries(value)) {
      keys += 1;
      if (keys > mostKeys) throw invalid({ path: '', message: `holds more than ${mostKeys} keys` });
      if (!Array.isArray(value)) guardKey(key, path);
      open.push({ value: item, path: path === '' ? key : `${path}.${key}`, depth: depth + 1 });
    }
  }
}

function guardKey(key: string, path: string): void {
  guardText(key, path);
  if (key === '__proto__' || key === 'constructor' || key === 'prototype') {
    throw invalid({ path: path === '' ? key : `${path}.${key}`, message: 'is not known here' });
  }
}

function guardText(text: string, path: string): void {
  if (text.includes('\u0000') || !text.isWellFormed())
    throw invalid({ path, message: 'holds characters that cannot be stored' });
}
