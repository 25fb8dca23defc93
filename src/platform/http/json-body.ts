import { Failure, invalid } from '../../kernel/failure.js';

const maxDepth = 32;
const maxKeys = 100_000;

/** Parses a body that was read as bytes, with the checks of every JSON body. */
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
 * Rejects valid JSON that is unsafe to process: nesting that would overflow the stack, more keys than any request
 * needs, texts that PostgreSQL cannot store, and keys that change prototypes.
 */
export function guardJson(body: unknown): void {
  let keys = 0;
  const open: { value: unknown; path: string; depth: number }[] = [{ value: body, path: '', depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path, depth } = next;
    if (typeof value === 'string') guardText(value, path);
    if (typeof value !== 'object' || value === null) continue;
    const entries = Object.entries(value);
    keys += entries.length;
    guardSize(keys, depth, path);
    const isList = Array.isArray(value);
    for (const [key, item] of entries) {
      if (!isList) guardKey(key, path);
      open.push({ value: item, path: joined(path, key), depth: depth + 1 });
    }
  }
}

function guardSize(keys: number, depth: number, path: string): void {
  if (keys > maxKeys) throw invalid({ path: '', message: `has more than ${maxKeys} keys` });
  if (depth >= maxDepth)
    throw invalid({ path: path.slice(0, 100), message: `is nested more than ${maxDepth} levels deep` });
}

function guardKey(key: string, path: string): void {
  guardText(key, path);
  if (key === '__proto__' || key === 'constructor' || key === 'prototype')
    throw invalid({ path: joined(path, key), message: 'unknown field' });
}

function joined(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function guardText(text: string, path: string): void {
  if (text.includes('\u0000') || !text.isWellFormed())
    throw invalid({ path, message: 'contains characters that cannot be stored' });
}
