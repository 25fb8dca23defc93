import { type ApproveStatements } from '#src/app/approve-operation.js';
import { type Caller, maySee } from '#src/kernel/caller.js';
import { Failure } from '#src/kernel/failure.js';
import { findStoredCaller } from '#src/people/reps/find-stored-caller.js';
import { type Transaction, type UnitOfWork, withTransactionHooks } from '#src/platform/database/unit-of-work.js';
import { type RejectedStatement } from '#src/statements/approval-jobs/approval-job.js';
import {
  type ClaimedApproval,
  type ConfirmedStatement,
  claimApproval,
  completeApproval,
  failApproval,
  nextStatements,
  postponeApproval,
  recordApproved,
  recordRejected,
} from '#src/statements/approval-jobs/approval-job-store.js';
import { type LeasedJobs, type LeasedWrite } from './leased-job-runner.js';

const pauseAfterErrorMs = 2000;
const pauseInOutageMs = 1000;
/** How long a job runs before it returns to the queue of approvals. */
const sliceMs = 5000;
/** The code of a statement that was not decided because the database could not be reached. */
const unreachable = 'database_unavailable';
/** Statements of one call. */
const batchSize = 20;

/**
 * Approves what a person has confirmed, statement by statement. An approval and the record of it are one transaction, so
 * a worker that dies has approved each statement once or not at all.
 */
export class ApprovalJobs implements LeasedJobs<ClaimedApproval> {
  readonly name = 'approval';
  readonly maxAttempts = 5;
  readonly failureMessage = 'The approval ended because of an error of the service. Approve the statement again.';
  readonly claim = claimApproval;
  readonly fail = failApproval;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly approve: ApproveStatements,
  ) {}

  /** The rights of the person are read again in each run: approvals end when they have lost them. */
  async perform(job: ClaimedApproval, write: LeasedWrite, ending: AbortSignal): Promise<void> {
    const { workspaceId } = job;
    const until = performance.now() + sliceMs;
    const approver = await this.unitOfWork.read({ workspaceId }, (tx) => findStoredCaller(tx, job.caller));
    if (approver === null) throw lostRights();
    while (!ending.aborted && performance.now() < until) {
      const statements = await write((tx) => nextStatements(tx, job, batchSize));
      if (statements.length === 0) return write((tx) => completeApproval(tx, job));
      const rejected = await this.decide(job, statements, approver);
      const isOutage = rejected.some(({ code }) => code === unreachable);
      await write((tx) =>
        recordRejected(
          tx,
          job,
          rejected.filter(({ code }) => code !== unreachable),
        ),
      );
      if (isOutage) return write((tx) => postponeApproval(tx, job, pauseInOutageMs, 0));
    }
    await write((tx) => postponeApproval(tx, job, 0, 0));
  }

  retry(tx: Transaction, job: ClaimedApproval, attempts: number, reason: 'outage' | 'error'): Promise<void> {
    return postponeApproval(tx, job, reason === 'outage' ? pauseInOutageMs : pauseAfterErrorMs * attempts, attempts);
  }

  /** Returns the statements that were not approved. */
  private async decide(
    job: ClaimedApproval,
    statements: readonly ConfirmedStatement[],
    approver: Caller,
  ): Promise<readonly RejectedStatement[]> {
    const { period, force } = job;
    const ofTeam = statements.filter(({ repId }) => maySee(approver, repId));
    const outside = statements.filter(({ repId }) => !maySee(approver, repId)).map(toOutside);
    if (ofTeam.length === 0) return outside;
    const caller = withTransactionHooks(approver, {
      // Without a result the transaction has approved nothing, since a calculation was pending.
      beforeCommit: async (tx, result) => {
        if (result !== null) await recordApproved(tx, job, (result as ConfirmedStatement).repId);
      },
    });
    return [...outside, ...(await this.approve({ period, force, statements: ofTeam }, caller))];
  }
}

/** A rep who has left the team of the manager. */
function toOutside({ repId }: ConfirmedStatement): RejectedStatement {
  return { repId, code: 'forbidden', message: 'This person is no longer in the team of who confirmed the approval.' };
}

function lostRights(): Failure {
  return new Failure(
    'forbidden',
    'Who confirmed the approval is no longer allowed to approve statements. Someone else must approve this one.',
  );
}
