import { expect } from 'chai';
import { resetCommissions } from '#src/commissions/commands/reset-commissions.js';
import { setQuotas } from '#src/plans/quotas/commands/set-quotas.js';
import { expectSoundLedger } from '#test/support/ledger-checks.js';
import { flatRule, flatTier } from '#test/support/terms.js';
import { workedTiers } from '#test/support/worked-example.js';
import { DealWorkspace } from '../deals/deal-workspace.js';

const cascade = { executionPhase: 'cascade', attainmentPeriod: 'quarterly' };

/**
 * Three reps with a quota below a manager, who is below a director. The manager's rules have a quota, marginal tiers and
 * optionally a cap; the director is paid on one of them.
 */
export class TwoLevels {
  private constructor(
    readonly workspace: DealWorkspace,
    readonly reps: readonly string[],
    readonly manager: string,
    readonly director: string,
  ) {}

  static async create({ isCapped = false } = {}): Promise<TwoLevels> {
    const workspace = await DealWorkspace.create();
    const add = (name: string) => workspace.addRep(`${name}@x.com`);
    const [director, manager] = [await add('director'), await add('manager')];
    const reps = [await add('ann'), await add('bob'), await add('cid')];
    await workspace.insert.reportingLines(director, manager);
    await workspace.insert.reportingLines(manager, ...reps);
    const sale = {
      name: 'Sale',
      measure: 'units',
      payoutBase: 'amount',
      tierMode: 'marginal',
      attainmentPeriod: 'quarterly',
    };
    const { planId: sales } = await workspace.addPlan('Sales', [{ ...sale, tiers: workedTiers }]);
    const { planId: team } = await workspace.addPlan('Team', [
      { name: 'Team', measure: 'units', tierMode: 'marginal', ...cascade, tiers: workedTiers },
      flatRule('Capped', 0.3, {
        ...cascade,
        measure: 'units',
        attainmentPeriod: 'monthly',
        ...(isCapped ? { cap: 40 } : {}),
      }),
    ]);
    const { planId: over } = await workspace.addPlan('Over', [
      { name: 'Over', measure: 'units', ...cascade, dependsOn: 'Team', tiers: flatTier(0.5) },
    ]);
    for (const repId of reps) await workspace.insert.assignment(repId, sales);
    await workspace.insert.assignment(manager, team);
    await workspace.insert.assignment(director, over);
    const levels = new TwoLevels(workspace, reps, manager, director);
    for (const repId of reps) await levels.setQuota(repId, 'Sale', 5);
    await levels.setQuota(manager, 'Team', 12);
    return levels;
  }

  get everyone(): string[] {
    return [...this.reps, this.manager, this.director];
  }

  async setQuota(repId: string, measure: string, target: number): Promise<void> {
    await this.workspace.run(setQuotas, { body: { repIds: [repId], measure, period: '2026-Q1', target } });
  }

  async put(dealId: string, rep: number, closeDate: string, amount: number, units: number): Promise<void> {
    await this.workspace.put(dealId, { repId: this.reps[rep], amount, closeDate, fields: { units } });
  }

  /** Calculates single lanes until no request is left, divided after `maxDeals` deals. */
  async complete(maxDeals: number): Promise<void> {
    for (let run = 0; ; run += 1) {
      const [first] = await this.workspace.requests();
      if (first === undefined) return;
      expect(run, 'number of runs').to.be.below(2000);
      await this.workspace.calculate([first.rep_id], { maxDeals });
    }
  }

  /** The events as they are, without ids of runs. */
  rows() {
    return this.workspace.db.sql(
      `select rep_id, rule_name, deal_key, amount::text, credit::text, base::text, tier_name, period, earned_on, trace
      from commission_events where workspace_id = $1 and status = 'earned' order by rep_id, rule_name, deal_key`,
      this.workspace.workspaceId,
    );
  }

  /** A calculation of everything, undivided, changes nothing. */
  async expectCalculated(): Promise<void> {
    const { workspace } = this;
    await expectSoundLedger(workspace.db.ownerUrl, workspace.workspaceId);
    const history = 'select * from commission_event_history where workspace_id = $1 order by changed_at desc, revision';
    const before = await workspace.db.sql(history, workspace.workspaceId);
    await workspace.request(this.everyone);
    for (let pending = await workspace.requests(); pending.length > 0; pending = await workspace.requests())
      await workspace.calculate([...new Set(pending.map(({ rep_id: repId }) => repId))]);
    const after = await workspace.db.sql(history, workspace.workspaceId);
    expect(after.slice(0, after.length - before.length)).to.deep.equal([]);
  }

  /** All events deleted and calculated again, divided, are the same. */
  async expectSameFromNothing(maxDeals: number): Promise<void> {
    const { workspace } = this;
    const before = await this.rows();
    await workspace.run(resetCommissions, { body: {} });
    await workspace.request(this.everyone);
    await this.complete(maxDeals);
    expect(await this.rows()).to.deep.equal(before);
    await expectSoundLedger(workspace.db.ownerUrl, workspace.workspaceId);
  }
}
