import { Failure } from '#src/kernel/failure.js';
import { isUnavailable, retryOnOutage } from '#src/platform/database/database-errors.js';
import { type Transaction, type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { LeaseLost, type Leases } from '#src/platform/jobs/leases.js';
import { type Log } from '#src/platform/log.js';
import { type WorkRunner } from './leased-worker.js';

/** Runs a transaction that fails with {@link LeaseLost} and writes nothing if another worker holds the lease. */
export type LeasedWrite = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

/** One kind of job that is a row with a number of attempts. */
export interface LeasedJobs<Job extends { readonly attempts: number }> {
  /** Begins the name of the lease; the function that finds due jobs uses the same name. */
  readonly name: string;
  readonly maxAttempts: number;
  /** The reason of a job that failed in every attempt. */
  readonly failureMessage: string;
  /** Starts an attempt. Null if the job is finished or waits. */
  claim(tx: Transaction, jobId: string): Promise<Job | null>;
  /** Does the job and stores its result. The signal is aborted when the process stops or has lost the lease. */
  perform(job: Job, write: LeasedWrite, ending: AbortSignal): Promise<void>;
  retry(tx: Transaction, job: Job, attempts: number, reason: 'outage' | 'error'): Promise<unknown>;
  fail(tx: Transaction, job: Job, code: string | null, message: string): Promise<unknown>;
}

/** Does jobs. Doing one twice is harmless: only the holder of the lease can store a result. */
export class LeasedJobRunner<Job extends { readonly attempts: number }> implements WorkRunner {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly leases: Leases,
    private readonly jobs: LeasedJobs<Job>,
    private readonly log: Log,
  ) {}

  async run(workspaceId: string, jobId: string, stopping: AbortSignal): Promise<boolean> {
    const done = await this.leases.hold(workspaceId, `${this.jobs.name} ${jobId}`, async (lease) => {
      const write: LeasedWrite = (work) =>
        this.unitOfWork.write({ workspaceId }, async (tx) => {
          await lease.assertHeld(tx);
          return work(tx);
        });
      const job = await write((tx) => this.jobs.claim(tx, jobId));
      if (job !== null) await this.attempt(job, write, AbortSignal.any([stopping, lease.lost]));
      return true;
    });
    return done ?? false;
  }

  private async attempt(job: Job, write: LeasedWrite, ending: AbortSignal): Promise<void> {
    const { maxAttempts, name } = this.jobs;
    try {
      if (job.attempts > maxAttempts) throw new Error(`the workers of ${maxAttempts} attempts of the ${name} died`);
      await this.jobs.perform(job, write, ending);
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      // An attempt that is not recorded counts as a crash of the worker.
      await retryOnOutage(() => this.recordFailure(job, write, error));
    }
  }

  /**
   * A failure that the caller can act on ends the job. An outage does not count as an attempt. Other errors are
   * retried up to the limit.
   */
  private async recordFailure(job: Job, write: LeasedWrite, error: unknown): Promise<void> {
    const { attempts } = job;
    const { name, maxAttempts, failureMessage } = this.jobs;
    const isOutage = isUnavailable(error);
    const isFinal = error instanceof Failure || (!isOutage && attempts >= maxAttempts);
    this.log.warn({ err: error, attempt: attempts, final: isFinal }, `${name} failed`);
    await write((tx) => {
      if (error instanceof Failure) return this.jobs.fail(tx, job, error.code, error.message);
      if (isOutage) return this.jobs.retry(tx, job, attempts - 1, 'outage');
      if (isFinal) return this.jobs.fail(tx, job, null, failureMessage);
      return this.jobs.retry(tx, job, attempts, 'error');
    });
  }
}
