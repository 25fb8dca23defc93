import { type CrmProvider, crmProviders } from '#src/crm/adapters/port.js';
import { dayInZone } from '#src/kernel/day.js';
import { type DemoCrms } from './crms.js';
import { type DemoApi } from './demo-api.js';

/** The first steps of a new user with the CRMs of the demo, all through the API. */
export class DemoCrmTour {
  constructor(
    private readonly crms: DemoCrms,
    private readonly api: DemoApi,
  ) {}

  /** Connects every CRM, syncs each, and assigns every rep to a plan that pays 10 % of won deals. */
  async prepare(): Promise<void> {
    for (const provider of crmProviders) {
      const crm = this.crms.crms[provider];
      const { webhookUrl, webhookSecret } = await this.api.request(
        'POST',
        `/auth/workspace/connect-${provider}`,
        crm.token(),
      );
      crm.connected(webhookUrl, webhookSecret);
      await this.api.request('POST', '/v1/commissions/sync', { provider });
    }
    const { reps } = await this.api.request('GET', '/v1/reps');
    // Every CRM says with this field whether the stage wins the deal.
    const won = { field: 'is_won', fieldType: 'checkbox', operator: 'equals', value: true };
    const rule = { name: 'Won', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] };
    const config = { dealConditions: [won], rules: [rule] };
    const { planId } = await this.api.request('POST', '/v1/plans', { name: 'Ten per cent', config });
    await this.api.request('POST', '/v1/assignments', { planId, repIds: reps.map((rep: { id: string }) => rep.id) });
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
    const paid = await this.api.untilPaid(dealId);
    if (paid === null) return `${dealId} was closed in ${provider}, and paid no commission in time`;
    const { deal, events } = paid;
    return `${deal.name} (${deal.amount} ${deal.currency}) closed in ${provider}: webhook answered ${statuses.join(', ')}, ${events[0].repName} earns ${events[0].amount} ${events[0].currency}, after ${Math.round(performance.now() - startedAt)} ms`;
  }
}
