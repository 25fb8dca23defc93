import { isDeepStrictEqual } from 'node:util';
import { hasTakenBack } from '../imports/import-history.js';
import { Failure } from '../kernel/failure.js';
import { newId } from '../kernel/ids.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { failpoint } from '../platform/failpoint.js';
import { LeaseLost } from '../platform/jobs/leases.js';
import { type Secrets } from '../platform/secrets/secrets.js';
import { openCredentials } from './credentials.js';
import { type FileResult, type FileSample, summarize } from './file-result.js';
import {
  findDifference,
  type HeaderDifference,
  isDifferent,
  reasonToWait,
  withoutUnknown,
} from './header-difference.js';
import { actorOf, type CallImport, callDryRun, callImport } from './import-calls.js';
import {
  assertCurrent,
  type ClaimedRun,
  deleteWaiting,
  finishRun,
  type Handled,
  type KnownFile,
  RunOutdated,
  readKnownFiles,
  recordFile,
  recordVersion,
  storeHostKey,
} from './run-store.js';
import { type ImportSubject, type SourceAddress } from './scheduled-import.js';
import { type ListedFile, type SourceSettings } from './sources/source.js';
import { type OpenSource, type SourceThreads } from './sources/source-threads.js';

/** Runs a transaction that writes nothing if another worker has taken the run over. */
type Write = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

/** Reports to the admins what they have to decide, in the transaction that stores it. */
export interface ImportMails {
  rowsRejected(tx: Transaction, importName: string, file: string, result: FileResult): Promise<void>;
  fileFailed(tx: Transaction, importName: string, file: string, reason: string): Promise<void>;
  fileWaits(tx: Transaction, importName: string, file: string, reason: string): Promise<void>;
}

export interface RunnerSettings extends Omit<SourceSettings, 'timeZone' | 'dealField'> {
  /** How large a file of each subject may be: as large as the import takes. */
  readonly maxFileBytes: Readonly<Record<ImportSubject, number>>;
  /** How long the requests of a run to its source may take together. */
  readonly sourceMs: Readonly<Record<SourceAddress['kind'], number>>;
}

interface OpenRun {
  readonly run: ClaimedRun;
  readonly write: Write;
  readonly source: OpenSource;
  readonly ending: AbortSignal;
}

/** A file that the thread of the source holds. */
interface Downloaded extends Omit<ListedFile, 'bytes'> {
  readonly hash: string;
  readonly bytes: number;
}

/** A file as the import gets it. */
interface Prepared extends Downloaded {
  readonly sample: FileSample;
  readonly csv: Buffer;
}

/**
 * Reads a source and imports what is new in it, file by file, the oldest first. An import and the record that its file
 * was imported are one transaction, so a worker that dies at any moment has imported each file once or not at all.
 */
export class ScheduledImportRunner {
  constructor(
    private readonly call: CallImport,
    private readonly threads: SourceThreads,
    private readonly secrets: Secrets,
    private readonly mails: ImportMails,
    private readonly settings: RunnerSettings,
  ) {}

  /**
   * A run of an import that was changed in the meantime ends, and the next one reads the source again. If the process
   * stops, another worker continues.
   */
  async run(run: ClaimedRun, write: Write, ending: AbortSignal): Promise<void> {
    const credentials = openCredentials(this.secrets, run.id, run.secret);
    const { sourceMs, maxFileBytes, ...settings } = this.settings;
    const { timeZone, options } = run;
    const read = { ...settings, timeZone, dealField: options.dealField };
    const limits = { totalMs: sourceMs[run.source.kind], signal: ending };
    try {
      await this.threads.use(run.id, [run.source, credentials, read], limits, async (source) => {
        const { hostKey } = source;
        if (hostKey !== null) await write((tx) => storeHostKey(tx, run, hostKey));
        await this.importNewFiles({ run, write, source, ending });
      });
      await write((tx) => finishRun(tx, run, null));
    } catch (error) {
      const isStopped = ending.aborted && error === ending.reason && !(error instanceof LeaseLost);
      if (!isStopped && !(error instanceof RunOutdated)) throw error;
    }
  }

  private async importNewFiles(open: OpenRun): Promise<void> {
    const { run, write, source, ending } = open;
    const files = await source.list();
    const names = files.map(({ name }) => name);
    const known = new Map((await write((tx) => readKnownFiles(tx, run.id, names))).map((file) => [file.name, file]));
    const lastImported = files.findLastIndex(({ name }) => known.get(name)?.status === 'imported');
    for (const [position, file] of files.entries()) {
      ending.throwIfAborted();
      const last = known.get(file.name);
      const isDone = isHandled(run, last, position < lastImported);
      if (isDone && file.version !== null && last?.version === file.version) continue;
      const downloaded = await this.download(open, file);
      if (downloaded === null) continue;
      if (isDone && last?.hash === downloaded.hash && !isReadAgain(run, last))
        await write((tx) => recordVersion(tx, run, downloaded));
      else if (await this.handle(open, downloaded, last)) return;
    }
    await write((tx) => deleteWaiting(tx, run, null));
  }

  /** Null for a file that another program is still writing; the next run reads it. */
  private async download({ run, source }: OpenRun, file: ListedFile): Promise<Downloaded | null> {
    const downloaded = await source.download(file, this.settings.maxFileBytes[run.subject]);
    await failpoint('scheduledImport.afterDownload');
    if (file.bytes !== null && file.bytes !== downloaded.bytes) return null;
    return { ...file, ...downloaded };
  }

  /** Imports the file, or makes the dry run of it that a person confirms. True if the file waits, and later ones with it. */
  private async handle(open: OpenRun, file: Downloaded, last: KnownFile | undefined): Promise<boolean> {
    const { run, write, source } = open;
    let found = { ...file, sample: { header: [], rows: [], count: 0 } as FileSample };
    try {
      found = { ...file, sample: await source.readSample(run.options) };
      const prepared = { ...found, csv: await source.readCsv() };
      const difference = findDifference(run, found.sample.header);
      if (!isDifferent(difference)) {
        if (await this.changesSomething(open, prepared, last)) await this.importFile(open, prepared, last);
        return false;
      }
      const answer = await callDryRun(this.call, run, toUpload(prepared));
      const waiting = { ...difference, added: withoutUnknown(run, difference.added, answer) };
      if (isDifferent(waiting)) await this.keepWaiting(open, prepared, { answer, difference: waiting }, last);
      else await this.importFile(open, prepared, last);
      return isDifferent(waiting);
    } catch (error) {
      if (!(error instanceof Failure) || error.code === 'calculation_pending' || error.code === 'source_unreachable')
        throw error;
      await write(async (tx) => {
        await assertCurrent(tx, run);
        const isRecorded = await recordFile(tx, run, found, { status: 'failed', error: error.message }, last);
        const isSame = last?.status === 'failed' && last.hash === file.hash && last.error === error.message;
        if (isRecorded && !isSame) await this.mails.fileFailed(tx, run.name, file.name, error.message);
      });
      return false;
    }
  }

  /** False for content that was imported, if another import would do nothing new, or would repeat what was taken back. */
  private async changesSomething(
    { run, write }: OpenRun,
    file: Prepared,
    last: KnownFile | undefined,
  ): Promise<boolean> {
    if (last?.status !== 'imported' || last.hash !== file.hash) return true;
    const upload = toUpload(file);
    if (await write((tx) => hasTakenBack(tx, actorOf(run), upload.fileName))) return false;
    const answer = await callDryRun(this.call, run, upload);
    const now = summarize(answer as Parameters<typeof summarize>[0], file.sample.count);
    return now.accepted > 0 || !isDeepStrictEqual(now.reasons, last.result?.reasons);
  }

  private async importFile({ run, write }: OpenRun, file: Prepared, last: KnownFile | undefined): Promise<void> {
    const importId = newId();
    let isRecorded = false;
    const record = async (tx: Transaction, answer: unknown) => {
      await assertCurrent(tx, run);
      const result = summarize(answer as Parameters<typeof summarize>[0], file.sample.count);
      const handled: Handled = { status: 'imported', result, importId };
      if (!(await recordFile(tx, run, file, handled, last))) throw new RunOutdated(`${file.name} was imported before`);
      if (result.rejected > 0 && !isReported(last, file, result))
        await this.mails.rowsRejected(tx, run.name, file.name, result);
      await failpoint('scheduledImport.beforeCommit');
      isRecorded = true;
    };
    const answer = await callImport(this.call, run, toUpload(file), { importId, beforeCommit: record });
    await failpoint('scheduledImport.afterImport');
    // A file of people whose rows are all rejected writes nothing, so that nothing recorded it.
    if (!isRecorded) await write((tx) => record(tx, answer));
  }

  private async keepWaiting(
    { run, write }: OpenRun,
    file: Prepared,
    { answer, difference }: { readonly answer: unknown; readonly difference: HeaderDifference },
    last: KnownFile | undefined,
  ): Promise<void> {
    const result = summarize(answer as Parameters<typeof summarize>[0], file.sample.count);
    const reason = reasonToWait(difference);
    const isSame = last?.status === 'waiting' && last.hash === file.hash;
    await write(async (tx) => {
      await assertCurrent(tx, run);
      await deleteWaiting(tx, run, file.hash);
      await recordFile(tx, run, file, { status: 'waiting', result, error: reason }, last);
      if (!isSame)
        await this.mails.fileWaits(tx, run.name, file.name, reason ?? 'It is the first file of the scheduled import.');
    });
  }
}

/**
 * A file that waits is read again: its dry run shows what would happen now. So is one that failed when a run is
 * requested, except where a later file was imported, which has the last word.
 */
function isHandled({ isRequested, source }: ClaimedRun, file: KnownFile | undefined, isOvertaken: boolean): boolean {
  if (file === undefined || file.status === 'waiting') return false;
  // No invoice is in two files of the billing provider.
  return file.status === 'imported' || !isRequested || (isOvertaken && source.kind !== 'stripe');
}

/** The invoices of the billing provider stay as they are while the deals appear or name them that they belong to. */
function isReadAgain({ source, options, confirmedHeader }: ClaimedRun, { status, result }: KnownFile): boolean {
  if (source.kind !== 'stripe' || confirmedHeader === null || status !== 'imported') return false;
  return options.dealField !== undefined || (result?.rejected ?? 0) > 0;
}

/** Whether the admins have got a mail about the rejected rows of the same content. */
function isReported(last: KnownFile | undefined, { hash }: Prepared, { reasons }: FileResult): boolean {
  const reported = last?.status === 'imported' && last.hash === hash ? (last.result?.reasons ?? []) : [];
  return reasons.every((reason) => reported.some((earlier) => isDeepStrictEqual(earlier, reason)));
}

function toUpload({ name, csv }: Prepared) {
  return { fileName: name.slice(name.lastIndexOf('/') + 1), csv };
}
