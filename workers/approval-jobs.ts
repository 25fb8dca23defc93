import { type ApproveStatements } from '#src/app/approve-operation.js';
import { type Caller } from '#src/kernel/caller.js';
import { type Transaction, type UnitOfWork, withTransactionHooks } from '#src/platform/database/unit-of-work.js';
import { type ItemOutcome, type JobItem, recordOutcomes, recordRest } from '#src/platform/stored-jobs/job-items.js';
import { type ClaimedJob } from '#src/platform/stored-jobs/stored-job.js';
import { type ApprovalSubject, type ConfirmedStatement } from '#src/statements/approval-jobs/approval-job.js';
import { ItemJobs } from './item-jobs.js';

type Job = ClaimedJob<ApprovalSubject>;

/** Approves what a person has confirmed. An approval and the record of it are one transaction. */
export class ApprovalJobs extends ItemJobs<ApprovalSubject> {
  readonly name = 'approval';
  readonly failureMessage = 'The approval ended because of an error of the service. Approve the statement again.';
  protected readonly partSize = 20;
  protected readonly lostRights =
    'Who confirmed the approval is no longer allowed to approve statements. Someone else must approve this one.';

  constructor(
    unitOfWork: UnitOfWork,
    private readonly approve: ApproveStatements,
  ) {
    super(unitOfWork);
  }

  /** What was not decided is listed as rejected for the reason of the job. */
  override async fail(tx: Transaction, job: Job, code: string | null, message: string): Promise<void> {
    await recordRest(tx, job, { outcome: 'failed', code: code ?? 'internal_error', message });
    await super.fail(tx, job, code, message);
  }

  protected async decide(job: Job, items: readonly JobItem[], approver: Caller): Promise<readonly ItemOutcome[]> {
    const { period, subject } = job;
    const caller = withTransactionHooks(approver, {
      // Without a result the transaction has approved nothing, since a calculation was pending.
      beforeCommit: async (tx, result) => {
        if (result === null) return;
        const { repId, status } = result as ConfirmedStatement & { readonly status: string };
        await recordOutcomes(tx, job, [{ repId, outcome: status === 'approved' ? 'done' : 'skipped' }]);
      },
    });
    const rejected = await this.approve({ period, ...subject, statements: items as ConfirmedStatement[] }, caller);
    return rejected.map((statement) => ({ ...statement, outcome: 'failed' }));
  }
}
