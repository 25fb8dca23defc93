import { Readable } from 'node:stream';
import { type Caller } from '../kernel/caller.js';
import { Failure } from '../kernel/failure.js';
import { toStoredCaller } from '../kernel/stored-caller.js';
import { timeLimit } from '../kernel/time-limit.js';
import { pollUntil } from '../kernel/waiting.js';
import { type Transaction, type UnitOfWork } from '../platform/database/unit-of-work.js';
import { zipFiles } from '../platform/documents/archive.js';
import { type JobStatuses } from '../platform/job-status/job-statuses.js';
import { type JobQueue } from '../platform/jobs/job-queue.js';
import { Download, Reply } from '../platform/operations/operation.js';
import { wakeOf } from '../platform/stored-jobs/stored-job.js';
import {
  type ExportJob,
  type ExportRequest,
  isArchive,
  jobNotFound,
  mayDownload,
  toJobResponse,
} from './export-job.js';
import { enqueueExport } from './export-store.js';
import { type ExportPart, exportJobs, findNextPart } from './export-views.js';

/** Exports with more parts than this return the job at once instead of waiting. */
const maxAwaitedParts = 50;
const maxWaitMs = timeLimit(25_000);

export type ExportResponse = Download | Reply<ReturnType<typeof toJobResponse>>;

/**
 * Stores export requests for the workers and waits for the files. A request is stored in the database, so it
 * survives a crash of a worker. When the wait ends before the file is finished, the caller receives the job.
 */
export class ExportRequests {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly jobs: JobStatuses,
    private readonly queue: Pick<JobQueue, 'add'>,
    private readonly waitMs = maxWaitMs,
  ) {}

  /** `buildRequest` reads the state at `asOf`, which the file shows too. */
  async submit(
    caller: Caller,
    buildRequest: (tx: Transaction) => Promise<Omit<ExportRequest, 'asOf'> & { readonly total?: number }>,
    { async = false, asOf }: { readonly async?: boolean; readonly asOf?: Date | undefined } = {},
  ): Promise<ExportResponse> {
    const { workspaceId } = caller;
    const { total = 1, ...request } = await this.unitOfWork.run(
      caller,
      { lock: 'none', access: 'read', asOf },
      buildRequest,
    );
    const jobId = await this.unitOfWork.write(caller, (tx) =>
      enqueueExport(tx, toStoredCaller(caller), { ...request, asOf: asOf ?? null, total }),
    );
    await this.queue.add(wakeOf('export'), { workspaceId });
    // A worker may have made the file already; the kind of the response does not depend on its speed.
    if (async || total > maxAwaitedParts) return new Reply(202, toJobResponse(await this.find(caller, jobId)));
    const job = await this.waitFor(caller, jobId, this.waitMs);
    return job.status === 'running' ? new Reply(202, toJobResponse(job)) : this.openFile(caller, job);
  }

  async find(caller: Caller, jobId: string): Promise<ExportJob> {
    const job = await this.jobs.find(caller, exportJobs, jobId);
    if (job === undefined || !mayDownload(caller, job)) throw jobNotFound();
    return job;
  }

  /** The finished file. Parts are read from the database as the network takes them. */
  openFile(caller: Caller, job: ExportJob): Download {
    if (job.status === 'running')
      throw new Failure('export_not_ready', 'The export is not finished. Poll its job until the status is completed.');
    if (job.result === null) {
      if (job.errorCode === null) throw new Error(`export ${job.jobId} failed: ${job.error}`);
      throw new Failure(job.errorCode, job.error ?? '');
    }
    const { contentType, filename, headers, bytes } = job.result;
    const parts = this.parts(caller, job.jobId);
    if (isArchive(job.subject.kind))
      return new Download(contentType, filename, Readable.from(zipFiles(parts)), headers);
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

  private async *parts(caller: Caller, jobId: string): AsyncGenerator<ExportPart> {
    const after = (part: number) => this.unitOfWork.read(caller, (tx) => findNextPart(tx, jobId, part));
    for (let part = await after(-1); part !== null; part = await after(part.part)) yield part;
  }
}

async function* contents(parts: AsyncIterable<ExportPart>): AsyncGenerator<Buffer> {
  for await (const { content } of parts) yield content;
}
