import { z } from 'zod';
import { type StoredRate } from '../../engine/exchange-rates.js';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { currentDay, hull } from '../../kernel/day.js';
import { type CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { requestAsJob } from '../../ledger/requests/request-as-job.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { previewWrite } from '../../simulation/preview-write.js';
import { personalEffect, toPersonalEffect } from '../../simulation/write-effect.js';
import { type AffectedByRates, findAffected, loadRatesBefore } from './affected-by-rates.js';
import { rateUse, readRateUse } from './rate-use.js';

/** The parts of a response that say what a change of rates concerns. */
export const changeOfRates = {
  affected: z
    .object({
      reps: z.int().describe('Number of people whose commission is calculated again'),
      events: z.int().describe('Number of their deals, and of refunds of lines, that another rate converts'),
      ...rateUse,
    })
    .describe('Whom the change concerns'),
  jobId: z
    .string()
    .nullable()
    .describe(
      'Id of the calculation (GET /v1/commissions/recalculate/jobs/:jobId); null if there is nothing to calculate',
    ),
  effect: personalEffect
    .nullable()
    .optional()
    .describe(
      'With dryRun: what the change would do to commission; null if the people have more deals than can be calculated at once',
    ),
};

interface ChangeUses {
  readonly changes: CommissionChanges;
  readonly clock: Clock;
}

/** A change of rates that is made: its part of the response, and the rates that are written or deleted. */
interface WrittenRates<Result> {
  readonly result: Result;
  readonly changed: readonly StoredRate[];
}

type ChangedResult<Result> = Result & {
  readonly affected: z.input<typeof changeOfRates.affected>;
  readonly jobId: string | null;
  readonly effect?: z.input<typeof personalEffect> | null;
};

/**
 * Writes rates and requests the people and days whose deals they convert otherwise, and no one else. With `dryRun`
 * everything is rolled back, and the result has the effect.
 */
export async function runRateChange<Result extends object>(
  uses: ChangeUses,
  caller: Caller,
  dryRun: boolean,
  write: (tx: Transaction) => Promise<WrittenRates<Result>>,
): Promise<ChangedResult<Result>> {
  if (dryRun)
    return previewWrite(uses, caller, toPersonalEffect, async (tx, today) => {
      const before = await loadRatesBefore(tx);
      const { result, changed } = await write(tx);
      const affected = await findAffected(tx, before, changed, today);
      return {
        result: {
          ...result,
          affected: { ...countAffected(affected), ...(await readRateUse(tx, affected.conversions)) },
          jobId: null,
        },
        affected: toHulls(affected),
      };
    });
  return uses.changes.run(caller, 'exclusive', async (tx, recalculate) => {
    const before = await loadRatesBefore(tx);
    const { result, changed } = await write(tx);
    const today = currentDay(before.workspace, uses.clock.now());
    const affected = await findAffected(tx, before, changed, today);
    const requests = [...affected.days].flatMap(([repId, ranges]) => ranges.map((days) => ({ repId, days })));
    const work = { trigger: 'fx_rate', requests, deals: affected.deals } as const;
    const jobId = requests.length === 0 ? null : await requestAsJob(tx, recalculate, caller, work);
    return { ...result, affected: countAffected(affected), jobId };
  });
}

function countAffected({ days, deals }: AffectedByRates) {
  return { reps: days.size, events: deals };
}

function toHulls({ days }: AffectedByRates) {
  return new Map([...days].map(([repId, ranges]) => [repId, ranges.reduce(hull)]));
}
