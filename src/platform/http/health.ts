import { type Express } from 'express';
import { timeLimit } from '../../kernel/time-limit.js';
import { inParallel, mapInParallel, withTimeout } from '../../kernel/waiting.js';

export type Check = () => Promise<void>;

interface HealthOptions {
  /** Those of a service with several: the process serves the workspaces of the others without one. */
  readonly databases?: Readonly<Record<string, Check>>;
  readonly timeoutMs?: number;
  readonly cacheMs?: number;
}

/**
 * `/livez`: the process responds. `/readyz`: it can serve requests, which ends with the first step of a shutdown, so
 * that a load balancer uses other processes for the rest of it. Requests do not depend on the queue: what they request
 * is stored in PostgreSQL, and a queue that cannot be reached only delays it.
 */
export class Health {
  private readonly databases: Readonly<Record<string, Check>>;
  private readonly limits: { readonly timeoutMs: number; readonly cacheMs: number };
  private stopping = false;
  private cached: { at: number; readiness: Promise<Readiness> } | null = null;

  constructor(
    private readonly checks: Readonly<Record<string, Check>>,
    private readonly queue: Check,
    /** How often a supervisor has restarted the process. */
    private readonly restarts = 0,
    { databases = {}, ...limits }: HealthOptions = {},
  ) {
    this.databases = databases;
    this.limits = { timeoutMs: timeLimit(1000), cacheMs: 1000, ...limits };
  }

  routes(app: Express): void {
    app.get('/livez', (_request, response) => {
      response.type('text/plain').send(this.restarts === 0 ? 'ok' : `ok (restarts: ${this.restarts})`);
    });
    app.get('/readyz', async (_request, response) => {
      const readiness = await this.readiness();
      response
        .status(servingStatuses.has(readiness.status) ? 200 : 503)
        .json({ ...readiness, restarts: this.restarts });
    });
  }

  beginShutdown(): void {
    this.stopping = true;
  }

  private readiness(): Promise<Readiness> {
    if (this.stopping) return Promise.resolve({ status: 'stopping', checks: {} });
    const now = performance.now();
    if (this.cached === null || now - this.cached.at > this.limits.cacheMs)
      this.cached = { at: now, readiness: this.check() };
    return this.cached.readiness;
  }

  private async check(): Promise<Readiness> {
    const [results, databases, isQueueReachable] = await inParallel(
      () => this.outcomes(this.checks),
      () => this.outcomes(this.databases),
      () => this.passes(this.queue),
    );
    const named = databases.map(([name, passed]) => [`database ${name}`, passed] as const);
    const outcomes = [...results, ...named, ['queue', isQueueReachable] as const];
    const checks = Object.fromEntries(outcomes.map(([name, passed]) => [name, passed ? 'ok' : 'failing'] as const));
    if (results.some(([, passed]) => !passed)) return { status: 'not_ready', checks };
    const lost = databases.filter(([, passed]) => !passed).map(([name]) => name);
    if (isQueueReachable && lost.length === 0) return { status: 'ready', checks };
    return {
      status: 'degraded',
      ...(isQueueReachable ? {} : { queue: 'unreachable' }),
      ...(lost.length === 0 ? {} : { databases: lost }),
      checks,
    };
  }

  private outcomes(checks: Readonly<Record<string, Check>>): Promise<(readonly [string, boolean])[]> {
    return mapInParallel(Object.entries(checks), async ([name, check]) => [name, await this.passes(check)] as const);
  }

  private async passes(check: Check): Promise<boolean> {
    try {
      const passed = check().then(() => true);
      return await withTimeout(this.limits.timeoutMs, passed, () => false);
    } catch {
      return false;
    }
  }
}

const servingStatuses: ReadonlySet<string> = new Set(['ready', 'degraded']);

interface Readiness {
  readonly status: 'ready' | 'degraded' | 'not_ready' | 'stopping';
  readonly queue?: 'unreachable';
  /** The databases that do not respond. */
  readonly databases?: readonly string[];
  readonly checks: Readonly<Record<string, 'ok' | 'failing'>>;
}
