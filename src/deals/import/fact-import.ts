import { z } from 'zod';
import { type Clock } from '../../kernel/clock.js';
import { workspaceToday } from '../../people/reps/rep-views.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { importQuery, importResults } from '../../platform/files/import-results.js';
import { flag } from '../../platform/operations/schemas.js';
import {
  type CommissionEffect,
  commissionEffect,
  computeMovement,
  loadAffectedWithin,
  toCommissionEffect,
} from '../../simulation/write-effect.js';
import { affectedOfAll, type ChangedFacts } from '../change-deal-facts.js';

/** The query of an import of what is stored beside deals. */
export const factImportQuery = importQuery.extend({
  effect: flag.default(false).describe('true with dryRun: also the effect on commission'),
});

/** Its response. */
export const factImportResults = importResults.extend({
  jobId: z.string().optional().describe('The job that calculates everyone affected; absent for a dry run'),
  effect: commissionEffect
    .nullable()
    .optional()
    .describe('With effect=true. null: the people have more deals than can be calculated at once'),
});

/** What a write would change and do to commission. The write is rolled back. */
export async function previewFacts<Changed extends ChangedFacts>(
  tx: Transaction,
  clock: Clock,
  write: () => Promise<Changed>,
): Promise<{ readonly changed: Changed; readonly effect: CommissionEffect | null }> {
  const { result, movement } = await computeMovement(tx, await workspaceToday(tx, clock), async () => {
    const changed = await write();
    return { result: changed, affected: await loadAffectedWithin(tx, affectedOfAll(changed)) };
  });
  return { changed: result, effect: movement === null ? null : toCommissionEffect(movement) };
}
