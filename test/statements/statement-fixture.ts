import { query } from '#test/support/ledger-checks.js';
import { type ApiClient, startTestService, type TestService } from '#test/support/test-service.js';
import { sessionOf } from '#test/support/tokens.js';
import { workedDeals, workedTiers } from '#test/support/worked-example.js';

export interface Office {
  readonly workspaceId: string;
  readonly api: ApiClient;
  /** A rep on the plan of the worked example: quarterly, quota 100,000 for 2026-Q1. */
  readonly ben: string;
  readonly mia: string;
  readonly planId: string;
}

/** The running service with workspaces that match the worked example of the calculation rules. */
export class StatementFixture {
  private constructor(readonly service: TestService) {}

  /** With `worker: false`, this process runs no background jobs. */
  static async create({ worker = true }: { worker?: boolean } = {}): Promise<StatementFixture> {
    return new StatementFixture(await startTestService({}, { api: true, worker }));
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
    const people = [
      { email: 'mia@acme.test', name: 'Mia', role: 'manager' },
      { email: 'ben@acme.test', name: benName, crmMemberId: 'ben' },
    ];
    const { reps } = await api.expect(200, 'PUT', '/v1/reps', { reps: people });
    const idOf = (email: string) => reps.find((rep: { email: string }) => rep.email === email).id as string;
    const rules = [{ name: 'New business', measure: 'amount', tiers: workedTiers }];
    const plan = await api.expect(201, 'POST', '/v1/plans', { name: 'AE', config: { rules } });
    const [ben, mia] = [idOf('ben@acme.test'), idOf('mia@acme.test')];
    await api.expect(201, 'POST', '/v1/assignments', { repIds: [ben, mia], planId: plan.planId });
    const quota = { repIds: [ben], measure: 'New business', period: '2026-Q1', target: 100_000 };
    await api.expect(201, 'POST', '/v1/quotas', quota);
    const office = { workspaceId, api, ben, mia, planId: plan.planId as string };
    if (deals) {
      for (const { dealId, amount, closeDate } of workedDeals) await this.deal(office, dealId, amount, closeDate);
    }
    await this.service.waitForCalculations(workspaceId);
    return office;
  }

  async deal({ api }: Office, dealId: string, amount: number, closeDate: string, more: object = {}): Promise<void> {
    const answer = await api.put(`/v1/deals/${dealId}`, { amount, closeDate, ownerId: 'ben', ...more });
    if (answer.status > 201) throw new Error(JSON.stringify(answer.body));
  }

  /** A deal of Ben in euros, on a plan that pays 10 % of it in euros. */
  async payEuros(office: Office): Promise<void> {
    const { api, ben, workspaceId } = office;
    const rules = [{ name: 'E', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] }];
    const dealConditions = [{ field: 'currency', fieldType: 'text', operator: 'equals', value: 'EUR' }];
    const plan = { name: 'Euro', currency: 'EUR', config: { dealConditions, rules } };
    const { planId } = await api.expect(201, 'POST', '/v1/plans', plan);
    await api.expect(201, 'POST', '/v1/assignments', { repIds: [ben], planId });
    await this.deal(office, 'E1', 1000, '2026-01-20', { currency: 'EUR' });
    await this.service.waitForCalculations(workspaceId);
  }

  async addRep({ api }: Office, name: string, role = 'rep'): Promise<string> {
    const email = `${name.toLowerCase().replace(/[^a-z]/g, '')}@acme.test`;
    const { reps } = await api.expect(200, 'PUT', '/v1/reps', { reps: [{ email, name, role }] });
    return reps.find((rep: { email: string }) => rep.email === email).id;
  }

  /** A client signed in as that rep, with the rep's role. */
  as({ workspaceId }: Office, repId: string): Promise<ApiClient> {
    return sessionOf(this.service, workspaceId, repId);
  }

  // biome-ignore lint/suspicious/noExplicitAny: rows of every table
  sql(text: string, values: unknown[] = []): Promise<any[]> {
    return query(this.service.database.ownerUrl, text, values);
  }

  /** Earned amounts by deal or kind, as text without trailing zeros. */
  async earned({ workspaceId, ben }: Office): Promise<Record<string, string>> {
    const rows = await this.sql(
      `select coalesce(deal_key, kind) as key, trim_scale(amount)::text as amount from commission_events
       where workspace_id = $1 and rep_id = $2 and status = 'earned' order by 1`,
      [workspaceId, ben],
    );
    return Object.fromEntries(rows.map((row) => [row.key, row.amount]));
  }

  generate({ api, ben }: Office, period: string) {
    return api.expect(200, 'POST', `/v1/statements/${ben}/generate`, { period });
  }

  approve({ api, ben }: Office, period: string) {
    return api.expect(200, 'POST', `/v1/statements/${ben}/approve`, { period, status: 'approved' });
  }

  unlock({ api, ben }: Office, period: string) {
    return api.expect(200, 'POST', `/v1/statements/${ben}/approve`, { period, status: 'draft' });
  }
}
