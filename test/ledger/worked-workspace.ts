import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { expectSoundLedger, ledgerRows, query } from '#test/support/ledger-checks.js';
import { type Service } from '#test/support/service.js';
import { flatRule, won } from '#test/support/terms.js';
import { workedDeals } from '#test/support/worked-example.js';

export interface Deal {
  readonly dealId: string;
  readonly amount: number;
  readonly closeDate: string | null;
  readonly stage: 'Won' | 'Open';
  readonly rep: 'ann' | 'bob';
}

/** The three deals of section 13 of the design. */
export const [D1, D2, D3] = workedDeals.map((deal) => ({ ...deal, stage: 'Won', rep: 'ann' })) as [Deal, Deal, Deal];

const tiers = (...rates: [number, number, number]) =>
  [0, 1, 1.25].map((minThreshold, tierIndex) => ({ tierIndex, minThreshold, rate: rates[tierIndex] }));

export function commissionPlan(...rates: [number, number, number]) {
  return {
    dealConditions: [won],
    rules: [{ name: 'Commission', measure: 'amount', tiers: tiers(...rates) }],
  };
}

const overridePlan = {
  rules: [flatRule('Override', 0.1, { executionPhase: 'cascade', dependsOn: 'Commission' })],
};

/** Section 13 in a new workspace: Ann and Bob with a quota of 100,000 per quarter, and Max above them. */
export class WorkedExample {
  private constructor(
    private readonly service: Service,
    readonly api: ApiClient,
    readonly workspaceId: string,
    readonly repIds: { readonly ann: string; readonly bob: string; readonly max: string },
    readonly planId: string,
    readonly assignmentIds: readonly string[],
  ) {}

  static async create(service: Service): Promise<WorkedExample> {
    const { api, workspaceId } = await service.workspace();
    const [max, ann, bob] = await api.saveReps(
      { name: 'max', email: 'max@example.com' },
      { name: 'ann', email: 'ann@example.com', managerEmail: 'max@example.com' },
      { name: 'bob', email: 'bob@example.com', managerEmail: 'max@example.com' },
    );
    const sales = await api.createPlan({ name: 'Sales', config: commissionPlan(0.08, 0.12, 0.15) });
    const assigned = await api.assign([ann, bob], sales.planId);
    await api.createPlan({ name: 'Managers', config: overridePlan }, [max]);
    for (const period of ['2026-Q1', '2026-Q2']) await api.setQuota([ann, bob], 'Commission', period, 100_000);
    const assignmentIds = assigned.map((one: { assignmentId: string }) => one.assignmentId);
    return new WorkedExample(service, api, workspaceId, { max, ann, bob }, sales.planId, assignmentIds);
  }

  bodyOf({ dealId: _, rep, ...deal }: Deal): object {
    return { ...deal, repId: this.repIds[rep] };
  }

  async put(...deals: readonly Deal[]): Promise<void> {
    for (const deal of deals) {
      const { status, body } = await this.api.put(`/v1/deals/${deal.dealId}`, this.bodyOf(deal));
      expect(status, JSON.stringify(body)).to.be.oneOf([200, 201]);
    }
  }

  async import(...deals: readonly Deal[]): Promise<void> {
    const rows = deals.map((deal) => ({ dealId: deal.dealId, ...this.bodyOf(deal) }));
    expect(await this.api.expect(200, 'POST', '/v1/deals/import', { deals: rows })).to.deep.include({ rejected: [] });
  }

  waitForCalculations(): Promise<void> {
    return this.service.waitForCalculations(this.workspaceId);
  }

  recalculate() {
    return this.api.expect(200, 'POST', '/v1/commissions/recalculate', {});
  }

  /** Requests a recalculation of the scope and returns its job without waiting for it. */
  async startRecalculation(scope: object = {}): Promise<string> {
    return (await this.api.expect(200, 'POST', '/v1/commissions/recalculate', { ...scope, async: true })).jobId;
  }

  /** Calculates the pending requests of these reps and of everyone whom the results affect, without workers. */
  async drain(repIds: readonly string[] = Object.values(this.repIds)): Promise<void> {
    await this.service.running.service.laneRunner.calculateNow(this.workspaceId, repIds);
  }

  /** Rows and counters in a form that is comparable between workspaces. */
  async ledger(): Promise<string[]> {
    await this.waitForCalculations();
    const { ownerUrl } = this.service.database;
    await expectSoundLedger(ownerUrl, this.workspaceId);
    const counters = await query<{ row: string }>(
      ownerUrl,
      `select concat_ws('|', r.email, q.period, q.attainment_key, trim_scale(q.target), trim_scale(q.current_value)) as row
      from quotas q join reps r on r.workspace_id = q.workspace_id and r.rep_id = q.rep_id where q.workspace_id = $1 order by 1`,
      [this.workspaceId],
    );
    return [...(await ledgerRows(ownerUrl, this.workspaceId)), ...counters.map(({ row }) => row)];
  }

  /** Deal, amount and credit of the person's current events. */
  async earned(rep: keyof WorkedExample['repIds'] = 'ann'): Promise<[string, number, number][]> {
    await this.waitForCalculations();
    const rows = await this.service.sql<{ deal_key: string; amount: string; credit: string }>(
      `select deal_key, amount, credit from commission_events
      where workspace_id = $1 and rep_id = $2 and status = 'earned' order by earned_on, deal_key`,
      this.workspaceId,
      this.repIds[rep],
    );
    return rows.map((row) => [row.deal_key, Number(row.amount), Number(row.credit)]);
  }

  /** Ann's complete rows of January with their revision, which shows that they were not rewritten. */
  async januaryOfAnn(): Promise<object[]> {
    await this.waitForCalculations();
    return this.service.sql(
      `select * from commission_events where workspace_id = $1 and rep_id = $2 and earned_on between '2026-01-01' and '2026-01-31'`,
      this.workspaceId,
      this.repIds.ann,
    );
  }

  async approveJanuaryOfAnn(): Promise<void> {
    await this.waitForCalculations();
    await this.service.sql(
      `insert into statement_periods (workspace_id, rep_id, period, from_day, to_day, status)
      values ($1, $2, '2026-01', '2026-01-01', '2026-01-31', 'approved')`,
      this.workspaceId,
      this.repIds.ann,
    );
  }
}
