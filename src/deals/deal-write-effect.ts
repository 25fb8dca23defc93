import { type Clock } from '../kernel/clock.js';
import { type Trigger } from '../ledger/requests/calculation-requests.js';
import { type CommissionChanges } from '../ledger/requests/commission-changes.js';
import { workspaceToday } from '../people/reps/rep-views.js';
import { setAuditCounts } from '../platform/database/audit-counts.js';
import { withDryRun } from '../platform/database/dry-run.js';
import { type TenantCaller, type Transaction } from '../platform/database/unit-of-work.js';
import {
  type CommissionEffect,
  computeMovement,
  maxForecastDeals,
  toCommissionEffect,
} from '../simulation/write-effect.js';
import { type AffectedReps } from './affected-reps.js';

interface DealWrite {
  /** Number of deals that were written. */
  readonly accepted: number;
  readonly affected: AffectedReps;
}

/**
 * Writes deals, calculates what that changes, and rolls it back. The effect is null if more deals were written than can be
 * calculated at once.
 */
export async function writeForEffect<T extends DealWrite>(
  tx: Transaction,
  clock: Clock,
  write: () => Promise<T>,
): Promise<{ readonly result: T; readonly effect: CommissionEffect | null }> {
  const { result, movement } = await computeMovement(tx, await workspaceToday(tx, clock), async () => {
    const written = await write();
    return { result: written, affected: written.accepted > maxForecastDeals ? null : written.affected };
  });
  return { result, effect: movement === null ? null : toCommissionEffect(movement) };
}

interface DealsChange<Written, Counts> {
  readonly dryRun: boolean;
  /** Whether a dry run says the effect on commission. */
  readonly effect: boolean;
  /** Why the affected people are calculated again. */
  readonly trigger: Trigger;
  readonly write: (tx: Transaction) => Promise<Written>;
  /** The part of the response that the write decides. */
  readonly count: (written: Written) => Counts;
  /** What the audit log counts. */
  readonly audit: (counts: Counts) => Readonly<Record<string, number>>;
}

type DealsChanged<Counts> = Counts & { readonly dryRun?: true; readonly effect?: CommissionEffect | null };

/** Writes many deals at once, and requests the calculation of the people whom that affects. A dry run writes nothing. */
export function changeDeals<Written extends DealWrite, Counts extends object>(
  { changes, clock }: { readonly changes: CommissionChanges; readonly clock: Clock },
  caller: TenantCaller,
  { dryRun, effect, trigger, write, count, audit }: DealsChange<Written, Counts>,
): Promise<DealsChanged<Counts>> {
  return withDryRun<DealsChanged<Counts>>(dryRun, (end) =>
    changes.run(caller, 'shared', async (tx, recalculate) => {
      const { result, ...computed } =
        dryRun && effect ? await writeForEffect(tx, clock, () => write(tx)) : { result: await write(tx) };
      const counts = count(result);
      if (dryRun) return end({ ...counts, dryRun, ...computed });
      setAuditCounts(tx, audit(counts));
      await recalculate([...result.affected].map(([repId, days]) => ({ repId, days, trigger })));
      return counts;
    }),
  );
}
