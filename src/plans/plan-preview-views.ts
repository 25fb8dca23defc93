import { findDealNames } from '../deals/deal-views.js';
import { inParallel } from '../kernel/waiting.js';
import { findRepNames } from '../people/reps/rep-views.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { readContents } from '../platform/stored-jobs/job-items.js';
import { type StoredJob } from '../platform/stored-jobs/stored-job.js';
import { findStoredJobs, statusOf } from '../platform/stored-jobs/stored-job-views.js';
import { type MovedDeal, type PreviewFigures, type PreviewSubject } from './preview-result.js';

/** The status of a preview, without its request and figures. */
export interface PreviewJob extends Omit<StoredJob, 'subject' | 'result'> {
  readonly planId: string;
}

/** The figures of a preview with one page of its deals, and the names that the response needs. */
export interface PreviewResult {
  readonly figures: PreviewFigures;
  readonly page: readonly MovedDeal[];
  readonly count: number;
  readonly repNames: ReadonlyMap<string, string>;
  readonly dealNames: ReadonlyMap<string, string | null>;
}

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

async function findPreviewJob(tx: Transaction, jobId: string): Promise<PreviewJob | undefined> {
  const [job] = await findStoredJobs<PreviewSubject>(tx, 'preview', { jobId });
  if (job === undefined) return undefined;
  const { subject, result: _, ...status } = job;
  return { ...status, planId: subject.planId };
}

export const previewJobs = statusOf<PreviewJob>('preview', findPreviewJob);

/** The result of a preview; null if it is not completed. */
export async function findPreviewResult(
  tx: Transaction,
  { jobId, status }: PreviewJob,
  { limit, offset }: Page,
): Promise<PreviewResult | null> {
  if (status !== 'completed') return null;
  const [job] = await findStoredJobs<PreviewSubject, PreviewFigures>(tx, 'preview', { jobId });
  const figures = job?.result ?? null;
  if (figures === null) return null;
  const { contents: page, count } = await readContents<MovedDeal>(tx, { jobId }, { limit, offset });
  const repIds = [...page, ...figures.byRep, ...(figures.refunds ?? []), ...figures.locked].map(({ repId }) => repId);
  const [repNames, dealNames] = await inParallel(
    () => findRepNames(tx, repIds),
    () =>
      findDealNames(
        tx,
        page.flatMap(({ dealId }) => dealId ?? []),
      ),
  );
  return { figures, page, count, repNames, dealNames };
}
