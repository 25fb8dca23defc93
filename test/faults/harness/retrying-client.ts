import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient, type ApiResponse } from '#test/support/api-client.js';
import { type EpisodeLog, Violation } from './episode-log.js';
import { type Fleet } from './fleet.js';
import { type SeededRandom } from './seeded-random.js';
import { timeoutScale } from './timeout-scale.js';

/** The final response, and the number of attempts. With more than one, an earlier attempt may have been executed. */
export interface RetriedResponse extends ApiResponse {
  readonly tries: number;
}

const responseTimeoutMs = 15_000 * timeoutScale;
const maxRetryMs = 60_000 * timeoutScale;

/** Sends a request to a random API process until a response is not an outage, as a CRM does. */
export class RetryingClient {
  constructor(
    private readonly fleet: Fleet,
    private readonly apiKey: string,
    private readonly actor: string,
    private readonly random: SeededRandom,
    private readonly log: EpisodeLog,
  ) {}

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<RetriedResponse> {
    const deadline = performance.now() + maxRetryMs;
    for (let tries = 1; performance.now() < deadline; tries += 1) {
      const answer = await this.attempt(method, path, body, headers);
      if (answer !== null) return { ...answer, tries };
      await sleep(this.random.between(20, 120));
    }
    throw new Violation('I24', `${method} ${path}: no final response within ${maxRetryMs} ms`);
  }

  /** Sends the request once. Null if it should be retried. */
  async attempt(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<ApiResponse | null> {
    const api = this.random.pick(this.fleet.apis);
    const request = `${method} ${path} ${typeof body === 'string' || body instanceof Uint8Array ? `${body.length} bytes` : (JSON.stringify(body) ?? '').slice(0, 1000)}`;
    try {
      const client = new ApiClient(api.url, this.apiKey, AbortSignal.timeout(responseTimeoutMs));
      const answer = await client.send(method, path, body, headers);
      this.log.add(
        this.actor,
        `${request} -> ${answer.status} ${answer.status < 300 ? '' : JSON.stringify(answer.body)}`,
      );
      if (answer.status === 500) {
        // A failpoint that throws produces 500, since the process cannot classify it as an outage.
        const reason = await api.lineWith(answer.body.details.requestId as string);
        if (!reason.includes('FailpointError'))
          throw new Violation('I21', `${request} returned 500, not 503: ${reason}`);
      }
      const isTransient = answer.status >= 500 || answer.status === 429 || answer.body.code === 'calculation_pending';
      return isTransient ? null : answer;
    } catch (error) {
      if (error instanceof Violation) throw error;
      this.log.add(this.actor, `${request} -> ${String((error as Error).cause ?? error)}`);
      return null;
    }
  }
}
