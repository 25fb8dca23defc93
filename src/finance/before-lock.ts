import { type Caller } from '../kernel/caller.js';
import { type Clock } from '../kernel/clock.js';
import { type Day } from '../kernel/day.js';
import { workspaceToday } from '../people/reps/rep-views.js';
import { readBasis } from '../platform/database/cache-versions.js';
import { type Transaction, type UnitOfWork } from '../platform/database/unit-of-work.js';

/** Computes what a transaction needs of the books of everyone. */
export type ComputeBooks<T> = (tx: Transaction, today: Day) => Promise<T>;

/**
 * Computes in a snapshot, so that a transaction with a lock does not. Returns how the transaction gets it: as it was computed,
 * or computed again if anything has changed since.
 */
export async function computeBeforeLock<T>(
  caller: Caller,
  { unitOfWork, clock }: { readonly unitOfWork: UnitOfWork; readonly clock: Clock },
  compute: ComputeBooks<T>,
): Promise<ComputeBooks<T>> {
  const options = { lock: 'none', access: 'read', isolation: 'repeatable read' } as const;
  const known = await unitOfWork.run(caller, options, async (tx) => {
    const today = await workspaceToday(tx, clock);
    return { basis: await readBasis(tx, today), books: await compute(tx, today) };
  });
  return async (tx, today) => ((await readBasis(tx, today)) === known.basis ? known.books : compute(tx, today));
}
