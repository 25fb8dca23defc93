import { type Clock } from '../kernel/clock.js';
import { type Day, type DayRange, dayInZone } from '../kernel/day.js';
import { loadWorkspaceTerms } from '../ledger/input/rep-terms.js';
import { type CommissionChanges } from '../ledger/requests/commission-changes.js';
import { withDryRun } from '../platform/database/dry-run.js';
import { type TenantCaller, type Transaction } from '../platform/database/unit-of-work.js';
import {
  type CommissionEffect,
  computePersonalEffect,
  computeWriteEffect,
  type PersonalEffect,
} from './write-effect.js';

type Write = (tx: Transaction, today: Day) => Promise<ReadonlyMap<string, DayRange> | null>;

/**
 * What a change of the configuration would do to commission: `write` changes it and returns what it affects as for
 * {@link computeWriteEffect}, and everything is rolled back.
 */
export async function previewWrite(
  changes: CommissionChanges,
  clock: Clock,
  caller: TenantCaller,
  write: Write,
): Promise<CommissionEffect | null> {
  return runPreview(changes, clock, caller, (tx, today) => computeWriteEffect(tx, today, () => write(tx, today)));
}

/** {@link previewWrite} with what changes for each person. */
export async function previewPersonalWrite(
  changes: CommissionChanges,
  clock: Clock,
  caller: TenantCaller,
  write: Write,
): Promise<PersonalEffect | null> {
  return runPreview(changes, clock, caller, (tx, today) => computePersonalEffect(tx, today, () => write(tx, today)));
}

async function runPreview<Effect>(
  changes: CommissionChanges,
  clock: Clock,
  caller: TenantCaller,
  compute: (tx: Transaction, today: Day) => Promise<Effect>,
): Promise<Effect> {
  return withDryRun<Effect>(true, (end) =>
    changes.run(caller, 'exclusive', async (tx) => {
      const { timeZone } = await loadWorkspaceTerms(tx);
      return end(await compute(tx, dayInZone(clock.now(), timeZone)));
    }),
  );
}
