import { type Clock } from '../kernel/clock.js';
import { type Day, type DayRange, dayInZone } from '../kernel/day.js';
import { loadWorkspaceTerms } from '../ledger/input/rep-terms.js';
import { type CommissionChanges } from '../ledger/requests/commission-changes.js';
import { withDryRun } from '../platform/database/dry-run.js';
import { type TenantCaller, type Transaction } from '../platform/database/unit-of-work.js';
import { type CommissionEffect, computeWriteEffect } from './write-effect.js';

/**
 * What a change of the configuration would do to commission: `write` changes it and returns what it affects as for
 * {@link computeWriteEffect}, and everything is rolled back.
 */
export async function previewWrite(
  changes: CommissionChanges,
  clock: Clock,
  caller: TenantCaller,
  write: (tx: Transaction, today: Day) => Promise<ReadonlyMap<string, DayRange> | null>,
): Promise<CommissionEffect | null> {
  return withDryRun<CommissionEffect | null>(true, (end) =>
    changes.run(caller, 'exclusive', async (tx) => {
      const { timeZone } = await loadWorkspaceTerms(tx);
      const today = dayInZone(clock.now(), timeZone);
      return end(await computeWriteEffect(tx, today, () => write(tx, today)));
    }),
  );
}
