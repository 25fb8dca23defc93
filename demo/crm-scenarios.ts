import { type FakeCrmc } from '#fakes/fake-crmc.js';
import { dayInZone } from '#src/kernel/day.js';
import { pollUntil } from '#src/kernel/waiting.js';
import { type DemoCrms } from './crms.js';
import { type ApiResponse, type DemoApi } from './demo-api.js';

/** What goes wrong with real accounts, in simulated ones, and what the service does about it. */
export class CrmScenarios {
  constructor(
    private readonly crms: DemoCrms,
    private readonly api: DemoApi,
    /** A second workspace, for the sandbox. */
    private readonly test: DemoApi,
  ) {}

  /** Runs the scenarios and returns a text about each as soon as it has ended. */
  async *run(): AsyncGenerator<string> {
    yield await this.lostWebhook();
    yield await this.sandbox();
    yield await this.hiddenDeal();
    yield await this.secondPipeline();
    yield await this.commissionOnDeals();
  }

  private async lostWebhook(): Promise<string> {
    const { crmb, crms } = this.crms;
    const dealId = crms.crmb.openDeals.pop() as string;
    crms.crmb.close(dealId, today());
    crmb.deliveries.take();
    const startedAt = performance.now();
    const paid = await this.api.untilPaid(dealId);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    return (
      `A lost webhook. ${paid?.deal.name ?? dealId} was closed in crm-b, and its webhook was lost.\n` +
      `  The schedule read the change from the CRM after ${seconds} s: ${earnings(paid)}.`
    );
  }

  private async sandbox(): Promise<string> {
    const { crmc, sandbox } = this.crms;
    const owner = sandbox.addUser({ Name: 'Nora Lind', Email: 'nora@demo.test' });
    sandbox.addDeal({ Name: 'Test deal', OwnerId: owner, Amount: 1, CurrencyIsoCode: 'USD' });
    const { accessToken, refreshToken } = sandbox.oauth.issue();
    await this.test.request('POST', '/auth/workspace/connect-crmc', {
      accessToken,
      refreshToken,
      instanceUrl: sandbox.url,
    });
    await this.test.request('POST', '/v1/commissions/sync', {});
    for (const org of [crmc, sandbox]) org.oauth.expireAccessTokens();
    const counts: number[] = [];
    for (const api of [this.api, this.test])
      counts.push((await api.request('POST', '/v1/commissions/sync', { provider: 'crmc' })).totalDeals);
    return (
      `A sandbox beside production. One workspace is connected to the organisation at ${crmc.url}, another to its sandbox at ${sandbox.url}.\n` +
      `  All access tokens expired. ${renewals(crmc)} token was renewed by production and ${renewals(sandbox)} by the sandbox, and both syncs completed: ${counts[0]} deals of production, ${counts[1]} of the sandbox.`
    );
  }

  private async hiddenDeal(): Promise<string> {
    const { crmc, crms } = this.crms;
    const dealId = crms.crmc.openDeals.pop() as string;
    crms.crmc.close(dealId, today());
    await crms.crmc.deliver();
    const paid = await this.api.untilPaid(dealId);
    crmc.hiddenDeals.add(dealId);
    const { counts } = await this.api.request('POST', '/v1/commissions/sync', { provider: 'crmc', reconcile: true });
    const after = await this.api.untilPaid(dealId);
    crmc.hiddenDeals.delete(dealId);
    return (
      `A deal that sharing hides. ${paid?.deal.name ?? dealId} was closed in crm-c: ${earnings(paid)}. Then the connected user lost sight of it.\n` +
      `  A sync with reconcile found ${counts.hidden ?? 0} hidden deal and deleted ${counts.deleted ?? 0}: its commission is still ${after?.events[0]?.status}.`
    );
  }

  private async secondPipeline(): Promise<string> {
    const { crmb } = this.crms;
    const { id: pipeline, stageIds } = crmb.addPipeline('Renewals', [
      { label: 'Talking', probability: '0.2' },
      { label: 'Renewed', probability: '1.0' },
    ]);
    const [open = '', won = ''] = stageIds;
    const [deal] = (await this.api.request('GET', '/v1/deals?limit=200')).deals.filter(
      (item: ApiResponse) => item.provider === 'crmb',
    );
    const terms = {
      pipeline,
      dealstage: open,
      amount: '9000',
      hubspot_owner_id: deal.ownerId,
      deal_currency_code: 'USD',
    };
    const dealId = crmb.addDeal({ dealname: 'Renewal of Acme', ...terms });
    crmb.change(dealId, { dealstage: won, closedate: `${today()}T12:00:00.000Z` });
    await crmb.deliveries.flush();
    const paid = await this.api.untilPaid(dealId);
    const { fields = {}, stage, stageLabel } = await this.findDeal(dealId);
    return (
      `A second pipeline. The stage of ${fields.name} is ${stage} in crm-b, which is "${stageLabel}" of the pipeline "${fields.pipeline_label}".\n` +
      `  The pipeline says that the stage wins the deal (is_won: ${fields.is_won}), so the plan pays: ${earnings(paid)}.`
    );
  }

  private async commissionOnDeals(): Promise<string> {
    const { crmb } = this.crms;
    const path = '/v1/integrations/crmb';
    const writeBack = { commission: 'commission', state: 'commission_state' };
    await this.api.request('PUT', `${path}/settings`, { writeBack });
    const { findings } = await this.api.request('POST', `${path}/write-back/check`);
    crmb.oauth.scopes.add('crm.objects.deals.write');
    const own = { hubspotDefined: false };
    crmb.properties.push({ name: 'commission', label: 'Commission', type: 'number', fieldType: 'number', ...own });
    crmb.properties.push({ name: 'commission_state', label: 'State', type: 'string', fieldType: 'text', ...own });
    await this.api.request('POST', `${path}/write-back/check`);
    const isWritten = ({ written, waiting }: ApiResponse) => written > 0 && waiting === 0;
    const status = await pollUntil(() => this.api.request('GET', `${path}/write-back`), isWritten, {
      maxWaitMs: 30_000,
      pauseMs: 50,
    });
    const shown = crmb.dealIds.find((dealId) => crmb.valueOf(dealId, 'commission') !== null) ?? '';
    return (
      `Commission on the deals of crm-b. The check named what was missing: ${findings.map(({ code }: ApiResponse) => code).join(', ')}.\n` +
      `  After it was granted and created, ${status.written} deals show their commission: ` +
      `${crmb.valueOf(shown, 'dealname')} shows ${crmb.valueOf(shown, 'commission')} ${crmb.valueOf(shown, 'commission_state')}.`
    );
  }

  private async findDeal(dealId: string): Promise<ApiResponse> {
    const { deals } = await this.api.request('GET', '/v1/deals?limit=200');
    return deals.find((item: ApiResponse) => item.deal_id === dealId) ?? {};
  }
}

/** Requests for new tokens that the organisation answered. */
function renewals({ server, login }: FakeCrmc): number {
  return [server, login].reduce((sum, host) => sum + host.countRequests(/POST .*oauth2\/token/), 0);
}

function earnings(paid: ApiResponse | null): string {
  const event = paid?.events[0];
  return event === undefined ? 'no commission in time' : `${event.repName} earns ${event.amount} ${event.currency}`;
}

function today(): string {
  return dayInZone(new Date(), 'UTC');
}
