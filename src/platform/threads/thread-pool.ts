import { setImmediate as otherWork } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Failure } from '../../kernel/failure.js';
import { mapInParallel } from '../../kernel/waiting.js';
import { type ThreadAnswer, type ThreadMessage } from './thread-messages.js';

interface ThreadLimits {
  readonly threads: number;
  readonly heapMb: number;
  readonly deadlineMs: number;
}

/** The work was ended because it reached the deadline or filled the heap of its thread. */
export class ThreadLimitExceeded extends Error {
  override readonly name = 'ThreadLimitExceeded';

  constructor(readonly limit: 'time' | 'memory') {
    super(`a thread reached its limit of ${limit}`);
  }
}

interface Task {
  /** At most one task of a key runs at a time, so that one key cannot occupy every thread. */
  readonly key: string;
  readonly parts: readonly unknown[];
  readonly resolve: (result: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

const maxWaitingOfKey = 5;
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

  /** The parts are sent one by one, because copying a large message would block the event loop. */
  async run(key: string, parts: readonly unknown[]): Promise<Uint8Array> {
    if (this.waiting.filter((task) => task.key === key).length >= maxWaitingOfKey)
      throw new Failure('rate_limited', `More than ${maxWaitingOfKey} such requests of the workspace are waiting.`, {
        retryAfter: retryAfterSeconds,
      });
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, parts, resolve, reject });
      this.startNext();
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await mapInParallel([...this.idle.splice(0), ...this.busy], (thread) => thread.end());
  }

  private startNext(): void {
    if (this.isClosed || this.busy.size >= this.limits.threads) return;
    const index = this.waiting.findIndex(({ key }) => !this.runningKeys.has(key));
    const [task] = index < 0 ? [] : this.waiting.splice(index, 1);
    if (task !== undefined) void this.execute(task);
  }

  private async execute(task: Task): Promise<void> {
    const thread = this.idle.pop() ?? new Thread(this.script, this.limits.heapMb, (ended) => this.remove(ended));
    this.busy.add(thread);
    this.runningKeys.add(task.key);
    try {
      task.resolve(await thread.run(task.parts, this.limits.deadlineMs));
    } catch (error) {
      task.reject(error);
    } finally {
      this.busy.delete(thread);
      this.runningKeys.delete(task.key);
      if (thread.isUsable && !this.isClosed) this.keep(thread);
      this.startNext();
    }
  }

  private keep(thread: Thread): void {
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

  async run(parts: readonly unknown[], deadlineMs: number): Promise<Uint8Array> {
    clearTimeout(this.idleTimer);
    this.worker.ref();
    try {
      const result = this.result(deadlineMs);
      for (const part of parts) {
        this.post({ part });
        await otherWork();
      }
      this.post({ run: true });
      return await result;
    } finally {
      this.worker.unref();
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

  private result(deadlineMs: number): Promise<Uint8Array> {
    const { worker } = this;
    return new Promise<Uint8Array>((resolve, reject) => {
      const finish = (complete: () => void) => {
        clearTimeout(timer);
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
        complete();
      };
      const onMessage = (answer: ThreadAnswer) =>
        finish(() => ('result' in answer ? resolve(answer.result) : reject(errorOf(answer))));
      const onError = (error: NodeJS.ErrnoException) =>
        finish(() => reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ThreadLimitExceeded('memory') : error));
      const onExit = () => finish(() => reject(new Error('a worker thread ended before its task')));
      const timer = setTimeout(() => {
        finish(() => reject(new ThreadLimitExceeded('time')));
        void this.end();
      }, deadlineMs);
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    });
  }
}

function errorOf(answer: Exclude<ThreadAnswer, { readonly result: unknown }>): Error {
  if ('failure' in answer) return new Failure(answer.failure.code, answer.failure.message, answer.failure.details);
  return new Error(`a worker thread failed: ${answer.error}`);
}
