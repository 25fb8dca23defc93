import { z } from 'zod';
import { type Clock } from '../../kernel/clock.js';
import { groupBy } from '../../kernel/group-by.js';
import { loadRepTerms, payingVersions } from '../../ledger/input/rep-terms.js';
import { type CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { changedTargets, withChangedTargets } from '../../plans/quotas/changed-targets.js';
import { type TenantCaller, type Transaction } from '../../platform/database/unit-of-work.js';
import { daysByRep, type FactChange, factOf } from '../../platform/files/facts.js';
import { changeOrPreview } from '../../simulation/preview-write.js';
import { personalEffect, toPersonalEffect } from '../../simulation/write-effect.js';
import { type Absence, absence } from './absence.js';
import { storeAbsences } from './absence-facts.js';

const absenceWarning = z
  .object({
    code: z.literal('no_effect_without_proration').describe('Why the absence changes nothing'),
    message: z.string().describe('The consequence, and what to do'),
  })
  .describe('A warning about the absence');

export const absenceEffect = personalEffect
  .nullable()
  .optional()
  .describe(
    'With dryRun: what the change would do to commission; null if the person has more deals than can be calculated at once',
  );

/** An absence, with what is wrong with it and with dryRun what it would change. */
export const changedAbsence = absence.extend({
  warnings: z.array(absenceWarning).optional().describe('What may be wrong; absent if nothing is'),
  effect: absenceEffect,
  targets: changedTargets,
});
export type ChangedAbsence = z.input<typeof changedAbsence>;

/** A change of an absence that is not stored yet. */
interface AbsenceChange<Result> extends FactChange<Absence> {
  readonly result: Result;
}

/**
 * Stores the change and requests the years that the absence touches, before and after it. With `dryRun` everything is
 * rolled back, and the result has the effect.
 */
export async function runAbsenceChange<Result extends object>(
  uses: { readonly changes: CommissionChanges; readonly clock: Clock },
  caller: TenantCaller,
  dryRun: boolean,
  prepare: (tx: Transaction) => Promise<AbsenceChange<Result>>,
): Promise<Result & AbsencePreview> {
  return changeOrPreview(uses, caller, { dryRun, toEffect: toPersonalEffect }, async (tx) => {
    const { result, ...change } = await prepare(tx);
    const store = () => storeAbsences(tx, [change]);
    const { stored, ...targets } = await withChangedTargets(tx, dryRun, factOf(change).repId, store);
    return { result: { ...result, ...targets }, affected: daysByRep(stored), trigger: 'absence' };
  });
}

interface AbsencePreview {
  readonly effect?: z.input<typeof absenceEffect>;
  readonly targets?: z.input<typeof changedTargets>;
}

/** A warning if no rule of the person's plans prorates quotas, so that absences change nothing. */
export async function findAbsenceWarnings(tx: Transaction, repId: string): Promise<Pick<ChangedAbsence, 'warnings'>> {
  const { versions } = await loadRepTerms(tx, repId);
  const inForce = [...groupBy(versions, ({ planId }) => planId).values()].flatMap(payingVersions);
  if (inForce.some(({ rules }) => rules.some(({ quotaProration = 'none' }) => quotaProration !== 'none'))) return {};
  const message =
    'No rule of the plans of this person prorates quotas, so the absence changes nothing. Set quotaProration of the rules.';
  return { warnings: [{ code: 'no_effect_without_proration', message }] };
}
