import { type DealExplainer } from '#src/commissions/deal-explainer.js';
import { type ExceptionSubject, hashVisible } from '#src/commissions/exception-jobs/exception-job.js';
import { insertExceptionRows } from '#src/commissions/exception-jobs/exception-job-store.js';
import { listRepsToExplain } from '#src/commissions/exception-views.js';
import { findExceptionsOf, repsPerTransaction } from '#src/commissions/find-exceptions.js';
import { visibleReps } from '#src/kernel/caller.js';
import { chunk } from '#src/kernel/chunk.js';
import { type Clock } from '#src/kernel/clock.js';
import { currentDay } from '#src/kernel/day.js';
import { Failure } from '#src/kernel/failure.js';
import { calendarOf, loadWorkspaceTerms } from '#src/ledger/input/rep-terms.js';
import { findStoredCaller } from '#src/people/reps/find-stored-caller.js';
import { type Transaction, type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { type ClaimedJob } from '#src/platform/stored-jobs/stored-job.js';
import { advanceStoredJob, completeStoredJob } from '#src/platform/stored-jobs/stored-job-store.js';
import { type LeasedWrite } from './leased-job-runner.js';
import { type SliceEnd, StoredJobs } from './stored-jobs.js';

/** Finds what did not pay, a hundred people at a time in the order of their ids. */
export class ExceptionJobs extends StoredJobs<ExceptionSubject> {
  readonly name = 'exceptions';
  readonly failureMessage = 'The exceptions could not be calculated because of an error of the service. Try again.';

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly explainer: DealExplainer,
    private readonly clock: Clock,
  ) {
    super();
  }

  protected async performSlice(
    job: ClaimedJob<ExceptionSubject>,
    write: LeasedWrite,
    isOver: () => boolean,
  ): Promise<SliceEnd> {
    const { unitOfWork, explainer } = this;
    const { workspaceId } = job;
    const { caller, scope, repIds } = await unitOfWork.read({ workspaceId }, (tx) => this.prepare(tx, job));
    for (const part of chunk(repIds, repsPerTransaction)) {
      if (isOver()) return 'continues';
      const found = await findExceptionsOf(caller, scope, part, { unitOfWork, explainer });
      await write(async (tx) => {
        await insertExceptionRows(tx, job, found);
        await advanceStoredJob(tx, job, part.length, part.at(-1));
      });
    }
    await write((tx) => completeStoredJob(tx, job));
    return 'completed';
  }

  /** The people who are left. The rights of who requested the list are read again in each run. */
  private async prepare(tx: Transaction, { caller: stored, subject, period, position }: ClaimedJob<ExceptionSubject>) {
    const caller = await findStoredCaller(tx, stored);
    if (caller === null || hashVisible(caller) !== subject.visible)
      throw new Failure('forbidden', 'Who requested the exceptions sees other people now. Request them again.');
    const workspace = await loadWorkspaceTerms(tx);
    const days = calendarOf({ workspace }).range(period);
    const repIds = await listRepsToExplain(tx, days, visibleReps(caller), position);
    return { caller, scope: { workspace, days, today: currentDay(workspace, this.clock.now()) }, repIds };
  }
}
