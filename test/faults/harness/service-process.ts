import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const command = path.join(root, 'bin', 'commissions.js');
const preload = new URL('./child-preload.js', import.meta.url).href;

const startTimeoutMs = 20_000 * Number(process.env['FAULT_PATIENCE'] ?? 1);
const linesKept = 400;

export interface FiredFailpoint {
  readonly failpoint: string;
  readonly fault: string;
}

export interface ProcessListener {
  onFired(process: ServiceProcess, fired: FiredFailpoint): void;
  onExit(process: ServiceProcess): void;
}

/** One process of the service, started by its command as a user does, and ended by `kill -9` alone. */
export class ServiceProcess {
  private child: ChildProcess | null = null;
  /** Resolves when the running one has ended. */
  ended: Promise<void> = Promise.resolve();
  /** What it has said on standard error, over all its lives. */
  readonly said: string[] = [];
  url = '';

  constructor(
    readonly name: string,
    private readonly args: readonly string[],
    private readonly environment: NodeJS.ProcessEnv,
    private readonly listener: ProcessListener,
  ) {}

  get pid(): number | null {
    return this.child?.pid ?? null;
  }

  get isRunning(): boolean {
    return this.child !== null;
  }

  /** Resolves when it serves; rejects when it ended before. `failpoints` hold from its first line on. */
  async start(failpoints = ''): Promise<void> {
    const child = spawn(process.execPath, ['--import', preload, command, ...this.args], {
      cwd: root,
      env: { ...this.environment, NODE_ENV: 'test', FAILPOINTS: failpoints },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.child = child;
    this.ended = new Promise((resolve) => {
      child.once('exit', () => {
        this.child = null;
        this.listener.onExit(this);
        resolve();
      });
    });
    // A message to a process that has just been killed goes nowhere.
    child.on('error', () => undefined);
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => this.hear(line));
    await this.untilReady(child);
  }

  private untilReady(child: ChildProcess): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        reject(new Error(`${this.name} was not ready in time:\n${this.said.slice(-20).join('\n')}`));
      }, startTimeoutMs);
      createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
        this.url = /is ready: (\S+)/.exec(line)?.[1] ?? this.url;
        if (!/is ready|is running/.test(line)) return;
        clearTimeout(timer);
        resolve();
      });
      child.once('exit', (code, signal) => {
        clearTimeout(timer);
        reject(
          new Error(
            `${this.name} ended with ${signal ?? code} before it was ready:\n${this.said.slice(-20).join('\n')}`,
          ),
        );
      });
    });
  }

  private hear(line: string): void {
    this.said.push(line);
    if (this.said.length > linesKept) this.said.splice(0, linesKept / 2);
    if (line.startsWith('{"failpoint"')) this.listener.onFired(this, JSON.parse(line) as FiredFailpoint);
  }

  async kill(): Promise<void> {
    const { child } = this;
    if (child === null) return;
    child.kill('SIGKILL');
    await this.ended;
  }

  /** Arms failpoints in the running process: `name@n=fault`. */
  arm(failpoints: string): void {
    if (this.child?.connected === true) this.child.send({ arm: failpoints });
  }

  /** Forgets what was armed and never reached. */
  disarm(): void {
    if (this.child?.connected === true) this.child.send({ disarm: true });
  }

  /** Lets the process go on that waits at a `drop`. */
  resume(): void {
    if (this.child?.connected === true) this.child.send({ resume: true });
  }
}
