import { FakeCrmc } from '#fakes/fake-crmc.js';
import { type ApiClient } from '../../support/test-service.js';
import { type SeededRandom } from './seeded-random.js';

/** A deal as the CRM holds it now. */
export interface CrmDeal {
  readonly dealId: string;
  readonly amount: number;
  readonly closeDate: string;
  readonly ownerId: string;
}

/** The CRM stamps whole seconds, in which a busy org changes much: here they last longer than most of what happens. */
const stampedEveryMs = 3000;

/**
 * The CRM of one workspace, a crm-c since each of those has an address of its own. What it holds is what must arrive;
 * what it delivers only says which deal to look at.
 */
export class EpisodeCrm {
  private readonly deals = new Map<string, CrmDeal>();
  private readonly gone = new Set<string>();

  private constructor(
    private readonly crm: FakeCrmc,
    /** What the people of the workspace are called in the CRM. */
    readonly memberIds: Readonly<Record<string, string>>,
  ) {}

  static async start(people: readonly string[]): Promise<EpisodeCrm> {
    const crm = new FakeCrmc({ currency: 'USD', now: () => Math.floor(Date.now() / stampedEveryMs) * stampedEveryMs });
    await crm.start();
    const members = people.map((person) => [person, crm.addUser({ Name: person, Email: `${person}@example.com` })]);
    return new EpisodeCrm(crm, Object.fromEntries(members));
  }

  /** Gives the secret of its deliveries. It is not polled: what a delivery has lost, nothing else may bring. */
  async connect(api: ApiClient): Promise<string> {
    await api.expect(200, 'POST', '/auth/workspace/crmc/sync-enabled', { enabled: false });
    const { accessToken } = this.crm.oauth.issue();
    const body = { accessToken, instanceUrl: this.crm.url };
    const { webhookSecret } = await api.expect(200, 'POST', '/auth/workspace/connect-crmc', body);
    return webhookSecret as string;
  }

  /** Makes a deal, changes one or deletes it; gives the deal that is to be told of. */
  change(random: SeededRandom, someDay: () => string): string {
    const [known] = random.shuffled([...this.deals.keys()]);
    if (known !== undefined && random.chance(0.08)) return this.delete(known);
    const deal = {
      amount: random.between(10_000, 900_000) / 100,
      closeDate: someDay(),
      ownerId: random.pick(Object.keys(this.memberIds).slice(1)),
    };
    const values = { Amount: deal.amount, CloseDate: deal.closeDate, OwnerId: this.memberIds[deal.ownerId] as string };
    const isNew = known === undefined || (this.deals.size < 6 && random.chance(0.5));
    const dealId = isNew ? this.crm.addDeal({ Name: 'Deal', ...values }) : known;
    if (!isNew) this.crm.changeDeal(dealId, values);
    this.deals.set(dealId, { dealId, ...deal });
    return dealId;
  }

  private delete(dealId: string): string {
    this.crm.deleteDeal(dealId);
    this.deals.delete(dealId);
    this.gone.add(dealId);
    return dealId;
  }

  get live(): readonly CrmDeal[] {
    return [...this.deals.values()];
  }

  get deleted(): ReadonlySet<string> {
    return this.gone;
  }

  stop(): Promise<void> {
    return this.crm.stop();
  }
}
