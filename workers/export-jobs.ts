import { type DocumentMaker, type PartSink } from '#src/exports/documents/document-maker.js';
import {
  type ClaimedExport,
  claimExport,
  completeExport,
  deleteParts,
  failExport,
  insertPart,
  listPartOwners,
  postponeExport,
  updateProgress,
} from '#src/exports/export-store.js';
import { type Transaction } from '#src/platform/database/unit-of-work.js';
import { failpoint } from '#src/platform/failpoint.js';
import { type LeasedJobs, type LeasedWrite } from './leased-job-runner.js';

const pauseAfterFailureMs = 2000;
const pauseInOutageMs = 1000;
/** How long an archive runs before it returns to the queue of exports. */
const sliceMs = 5000;

/** Produces the files of exports. An archive stops after its current statement and continues in a later run. */
export class ExportJobs implements LeasedJobs<ClaimedExport> {
  readonly name = 'export';
  readonly maxAttempts = 5;
  readonly failureMessage = 'The document could not be made.';
  readonly claim = claimExport;
  readonly fail: LeasedJobs<ClaimedExport>['fail'] = failExport;

  constructor(private readonly maker: Pick<DocumentMaker, 'make'>) {}

  async perform(job: ClaimedExport, write: LeasedWrite, ending: AbortSignal): Promise<void> {
    await failpoint('export.afterTake');
    const sink = await this.openSink(job, write, ending);
    const file = await this.maker.make(job.workspaceId, job, sink);
    await failpoint('export.afterMake');
    await write(async (tx) => {
      if (file === null) await postponeExport(tx, job, 0, 0);
      else await completeExport(tx, job, file);
      await failpoint('export.beforeCommit');
    });
  }

  retry(tx: Transaction, job: ClaimedExport, attempts: number, reason: 'outage' | 'error'): Promise<void> {
    const pauseMs = reason === 'outage' ? pauseInOutageMs : pauseAfterFailureMs * attempts;
    return postponeExport(tx, job, pauseMs, attempts);
  }

  private async openSink(job: ClaimedExport, write: LeasedWrite, ending: AbortSignal): Promise<PartSink> {
    const isArchive = job.kind === 'team.zip';
    const owners = await write(async (tx) => {
      if (!isArchive) await deleteParts(tx, job);
      return listPartOwners(tx, job);
    });
    let part = owners.length;
    const until = performance.now() + sliceMs;
    return {
      storedReps: new Set(owners.filter((owner) => owner !== null)),
      store: async (content, file = undefined) => {
        const added = { part, content, name: file?.name ?? null, repId: file?.repId ?? null };
        part += 1;
        await write(async (tx) => {
          if (isArchive) await updateProgress(tx, job, { done: part });
          await insertPart(tx, job, added);
        });
        await failpoint('export.afterPart');
      },
      start: (total) => write((tx) => updateProgress(tx, job, { total, done: part })),
      isTimeUp: () => ending.aborted || performance.now() > until,
    };
  }
}
