import { type Clock } from '../kernel/clock.js';
import { currentDay, type Day } from '../kernel/day.js';
import { loadWorkspaceTerms } from '../ledger/input/rep-terms.js';
import { type CommissionChanges } from '../ledger/requests/commission-changes.js';
import { withDryRun } from '../platform/database/dry-run.js';
import { type TenantCaller, type Transaction } from '../platform/database/unit-of-work.js';
import {
  type CommissionEffect,
  computeMovement,
  type Movement,
  type PersonalEffect,
  toCommissionEffect,
  toPersonalEffect,
  toPlanEffect,
  type Written,
} from './write-effect.js';

interface PreviewUses {
  readonly changes: CommissionChanges;
  readonly clock: Clock;
}

type Write<Result> = (tx: Transaction, today: Day) => Promise<Written<Result>>;

/**
 * What a change of the configuration would do to commission, with the result of the change: `write` changes it, and
 * everything is rolled back.
 */
export async function previewWrite<Result extends object>(
  uses: PreviewUses,
  caller: TenantCaller,
  write: Write<Result>,
): Promise<Result & { readonly effect: CommissionEffect | null }> {
  return runPreview(uses, caller, write, toCommissionEffect);
}

/** {@link previewWrite} with what changes for each person. */
export async function previewPersonalWrite<Result extends object>(
  uses: PreviewUses,
  caller: TenantCaller,
  write: Write<Result>,
): Promise<Result & { readonly effect: PersonalEffect | null }> {
  return runPreview(uses, caller, write, toPersonalEffect);
}

/** {@link previewPersonalWrite} with what changes for each plan. */
export async function previewPlansWrite<Result extends object>(
  uses: PreviewUses,
  caller: TenantCaller,
  write: Write<Result>,
): Promise<Result & { readonly effect: ReturnType<typeof toPlanEffect> | null }> {
  return runPreview(uses, caller, write, toPlanEffect);
}

async function runPreview<Result extends object, Effect>(
  { changes, clock }: PreviewUses,
  caller: TenantCaller,
  write: Write<Result>,
  toEffect: (movement: Movement) => Effect,
): Promise<Result & { readonly effect: Effect | null }> {
  return withDryRun<Result & { readonly effect: Effect | null }>(true, (end) =>
    changes.run(caller, 'exclusive', async (tx) => {
      const today = currentDay(await loadWorkspaceTerms(tx), clock.now());
      const { result, movement } = await computeMovement(tx, today, () => write(tx, today));
      return end({ ...result, effect: movement === null ? null : toEffect(movement) });
    }),
  );
}
