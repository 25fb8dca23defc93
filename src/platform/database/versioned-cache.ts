import { LRUCache } from 'lru-cache';

/** What was read of each key under a revision, of the keys that were asked for last, up to a size in all. */
export class VersionedCache<T extends object> {
  private readonly entries: LRUCache<string, { readonly revision: string; readonly value: T }>;

  constructor(mostSize: number) {
    this.entries = new LRUCache({ maxSize: mostSize });
  }

  /** Under whatever revision. */
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
