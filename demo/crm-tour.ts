import { setTimeout as sleep } from 'node:timers/promises';
import { type CrmProvider, crmProviders } from '#src/crm/port.js';
import { dayInZone } from '#src/kernel/day.js';
import { type DemoCrms } from './crms.js';

// biome-ignore lint/suspicious/noExplicitAny: the tour reads answers as a script of a user would
type Answer = any;

const timeoutMs = 15_000;

/** The first steps of a new user with the CRMs of the demo, all through the API. */
export class DemoCrmTour {
  constructor(
    private readonly crms: DemoCrms,
    private readonly url: string,
    private readonly apiKey: string,
  ) {}

  /** Connects every CRM, syncs each, and assigns every rep to a plan that pays 10 % of won deals. */
  async prepare(): Promise<void> {
    for (const provider of crmProviders) {
      const crm = this.crms.crms[provider];
      const { webhookUrl, webhookSecret } = await this.request(
        'POST',
        `/auth/workspace/connect-${provider}`,
        crm.token(),
      );
      crm.connected(webhookUrl, webhookSecret);
      await this.request('POST', '/v1/commissions/sync', { provider });
    }
    const { reps } = await this.request('GET', '/v1/reps');
    const won = { field: 'stage', fieldType: 'status', operator: 'contains', value: 'won' };
    const rule = { name: 'Won', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] };
    const config = { dealConditions: [won], rules: [rule] };
    const { planId } = await this.request('POST', '/v1/plans', { name: 'Ten per cent', config });
    await this.request('POST', '/v1/assignments', { planId, repIds: reps.map((rep: { id: string }) => rep.id) });
  }

  /**
   * Closes the next open deal in the CRM and returns a line about the earned commission; null when all deals are
   * closed.
   */
  async closeDeal(provider: CrmProvider): Promise<string | null> {
    const crm = this.crms.crms[provider];
    const dealId = crm.openDeals.shift();
    if (dealId === undefined) return null;
    const startedAt = performance.now();
    crm.close(dealId, dayInZone(new Date(), 'UTC'));
    const statuses = await crm.deliver();
    while (performance.now() - startedAt < timeoutMs) {
      const { deal, events } = await this.request('GET', `/v1/commissions?dealId=${encodeURIComponent(dealId)}`);
      const [event] = events;
      if (event !== undefined)
        return `${deal.name} (${deal.amount} ${deal.currency}) closed in ${provider}: webhook answered ${statuses.join(', ')}, ${event.repName} earns ${event.amount} ${event.currency}, after ${Math.round(performance.now() - startedAt)} ms`;
      await sleep(20);
    }
    return `${dealId} was closed in ${provider}, and paid no commission within ${timeoutMs / 1000} s`;
  }

  private async request(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.apiKey}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer: Answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${answer.message}`);
    return answer;
  }
}
