import { type Clock } from '#src/kernel/clock.js';
import { type Day } from '#src/kernel/day.js';
import { inParallel } from '#src/kernel/waiting.js';
import { workspaceToday } from '#src/people/reps/rep-views.js';
import { previewChange, previewNotes } from '#src/plans/plan-preview.js';
import { type PreviewSubject } from '#src/plans/preview-result.js';
import { type Transaction, type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { failpoint } from '#src/platform/failpoint.js';
import { insertJobItems } from '#src/platform/stored-jobs/job-items.js';
import { type ClaimedJob } from '#src/platform/stored-jobs/stored-job.js';
import { completeStoredJob } from '#src/platform/stored-jobs/stored-job-store.js';
import { type LeasedWrite } from './leased-job-runner.js';
import { type SliceEnd, StoredJobs } from './stored-jobs.js';

/** Calculates previews of plan changes. A preview reads one snapshot of the ledger and writes only its own rows. */
export class PreviewJobs extends StoredJobs<PreviewSubject> {
  readonly name = 'preview';
  override readonly maxAttempts = 3;
  readonly failureMessage = 'The preview could not be calculated.';

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {
    super();
  }

  protected async performSlice(job: ClaimedJob<PreviewSubject>, write: LeasedWrite): Promise<SliceEnd> {
    const [{ figures, deals }, notes] = await this.calculate(job);
    await failpoint('preview.afterCalculate');
    const rows = deals.map((content) => ({ content }));
    await write(async (tx) => {
      await insertJobItems(tx, job, rows);
      await completeStoredJob(tx, job, { ...figures, ...notes });
    });
    return 'completed';
  }

  private calculate({ workspaceId, subject: { request } }: ClaimedJob<PreviewSubject>) {
    const read = <T>(work: (tx: Transaction, today: Day) => Promise<T>) =>
      this.unitOfWork.run({ workspaceId }, { lock: 'none', access: 'read', isolation: 'repeatable read' }, async (tx) =>
        work(tx, await workspaceToday(tx, this.clock)),
      );
    return inParallel(
      () => read((tx, today) => previewChange(tx, request, today)),
      () => read((tx, today) => previewNotes(tx, request, today)),
    );
  }
}
