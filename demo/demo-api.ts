import { setTimeout as sleep } from 'node:timers/promises';

// biome-ignore lint/suspicious/noExplicitAny: the demo reads answers as a script of a user would
export type Answer = any;

const timeoutMs = 30_000;

/** The API of the service with the key of one workspace, as a script of a user calls it. */
export class DemoApi {
  constructor(
    readonly url: string,
    readonly apiKey: string,
  ) {}

  async request(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.apiKey}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer: Answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${answer.message}`);
    return answer;
  }

  /** The events of a deal with the deal, once the condition holds; null if it does not hold in time. */
  async untilPaid(dealId: string, isExpected: (events: readonly Answer[]) => boolean): Promise<Answer | null> {
    const deadline = performance.now() + timeoutMs;
    while (performance.now() < deadline) {
      const found = await this.request('GET', `/v1/commissions?dealId=${encodeURIComponent(dealId)}`).catch(() => null);
      if (found !== null && isExpected(found.events)) return found;
      await sleep(50);
    }
    return null;
  }
}
