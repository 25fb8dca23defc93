import { type Decimal } from '../kernel/decimal.js';

/** The amounts of a response. */
export function toNumbers<Name extends string>(record: Readonly<Record<Name, Decimal>>): Record<Name, number> {
  const numbers = Object.entries<Decimal>(record).map(([name, amount]) => [name, amount.toNumber()]);
  return Object.fromEntries(numbers) as Record<Name, number>;
}
