import { type CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { type Recalculate } from '../../ledger/requests/recalculate.js';
import { type TenantCaller, type Transaction } from '../../platform/database/unit-of-work.js';

/** Ends a transaction without the workspace lock, which the change turned out to need. */
class NeedsWorkspaceLock extends Error {}

/** Called before the first write of a change that commission depends on. */
export type BeforeCommissionChange = () => void;

/**
 * Runs a change of people that waits for no calculation, unless it changes what commission depends on: reporting lines,
 * CRM member ids and new people. Such a change begins again with the exclusive workspace lock.
 */
export async function runPeopleChange<T>(
  changes: CommissionChanges,
  caller: TenantCaller,
  work: (tx: Transaction, recalculate: Recalculate, beforeCommissionChange: BeforeCommissionChange) => Promise<T>,
): Promise<T> {
  try {
    return await changes.run(caller, 'none', (tx, recalculate) =>
      work(tx, recalculate, () => {
        throw new NeedsWorkspaceLock();
      }),
    );
  } catch (error) {
    if (!(error instanceof NeedsWorkspaceLock)) throw error;
    return changes.run(caller, 'exclusive', (tx, recalculate) => work(tx, recalculate, () => undefined));
  }
}
