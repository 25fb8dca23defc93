import { type Day } from '../../kernel/day.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import {
  type CommissionEffect,
  computeMovement,
  maxForecastDeals,
  toCommissionEffect,
} from '../../simulation/write-effect.js';
import { type ImportResult } from './import-rows.js';

interface ImportWithEffect {
  readonly result: ImportResult;
  /** Null if more deals are new or changed than can be calculated at once. */
  readonly effect: CommissionEffect | null;
}

/** Writes the deals, calculates what they change, and rolls them back. */
export async function importForEffect(
  tx: Transaction,
  write: () => Promise<ImportResult>,
  today: Day,
): Promise<ImportWithEffect> {
  const { result, movement } = await computeMovement(tx, today, async () => {
    const written = await write();
    return { result: written, affected: written.accepted > maxForecastDeals ? null : written.affected };
  });
  return { result, effect: movement === null ? null : toCommissionEffect(movement) };
}
