import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const command = path.join(root, 'bin', 'commissions.js');

/** `commissions serve --api` or `--worker` as an operator starts it, on servers that are there already. */
export class ServiceProcess {
  private told = '';

  private constructor(
    readonly kind: 'api' | 'worker',
    private readonly child: ChildProcess,
  ) {}

  static async start(
    kind: 'api' | 'worker',
    environment: Readonly<Record<string, string>>,
    nodeOptions: readonly string[] = [],
  ): Promise<ServiceProcess> {
    const child = spawn(process.execPath, [...nodeOptions, command, 'serve', `--${kind}`], {
      cwd: root,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const started = new ServiceProcess(kind, child);
    await started.isReady();
    return started;
  }

  /** Where the API answers. */
  get url(): string {
    const url = /is ready: (\S+)/.exec(this.told)?.[1];
    if (url === undefined) throw new Error(`the ${this.kind} has no address`);
    return url;
  }

  /** Everything it has printed and logged. */
  get output(): string {
    return this.told;
  }

  get pid(): number {
    return this.child.pid as number;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** The exit code; null when a signal ended it. */
  async ended(): Promise<number | null> {
    if (this.isRunning) await once(this.child, 'exit');
    return this.child.exitCode;
  }

  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    if (this.isRunning) this.child.kill(signal);
    return this.ended();
  }

  private isReady(): Promise<void> {
    return new Promise((resolve, reject) => {
      const listen = (chunk: Buffer) => {
        this.told += chunk.toString();
        if (/is ready: \S+|The worker is running/.test(this.told)) resolve();
      };
      this.child.stdout?.on('data', listen);
      this.child.stderr?.on('data', listen);
      this.child.once('exit', (code) =>
        reject(new Error(`the ${this.kind} ended with ${code} before it was ready:\n${this.told}`)),
      );
    });
  }
}
