import { Failure, invalid } from '../../kernel/failure.js';
import { type RunInThread, ThreadLimitExceeded, ThreadPool } from '../../platform/threads/thread-pool.js';
import { type FileSample } from '../file-result.js';
import { type ImportOptions } from '../scheduled-import.js';
import { type openSource } from './open-source.js';
import { type ListedFile, unreachable } from './source.js';

type Access = Readonly<Parameters<typeof openSource>>;

/** What is requested of a thread, in this order. */
export type SourceTask =
  | { readonly open: Access }
  | { readonly list: true }
  | { readonly download: ListedFile; readonly maxBytes: number }
  /** Of the file that was downloaded last. */
  | { readonly columns: ImportOptions }
  | { readonly csv: true };

/** A source that a worker thread reads. */
export interface OpenSource {
  readonly hostKey: string | null;
  list(): Promise<readonly ListedFile[]>;
  download(file: ListedFile, maxBytes: number): Promise<{ readonly bytes: number; readonly hash: string }>;
  /** Header and first rows of the file that was downloaded last, with the columns of the options. */
  readSample(options: ImportOptions): Promise<FileSample>;
  /** All rows of that file. */
  readCsv(): Promise<Buffer>;
}

interface Limits {
  /** How long the source may take for all requests together. */
  readonly totalMs: number;
  readonly signal: AbortSignal;
}

const heapMb = 512;

/**
 * Reads sources in worker threads, one for each use: what a stranger sends may stall or end the thread, and nothing else.
 * Aborting the signal ends the thread with its connections.
 */
export class SourceThreads {
  private readonly pool: ThreadPool;

  constructor(threads: number) {
    const script = new URL('./source-thread.js', import.meta.url);
    this.pool = new ThreadPool(script, { threads, heapMb, deadlineMs: 0, endsWithWork: true });
  }

  /** At most one use of a key runs at a time. */
  use<T>(key: string, open: Access, limits: Limits, work: (source: OpenSource) => Promise<T>): Promise<T> {
    return this.pool.hold(key, async (run) => {
      const calls = new SourceCalls(run, limits);
      return work(await calls.open(open));
    });
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}

/** The calls of one use, which share its time. */
class SourceCalls {
  private leftMs: number;

  constructor(
    private readonly run: RunInThread,
    private readonly limits: Limits,
  ) {
    this.leftMs = limits.totalMs;
  }

  async open(open: Access): Promise<OpenSource> {
    const hostKey = await this.json<string | null>({ open });
    return {
      hostKey,
      list: () => this.json({ list: true }),
      download: (download, maxBytes) => this.json({ download, maxBytes }),
      readSample: (columns) => this.json({ columns }, (reason) => invalid({ path: '', message: `the file ${reason}` })),
      readCsv: async () => Buffer.from((await this.bytes({ csv: true })).buffer as ArrayBuffer),
    };
  }

  private async json<T>(task: SourceTask, toFailure = failsToRead): Promise<T> {
    return JSON.parse(new TextDecoder().decode(await this.bytes(task, toFailure))) as T;
  }

  private async bytes(task: SourceTask, toFailure = failsToRead): Promise<Uint8Array> {
    const { signal, totalMs } = this.limits;
    const startedAt = performance.now();
    try {
      return await this.run([task], { deadlineMs: Math.max(0, this.leftMs), signal });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Failure) throw error;
      // Whatever else ends the thread was caused by what it has read.
      throw Object.assign(toFailure(reasonOf(error, totalMs)), { cause: error });
    } finally {
      this.leftMs -= performance.now() - startedAt;
    }
  }
}

function failsToRead(reason: string): Failure {
  return unreachable(`what it returns ${reason}`);
}

function reasonOf(error: unknown, totalMs: number): string {
  if (!(error instanceof ThreadLimitExceeded)) return 'cannot be read';
  return error.limit === 'time'
    ? `takes longer than ${totalMs / 1000} seconds`
    : `needs more than ${heapMb} MiB of memory`;
}
