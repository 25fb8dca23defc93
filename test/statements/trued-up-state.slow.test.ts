import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatTier } from '#test/support/terms.js';
import { WorkedExample } from '#test/support/worked-example.js';

/** Ben (10 %, quarterly tiers), his manager Mia (10 % of Ben's commission) and the director Dora (50 % of Mia's). */
interface Company extends WorkedExample {
  readonly dora: string;
}

describe('true-ups across periods and levels', () => {
  const service = Service.duringSuite();

  async function company({ deals = true } = {}): Promise<Company> {
    const workspace = await WorkedExample.create(service, { deals });
    const { api, ben, mia } = workspace;
    const dora = await workspace.addRep('Dora', 'manager');
    await api.expect(200, 'PATCH', `/v1/reps/${ben}`, { managerId: mia, managerFrom: '2025-01-01' });
    await api.expect(200, 'PATCH', `/v1/reps/${mia}`, { managerId: dora, managerFrom: '2025-01-01' });
    for (const [repId, name, dependsOn, rate] of [
      [mia, 'Override', 'New business', 0.1],
      [dora, 'Director', 'Override', 0.5],
    ] as const) {
      const rules = [{ name, measure: 'amount', executionPhase: 'cascade', dependsOn, tiers: flatTier(rate) }];
      await api.createPlan({ name, config: { rules } }, [repId]);
    }
    await workspace.calculated();
    return Object.assign(workspace, { dora });
  }

  async function approve({ api }: WorkedExample, repId: string, period: string): Promise<void> {
    await api.generate(repId, period);
    await api.approve(repId, period);
  }

  async function trueUp(workspace: WorkedExample, repId: string, period: string) {
    const answer = await workspace.api.expect(200, 'POST', `/v1/statements/${repId}/true-up`, { period, force: true });
    await workspace.calculated();
    return answer;
  }

  async function change(
    workspace: WorkedExample,
    dealId: string,
    amount: number,
    closeDate: string,
    more = {},
  ): Promise<void> {
    await workspace.deal(dealId, amount, closeDate, more);
    await workspace.calculated();
  }

  async function net({ api }: WorkedExample, repId: string, period: string): Promise<number> {
    const team = await api.expect(200, 'GET', `/v1/statements?period=${period}`);
    const { statementId } = team.statements.find((one: { repId: string }) => one.repId === repId);
    if (statementId !== null) {
      const one = await api.expect(200, 'GET', `/v1/statements?repId=${repId}&period=${period}`);
      if (one.status === 'approved') return one.summary.netPayout;
    }
    const [row] = await service.sql(
      `select coalesce(sum(amount), 0)::float8 as total from commission_events
       where rep_id = $1 and status = 'earned' and to_char(earned_on, 'YYYY-MM') = $2`,
      repId,
      period,
    );
    return row.total;
  }

  const credit = async ({ api, ben }: WorkedExample, period: string) =>
    (await api.expect(200, 'GET', `/v1/quotas?repId=${ben}&period=${period}`))[0].current_value;

  describe('a deal that moves out of an approved period', () => {
    it('stays in the approved period, which pays what it earns on its new day', async () => {
      const workspace = await company();
      await workspace.api.setQuota([workspace.ben], 'New business', '2026-Q2', 50_000);
      await approve(workspace, workspace.ben, '2026-01');
      await change(workspace, 'D1', 60_000, '2026-04-10');
      expect(await net(workspace, workspace.ben, '2026-04'), 'April pays nothing').to.equal(0);
      expect(await credit(workspace, '2026-Q1')).to.equal(150_000);
      // 60,000 of 50,000 in the second quarter: 12 % instead of 8 %.
      const done = await trueUp(workspace, workspace.ben, '2026-01');
      expect(done).to.include({ action: 'trued_up', delta: 2400 });
      expect(done.lines).to.deep.equal([
        {
          dealId: 'D1',
          dealName: null,
          planId: workspace.planId,
          ruleName: 'New business',
          currency: 'USD',
          approved: 4800,
          live: 7200,
          delta: 2400,
        },
      ]);
      expect(await net(workspace, workspace.ben, '2026-01')).to.equal(7200);
      expect(await net(workspace, workspace.ben, '2026-04'), 'paid once').to.equal(0);
      expect(await credit(workspace, '2026-Q1')).to.equal(90_000);
      expect(await credit(workspace, '2026-Q2')).to.equal(60_000);
      await workspace.expectSoundLedger();
      await change(workspace, 'D9', 10_000, '2026-04-20');
      expect(await net(workspace, workspace.ben, '2026-04'), 'the moved deal counts before a later one').to.equal(1500);
      expect(await trueUp(workspace, workspace.ben, '2026-01')).to.deep.equal({ action: 'none', delta: 0 });
    });

    it('is returned to its new day when the period is reopened', async () => {
      const workspace = await company();
      await approve(workspace, workspace.ben, '2026-01');
      await change(workspace, 'D1', 60_000, '2026-04-10');
      await trueUp(workspace, workspace.ben, '2026-01');
      await workspace.unlock('2026-01');
      await workspace.calculated();
      expect(await net(workspace, workspace.ben, '2026-01')).to.equal(0);
      const earned = await service.sql(
        `select to_char(earned_on, 'YYYY-MM') as month, kind, status from commission_events
         where rep_id = $1 and (deal_key = 'D1' or kind = 'true_up') order by kind`,
        workspace.ben,
      );
      expect(earned).to.deep.equal([
        { month: '2026-04', kind: 'commission_earned', status: 'earned' },
        { month: '2026-01', kind: 'true_up', status: 'reversed' },
      ]);
      await workspace.expectSoundLedger();
    });

    it('is not paid again by another approved period that it moves into', async () => {
      const workspace = await company();
      await approve(workspace, workspace.ben, '2026-01');
      await approve(workspace, workspace.ben, '2026-02');
      await change(workspace, 'D1', 60_000, '2026-02-20');
      const february = await trueUp(workspace, workspace.ben, '2026-02');
      expect(february.lines.map((line: { dealId: string }) => line.dealId)).to.deep.equal(['D2']);
      const january = await trueUp(workspace, workspace.ben, '2026-01');
      expect(january.lines.map((line: { dealId: string }) => line.dealId)).to.deep.equal(['D1']);
      // Both periods pay what one calculation of both months would: D2 alone, then D1 from 0.6 to 1.2.
      const together =
        (await net(workspace, workspace.ben, '2026-01')) + (await net(workspace, workspace.ben, '2026-02'));
      expect(together).to.equal(60_000 * 0.08 + 60_000 * 0.12);
      await workspace.expectSoundLedger();
    });
  });

  describe('a late deal in approved periods of three levels', () => {
    it('creates a delta at every level before a true-up below, and is paid once', async () => {
      const workspace = await company();
      const { ben, mia, dora } = workspace;
      for (const repId of [ben, mia, dora]) await approve(workspace, repId, '2026-01');
      await change(workspace, 'L1', 10_000, '2026-01-20');
      const top = await trueUp(workspace, dora, '2026-01');
      expect(top).to.include({ action: 'trued_up', delta: 40 });
      expect(await trueUp(workspace, mia, '2026-01')).to.include({ action: 'trued_up', delta: 80 });
      expect(await trueUp(workspace, ben, '2026-01')).to.include({ action: 'trued_up', delta: 800 });
      for (const repId of [ben, mia, dora])
        expect(await trueUp(workspace, repId, '2026-01')).to.deep.equal({ action: 'none', delta: 0 });
      expect([
        await net(workspace, ben, '2026-01'),
        await net(workspace, mia, '2026-01'),
        await net(workspace, dora, '2026-01'),
      ]).to.deep.equal([5600, 560, 280]);
      await workspace.expectSoundLedger();
    });

    it('pays the override of an open period above only after the true-up below', async () => {
      const workspace = await company();
      const { ben, mia, dora } = workspace;
      await approve(workspace, ben, '2026-01');
      await approve(workspace, dora, '2026-01');
      await change(workspace, 'L1', 10_000, '2026-01-20');
      expect(await net(workspace, mia, '2026-01')).to.equal(480);
      await trueUp(workspace, ben, '2026-01');
      expect(await net(workspace, mia, '2026-01'), 'the open period of the manager').to.equal(560);
      expect(await trueUp(workspace, dora, '2026-01')).to.include({ delta: 40 });
      await workspace.expectSoundLedger();
      await workspace.unlock('2026-01');
      await workspace.calculated();
      expect([await net(workspace, ben, '2026-01'), await net(workspace, mia, '2026-01')]).to.deep.equal([5600, 560]);
      expect(await trueUp(workspace, dora, '2026-01'), 'nothing twice').to.deep.equal({ action: 'none', delta: 0 });
      await workspace.expectSoundLedger();
    });

    it('reverses the override when reopening removes the trued-up amount', async () => {
      const workspace = await company();
      const { ben, mia } = workspace;
      await approve(workspace, ben, '2026-01');
      await change(workspace, 'D1', 50_000, '2026-01-15');
      await trueUp(workspace, ben, '2026-01');
      expect(await net(workspace, mia, '2026-01')).to.equal(400);
      await change(workspace, 'D1', 60_000, '2026-01-15');
      expect(await net(workspace, mia, '2026-01'), 'still trued up').to.equal(400);
      await workspace.unlock('2026-01');
      await workspace.calculated();
      expect([await net(workspace, ben, '2026-01'), await net(workspace, mia, '2026-01')]).to.deep.equal([4800, 480]);
      await workspace.expectSoundLedger();
    });
  });

  it('pays later deals at the attainment that includes trued-up credit', async () => {
    const workspace = await company();
    await approve(workspace, workspace.ben, '2026-01');
    await change(workspace, 'L1', 40_000, '2026-01-20');
    expect(await workspace.earned()).to.deep.equal({ D1: '4800', D2: '7200', D3: '4500' });
    expect(await credit(workspace, '2026-Q1')).to.equal(150_000);
    await trueUp(workspace, workspace.ben, '2026-01');
    // The late deal reaches the target in January, and D2 then passes 125 %.
    expect(await workspace.earned()).to.deep.equal({ D1: '4800', D2: '9000', D3: '4500', true_up: '4800' });
    expect(await credit(workspace, '2026-Q1')).to.equal(190_000);
    await workspace.expectSoundLedger();
    const recalculated = await workspace.api.expect(200, 'POST', '/v1/commissions/recalculate', {
      repId: workspace.ben,
    });
    expect(recalculated).to.include({ eventsWritten: 0, eventsReversed: 0, statementLocked: false });
  });

  it('charges the previous owner and pays the new owner when a deal changes its owner', async () => {
    const workspace = await company();
    const [eve] = await workspace.api.saveReps('Eve');
    await workspace.api.expect(200, 'PATCH', `/v1/reps/${eve}`, {
      managerId: workspace.mia,
      managerFrom: '2025-01-01',
    });
    await workspace.api.assign([eve], workspace.planId);
    await workspace.api.setQuota([eve], 'New business', '2026-Q1', 100_000);
    for (const repId of [workspace.ben, workspace.mia]) await approve(workspace, repId, '2026-01');
    await change(workspace, 'D1', 60_000, '2026-01-15', { ownerId: 'eve' });
    expect(await net(workspace, eve, '2026-01')).to.equal(4800);
    expect(await trueUp(workspace, workspace.mia, '2026-01')).to.deep.equal({ action: 'none', delta: 0 });
    expect(await trueUp(workspace, workspace.ben, '2026-01')).to.include({ delta: -4800 });
    expect(await workspace.earned()).to.deep.equal({ D1: '4800', D2: '4800', D3: '2400', true_up: '-4800' });
    expect(await trueUp(workspace, workspace.mia, '2026-01')).to.deep.equal({ action: 'none', delta: 0 });
    await workspace.expectSoundLedger();
  });

  it('returns the lines of each true-up on the statement, and they add up to its amount', async () => {
    const workspace = await company();
    await approve(workspace, workspace.ben, '2026-01');
    await change(workspace, 'D1', 50_000, '2026-01-15');
    await change(workspace, 'L1', 20_000, '2026-01-20', { name: 'Late Ltd' });
    const first = await trueUp(workspace, workspace.ben, '2026-01');
    const [late, corrected] = first.lines;
    expect(late).to.include({ dealId: 'L1', dealName: 'Late Ltd', approved: 0, live: 1600, delta: 1600 });
    expect(corrected).to.include({ dealId: 'D1', approved: 4800, live: 4000, delta: -800 });
    expect(first.delta).to.equal(800);
    const file = await workspace.api.get(`/v1/statements/${workspace.ben}/export?period=2026-01`);
    const written = (file.body as string).split('\r\n').slice(1, -1);
    expect(file.headers.get('x-row-count')).to.equal(String(written.length));
    const rows = written.filter((row) => row.includes('true_up'));
    expect(rows.map((row) => row.split(',')[0])).to.deep.equal(['L1', 'D1']);
    expect(rows[0]).to.contain('1600.00').and.contain('approved 0.00');
    expect(rows[1]).to.contain('-800.00').and.contain('now 4000.00');
    await change(workspace, 'L1', 10_000, '2026-01-20', { name: 'Late Ltd' });
    const second = await trueUp(workspace, workspace.ben, '2026-01');
    expect(second.lines).to.deep.equal([{ ...late, approved: 1600, live: 800, delta: -800 }]);
    const { lineItems } = await workspace.api.expect(
      200,
      'GET',
      `/v1/statements?repId=${workspace.ben}&period=2026-01`,
    );
    const shown = lineItems.filter((line: { kind: string }) => line.kind === 'true_up');
    expect(shown.map((line: { eventId: string; lines: unknown }) => [line.eventId, line.lines])).to.have.deep.members([
      [first.eventId, first.lines],
      [second.eventId, second.lines],
    ]);
  });

  it('returns the approvers of a large true-up and how to approve it', async () => {
    const workspace = await company();
    await approve(workspace, workspace.ben, '2026-01');
    await change(workspace, 'D1', 20_000, '2026-01-15');
    const pending = await workspace.api.expect(200, 'POST', `/v1/statements/${workspace.ben}/true-up`, {
      period: '2026-01',
    });
    expect(pending).to.include({ action: 'requires_approval', delta: -3200, approvalThreshold: 500 });
    expect(pending.approvers).to.deep.equal([
      { repId: workspace.dora, name: 'Dora', role: 'manager' },
      { repId: workspace.mia, name: 'Mia', role: 'manager' },
    ]);
    expect(pending.how).to.contain('force: true');
    await workspace.addRep('Xenia', 'manager');
    await workspace.api.expect(200, 'PATCH', '/v1/workspaces', { managerScope: 'reports' });
    const path = `/v1/statements/${workspace.ben}/true-up`;
    const scoped = await workspace.api.expect(200, 'POST', path, { period: '2026-01' });
    expect(scoped.approvers).to.deep.equal(pending.approvers);
  });
});
