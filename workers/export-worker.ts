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
import { isUnavailable } from '#src/platform/database/database-errors.js';
import { type Database } from '#src/platform/database/pool.js';
import { retryOnOutage } from '#src/platform/database/retry-on-outage.js';
import { type UnitOfWork, type Work } from '#src/platform/database/unit-of-work.js';
import { failpoint } from '#src/platform/failpoint.js';
import { type Log } from '#src/platform/log.js';

const atOnce = 2;
const sweepEveryMs = 1000;
const sweepsBetweenForgetting = 60;
const mostAttempts = 5;
const pauseAfterFailureMs = 2000;
const pauseInOutageMs = 1000;
/** How long an archive keeps its place while others may wait. */
const sliceMs = 5000;

/**
 * Makes documents, two at a time in a process. What is to be made stands in the database: each is taken under a lease
 * that is renewed while it is made, so that the document of a worker that was killed is another's after ten seconds.
 * Making one twice is harmless, since only the holder of the lease can keep parts or finish.
 */
export class ExportWorker {
  private readonly making = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | null = null;
  private looking: Promise<void> | null = null;
  private lookAgain = false;
  private sweeps = 0;
  private stopping = false;

  constructor(
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly maker: Pick<DocumentMaker, 'make'>,
    private readonly log: Log,
  ) {}

  start(): void {
    this.wake();
    this.timer = setInterval(() => {
      this.sweeps += 1;
      if (this.sweeps % sweepsBetweenForgetting === 0) void this.forget();
      this.wake();
    }, sweepEveryMs);
  }

  /** Finishes what is being made; archives stop after the statement that they are at. */
  async stop(): Promise<void> {
    this.stopping = true;
    if (this.timer !== null) clearInterval(this.timer);
    await this.looking;
    await Promise.all(this.making);
  }

  /** There may be something to make: looked for at once while a place is free. */
  wake(): void {
    if (this.stopping) return;
    if (this.looking !== null) {
      this.lookAgain = true;
      return;
    }
    this.looking = this.fillPlaces()
      .catch((error: unknown) => this.log.warn({ err: error }, 'waiting documents could not be looked for'))
      .finally(() => {
        this.looking = null;
        if (!this.lookAgain) return;
        this.lookAgain = false;
        this.wake();
      });
  }

  private async fillPlaces(): Promise<void> {
    while (this.making.size < atOnce && !this.stopping) {
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
    const { rows } = await sql<{ workspace_id: string; document_id: string }>`
      select workspace_id, document_id from due_documents(8)`.execute(this.database);
    for (const { workspace_id: workspaceId, document_id: documentId } of rows) {
      const taken = await this.unitOfWork.run({ workspaceId }, { lock: 'none', access: 'write' }, (trx) =>
        leaseExport(trx, workspaceId, documentId),
      );
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
      // A document whose lease ran out would stand as one that its makers died of.
      await retryOnOutage(() => this.giveUp(taken, error)).catch((also: unknown) =>
        this.log.warn({ err: also }, 'a document could not be given back; its lease runs out'),
      );
    } finally {
      clearInterval(renewal);
    }
  }

  private async make(taken: LeasedExport): Promise<void> {
    if (taken.attempts > mostAttempts) throw new Error('its makers died');
    await failpoint('document.afterTake');
    const sink = await this.sinkOf(taken);
    const file = await this.maker.make(taken.workspaceId, taken, sink);
    await failpoint('document.afterMake');
    await this.with(taken, async (trx) => {
      if (file === null) await releaseExport(trx, taken, 0, 0);
      else await completeExport(trx, taken, file);
      await failpoint('document.beforeCommit');
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
    const heldOrThrow = (held: boolean) => {
      if (!held) throw new LeaseLost();
    };
    return {
      storedReps: new Set(owners.filter((owner) => owner !== null)),
      store: async (content, file = undefined) => {
        const added = { part, content, name: file?.name ?? null, repId: file?.repId ?? null };
        part += 1;
        heldOrThrow(await this.with(taken, (trx) => insertPart(trx, taken, added, isArchive ? part : undefined)));
        await failpoint('document.afterPart');
      },
      start: async (total) => heldOrThrow(await this.with(taken, (trx) => updateProgress(trx, taken, total, part))),
      isTimeUp: () => this.stopping || performance.now() > until,
    };
  }

  /** What a caller can act on ends it; an outage says nothing of the document; anything else is tried again a few times. */
  private async giveUp(taken: LeasedExport, error: unknown): Promise<void> {
    if (error instanceof LeaseLost) return;
    const { kind, attempts } = taken;
    const passes = isUnavailable(error);
    const final = error instanceof Failure || (!passes && attempts >= mostAttempts);
    this.log.warn({ err: error, kind, attempt: attempts, final }, 'a document could not be made');
    await this.with(taken, (trx) => {
      if (error instanceof Failure) return failExport(trx, taken, error.code, error.message);
      if (passes) return releaseExport(trx, taken, pauseInOutageMs, attempts - 1);
      if (final) return failExport(trx, taken, null, 'The document could not be made.');
      return releaseExport(trx, taken, pauseAfterFailureMs * attempts, attempts);
    });
  }

  private with<T>(taken: LeasedExport, work: (trx: Work, taken: LeasedExport) => Promise<T>): Promise<T> {
    return this.unitOfWork.run(taken, { lock: 'none', access: 'write' }, (trx) => work(trx, taken));
  }

  private async forget(): Promise<void> {
    await sql`select forget_old_documents()`
      .execute(this.database)
      .catch((error: unknown) => this.log.warn({ err: error }, 'old documents could not be forgotten'));
  }
}

/** Somebody else goes on with the document. */
class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}
