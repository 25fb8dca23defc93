import { createHash } from 'node:crypto';
import { Failure } from '../kernel/failure.js';
import { newId } from '../kernel/ids.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { failpoint } from '../platform/failpoint.js';
import { type Secrets } from '../platform/secrets/secrets.js';
import { openCredentials } from './credentials.js';
import { readFile } from './file-columns.js';
import { type FileResult, type FileSample, summarize } from './file-result.js';
import { type CallImport, callDryRun, callImport } from './import-calls.js';
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
import { openSource } from './sources/open-source.js';
import { type FileSource, type ListedFile, type SourceSettings } from './sources/source.js';

/** Runs a transaction that writes nothing if another worker has taken the run over. */
type Write = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

/** Reports to the admins what they have to decide, in the transaction that stores it. */
export interface ImportMails {
  rowsRejected(tx: Transaction, importName: string, file: string, result: FileResult): Promise<void>;
  fileFailed(tx: Transaction, importName: string, file: string, reason: string): Promise<void>;
  fileWaits(tx: Transaction, importName: string, file: string, reason: string): Promise<void>;
}

export interface RunnerSettings extends Omit<SourceSettings, 'timeZone' | 'dealField'> {
  readonly maxFileBytes: number;
}

interface OpenRun {
  readonly run: ClaimedRun;
  readonly write: Write;
  readonly source: FileSource;
}

/** A file with its content. */
interface Downloaded extends ListedFile {
  readonly hash: string;
  readonly content: Buffer;
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
    private readonly secrets: Secrets,
    private readonly mails: ImportMails,
    private readonly settings: RunnerSettings,
  ) {}

  /** A run of an import that was changed in the meantime ends, and the next one reads the source again. */
  async run(run: ClaimedRun, write: Write, isStopping: () => boolean): Promise<void> {
    const credentials = openCredentials(this.secrets, run.id, run.secret);
    const { timeZone, options } = run;
    const source = await openSource(run.source, credentials, {
      ...this.settings,
      timeZone,
      dealField: options.dealField,
    });
    try {
      const { hostKey } = source;
      if (hostKey !== null) await write((tx) => storeHostKey(tx, run, hostKey));
      if (await this.importNewFiles({ run, write, source }, isStopping)) await write((tx) => finishRun(tx, run, null));
    } catch (error) {
      if (!(error instanceof RunOutdated)) throw error;
    } finally {
      source.close();
    }
  }

  /** False if the process stops before the end: another worker continues. */
  private async importNewFiles(open: OpenRun, isStopping: () => boolean): Promise<boolean> {
    const { run, write, source } = open;
    const files = await source.list();
    const names = files.map(({ name }) => name);
    const known = new Map((await write((tx) => readKnownFiles(tx, run.id, names))).map((file) => [file.name, file]));
    for (const file of files) {
      if (isStopping()) return false;
      const last = known.get(file.name);
      if (isHandled(last) && file.version !== null && last?.version === file.version) continue;
      const downloaded = await this.download(open, file);
      if (downloaded === null) continue;
      if (last?.hash === downloaded.hash && isHandled(last)) await write((tx) => recordVersion(tx, run, downloaded));
      else if (await this.handle(open, downloaded, last)) return true;
    }
    await write((tx) => deleteWaiting(tx, run, null));
    return true;
  }

  /** Null for a file that another program is still writing; the next run reads it. */
  private async download({ source }: OpenRun, file: ListedFile): Promise<Downloaded | null> {
    const content = await source.read(file, this.settings.maxFileBytes);
    await failpoint('scheduledImport.afterDownload');
    if (file.bytes !== null && file.bytes !== content.length) return null;
    return { ...file, content, hash: createHash('sha256').update(content).digest('hex') };
  }

  /** Imports the file, or makes the dry run of it that a person confirms. True if the file waits, and later ones with it. */
  private async handle(open: OpenRun, file: Downloaded, last: KnownFile | undefined): Promise<boolean> {
    const { run, write } = open;
    const empty: FileSample = { header: [], rows: [], count: 0 };
    let prepared: Prepared = { ...file, sample: empty, csv: file.content };
    try {
      prepared = { ...file, ...(await readFile(file.content, run.subject, run.options)) };
      const missing = run.confirmedHeader?.filter((name) => !prepared.sample.header.includes(name)) ?? [];
      if (run.confirmedHeader !== null && missing.length === 0) {
        await this.importFile(open, prepared);
        return false;
      }
      await this.keepWaiting(open, prepared, missing, last);
      return true;
    } catch (error) {
      if (!(error instanceof Failure) || error.code === 'calculation_pending') throw error;
      await write(async (tx) => {
        await assertCurrent(tx, run);
        await recordFile(tx, run, toFound(prepared), { status: 'failed', error: error.message });
        await this.mails.fileFailed(tx, run.name, file.name, error.message);
      });
      return false;
    }
  }

  private async importFile({ run, write }: OpenRun, file: Prepared): Promise<void> {
    const importId = newId();
    let isRecorded = false;
    const record = async (tx: Transaction, answer: unknown) => {
      await assertCurrent(tx, run);
      const result = summarize(answer as Parameters<typeof summarize>[0], file.sample.count);
      const handled: Handled = { status: 'imported', result, importId };
      if (!(await recordFile(tx, run, toFound(file), handled)))
        throw new RunOutdated(`${file.name} was imported before`);
      if (result.rejected > 0) await this.mails.rowsRejected(tx, run.name, file.name, result);
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
    missing: readonly string[],
    last: KnownFile | undefined,
  ): Promise<void> {
    const answer = await callDryRun(this.call, run, toUpload(file));
    const result = summarize(answer as Parameters<typeof summarize>[0], file.sample.count);
    const reason = missing.length === 0 ? null : `The file lacks columns of the confirmed one: ${missing.join(', ')}.`;
    const isSame = last?.status === 'waiting' && last.hash === file.hash;
    await write(async (tx) => {
      await assertCurrent(tx, run);
      await deleteWaiting(tx, run, file.hash);
      await recordFile(tx, run, toFound(file), { status: 'waiting', result, error: reason });
      if (!isSame)
        await this.mails.fileWaits(tx, run.name, file.name, reason ?? 'It is the first file of the scheduled import.');
    });
  }
}

/** A file that waits is read again: its dry run shows what would happen now. */
function isHandled(file: KnownFile | undefined): boolean {
  return file !== undefined && file.status !== 'waiting';
}

function toFound({ name, version, hash, content, sample }: Prepared) {
  return { name, version, hash, bytes: content.length, sample };
}

function toUpload({ name, csv }: Prepared) {
  return { fileName: name.slice(name.lastIndexOf('/') + 1), csv };
}
