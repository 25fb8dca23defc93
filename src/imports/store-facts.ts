import { type DayRange, extendRange } from '../kernel/day.js';
import { Failure } from '../kernel/failure.js';
import { inSavepoint } from '../platform/database/savepoint.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type AffectedDays, type FactChange, type Facts, type FactWriter } from '../platform/files/facts.js';

/** The changes that were stored, and why each of the others was not. */
export interface StoredFacts<Fact extends object> {
  readonly stored: readonly FactChange<Fact>[];
  readonly failures: ReadonlyMap<FactChange<Fact>, Failure>;
  readonly affected: readonly AffectedDays[];
}

/**
 * Stores the changes together, or each that can be stored. What someone may not change about their own pay fails as a
 * whole.
 */
export async function storeFacts<Fact extends object>(
  tx: Transaction,
  facts: Facts<Fact>,
  changes: readonly FactChange<Fact>[],
  by: FactWriter,
): Promise<StoredFacts<Fact>> {
  if (changes.length === 0) return { stored: [], failures: new Map(), affected: [] };
  const store = (part: readonly FactChange<Fact>[]) => inSavepoint(tx, () => facts.store(tx, part, by));
  const together = await orFailure(() => store(changes));
  if (!(together instanceof Failure)) return { stored: changes, failures: new Map(), affected: together };
  const failures = new Map<FactChange<Fact>, Failure>();
  const affected: AffectedDays[] = [];
  for (const change of changes) {
    const alone = changes.length === 1 ? together : await orFailure(() => store([change]));
    if (alone instanceof Failure) failures.set(change, alone);
    else affected.push(...alone);
  }
  return { stored: changes.filter((change) => !failures.has(change)), failures, affected };
}

async function orFailure<T>(work: () => Promise<T>): Promise<T | Failure> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure && error.code !== 'forbidden') return error;
    throw error;
  }
}

/** The days of each person. */
export function daysByRep(affected: readonly AffectedDays[]): Map<string, DayRange> {
  const byRep = new Map<string, DayRange>();
  for (const { repId, days } of affected) extendRange(byRep, repId, days);
  return byRep;
}
