/** A map, also one with weak keys. */
interface Entries<K, T> {
  get(key: K): T | undefined;
  set(key: K, value: T): unknown;
}

/** Returns the entry of the key, creating it if necessary. */
export function getOrInsert<K, T>(map: Entries<K, T>, key: K, make: () => T): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = make();
  map.set(key, value);
  return value;
}
