import { type ScheduledImportMails } from '#src/outgoing/notifications/scheduled-import-mails.js';
import { type Transaction } from '#src/platform/database/unit-of-work.js';
import { type ClaimedRun, claimRun, finishRun, postponeRun } from '#src/scheduled-imports/run-store.js';
import { importLease } from '#src/scheduled-imports/scheduled-import-job.js';
import { type ScheduledImportRunner } from '#src/scheduled-imports/scheduled-import-runner.js';
import { type LeasedJobs, type LeasedWrite } from './leased-job-runner.js';

const pauseAfterErrorMs = 2000;
const pauseInOutageMs = 1000;
const pauseOfSourceMs = 5 * 60_000;
/** A source that cannot be read is tried again this often before the admins learn of it. */
const triesOfSource = 3;

/** Runs scheduled imports. Doing one twice is harmless: the second run finds that the files were imported. */
export class ScheduledImportJobs implements LeasedJobs<ClaimedRun> {
  readonly name = importLease;
  readonly maxAttempts = 5;
  readonly failureMessage = 'The run failed because of an error of the service.';
  readonly claim = claimRun;

  constructor(
    private readonly runner: ScheduledImportRunner,
    private readonly mails: ScheduledImportMails,
  ) {}

  perform(run: ClaimedRun, write: LeasedWrite, ending: AbortSignal): Promise<void> {
    return this.runner.run(run, write, ending);
  }

  retry(tx: Transaction, run: ClaimedRun, attempts: number, reason: 'outage' | 'error'): Promise<void> {
    return postponeRun(tx, run, attempts, reason === 'outage' ? pauseInOutageMs : pauseAfterErrorMs * attempts);
  }

  /** The first failure of a series is reported, so that a source that is down for days sends one mail. */
  async fail(tx: Transaction, run: ClaimedRun, _code: string | null, message: string): Promise<void> {
    if (run.attempts < triesOfSource && run.confirmedHeader !== null && !run.hadFailed)
      return postponeRun(tx, run, run.attempts, pauseOfSourceMs);
    await finishRun(tx, run, message);
    if (!run.hadFailed) await this.mails.sourceFailed(tx, run.name, message);
  }
}
