import { isUtf8 } from 'node:buffer';
import { Failure, invalid } from '../../kernel/failure.js';

const maxDepth = 32;
/** More than a body needs unless it is a long list. */
export const defaultMaxKeys = 5_000;

/** Parses a body that was read as bytes, with the checks of every JSON body. */
export function parseJson(bytes: Buffer): unknown {
  assertUtf8(bytes);
  const parsed = parseText(bytes.toString('utf8'));
  guardJson(parsed);
  return parsed;
}

/** Parses the text of a body without further checks. */
export function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure('invalid_json', 'The body is not valid JSON.');
  }
}

/** Decoding would replace invalid bytes by U+FFFD, and different names would become equal. */
export function assertUtf8(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new Failure('invalid_json', 'The body is not valid UTF-8.');
}

/**
 * Rejects valid JSON that is unsafe to process: nesting that would overflow the stack, more keys than the operation
 * needs, texts that PostgreSQL cannot store, and keys that change prototypes.
 */
export function guardJson(body: unknown, maxKeys: number = defaultMaxKeys): void {
  new JsonGuard(maxKeys).check(body);
}

class JsonGuard {
  private keys = 0;
  /** Joined to a path only for an error: a body may have tens of thousands of values. */
  private readonly trail: (string | number)[] = [];

  constructor(private readonly maxKeys: number) {}

  check(value: unknown): void {
    if (typeof value === 'string') return this.checkText(value);
    if (typeof value !== 'object' || value === null) return;
    if (this.trail.length >= maxDepth)
      throw invalid({ path: this.path.slice(0, 100), message: `is nested more than ${maxDepth} levels deep` });
    if (Array.isArray(value)) for (let index = 0; index < value.length; index += 1) this.descend(index, value[index]);
    // Object.entries takes three times as long for an object with tens of thousands of keys.
    else for (const key in value) this.checkMember(key, (value as Record<string, unknown>)[key]);
  }

  private checkMember(key: string, item: unknown): void {
    this.keys += 1;
    if (this.keys > this.maxKeys) throw invalid({ path: '', message: `has more than ${this.maxKeys} keys` });
    this.checkText(key);
    if (key === '__proto__' || key === 'constructor' || key === 'prototype')
      throw invalid({ path: [...this.trail, key].join('.'), message: 'unknown field' });
    this.descend(key, item);
  }

  private descend(key: string | number, item: unknown): void {
    this.trail.push(key);
    this.check(item);
    this.trail.pop();
  }

  private checkText(text: string): void {
    if (text.includes('\u0000') || !text.isWellFormed())
      throw invalid({ path: this.path, message: 'contains characters that cannot be stored' });
  }

  private get path(): string {
    return this.trail.join('.');
  }
}
