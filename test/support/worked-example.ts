import { type Service } from './service.js';
import { flatRule } from './terms.js';
import { Workspace } from './workspace.js';

/** Tiers of the worked example of the calculation rules: 8 %, 12 % from the quota on, 15 % from 125 % of it. */
export const workedTiers = [
  { tierIndex: 0, minThreshold: 0, name: 'Base', rate: 0.08 },
  { tierIndex: 1, minThreshold: 1, name: 'Over', rate: 0.12 },
  { tierIndex: 2, minThreshold: 1.25, name: 'Top', rate: 0.15 },
];

/** Its deals, which earn 4,800, 7,200 and 4,500 against a quota of 100,000 for 2026-Q1. */
export const workedDeals = [
  { dealId: 'D1', amount: 60_000, closeDate: '2026-01-15' },
  { dealId: 'D2', amount: 60_000, closeDate: '2026-02-10' },
  { dealId: 'D3', amount: 30_000, closeDate: '2026-03-05' },
] as const;

interface ExampleOptions {
  readonly currency?: string;
  /** Whether Ben has the deals of the example. Default: true. */
  readonly deals?: boolean;
  readonly benName?: string;
}

/** A workspace with the worked example for Ben, and his manager Mia. What names no rep is about Ben. */
export class WorkedExample extends Workspace {
  private constructor(
    workspace: Workspace,
    readonly ben: string,
    readonly mia: string,
    /** The plan of both: quarterly tiers. Ben's quota for 2026-Q1 is 100,000. */
    readonly planId: string,
  ) {
    super(workspace.service, workspace.workspaceId, workspace.apiKey, workspace.api);
  }

  static async create(
    service: Service,
    { currency = 'USD', deals = true, benName = 'Ben' }: ExampleOptions = {},
  ): Promise<WorkedExample> {
    const workspace = await service.workspace({ currency });
    const { api } = workspace;
    const [mia, ben] = await api.saveReps(
      { email: 'mia@acme.test', name: 'Mia', role: 'manager' },
      { email: 'ben@acme.test', name: benName, crmMemberId: 'ben' },
    );
    const rules = [{ name: 'New business', measure: 'amount', tiers: workedTiers }];
    const { planId } = await api.createPlan({ name: 'AE', config: { rules } }, [ben, mia]);
    await api.setQuota([ben], 'New business', '2026-Q1', 100_000);
    const example = new WorkedExample(workspace, ben, mia, planId);
    for (const { dealId, amount, closeDate } of deals ? workedDeals : []) await example.deal(dealId, amount, closeDate);
    await example.calculated();
    return example;
  }

  deal(dealId: string, amount: number, closeDate: string, fields: object = {}) {
    return this.api.putDeal(dealId, { amount, closeDate, ownerId: 'ben', ...fields });
  }

  /** Adds a deal in euros, and a plan that pays 10 % of it in euros. */
  async payEuros(): Promise<void> {
    const dealConditions = [{ field: 'currency', fieldType: 'text', operator: 'equals', value: 'EUR' }];
    const config = { dealConditions, rules: [flatRule('E', 0.1)] };
    await this.api.createPlan({ name: 'Euro', currency: 'EUR', config }, [this.ben]);
    await this.deal('E1', 1000, '2026-01-20', { currency: 'EUR' });
    await this.calculated();
  }

  async addRep(name: string, role = 'rep'): Promise<string> {
    const email = `${name.toLowerCase().replace(/[^a-z]/g, '')}@acme.test`;
    const [repId] = await this.api.saveReps({ email, name, role });
    return repId;
  }

  /** Earned amounts by deal or kind, as text without trailing zeros. */
  async earned(): Promise<Record<string, string>> {
    const rows = await this.sql(
      `select coalesce(deal_key, kind) as key, trim_scale(amount)::text as amount from commission_events
       where workspace_id = $1 and rep_id = $2 and status = 'earned' order by 1`,
      this.ben,
    );
    return Object.fromEntries(rows.map((row) => [row.key, row.amount]));
  }

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
