import { prepareComputed } from '#src/finance/close-month.js';
import { type MonthReports } from '#src/finance/month-reports.js';
import { type Clock } from '#src/kernel/clock.js';
import { workspaceToday } from '#src/people/reps/rep-views.js';
import { type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { type ClaimedJob } from '#src/platform/stored-jobs/stored-job.js';
import { advanceStoredJob, completeStoredJob } from '#src/platform/stored-jobs/stored-job-store.js';
import { type LeasedWrite } from './leased-job-runner.js';
import { type SliceEnd, StoredJobs } from './stored-jobs.js';

/** Prepares large months: the report is computed in one snapshot, and the preparation ends the job in one transaction. */
export class PreparationJobs extends StoredJobs<unknown> {
  readonly name = 'preparation';
  override readonly maxAttempts = 3;
  readonly failureMessage = 'The month could not be prepared because of an error of the service. Prepare it again.';

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly reports: MonthReports,
    private readonly clock: Clock,
  ) {
    super();
  }

  protected async performSlice(job: ClaimedJob, write: LeasedWrite): Promise<SliceEnd> {
    const { period: month } = job;
    const lostRights = 'Who requested the preparation is no longer allowed to prepare months.';
    const caller = await this.requireCaller(job, this.unitOfWork, lostRights);
    const { stored } = await this.reports.find(caller, month);
    const { head } =
      stored ??
      (await this.reports.compute(caller, month, {
        onKept: (people) => write((tx) => advanceStoredJob(tx, job, people)),
      }));
    await write(async (tx) => {
      const now = { today: await workspaceToday(tx, this.clock), at: this.clock.now() };
      await prepareComputed(tx, caller, head, now);
      await completeStoredJob(tx, job, { hash: head.hash });
    });
    return 'completed';
  }
}
