import { expect } from 'chai';
import { type Delivery, deliver } from '#fakes/deliveries.js';
import { type CrmProvider } from '#src/crm/adapters/port.js';
import { type ApiClient } from '#test/support/api-client.js';
import { type CrmWorld, type PlainDeal, payEveryone } from '#test/support/crm-worlds.js';
import { type Json, service } from './running-service.js';

/** A workspace that is connected to one CRM, with a rep of that CRM on a plan that pays 8 % of won deals. */
export class ConnectedWorkspace {
  private constructor(
    readonly workspaceId: string,
    readonly api: ApiClient,
    readonly crm: CrmWorld,
    /** The CRM's id of the person who owns the deals. */
    readonly owner: string,
    readonly repId: string,
  ) {}

  static async create(provider: CrmProvider): Promise<ConnectedWorkspace> {
    const crm = service().crm(provider);
    const { workspaceId, api } = await service().workspace({ currency: crm.currency });
    // A poll would import deals before the sync of a test does.
    await service().sql(
      'insert into crm_connections (workspace_id, provider, connected_at, sync_enabled) values ($1, $2, null, false)',
      workspaceId,
      provider,
    );
    const name = `Ada-${workspaceId.slice(0, 8)}`;
    const owner = crm.addPerson(name);
    await crm.connect(api, service().url);
    await api.expect(200, 'POST', '/v1/commissions/sync', {});
    await payEveryone(api);
    const { reps } = await api.expect(200, 'GET', `/v1/reps?email=${name.toLowerCase()}@x.io`);
    return new ConnectedWorkspace(workspaceId, api, crm, owner, reps[0].id);
  }

  /** Adds a deal to the CRM without a delivery to the service. */
  addDeal(deal: Partial<PlainDeal> = {}): string {
    return this.crm.addDeal({ owner: this.owner, amount: 1000, won: true, closeDate: '2026-02-10', ...deal });
  }

  sync(options: object = {}): Promise<Json> {
    return this.api.expect(200, 'POST', '/v1/commissions/sync', options);
  }

  /** The deliveries that the change causes in the CRM. */
  deliveriesOf(change: () => void): Delivery[] {
    this.crm.takeDeliveries();
    change();
    return this.crm.takeDeliveries();
  }

  /** Delivers the change in the CRM and waits for its calculation. */
  async deliver(change: () => void): Promise<Delivery[]> {
    const deliveries = this.deliveriesOf(change);
    expect(deliveries, 'deliveries of the CRM').to.not.deep.equal([]);
    for (const delivery of deliveries) expect(await deliver(delivery)).to.be.within(200, 299);
    await service().delivered(this.workspaceId);
    return deliveries;
  }

  async deal(dealId: string): Promise<Json> {
    const [deal] = await service().sql(
      'select * from deals where workspace_id = $1 and deal_id = $2',
      this.workspaceId,
      dealId,
    );
    return deal;
  }

  /** Status and amount of the owner's event on the deal. */
  async event(dealId: string): Promise<[string, number] | undefined> {
    await service().waitForCalculations(this.workspaceId);
    const [event] = await service().sql(
      'select status, amount from commission_events where workspace_id = $1 and rep_id = $2 and deal_key = $3',
      this.workspaceId,
      this.repId,
      dealId,
    );
    return event === undefined ? undefined : [event.status, Number(event.amount)];
  }

  async integration(provider: CrmProvider = this.crm.provider): Promise<Json> {
    const { integrations } = await this.api.expect(200, 'GET', '/auth/workspace/integrations');
    return integrations.find((one: Json) => one.provider === provider);
  }

  async hasCredentials(): Promise<boolean> {
    const rows = await service().sql('select * from crm_connections where workspace_id = $1', this.workspaceId);
    return rows.some((one) => JSON.stringify(one).includes('"type":"Buffer"'));
  }
}
