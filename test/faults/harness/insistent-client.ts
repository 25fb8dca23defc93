import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, ApiClient } from '../../support/test-service.js';
import { type EpisodeLog, Violation } from './episode-log.js';
import { type Fleet } from './fleet.js';
import { patience } from './patience.js';
import { type SeededRandom } from './seeded-random.js';

/** How a request ended, and whether an earlier try may have been carried out unseen. */
export interface Insisted extends Answer {
  readonly tries: number;
}

const answerTimeoutMs = 15_000 * patience;
const longestInsistenceMs = 60_000 * patience;

/** Asks one of the API processes, and again until one gives an answer that is no outage, as a CRM does. */
export class InsistentClient {
  constructor(
    private readonly fleet: Fleet,
    private readonly apiKey: string,
    private readonly actor: string,
    private readonly random: SeededRandom,
    private readonly log: EpisodeLog,
  ) {}

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Insisted> {
    const deadline = performance.now() + longestInsistenceMs;
    for (let tries = 1; performance.now() < deadline; tries += 1) {
      const answer = await this.once(method, path, body, headers);
      if (answer !== null) return { ...answer, tries };
      await sleep(this.random.between(20, 120));
    }
    throw new Violation('I24', `${method} ${path} was not answered within ${longestInsistenceMs} ms`);
  }

  /** Null when it makes sense to ask again. */
  private async once(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<Answer | null> {
    const api = this.random.pick(this.fleet.apis);
    const said = `${method} ${path} ${JSON.stringify(body) ?? ''}`;
    try {
      const client = new ApiClient(api.url, this.apiKey, AbortSignal.timeout(answerTimeoutMs));
      const answer = await client.send(method, path, body, headers);
      this.log.add(this.actor, `${said} -> ${answer.status} ${answer.status < 300 ? '' : JSON.stringify(answer.body)}`);
      if (answer.status === 500) {
        // A place that was made to throw is no outage: of that a process could not know.
        const reason = await api.lineWith(answer.body.details.requestId as string);
        if (!reason.includes('FailpointError')) throw new Violation('I21', `${said} answered 500, not 503: ${reason}`);
      }
      const isPassing = answer.status >= 500 || answer.status === 429 || answer.body.code === 'calculation_pending';
      return isPassing ? null : answer;
    } catch (error) {
      if (error instanceof Violation) throw error;
      this.log.add(this.actor, `${said} -> ${String((error as Error).cause ?? error)}`);
      return null;
    }
  }
}
