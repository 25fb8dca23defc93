import { type Caller } from '../../kernel/caller.js';
import { newId } from '../../kernel/ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { completeJobIfDone, createJob } from './calculation-jobs.js';
import { type CalculationRequest, type Trigger } from './calculation-requests.js';
import { type Recalculate } from './recalculate.js';

interface JobRequests {
  readonly trigger: Trigger;
  readonly requests: readonly Pick<CalculationRequest, 'repId' | 'days' | 'dealId'>[];
  /** Number of deals, for the progress of the job. */
  readonly deals: number;
  /** The deal, if the requests concern only one. */
  readonly dealId?: string | undefined;
}

/** Requests calculations as one job and returns its id. A job without requests is complete at once. */
export async function requestAsJob(
  tx: Transaction,
  recalculate: Recalculate,
  { actor }: Caller,
  { trigger, requests, deals, dealId }: JobRequests,
): Promise<string> {
  const { jobId } = await createJob(tx, {
    kind: trigger === 'import' ? 'import' : 'recalculation',
    scope: dealId === undefined ? { scope: 'workspace' } : { scope: 'deal', dealId },
    scopeKey: `${trigger}:${newId()}`,
    actor,
    total: new Set(requests.map(({ repId }) => repId)).size,
    deals,
  });
  await recalculate(requests.map((request) => ({ ...request, trigger, jobId })));
  if (requests.length === 0) await completeJobIfDone(tx, jobId);
  return jobId;
}
