import { FakeCrmc } from '#fakes/fake-crmc.js';
import { type ApiClient } from '#test/support/api-client.js';
import { type SeededRandom } from './seeded-random.js';

/** A deal with its current values in the CRM. */
export interface CrmDeal {
  readonly dealId: string;
  readonly amount: number;
  readonly closeDate: string;
  readonly ownerId: string;
}

/**
 * The CRM stamps whole seconds, in which a large org changes many deals. Longer intervals here have the same effect.
 */
const stampedEveryMs = 3000;

/** The fields to which the service writes the commission of a deal. */
const writtenFields = { commission: 'Commission__c', state: 'Commission_State__c' };

/**
 * The CRM of one workspace. It is a crm-c, since each crm-c has its own address. Deliveries name a deal; the values
 * are fetched from the CRM.
 */
export class EpisodeCrm {
  private readonly deals = new Map<string, CrmDeal>();
  private readonly deletedIds = new Set<string>();

  private constructor(
    private readonly crm: FakeCrmc,
    /** CRM member ids by person. */
    readonly memberIds: Readonly<Record<string, string>>,
  ) {}

  static async start(people: readonly string[]): Promise<EpisodeCrm> {
    const now = () => Math.floor(Date.now() / stampedEveryMs) * stampedEveryMs;
    const crm = await FakeCrmc.start({ currency: 'USD', now });
    crm.addField({ name: writtenFields.commission, type: 'currency' });
    crm.addField({ name: writtenFields.state, type: 'string', length: 40 });
    const members = people.map((person) => [person, crm.addUser({ Name: person, Email: `${person}@example.com` })]);
    return new EpisodeCrm(crm, Object.fromEntries(members));
  }

  /** Returns the webhook secret. Polling is disabled, so that nothing else can repair a lost delivery. */
  async connect(api: ApiClient): Promise<string> {
    await api.expect(200, 'POST', '/auth/workspace/crmc/sync-enabled', { enabled: false });
    // Before connecting, since it would start a sync.
    await api.expect(200, 'PUT', '/v1/integrations/crmc/settings', { writeBack: writtenFields });
    const { accessToken } = this.crm.oauth.issue();
    const body = { accessToken, instanceUrl: this.crm.url };
    const { webhookSecret } = await api.expect(200, 'POST', '/auth/workspace/connect-crmc', body);
    return webhookSecret as string;
  }

  /** Creates, changes or deletes a deal and returns its id for the delivery. */
  change(random: SeededRandom, someDay: () => string): string {
    const [existing] = random.shuffled([...this.deals.keys()]);
    if (existing !== undefined && random.chance(0.08)) return this.delete(existing);
    const deal = {
      amount: random.between(10_000, 900_000) / 100,
      closeDate: someDay(),
      ownerId: random.pick(Object.keys(this.memberIds).slice(1)),
    };
    const values = { Amount: deal.amount, CloseDate: deal.closeDate, OwnerId: this.memberIds[deal.ownerId] as string };
    const isNew = existing === undefined || (this.deals.size < 6 && random.chance(0.5));
    const dealId = isNew ? this.crm.addDeal({ Name: 'Deal', ...values }) : existing;
    if (!isNew) this.crm.changeDeal(dealId, values);
    this.deals.set(dealId, { dealId, ...deal });
    return dealId;
  }

  private delete(dealId: string): string {
    this.crm.deleteDeal(dealId);
    this.deals.delete(dealId);
    this.deletedIds.add(dealId);
    return dealId;
  }

  /** The commission that the service has written to the deal; null if it has written none. */
  commissionOf(dealId: string): number | null {
    return this.crm.valueOf(dealId, writtenFields.commission) as number | null;
  }

  get live(): readonly CrmDeal[] {
    return [...this.deals.values()];
  }

  get deleted(): ReadonlySet<string> {
    return this.deletedIds;
  }

  stop(): Promise<void> {
    return this.crm.stop();
  }
}
