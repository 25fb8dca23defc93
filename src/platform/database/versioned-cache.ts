import { LRUCache } from 'lru-cache';

/** An LRU cache bounded by size; an entry is valid for one revision. */
export class VersionedCache<T extends object> {
  private readonly entries: LRUCache<string, { readonly revision: string; readonly value: T }>;

  constructor(maxSize: number) {
    this.entries = new LRUCache({ maxSize });
  }

  /** Whether there is an entry, of any revision. */
  has(key: string): boolean {
    return this.entries.has(key);
  }

  get(revision: string, key: string): T | null {
    const entry = this.entries.get(key);
    return entry?.revision === revision ? entry.value : null;
  }

  set(revision: string, key: string, value: T, size: number): void {
    this.entries.set(key, { revision, value }, { size });
  }
}
