import { Failure } from '../kernel/failure.js';
import { inSavepoint } from '../platform/database/savepoint.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type AffectedDays, type ChangeOfRow, type Facts, type FactWriter } from '../platform/files/facts.js';

/** The changes that were stored, and why each of the others was not. */
export interface StoredFacts<Fact extends object> {
  readonly stored: readonly ChangeOfRow<Fact>[];
  readonly failures: ReadonlyMap<ChangeOfRow<Fact>, Failure>;
  readonly affected: readonly AffectedDays[];
}

/**
 * Stores the changes together, or each that can be stored: a part that fails is divided until the change is found that
 * fails. What someone may not change about their own pay fails as a whole.
 */
export async function storeFacts<Fact extends object>(
  tx: Transaction,
  facts: Facts<Fact>,
  changes: readonly ChangeOfRow<Fact>[],
  by: FactWriter,
): Promise<StoredFacts<Fact>> {
  const failures = new Map<ChangeOfRow<Fact>, Failure>();
  const affected: AffectedDays[] = [];
  const store = async (part: readonly ChangeOfRow<Fact>[]): Promise<void> => {
    const [first] = part;
    if (first === undefined) return;
    const stored = await orFailure(() => inSavepoint(tx, () => facts.store(tx, part, by)));
    if (!(stored instanceof Failure)) for (const each of stored) affected.push(each);
    else if (part.length === 1) failures.set(first, stored);
    else {
      const middle = Math.ceil(part.length / 2);
      await store(part.slice(0, middle));
      await store(part.slice(middle));
    }
  };
  await store(changes);
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
