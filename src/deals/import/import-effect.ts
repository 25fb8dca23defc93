import { type Day } from '../../kernel/day.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type CommissionEffect, computeWriteEffect, maxForecastDeals } from '../../simulation/write-effect.js';
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
  const results: ImportResult[] = [];
  const effect = await computeWriteEffect(tx, today, async () => {
    const result = await write();
    results.push(result);
    return result.accepted > maxForecastDeals ? null : result.affected;
  });
  return { result: results[0] as ImportResult, effect };
}
