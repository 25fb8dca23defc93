import { ServiceProcess } from '#test/support/service-process.js';
import { timeoutScale } from './timeout-scale.js';

const preload = new URL('./child-preload.js', import.meta.url).href;
const startTimeoutMs = 20_000 * timeoutScale;

export interface FiredFailpoint {
  readonly failpoint: string;
  readonly fault: string;
}

export interface ProcessListener {
  onFired(process: FaultyProcess, fired: FiredFailpoint): void;
  onExit(process: FaultyProcess): void;
}

/** A process of the service that can fail at failpoints and reports when it did. */
export class FaultyProcess extends ServiceProcess {
  private serves = false;

  constructor(
    readonly name: string,
    kind: 'api' | 'worker',
    environment: NodeJS.ProcessEnv,
    private readonly listener: ProcessListener,
  ) {
    const armable = { ...environment, NODE_ENV: 'test', FAILPOINTS: '' };
    super(kind, armable, { nodeOptions: ['--import', preload], hasChannel: true, startTimeoutMs });
  }

  protected override hear(line: string): void {
    super.hear(line);
    if (line.startsWith('{"failpoint"')) this.listener.onFired(this, JSON.parse(line) as FiredFailpoint);
  }

  /** Whether the process has started completely and runs. */
  get isServing(): boolean {
    return this.serves;
  }

  override async start(): Promise<void> {
    await super.start();
    this.serves = this.isRunning;
  }

  protected override exited(): void {
    this.serves = false;
    this.listener.onExit(this);
  }

  kill(): Promise<unknown> {
    return this.end('SIGKILL');
  }

  /** Arms failpoints: `name@n=fault`. */
  arm(failpoints: string): void {
    this.send({ arm: failpoints });
  }

  /** Disarms all failpoints. One of them may still fire before the call returns. */
  async disarm(): Promise<void> {
    if (this.isServing) await this.sendAndWait({ disarm: true });
  }

  /** Resumes a process that waits at a `drop`. */
  resume(): void {
    this.send({ resume: true });
  }
}
