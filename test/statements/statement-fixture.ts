import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { workedDeals, workedTiers } from '#test/support/worked-example.js';

/** The running service with workspaces that match the worked example of the calculation rules. */
export class StatementFixture {
  private constructor(readonly service: Service) {}

  /** With `worker: false`, this process runs no background jobs. */
  static async create({ worker = true }: { worker?: boolean } = {}): Promise<StatementFixture> {
    return new StatementFixture(await Service.start({ worker }));
  }

  stop(): Promise<void> {
    return this.service.stop();
  }

  /**
   * Creates a workspace with Ben and his manager Mia, both addressed by name, and optionally with the deals of the
   * worked example.
   */
  async office({
    currency = 'USD',
    deals = true,
    benName = 'Ben',
  }: {
    currency?: string;
    deals?: boolean;
    benName?: string;
  } = {}): Promise<Office> {
    const { workspaceId, api } = await this.service.workspace({ currency });
    const [mia, ben] = await api.saveReps(
      { email: 'mia@acme.test', name: 'Mia', role: 'manager' },
      { email: 'ben@acme.test', name: benName, crmMemberId: 'ben' },
    );
    const rules = [{ name: 'New business', measure: 'amount', tiers: workedTiers }];
    const { planId } = await api.createPlan({ name: 'AE', config: { rules } }, [ben, mia]);
    await api.setQuota([ben], 'New business', '2026-Q1', 100_000);
    const office = new Office(this.service, workspaceId, api, ben, mia, planId);
    for (const { dealId, amount, closeDate } of deals ? workedDeals : []) await office.deal(dealId, amount, closeDate);
    await office.calculated();
    return office;
  }

  // biome-ignore lint/suspicious/noExplicitAny: rows of every table
  sql(text: string, values: unknown[] = []): Promise<any[]> {
    return this.service.sql(text, ...values);
  }
}

/** A workspace of the worked example. */
export class Office {
  constructor(
    private readonly service: Service,
    readonly workspaceId: string,
    readonly api: ApiClient,
    /** A rep on the plan of the worked example: quarterly, quota 100,000 for 2026-Q1. */
    readonly ben: string,
    readonly mia: string,
    readonly planId: string,
  ) {}

  /** A deal of Ben. */
  async deal(dealId: string, amount: number, closeDate: string, more: object = {}): Promise<void> {
    const answer = await this.api.put(`/v1/deals/${dealId}`, { amount, closeDate, ownerId: 'ben', ...more });
    if (answer.status > 201) throw new Error(JSON.stringify(answer.body));
  }

  /** A deal of Ben in euros, on a plan that pays 10 % of it in euros. */
  async payEuros(): Promise<void> {
    const rules = [{ name: 'E', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] }];
    const dealConditions = [{ field: 'currency', fieldType: 'text', operator: 'equals', value: 'EUR' }];
    await this.api.createPlan({ name: 'Euro', currency: 'EUR', config: { dealConditions, rules } }, [this.ben]);
    await this.deal('E1', 1000, '2026-01-20', { currency: 'EUR' });
    await this.calculated();
  }

  async addRep(name: string, role = 'rep'): Promise<string> {
    const email = `${name.toLowerCase().replace(/[^a-z]/g, '')}@acme.test`;
    const [repId] = await this.api.saveReps({ email, name, role });
    return repId;
  }

  /** A client signed in as that rep, with the rep's role. */
  as(repId: string): Promise<ApiClient> {
    return this.service.as(this.workspaceId, repId);
  }

  /** Resolves when no calculation is pending. */
  calculated(): Promise<void> {
    return this.service.waitForCalculations(this.workspaceId);
  }

  expectSoundLedger(): Promise<void> {
    return this.service.expectSoundLedger(this.workspaceId);
  }

  /** Rows as the owner of the tables reads them; `$1` is the workspace. */
  // biome-ignore lint/suspicious/noExplicitAny: rows of every table
  sql(text: string, ...values: unknown[]): Promise<any[]> {
    return this.service.sql(text, this.workspaceId, ...values);
  }

  /** Ben's earned amounts by deal or kind, as text without trailing zeros. */
  async earned(): Promise<Record<string, string>> {
    const rows = await this.sql(
      `select coalesce(deal_key, kind) as key, trim_scale(amount)::text as amount from commission_events
       where workspace_id = $1 and rep_id = $2 and status = 'earned' order by 1`,
      this.ben,
    );
    return Object.fromEntries(rows.map((row) => [row.key, row.amount]));
  }

  /** The requests for Ben's statement. */
  generate(period: string) {
    return this.api.generate(this.ben, period);
  }

  approve(period: string) {
    return this.api.approve(this.ben, period);
  }

  unlock(period: string) {
    return this.api.unlock(this.ben, period);
  }

  async generateAndApprove(period: string) {
    await this.generate(period);
    return this.approve(period);
  }
}
