import { sql } from 'kysely';
import { type DocumentMaker, type PartSink } from '#src/exports/documents/document-maker.js';
import {
  completeExport,
  deleteParts,
  failExport,
  insertPart,
  type LeasedExport,
  leaseExport,
  leaseRenewalMs,
  listPartOwners,
  releaseExport,
  renewLease,
  updateProgress,
} from '#src/exports/export-store.js';
import { Failure } from '#src/kernel/failure.js';
import { isUnavailable, retryOnOutage } from '#src/platform/database/database-errors.js';
import { type Database } from '#src/platform/database/pool.js';
import { type UnitOfWork, type Work } from '#src/platform/database/unit-of-work.js';
import { failpoint } from '#src/platform/failpoint.js';
import { type Log } from '#src/platform/log.js';
import { WakeableTask } from '#src/platform/wakeable-task.js';

const concurrency = 2;
const maxAttempts = 5;
const pauseAfterFailureMs = 2000;
const pauseInOutageMs = 1000;
/** How long an archive runs before it returns to the queue of exports. */
const sliceMs = 5000;

/**
 * Produces export files, two at a time per process. Orders are stored in the database. Each is taken under a lease
 * that is renewed while the file is produced; another worker takes over the export of a worker that was killed after
 * ten seconds. Producing a file twice is harmless: only the holder of the lease can store parts or finish the
 * export.
 */
export class ExportWorker {
  private readonly making = new Set<Promise<void>>();
  private readonly search: WakeableTask;
  private stopping = false;

  constructor(
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly maker: Pick<DocumentMaker, 'make'>,
    private readonly log: Log,
  ) {
    this.search = new WakeableTask(() => this.fillSlots(), 'looking for due exports failed', log);
  }

  /** Looks for work at once if a slot is free. */
  wake(): void {
    this.search.wake();
  }

  /** Waits for the exports in progress; archives stop after their current statement. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.search.stop();
    await Promise.all(this.making);
  }

  private async fillSlots(): Promise<void> {
    while (this.making.size < concurrency && !this.stopping) {
      const taken = await this.takeNext();
      if (taken === null) return;
      const made = this.process(taken).finally(() => {
        this.making.delete(made);
        this.wake();
      });
      this.making.add(made);
    }
  }

  private async takeNext(): Promise<LeasedExport | null> {
    const { rows } = await sql<{ workspace_id: string; job_id: string }>`
      select workspace_id, job_id from due_exports(8)`.execute(this.database);
    for (const { workspace_id: workspaceId, job_id: documentId } of rows) {
      const taken = await this.unitOfWork.write({ workspaceId }, (trx) => leaseExport(trx, workspaceId, documentId));
      if (taken !== null) return taken;
    }
    return null;
  }

  private async process(taken: LeasedExport): Promise<void> {
    const renewal = setInterval(() => {
      this.with(taken, renewLease).catch(() => {});
    }, leaseRenewalMs);
    try {
      await this.make(taken);
    } catch (error) {
      // An expired lease would count as a crash of the worker.
      await retryOnOutage(() => this.handleFailure(taken, error)).catch((failure: unknown) =>
        this.log.warn({ err: failure }, 'releasing an export failed; its lease expires'),
      );
    } finally {
      clearInterval(renewal);
    }
  }

  private async make(taken: LeasedExport): Promise<void> {
    if (taken.attempts > maxAttempts)
      throw new Error(`export ${taken.jobId} exceeded ${maxAttempts} attempts: its workers died`);
    await failpoint('export.afterTake');
    const sink = await this.sinkOf(taken);
    const file = await this.maker.make(taken.workspaceId, taken, sink);
    await failpoint('export.afterMake');
    await this.with(taken, async (trx) => {
      if (file === null) await releaseExport(trx, taken, 0, 0);
      else await completeExport(trx, taken, file);
      await failpoint('export.beforeCommit');
    });
  }

  private async sinkOf(taken: LeasedExport): Promise<PartSink> {
    const isArchive = taken.kind === 'team.zip';
    const owners = await this.with(taken, async (trx) => {
      if (!isArchive) await deleteParts(trx, taken);
      return listPartOwners(trx, taken);
    });
    let part = owners.length;
    const until = performance.now() + sliceMs;
    const assertHeld = (held: boolean) => {
      if (!held) throw new LeaseLost();
    };
    return {
      storedReps: new Set(owners.filter((owner) => owner !== null)),
      store: async (content, file = undefined) => {
        const added = { part, content, name: file?.name ?? null, repId: file?.repId ?? null };
        part += 1;
        assertHeld(await this.with(taken, (trx) => insertPart(trx, taken, added, isArchive ? part : undefined)));
        await failpoint('export.afterPart');
      },
      start: async (total) => assertHeld(await this.with(taken, (trx) => updateProgress(trx, taken, total, part))),
      isTimeUp: () => this.stopping || performance.now() > until,
    };
  }

  /**
   * A failure that the caller can act on ends the export. An outage does not count as an attempt. Other errors are
   * retried up to the limit.
   */
  private async handleFailure(taken: LeasedExport, error: unknown): Promise<void> {
    if (error instanceof LeaseLost) return;
    const { kind, attempts } = taken;
    const isOutage = isUnavailable(error);
    const final = error instanceof Failure || (!isOutage && attempts >= maxAttempts);
    this.log.warn({ err: error, kind, attempt: attempts, final }, 'export failed');
    await this.with(taken, (trx) => {
      if (error instanceof Failure) return failExport(trx, taken, error.code, error.message);
      if (isOutage) return releaseExport(trx, taken, pauseInOutageMs, attempts - 1);
      if (final) return failExport(trx, taken, null, 'The document could not be made.');
      return releaseExport(trx, taken, pauseAfterFailureMs * attempts, attempts);
    });
  }

  private with<T>(taken: LeasedExport, work: (trx: Work, taken: LeasedExport) => Promise<T>): Promise<T> {
    return this.unitOfWork.write(taken, (trx) => work(trx, taken));
  }
}

/** Another worker has taken over the export. */
class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}
