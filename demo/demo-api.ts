import { pollUntil } from '#src/kernel/waiting.js';

// biome-ignore lint/suspicious/noExplicitAny: the demo reads answers as a script of a user would
export type ApiResponse = any;

/** The API of the service with the key of one workspace, as a script of a user calls it. */
export class DemoApi {
  constructor(
    readonly url: string,
    readonly apiKey: string,
  ) {}

  async request(method: string, path: string, body?: unknown): Promise<ApiResponse> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.apiKey}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const parsed: ApiResponse = await response.json();
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${parsed.message}`);
    return parsed;
  }

  /** The events of a deal with the deal, once there are events; null if there are none in time. */
  async untilPaid(dealId: string): Promise<ApiResponse | null> {
    const path = `/v1/commissions?dealId=${encodeURIComponent(dealId)}`;
    const isPaid = (found: ApiResponse | null) => found !== null && found.events.length > 0;
    const read = () => this.request('GET', path).catch(() => null);
    const found = await pollUntil(read, isPaid, { maxWaitMs: 30_000, pauseMs: 50 });
    return isPaid(found) ? found : null;
  }
}
