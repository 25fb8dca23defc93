import { type Express } from 'express';

export type Check = () => Promise<void>;

const timeoutMs = 1000;
const cacheMs = 1000;

/**
 * `/livez`: the process turns. `/readyz`: it can serve, which ends with the first step of a shutdown, so that a load
 * balancer looks elsewhere while the last answers are given.
 */
export class Health {
  private stopping = false;
  private cached: { at: number; answer: Promise<Readiness> } | null = null;

  constructor(private readonly checks: Readonly<Record<string, Check>>) {}

  routes(app: Express): void {
    app.get('/livez', (_request, response) => {
      response.type('text/plain').send('ok');
    });
    app.get('/readyz', async (_request, response) => {
      const readiness = await this.readiness();
      response.status(readiness.status === 'ready' ? 200 : 503).json(readiness);
    });
  }

  beginShutdown(): void {
    this.stopping = true;
  }

  private readiness(): Promise<Readiness> {
    if (this.stopping) return Promise.resolve({ status: 'stopping', checks: {} });
    const now = performance.now();
    if (this.cached === null || now - this.cached.at > cacheMs) this.cached = { at: now, answer: this.check() };
    return this.cached.answer;
  }

  private async check(): Promise<Readiness> {
    const results = await Promise.all(
      Object.entries(this.checks).map(async ([name, check]) => [name, await passes(check)] as const),
    );
    const checks = Object.fromEntries(results.map(([name, passed]) => [name, passed ? 'ok' : 'failing'] as const));
    return { status: results.every(([, passed]) => passed) ? 'ready' : 'not_ready', checks };
  }
}

interface Readiness {
  readonly status: 'ready' | 'not_ready' | 'stopping';
  readonly checks: Readonly<Record<string, 'ok' | 'failing'>>;
}

async function passes(check: Check): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  try {
    return await Promise.race([check().then(() => true), timeout]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
