import { expect } from 'chai';
import { LaneRunner } from '#src/ledger/lanes/lane-runner.js';
import { ledgerRows } from '#test/support/ledger-checks.js';
import { type Service } from '#test/support/service.js';
import { flatRule, won } from '#test/support/terms.js';
import { workedDeals } from '#test/support/worked-example.js';
import { Workspace } from '#test/support/workspace.js';

export interface Deal {
  readonly dealId: string;
  readonly amount: number;
  readonly closeDate: string | null;
  readonly stage: 'Won' | 'Open';
  readonly rep: 'ann' | 'bob';
}

/** The deals of the worked example. */
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

/** The worked example for Ann and Bob, whose quota is 100,000 per quarter, and an override for Max above them. */
export class TeamExample extends Workspace {
  private constructor(
    workspace: Workspace,
    readonly repIds: { readonly ann: string; readonly bob: string; readonly max: string },
    readonly planId: string,
    readonly assignmentIds: readonly string[],
    private readonly laneRunner: LaneRunner,
  ) {
    super(workspace.service, workspace.workspaceId, workspace.apiKey, workspace.api);
  }

  static async create(service: Service): Promise<TeamExample> {
    const workspace = await service.workspace();
    const { api } = workspace;
    const [max, ann, bob] = await api.saveReps(
      { name: 'max', email: 'max@example.com' },
      { name: 'ann', email: 'ann@example.com', managerEmail: 'max@example.com' },
      { name: 'bob', email: 'bob@example.com', managerEmail: 'max@example.com' },
    );
    const sales = await api.createPlan({ name: 'Sales', config: commissionPlan(0.08, 0.12, 0.15) });
    const assigned = await api.assign([ann, bob], sales.planId);
    await api.createPlan({ name: 'Managers', config: overridePlan }, [max]);
    for (const period of ['2026-Q1', '2026-Q2']) await api.setQuota([ann, bob], 'Commission', period, 100_000);
    const assignmentIds = assigned.map(({ assignmentId }: { assignmentId: string }) => assignmentId);
    const laneRunner = service.running.service.parts.resolve(LaneRunner);
    return new TeamExample(workspace, { max, ann, bob }, sales.planId, assignmentIds, laneRunner);
  }

  bodyOf({ dealId: _, rep, ...deal }: Deal): object {
    return { ...deal, repId: this.repIds[rep] };
  }

  async put(...deals: readonly Deal[]): Promise<void> {
    for (const deal of deals) await this.api.putDeal(deal.dealId, this.bodyOf(deal));
  }

  async import(...deals: readonly Deal[]): Promise<void> {
    const rows = deals.map((deal) => ({ dealId: deal.dealId, ...this.bodyOf(deal) }));
    expect(await this.api.expect(200, 'POST', '/v1/deals/import', { deals: rows })).to.deep.include({ rejected: [] });
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
    await this.laneRunner.calculateNow(this.workspaceId, repIds);
  }

  /** Rows and counters in a form that is comparable between workspaces. */
  async ledger(): Promise<string[]> {
    await this.calculated();
    await this.expectSoundLedger();
    const counters = await this.sql<{ row: string }>(
      `select concat_ws('|', r.email, q.period, q.attainment_key, trim_scale(q.target), trim_scale(q.current_value)) as row
      from quotas q join reps r on r.workspace_id = q.workspace_id and r.rep_id = q.rep_id where q.workspace_id = $1 order by 1`,
    );
    return [...(await ledgerRows(this.service.database.ownerUrl, this.workspaceId)), ...counters.map(({ row }) => row)];
  }

  /** Deal, amount and credit of the person's current events. */
  async earned(rep: keyof TeamExample['repIds'] = 'ann'): Promise<[string, number, number][]> {
    await this.calculated();
    const rows = await this.sql<{ deal_key: string; amount: string; credit: string }>(
      `select deal_key, amount, credit from commission_events
      where workspace_id = $1 and rep_id = $2 and status = 'earned' order by earned_on, deal_key`,
      this.repIds[rep],
    );
    return rows.map((row) => [row.deal_key, Number(row.amount), Number(row.credit)]);
  }

  /** Ann's complete rows of January with their revision, which shows that they were not rewritten. */
  async januaryOfAnn(): Promise<object[]> {
    await this.calculated();
    return this.sql(
      `select * from commission_events where workspace_id = $1 and rep_id = $2 and earned_on between '2026-01-01' and '2026-01-31'`,
      this.repIds.ann,
    );
  }

  async approveJanuaryOfAnn(): Promise<void> {
    await this.calculated();
    await this.sql(
      `insert into statement_periods (workspace_id, rep_id, period, from_day, to_day, status)
      values ($1, $2, '2026-01', '2026-01-01', '2026-01-31', 'approved')`,
      this.repIds.ann,
    );
  }
}
