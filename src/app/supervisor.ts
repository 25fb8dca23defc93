import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { type SupervisedMessage, sameStopMs, stopMessage, stopSignals } from './supervised.js';

/** The exit code of a process with invalid settings. */
const invalidSettings = 78;
const killMs = 2000;

/** The pauses before restarts: each is twice as long as the one before, until a process has served for a while. */
export class RestartPauses {
  private failures = 0;

  constructor(private readonly limits = { firstMs: 250, maxMs: 30_000, healthyMs: 60_000 }) {}

  /** The pause after a process that has served for so long. */
  next(servedMs: number): number {
    const { firstMs, maxMs, healthyMs } = this.limits;
    if (servedMs >= healthyMs) this.failures = 0;
    const pause = Math.min(maxMs, firstMs * 2 ** this.failures);
    this.failures += 1;
    return pause;
  }
}

/**
 * Runs the command in a separate process and starts it again when it ends unexpectedly. The supervisor loads nothing of
 * the service. It ends like a process that was stopped, or that ended before any was ready: a failed start is not
 * repeated. The process stops when the supervisor is gone, because the channel between them closes.
 */
class Supervisor {
  private readonly pauses = new RestartPauses();
  private child: ChildProcess | null = null;
  private readyAt: number | null = null;
  private wasReady = false;
  private stoppingSince: number | null = null;
  private restarts = 0;

  start(): void {
    const command = [...process.execArgv, ...process.argv.slice(1)];
    const child = spawn(process.execPath, [...command, '--no-supervisor', '--restarts', String(this.restarts)], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    });
    this.child = child;
    this.readyAt = null;
    child.on('message', (message: SupervisedMessage) => this.hear(message));
    child.once('exit', (code, signal) => this.end(code, signal));
    child.once('error', (error) => {
      process.stderr.write(`The process of the service cannot be started: ${error.message}\n`);
      if (child.pid === undefined) this.end(1, null);
    });
  }

  stop(signal: NodeJS.Signals): void {
    if (this.child === null) process.exit(0);
    const now = performance.now();
    if (this.stoppingSince === null) {
      this.stoppingSince = now;
      // A process that loads its code has no handler and is ended by the signal.
      if (this.readyAt === null) this.child.kill(signal);
      else this.child.send(stopMessage, () => undefined);
    } else if (now - this.stoppingSince > sameStopMs) {
      this.child.kill(signal);
      setTimeout(() => this.child?.kill('SIGKILL'), killMs);
    }
  }

  private hear(message: SupervisedMessage): void {
    if (message === 'stopping') this.stoppingSince ??= performance.now();
    if (message !== 'ready') return;
    this.readyAt = performance.now();
    this.wasReady = true;
    if (this.restarts > 0) void report('info', { restarts: this.restarts }, 'the service is ready again');
  }

  private end(code: number | null, signal: NodeJS.Signals | null): void {
    this.child = null;
    const isFinal = code === 0 || code === invalidSettings || !this.wasReady;
    if (this.stoppingSince !== null || isFinal) {
      if (this.stoppingSince === null && signal !== null)
        process.stderr.write(`The service was ended by ${signal} before it was ready.\n`);
      return exitLike(code, signal);
    }
    const restartInMs = this.pauses.next(this.readyAt === null ? 0 : performance.now() - this.readyAt);
    this.restarts += 1;
    const details = { endedBy: signal ?? `exit code ${code}`, restartInMs, restarts: this.restarts };
    void report('error', details, 'the service ended unexpectedly and is started again');
    setTimeout(() => this.start(), restartInMs);
  }
}

/** Runs the command `serve` under a supervisor, which ends the process. */
export function supervise(): void {
  const supervisor = new Supervisor();
  for (const signal of stopSignals) process.on(signal, () => supervisor.stop(signal));
  supervisor.start();
}

/** Ends with the exit code with which a shell reports a signal. */
function exitLike(code: number | null, signal: NodeJS.Signals | null): void {
  process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']);
}

/** The log is loaded when there is something to say. The process has checked LOG_LEVEL. */
async function report(level: 'info' | 'error', details: object, message: string): Promise<void> {
  const modules = [import('../platform/log.js'), import('../platform/terminal-log.js')] as const;
  const [{ createLog }, { terminalLog }] = await Promise.all(modules);
  const terminal = process.stderr.isTTY ? terminalLog((text) => process.stderr.write(text)) : undefined;
  createLog(process.env['LOG_LEVEL'] ?? 'info', terminal)[level](details, message);
}
