import { setImmediate as otherWork } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Failure } from '../../kernel/failure.js';
import { inParallel, mapInParallel } from '../../kernel/waiting.js';
import { type ThreadMessage, type ThreadRequest, type ThreadResponse } from './thread-messages.js';

interface ThreadLimits {
  readonly threads: number;
  readonly heapMb: number;
  readonly deadlineMs: number;
  /** Set where a thread must not run the work of two keys, since it reads what strangers send. */
  readonly endsWithWork?: true;
}

/** The work was ended because it reached the deadline or filled the heap of its thread. */
export class ThreadLimitExceeded extends Error {
  override readonly name = 'ThreadLimitExceeded';

  constructor(readonly limit: 'time' | 'memory') {
    super(`a thread reached its limit of ${limit}`);
  }
}

/** Replies to a request of the thread. If it fails, so does the work, and the thread ends. */
type Reply = (request: unknown) => Promise<unknown>;

interface RunOptions {
  readonly reply?: Reply;
  /** Default: the deadline of the pool. */
  readonly deadlineMs?: number;
  /** Aborting it ends the thread. */
  readonly signal?: AbortSignal;
}

/** Runs work in the thread. The parts are sent one by one, because copying a large message would block the event loop. */
export type RunInThread = (parts: readonly unknown[], options?: RunOptions) => Promise<Uint8Array>;

interface Task {
  /** At most one task of a key runs at a time, so that one key cannot occupy every thread. */
  readonly key: string;
  /** Who waits for it. */
  readonly requester: string;
  /** Must not reject. */
  readonly work: (run: RunInThread) => Promise<void>;
}

const maxWaiting = { ofRequester: 5, ofKey: 100 };
const idleMs = 30_000;
const retryAfterSeconds = 10;

/**
 * Runs work that could occupy the process in worker threads with a heap limit and a deadline. A thread that exceeds
 * one of them is terminated; the event loop of the process is never blocked. Threads start with the first task and
 * end after half a minute without one.
 */
export class ThreadPool {
  private readonly waiting: Task[] = [];
  private readonly runningKeys = new Set<string>();
  private readonly idle: Thread[] = [];
  private readonly busy = new Set<Thread>();
  private isClosed = false;

  constructor(
    private readonly script: URL,
    private readonly limits: ThreadLimits,
  ) {}

  run(key: string, parts: readonly unknown[]): Promise<Uint8Array> {
    return this.hold(key, (run) => run(parts));
  }

  /**
   * Runs the work as soon as a thread is free, and keeps the thread for it until it ends. Work that needs a transaction
   * opens it in here, so that no transaction is open while it waits for a thread. Without a `requester`, all work of the
   * key counts as that of one.
   */
  async hold<T>(key: string, work: (run: RunInThread) => Promise<T>, requester: string = key): Promise<T> {
    this.assertFewWaiting(key, requester);
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, requester, work: (run) => work(run).then(resolve, reject) });
      this.startNext();
    });
  }

  private assertFewWaiting(key: string, requester: string): void {
    const ofKey = this.waiting.filter((task) => task.key === key);
    const own = ofKey.filter((task) => task.requester === requester);
    if (own.length < maxWaiting.ofRequester && ofKey.length < maxWaiting.ofKey) return;
    throw new Failure('rate_limited', 'Too many such requests of the workspace are waiting.', {
      retryAfter: retryAfterSeconds,
    });
  }

  /** Whether work of another key would start at once. Work that has a thread may wait for no other work: both could wait forever. */
  get hasFreeThread(): boolean {
    return !this.isClosed && this.runningKeys.size < this.limits.threads;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await mapInParallel([...this.idle.splice(0), ...this.busy], (thread) => thread.end());
  }

  private startNext(): void {
    if (!this.hasFreeThread) return;
    const index = this.waiting.findIndex(({ key }) => !this.runningKeys.has(key));
    const [task] = index < 0 ? [] : this.waiting.splice(index, 1);
    if (task !== undefined) void this.execute(task);
  }

  private async execute({ key, work }: Task): Promise<void> {
    this.runningKeys.add(key);
    let thread: Thread | undefined;
    await work((parts, options) => {
      if (thread?.isUsable !== true) thread = this.takeThread(thread);
      return thread.run(parts, { deadlineMs: this.limits.deadlineMs, ...options });
    });
    this.runningKeys.delete(key);
    if (thread !== undefined) this.busy.delete(thread);
    if (thread?.isUsable === true && !this.isClosed) this.release(thread);
    this.startNext();
  }

  /** A thread in place of the one that has ended. */
  private takeThread(ended: Thread | undefined): Thread {
    if (ended !== undefined) this.busy.delete(ended);
    const thread = this.idle.pop() ?? new Thread(this.script, this.limits.heapMb, (exited) => this.remove(exited));
    this.busy.add(thread);
    return thread;
  }

  private release(thread: Thread): void {
    if (this.limits.endsWithWork === true) return void thread.end();
    this.idle.push(thread);
    thread.endAfter(idleMs);
  }

  private remove(thread: Thread): void {
    const index = this.idle.indexOf(thread);
    if (index >= 0) this.idle.splice(index, 1);
  }
}

/** One worker thread, which runs one task at a time. */
class Thread {
  isUsable = true;
  private readonly worker: Worker;
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(
    script: URL,
    heapMb: number,
    private readonly onEnd: (thread: Thread) => void,
  ) {
    // The thread gets no environment: it needs no setting and no secret.
    this.worker = new Worker(script, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 32 },
    });
    this.worker.on('error', () => undefined);
    this.worker.once('exit', () => {
      this.isUsable = false;
      this.onEnd(this);
    });
  }

  async run(parts: readonly unknown[], options: RunOptions & { readonly deadlineMs: number }): Promise<Uint8Array> {
    clearTimeout(this.idleTimer);
    options.signal?.throwIfAborted();
    this.worker.ref();
    try {
      // The thread may end while the parts are sent.
      const [result] = await inParallel(
        () => this.result(options),
        () => this.send(parts),
      );
      return result;
    } finally {
      this.worker.unref();
    }
  }

  private async send(parts: readonly unknown[]): Promise<void> {
    try {
      for (const part of parts) {
        this.post({ part });
        await otherWork();
      }
      this.post({ run: true });
    } catch (error) {
      void this.end();
      throw error;
    }
  }

  endAfter(ms: number): void {
    this.idleTimer = setTimeout(() => void this.end(), ms).unref();
  }

  async end(): Promise<void> {
    this.isUsable = false;
    clearTimeout(this.idleTimer);
    this.onEnd(this);
    await this.worker.terminate();
  }

  private post(message: ThreadMessage): void {
    this.worker.postMessage(message);
  }

  private result({
    deadlineMs,
    signal,
    reply = noReply,
  }: RunOptions & { readonly deadlineMs: number }): Promise<Uint8Array> {
    const { worker } = this;
    return new Promise<Uint8Array>((resolve, reject) => {
      const finish = (complete: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
        complete();
      };
      const endWith = (error: unknown) => {
        finish(() => reject(error));
        void this.end();
      };
      const onMessage = (response: ThreadResponse) => {
        if ('request' in response) void this.reply(response, reply).catch(endWith);
        else finish(() => ('result' in response ? resolve(response.result) : reject(toError(response))));
      };
      const onError = (error: NodeJS.ErrnoException) => {
        this.isUsable = false;
        finish(() => reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ThreadLimitExceeded('memory') : error));
      };
      const onExit = () => finish(() => reject(new Error('a worker thread ended before its task')));
      const onAbort = () => endWith(signal?.reason);
      const timer = setTimeout(() => endWith(new ThreadLimitExceeded('time')), deadlineMs);
      signal?.addEventListener('abort', onAbort);
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    });
  }

  private async reply({ request, id }: ThreadRequest, reply: Reply): Promise<void> {
    this.post({ reply: await reply(request), id });
  }
}

async function noReply(): Promise<never> {
  throw new Error('the task of a worker thread sent a request that it must not send');
}

function toError(response: Exclude<ThreadResponse, ThreadRequest | { readonly result: unknown }>): Error {
  if ('failure' in response)
    return new Failure(response.failure.code, response.failure.message, response.failure.details);
  return new Error(`a worker thread failed: ${response.error}`);
}
