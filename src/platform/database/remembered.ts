import { LRUCache } from 'lru-cache';

/** What was read of each key under its newest known revision, for the keys that were asked for last. */
export class Remembered<T extends object> {
  private readonly entries: LRUCache<string, { readonly revision: string; readonly value: T }>;

  constructor(mostKeys: number) {
    this.entries = new LRUCache({ max: mostKeys });
  }

  /** Under whatever revision. */
  has(key: string): boolean {
    return this.entries.has(key);
  }

  under(revision: string, key: string): T | null {
    const entry = this.entries.get(key);
    return entry?.revision === revision ? entry.value : null;
  }

  keep(revision: string, key: string, value: T): void {
    this.entries.set(key, { revision, value });
  }
}
