import { type Caller } from '../../kernel/caller.js';
import { type DayRange } from '../../kernel/day.js';
import { newId } from '../../kernel/ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { createJob } from './calculation-jobs.js';
import { type Trigger } from './calculation-requests.js';
import { type Recalculate } from './recalculate.js';

interface ConcernedPeople {
  readonly trigger: Trigger;
  /** The days of each person. */
  readonly days: ReadonlyMap<string, readonly DayRange[]>;
  /** Number of deals, for the progress of the job. */
  readonly deals: number;
}

/** Requests the calculation of people on their days as one job. Returns its id; null without people. */
export async function requestAsJob(
  tx: Transaction,
  recalculate: Recalculate,
  caller: Caller,
  { trigger, days, deals }: ConcernedPeople,
): Promise<string | null> {
  if (days.size === 0) return null;
  const { jobId } = await createJob(tx, {
    kind: 'recalculation',
    scope: { scope: 'workspace' },
    scopeKey: `${trigger}:${newId()}`,
    actor: caller.actor,
    total: days.size,
    deals,
  });
  await recalculate(
    [...days].flatMap(([repId, ranges]) => ranges.map((range) => ({ repId, days: range, trigger, jobId }))),
  );
  return jobId;
}
