import { type Clock } from '../kernel/clock.js';
import { workspaceToday } from '../people/reps/rep-views.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
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
