import { Decimal } from './decimal.js';

/** Adds the amount to the sum of its key. */
export function addTo<Key>(sums: Map<Key, Decimal>, key: Key, amount: Decimal): void {
  sums.set(key, (sums.get(key) ?? Decimal.zero).plus(amount));
}
