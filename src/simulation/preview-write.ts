import { type Clock } from '../kernel/clock.js';
import { currentDay, type Day } from '../kernel/day.js';
import { loadWorkspaceTerms } from '../ledger/input/rep-terms.js';
import { type Trigger } from '../ledger/requests/calculation-requests.js';
import { type CommissionChanges } from '../ledger/requests/commission-changes.js';
import { withDryRun } from '../platform/database/dry-run.js';
import { type TenantCaller, type Transaction } from '../platform/database/unit-of-work.js';
import { computeMovement, loadAffectedWithin, type Movement, type Written } from './write-effect.js';

interface WriteUses {
  readonly changes: CommissionChanges;
  readonly clock: Clock;
}

type WithEffect<Result, Effect> = Result & { readonly effect: Effect | null };

/**
 * What a change of the configuration would do to commission, with the result of the change: `write` changes it, and
 * everything is rolled back. The effect is null if the people have more deals than can be calculated at once.
 */
export async function previewWrite<Result extends object, Effect>(
  { changes, clock }: WriteUses,
  caller: TenantCaller,
  toEffect: (movement: Movement) => Effect,
  write: (tx: Transaction, today: Day) => Promise<Written<Result>>,
): Promise<WithEffect<Result, Effect>> {
  return withDryRun<WithEffect<Result, Effect>>(true, (end) =>
    changes.run(caller, 'exclusive', async (tx) => {
      const today = currentDay(await loadWorkspaceTerms(tx), clock.now());
      const { result, movement } = await computeMovement(tx, today, async () => {
        const { affected, ...written } = await write(tx, today);
        return { ...written, affected: affected === null ? null : await loadAffectedWithin(tx, affected) };
      });
      return end({ ...result, effect: movement === null ? null : toEffect(movement) });
    }),
  );
}

interface StoredWrite<Result> extends Written<Result> {
  readonly affected: NonNullable<Written<Result>['affected']>;
  /** Why the affected people are calculated again. */
  readonly trigger: Trigger;
}

/**
 * Changes the configuration, and requests the calculation of the people whom that affects. With `dryRun` it is a
 * {@link previewWrite}.
 */
export async function changeOrPreview<Result extends object, Effect>(
  uses: WriteUses,
  caller: TenantCaller,
  { dryRun, toEffect }: { readonly dryRun: boolean; readonly toEffect: (movement: Movement) => Effect },
  write: (tx: Transaction) => Promise<StoredWrite<Result>>,
): Promise<Result & Partial<WithEffect<unknown, Effect>>> {
  if (dryRun) return previewWrite(uses, caller, toEffect, write);
  return uses.changes.run(caller, 'exclusive', async (tx, recalculate) => {
    const { result, affected, trigger } = await write(tx);
    await recalculate([...affected].map(([repId, days]) => ({ repId, days, trigger })));
    return result;
  });
}
