import { type Caller } from '#src/kernel/caller.js';
import { Failure } from '#src/kernel/failure.js';
import { findStoredCaller } from '#src/people/reps/find-stored-caller.js';
import { type Transaction, type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { type ClaimedJob } from '#src/platform/stored-jobs/stored-job.js';
import { claimStoredJob, failStoredJob, postponeStoredJob } from '#src/platform/stored-jobs/stored-job-store.js';
import { type LeasedJobs, type LeasedWrite } from './leased-job-runner.js';

const pauseAfterErrorMs = 2000;
const pauseInOutageMs = 1000;
/** How long a job runs before it returns to the queue of its kind. */
const sliceMs = 5000;

/** How a slice of a job ended: the job is completed, waits for its next slice, or for the database. */
export type SliceEnd = 'completed' | 'continues' | 'outage';

/**
 * Carries out stored jobs in parts. A part and the record that it is done are one transaction, so a worker that dies has
 * stored each part once or not at all.
 */
export abstract class StoredJobs<Subject> implements LeasedJobs<ClaimedJob<Subject>> {
  abstract readonly name: string;
  readonly maxAttempts: number = 5;
  abstract readonly failureMessage: string;

  claim(tx: Transaction, jobId: string): Promise<ClaimedJob<Subject> | null> {
    return claimStoredJob<Subject>(tx, jobId);
  }

  async perform(job: ClaimedJob<Subject>, write: LeasedWrite, ending: AbortSignal): Promise<void> {
    const until = performance.now() + sliceMs;
    const end = await this.performSlice(job, write, () => ending.aborted || performance.now() > until);
    if (end === 'completed') return;
    await write((tx) => postponeStoredJob(tx, job, end === 'outage' ? pauseInOutageMs : 0, 0));
  }

  retry(tx: Transaction, job: ClaimedJob<Subject>, attempts: number, reason: 'outage' | 'error'): Promise<unknown> {
    return postponeStoredJob(tx, job, reason === 'outage' ? pauseInOutageMs : pauseAfterErrorMs * attempts, attempts);
  }

  fail(tx: Transaction, job: ClaimedJob<Subject>, code: string | null, message: string): Promise<unknown> {
    return failStoredJob(tx, job, code, message);
  }

  /** Who requested the job, with the rights of today. Throws with the message if they have lost them. */
  protected async requireCaller(job: ClaimedJob<Subject>, unitOfWork: UnitOfWork, lostRights: string): Promise<Caller> {
    const { workspaceId } = job;
    const caller = await unitOfWork.read({ workspaceId }, (tx) => findStoredCaller(tx, job.caller));
    if (caller === null) throw new Failure('forbidden', lostRights);
    return caller;
  }

  /** Does parts until the slice is over. */
  protected abstract performSlice(
    job: ClaimedJob<Subject>,
    write: LeasedWrite,
    isOver: () => boolean,
  ): Promise<SliceEnd>;
}
