import { type Clock } from '#src/kernel/clock.js';
import { type Day } from '#src/kernel/day.js';
import { inParallel } from '#src/kernel/waiting.js';
import { workspaceToday } from '#src/people/reps/rep-views.js';
import { previewChange, previewNotes } from '#src/plans/plan-preview.js';
import {
  type ClaimedPreview,
  claimPreview,
  completePreview,
  failPreview,
  retryPreview,
} from '#src/plans/plan-preview-store.js';
import { type Transaction, type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { failpoint } from '#src/platform/failpoint.js';
import { type LeasedJobs, type LeasedWrite } from './leased-job-runner.js';

/** Calculates previews of plan changes. A preview reads one snapshot of the ledger and writes only its own row. */
export class PreviewJobs implements LeasedJobs<ClaimedPreview> {
  readonly name = 'preview';
  readonly maxAttempts = 3;
  readonly failureMessage = 'The preview could not be calculated.';
  readonly claim = claimPreview;
  readonly retry = retryPreview;
  readonly fail = failPreview;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  async perform(job: ClaimedPreview, write: LeasedWrite): Promise<void> {
    const [{ figures, deals }, notes] = await this.calculate(job);
    await failpoint('preview.afterCalculate');
    await write((tx) => completePreview(tx, job, { ...figures, ...notes }, deals));
  }

  private calculate({ workspaceId, request }: ClaimedPreview) {
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
