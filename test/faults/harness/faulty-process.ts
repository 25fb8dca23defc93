import { ServiceProcess } from '../../support/service-process.js';
import { patience } from './patience.js';

const preload = new URL('./child-preload.js', import.meta.url).href;
const startTimeoutMs = 20_000 * patience;

export interface FiredFailpoint {
  readonly failpoint: string;
  readonly fault: string;
}

export interface ProcessListener {
  onFired(process: FaultyProcess, fired: FiredFailpoint): void;
  onExit(process: FaultyProcess): void;
}

/** A process of the service that can be made to fail at named places, and tells when it did. */
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

  /** Whether it has been started to the end, and runs. */
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

  /** Forgets what was armed and never reached; it may be reached a last time before this is done. */
  async disarm(): Promise<void> {
    if (this.isServing) await this.ask({ disarm: true });
  }

  /** Lets the process go on that waits at a `drop`. */
  resume(): void {
    this.send({ resume: true });
  }
}
