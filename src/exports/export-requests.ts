import { Readable } from 'node:stream';
import { type Caller } from '../kernel/caller.js';
import { Failure } from '../kernel/failure.js';
import { isUuid } from '../kernel/ids.js';
import { pollUntil } from '../kernel/waiting.js';
import { type UnitOfWork, type Work } from '../platform/database/unit-of-work.js';
import { zipped } from '../platform/documents/archive.js';
import { type JobQueue } from '../platform/jobs/job-queue.js';
import { Download, Reply } from '../platform/operation.js';
import {
  type ExportJob,
  type ExportRequest,
  jobAnswer,
  jobNotFound,
  makeExportsJob,
  mayDownload,
} from './export-job.js';
import { enqueueExport } from './export-store.js';
import { type ExportPart, findExportJobs, findNextPart } from './export-views.js';

/** A batch of more documents than that is not waited for. */
export const maxAwaitedParts = 50;
const maxWaitMs = 25_000;

export type ExportAnswer = Download | Reply<ReturnType<typeof jobAnswer>>;

/**
 * Has documents made by the workers and waits for them. The order stands in the database, so it survives whoever
 * makes it; past the wait the caller gets the job to ask for, and the work goes on.
 */
export class ExportRequests {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly queue: Pick<JobQueue, 'add'>,
    private readonly waitMs = maxWaitMs,
  ) {}

  /** `order` reads what it must of the same transaction that the order is placed in. */
  async submit(
    caller: Caller,
    order: (trx: Work) => Promise<ExportRequest & { readonly total?: number }>,
    { async = false }: { readonly async?: boolean } = {},
  ): Promise<ExportAnswer> {
    const { workspaceId, actor } = caller;
    const { jobId, total } = await this.unitOfWork.run(caller, { lock: 'none', access: 'write' }, async (trx) => {
      const { total: count = 1, ...wanted } = await order(trx);
      const placed = await enqueueExport(trx, workspaceId, { ...wanted, total: count, actor });
      if (placed === null) throw new Failure('export_unavailable', 'Too many exports wait already. Try again shortly.');
      return { jobId: placed, total: count };
    });
    await this.queue.add(makeExportsJob, { workspaceId });
    const job = await this.waitFor(caller, jobId, async || total > maxAwaitedParts ? 0 : this.waitMs);
    return job.status === 'running' ? new Reply(202, jobAnswer(job)) : this.fileOf(caller, job);
  }

  async find(caller: Caller, jobId: string): Promise<ExportJob> {
    if (!isUuid(jobId)) throw jobNotFound();
    const [job] = await this.unitOfWork.run(caller, { lock: 'none', access: 'read' }, (trx) =>
      findExportJobs(trx, caller.workspaceId, jobId),
    );
    if (job === undefined || !mayDownload(caller, job)) throw jobNotFound();
    return job;
  }

  /** The finished file, part by part as the network takes it. */
  fileOf(caller: Caller, job: ExportJob): Download {
    if (job.status === 'running')
      throw new Failure('export_not_ready', 'The export is still being made. Ask for its status first.');
    if (job.file === null) {
      if (job.errorCode === null) throw new Error(`the document ${job.jobId} could not be made: ${job.error}`);
      throw new Failure(job.errorCode, job.error ?? '');
    }
    const { contentType, filename, headers, bytes } = job.file;
    const parts = this.parts(caller, job.jobId);
    if (job.kind === 'team.zip') return new Download(contentType, filename, Readable.from(zipped(parts)), headers);
    const length = { 'Content-Length': String(bytes) };
    return new Download(contentType, filename, Readable.from(contents(parts)), { ...headers, ...length });
  }

  private waitFor(caller: Caller, jobId: string, maxWaitMs: number): Promise<ExportJob> {
    return pollUntil(
      () => this.find(caller, jobId),
      (job) => job.status !== 'running',
      { maxWaitMs, pauseMs: 20, maxPauseMs: 200 },
    );
  }

  private async *parts(caller: Caller, documentId: string): AsyncGenerator<ExportPart> {
    const { workspaceId } = caller;
    const after = (part: number) =>
      this.unitOfWork.run(caller, { lock: 'none', access: 'read' }, (trx) =>
        findNextPart(trx, workspaceId, documentId, part),
      );
    for (let part = await after(-1); part !== null; part = await after(part.part)) yield part;
  }
}

async function* contents(parts: AsyncIterable<ExportPart>): AsyncGenerator<Buffer> {
  for await (const { content } of parts) yield content;
}
