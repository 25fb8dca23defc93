import { type DocumentMaker, type PartSink } from '#src/exports/documents/document-maker.js';
import { type ExportSubject, toRequest } from '#src/exports/export-job.js';
import { deleteParts, insertPart, listPartOwners, sumBytes } from '#src/exports/export-store.js';
import { type Transaction } from '#src/platform/database/unit-of-work.js';
import { failpoint } from '#src/platform/failpoint.js';
import { type ClaimedJob } from '#src/platform/stored-jobs/stored-job.js';
import { completeStoredJob, updateStoredJob } from '#src/platform/stored-jobs/stored-job-store.js';
import { type LeasedWrite } from './leased-job-runner.js';
import { type SliceEnd, StoredJobs } from './stored-jobs.js';

type Job = ClaimedJob<ExportSubject>;

/** Produces the files of exports. An archive stops after its current statement and continues in a later run. */
export class ExportJobs extends StoredJobs<ExportSubject> {
  readonly name = 'export';
  readonly failureMessage = 'The document could not be made.';

  constructor(private readonly maker: Pick<DocumentMaker, 'make'>) {
    super();
  }

  override async fail(tx: Transaction, job: Job, code: string | null, message: string): Promise<void> {
    await deleteParts(tx, job);
    await super.fail(tx, job, code, message);
  }

  protected async performSlice(job: Job, write: LeasedWrite, isOver: () => boolean): Promise<SliceEnd> {
    await failpoint('export.afterTake');
    const sink = await this.openSink(job, write, isOver);
    const file = await this.maker.make(job.workspaceId, toRequest(job), sink);
    await failpoint('export.afterMake');
    if (file === null) return 'continues';
    await write(async (tx) => {
      await completeStoredJob(tx, job, { ...file, bytes: await sumBytes(tx, job) });
      await failpoint('export.beforeCommit');
    });
    return 'completed';
  }

  private async openSink(job: Job, write: LeasedWrite, isOver: () => boolean): Promise<PartSink> {
    const continues = job.subject.kind === 'team.zip';
    const owners = await write(async (tx) => {
      if (!continues) await deleteParts(tx, job);
      return listPartOwners(tx, job);
    });
    let part = owners.length;
    return {
      storedReps: new Set(owners.filter((owner) => owner !== null)),
      store: async (content, file = undefined) => {
        const added = { part, content, name: file?.name ?? null, repId: file?.repId ?? null };
        part += 1;
        await write(async (tx) => {
          if (continues) await updateStoredJob(tx, job, { done: part });
          await insertPart(tx, job, added);
        });
        await failpoint('export.afterPart');
      },
      start: (total) => write((tx) => updateStoredJob(tx, job, { total, done: part })),
      isTimeUp: isOver,
    };
  }
}
