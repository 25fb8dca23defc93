import { type RecordHandover } from '#src/app/handover-operation.js';
import { type HandoverSubject, toRecorded } from '#src/exports/handover-job.js';
import { type PayrollHandover } from '#src/exports/payroll-handover.js';
import { type Transaction, type UnitOfWork, withTransactionHooks } from '#src/platform/database/unit-of-work.js';
import { type ClaimedJob } from '#src/platform/stored-jobs/stored-job.js';
import { completeStoredJob } from '#src/platform/stored-jobs/stored-job-store.js';
import { type SliceEnd, StoredJobs } from './stored-jobs.js';

type Job = ClaimedJob<HandoverSubject>;

/** Records hand-overs. The hand-over and the end of its job are one transaction, so that no job records two. */
export class HandoverJobs extends StoredJobs<HandoverSubject> {
  readonly name = 'handover';
  readonly failureMessage = 'Nothing was handed over because of an error of the service. Record the hand-over again.';

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly record: RecordHandover,
  ) {
    super();
  }

  protected async performSlice(job: Job): Promise<SliceEnd> {
    const { period, subject } = job;
    const lostRights = 'Who requested the hand-over is no longer allowed to record it.';
    const caller = await this.requireCaller(job, this.unitOfWork, lostRights);
    const recording = withTransactionHooks(caller, { beforeCommit: (tx, result) => endWith(tx, job, result) });
    await this.record({ ...subject, period }, recording);
    return 'completed';
  }
}

/** Rolls the hand-over back if another worker has recorded one for the job meanwhile. */
async function endWith(tx: Transaction, job: Job, handover: unknown): Promise<void> {
  const isFirst = await completeStoredJob(tx, job, toRecorded(handover as PayrollHandover));
  if (!isFirst) throw new Error('another worker has recorded this hand-over');
}
