import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandOf, root } from './command.js';
import { bundledCommand } from './service-bundle.js';

const maxLines = 5000;

/** Which parts of the service a process runs. */
export type ProcessKind = 'both' | 'api' | 'worker';

export interface ProcessOptions {
  /** Starts the command of the package, as users do, instead of the bundle, which starts faster. */
  readonly isInstalled?: boolean;
  /** Starts the command of another checkout, which is built, such as one of an earlier release. */
  readonly checkout?: string;
  readonly nodeOptions?: readonly string[];
  /** Runs it under the supervisor, as the command does by default. Signals and `pid` are then those of the supervisor. */
  readonly isSupervised?: boolean;
  /** Starts a process group, as a terminal does, so that `interrupt` also reaches child processes. */
  readonly hasOwnGroup?: boolean;
  /** Opens a channel for messages to the process. */
  readonly hasChannel?: boolean;
  readonly startTimeoutMs?: number;
}

/** A process of `commissions serve`, with `--api`, `--worker` or both. It can be started again after it ended. */
export class ServiceProcess {
  private child: ChildProcess | null = null;
  private readonly lines: string[] = [];
  private listeningUrl: string | null = null;

  constructor(
    readonly kind: ProcessKind,
    private readonly environment: NodeJS.ProcessEnv,
    private readonly options: ProcessOptions = {},
  ) {}

  static async start(
    kind: ProcessKind,
    environment: NodeJS.ProcessEnv,
    options: ProcessOptions = {},
  ): Promise<ServiceProcess> {
    const started = new ServiceProcess(kind, environment, options);
    await started.start();
    return started;
  }

  get url(): string {
    if (this.listeningUrl === null) throw new Error(`the ${this.kind} has no address`);
    return this.listeningUrl;
  }

  /** The complete output, over all starts. */
  get output(): string {
    return this.lines.join('\n');
  }

  /** The newest line with this text, which may be printed shortly after the event. */
  async lineWith(text: string): Promise<string> {
    for (let tries = 0; tries < 100; tries += 1) {
      const line = this.lines.findLast((candidate) => candidate.includes(text));
      if (line !== undefined) return line;
      await sleep(50);
    }
    return `nothing was logged of ${text}`;
  }

  get pid(): number {
    return this.child?.pid as number;
  }

  get isRunning(): boolean {
    return this.child !== null && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Resolves when the process serves; rejects if it ends before. */
  async start(): Promise<void> {
    const {
      isInstalled = false,
      checkout,
      isSupervised = false,
      nodeOptions = [],
      hasOwnGroup = false,
      hasChannel = false,
    } = this.options;
    const command = isInstalled || checkout !== undefined ? commandOf(checkout ?? root) : await bundledCommand();
    const part = [...(this.kind === 'both' ? [] : [`--${this.kind}`]), ...(isSupervised ? [] : ['--no-supervisor'])];
    const child = spawn(process.execPath, [...nodeOptions, command, 'serve', ...part], {
      cwd: checkout ?? root,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...this.environment },
      detached: hasOwnGroup,
      stdio: ['ignore', 'pipe', 'pipe', ...(hasChannel ? (['ipc'] as const) : [])],
    });
    this.child = child;
    child.once('exit', () => this.exited());
    await this.untilReady(child);
  }

  private untilReady(child: ChildProcess): Promise<void> {
    return new Promise((resolve, reject) => {
      const tooLate = () => {
        child.kill('SIGKILL');
        reject(new Error(`the ${this.kind} was not ready in time:\n${this.lastLines}`));
      };
      const timer = setTimeout(tooLate, this.options.startTimeoutMs ?? 180_000);
      for (const stream of [child.stdout, child.stderr])
        createInterface({ input: stream as NodeJS.ReadableStream }).on('line', (line) => {
          this.hear(line);
          if (!/is ready: \S+|The worker is running/.test(line)) return;
          clearTimeout(timer);
          resolve();
        });
      child.once('exit', (code, signal) => {
        clearTimeout(timer);
        reject(new Error(`the ${this.kind} ended with ${signal ?? code} before it was ready:\n${this.lastLines}`));
      });
    });
  }

  private get lastLines(): string {
    return this.lines.slice(-20).join('\n');
  }

  protected hear(line: string): void {
    this.lines.push(line);
    if (this.lines.length > maxLines) this.lines.splice(0, maxLines / 2);
    this.listeningUrl = /is ready: (\S+)/.exec(line)?.[1] ?? this.listeningUrl;
  }

  protected exited(): void {}

  protected send(message: object): void {
    // A message to a killed process is dropped.
    if (this.child?.connected === true) this.child.send(message, () => undefined);
  }

  /** Resolves at the next message of the process or when it ends. */
  protected sendAndWait(message: object): Promise<void> {
    return new Promise((resolve) => {
      const { child } = this;
      if (child?.connected !== true) return resolve();
      const done = () => {
        child.off('message', done).off('exit', done);
        resolve();
      };
      child.on('message', done).on('exit', done);
      child.send(message, () => undefined);
    });
  }

  signal(name: NodeJS.Signals): void {
    this.child?.kill(name);
  }

  /** The exit code; null if a signal ended the process. */
  async ended(): Promise<number | null> {
    if (this.child !== null && this.isRunning) await once(this.child, 'exit');
    return this.child?.exitCode ?? null;
  }

  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    if (this.isRunning) this.signal(signal);
    return this.ended();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  /** Sends SIGINT to the whole process group, as a terminal does on Ctrl-C. */
  async interrupt(): Promise<number | null> {
    process.kill(-this.pid, 'SIGINT');
    return this.ended();
  }
}
