import { sql } from 'kysely';
import { type Clock } from '#src/kernel/clock.js';
import { type Day } from '#src/kernel/day.js';
import { Failure } from '#src/kernel/failure.js';
import { inParallel } from '#src/kernel/waiting.js';
import { previewChange, previewNotes } from '#src/plans/plan-preview.js';
import {
  completePreview,
  failPreview,
  type LeasedPreview,
  leasePreview,
  previewLeaseRenewalMs,
  releasePreview,
  renewPreviewLease,
} from '#src/plans/plan-preview-store.js';
import { isUnavailable } from '#src/platform/database/database-errors.js';
import { type Database } from '#src/platform/database/pool.js';
import { type UnitOfWork, type Work } from '#src/platform/database/unit-of-work.js';
import { failpoint } from '#src/platform/failpoint.js';
import { type Log } from '#src/platform/log.js';
import { WakeableTask } from '#src/platform/wakeable-task.js';
import { workspaceToday } from '#src/reps/rep-views.js';

const maxAttempts = 3;

/**
 * Calculates previews of plan changes, one at a time per process and workspace. A preview reads one snapshot of the
 * ledger and writes only its own row, so calculating it twice is harmless. Another worker continues the preview of a
 * worker that was killed after its lease of ten seconds.
 */
export class PreviewWorker {
  private readonly task: WakeableTask;

  constructor(
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.task = new WakeableTask(() => this.run(), 'calculating plan previews failed', log);
  }

  /** Calculates requested previews until none is due; returns at once if the worker is calculating. */
  wake(): void {
    this.task.wake();
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  private async run(): Promise<void> {
    for (let taken = await this.takeNext(); taken !== null; taken = await this.takeNext()) await this.process(taken);
  }

  private async takeNext(): Promise<LeasedPreview | null> {
    const { rows } = await sql<{ workspace_id: string; preview_id: string }>`
      select workspace_id, preview_id from due_plan_previews(4)`.execute(this.database);
    for (const { workspace_id: workspaceId, preview_id: previewId } of rows) {
      const taken = await this.unitOfWork.write({ workspaceId }, (trx) => leasePreview(trx, workspaceId, previewId));
      if (taken !== null) return taken;
    }
    return null;
  }

  private async process(taken: LeasedPreview): Promise<void> {
    const { workspaceId } = taken;
    const renewal = setInterval(() => {
      this.unitOfWork.write({ workspaceId }, (trx) => renewPreviewLease(trx, taken)).catch(() => undefined);
    }, previewLeaseRenewalMs);
    try {
      if (taken.attempts > maxAttempts)
        throw new Error(`preview ${taken.previewId} exceeded ${maxAttempts} attempts: its workers died`);
      const [{ figures, deals }, notes] = await this.calculate(taken);
      await failpoint('preview.afterCalculate');
      await this.unitOfWork.write({ workspaceId }, (trx) =>
        completePreview(trx, taken, { ...figures, ...notes }, deals),
      );
    } catch (error) {
      await this.handleFailure(taken, error);
    } finally {
      clearInterval(renewal);
    }
  }

  private calculate({ workspaceId, request }: LeasedPreview) {
    const read = <T>(work: (trx: Work, today: Day) => Promise<T>) =>
      this.unitOfWork.run(
        { workspaceId },
        { lock: 'none', access: 'read', isolation: 'repeatable read' },
        async (trx) => work(trx, await workspaceToday(trx, workspaceId, this.clock)),
      );
    return inParallel(
      () => read((trx, today) => previewChange(trx, workspaceId, request, today)),
      () => read((trx, today) => previewNotes(trx, workspaceId, request, today)),
    );
  }

  private async handleFailure(taken: LeasedPreview, error: unknown): Promise<void> {
    const isOutage = isUnavailable(error);
    const isFinal = error instanceof Failure || (!isOutage && taken.attempts >= maxAttempts);
    if (!(error instanceof Failure))
      this.log.warn({ err: error, attempt: taken.attempts, final: isFinal }, 'plan preview failed');
    await this.unitOfWork.write(taken, (trx) => {
      if (!isFinal) return releasePreview(trx, taken, isOutage ? taken.attempts - 1 : taken.attempts);
      const [code, message] =
        error instanceof Failure ? [error.code, error.message] : [null, 'The preview could not be calculated.'];
      return failPreview(trx, taken, code, message);
    });
  }
}
