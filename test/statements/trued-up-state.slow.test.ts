import { expect } from 'chai';
import { duringSuite } from '#test/support/during-suite.js';
import { flatTier } from '#test/support/terms.js';
import { type Office, StatementFixture } from './statement-fixture.js';

/** Ben (10 %, quarterly tiers), his manager Mia (10 % of Ben's commission) and the director Dora (50 % of Mia's). */
interface Company extends Office {
  readonly dora: string;
}

describe('true-ups across periods and levels', () => {
  const fixture = duringSuite(() => StatementFixture.create());

  async function company({ deals = true } = {}): Promise<Company> {
    const office = await fixture.office({ deals });
    const { api, ben, mia } = office;
    const dora = await office.addRep('Dora', 'manager');
    await api.expect(200, 'PATCH', `/v1/reps/${ben}`, { managerId: mia, managerFrom: '2025-01-01' });
    await api.expect(200, 'PATCH', `/v1/reps/${mia}`, { managerId: dora, managerFrom: '2025-01-01' });
    for (const [repId, name, dependsOn, rate] of [
      [mia, 'Override', 'New business', 0.1],
      [dora, 'Director', 'Override', 0.5],
    ] as const) {
      const rules = [{ name, measure: 'amount', executionPhase: 'cascade', dependsOn, tiers: flatTier(rate) }];
      await api.createPlan({ name, config: { rules } }, [repId]);
    }
    await office.calculated();
    return Object.assign(office, { dora });
  }

  async function approve({ api }: Office, repId: string, period: string): Promise<void> {
    await api.generate(repId, period);
    await api.approve(repId, period);
  }

  async function trueUp(office: Office, repId: string, period: string) {
    const answer = await office.api.expect(200, 'POST', `/v1/statements/${repId}/true-up`, { period, force: true });
    await office.calculated();
    return answer;
  }

  async function change(office: Office, dealId: string, amount: number, closeDate: string, more = {}): Promise<void> {
    await office.deal(dealId, amount, closeDate, more);
    await office.calculated();
  }

  async function net({ api }: Office, repId: string, period: string): Promise<number> {
    const team = await api.expect(200, 'GET', `/v1/statements?period=${period}`);
    const { statementId } = team.statements.find((one: { repId: string }) => one.repId === repId);
    if (statementId !== null) {
      const one = await api.expect(200, 'GET', `/v1/statements?repId=${repId}&period=${period}`);
      if (one.status === 'approved') return one.summary.netPayout;
    }
    const [row] = await fixture.sql(
      `select coalesce(sum(amount), 0)::float8 as total from commission_events
       where rep_id = $1 and status = 'earned' and to_char(earned_on, 'YYYY-MM') = $2`,
      [repId, period],
    );
    return row.total;
  }

  const credit = async ({ api, ben }: Office, period: string) =>
    (await api.expect(200, 'GET', `/v1/quotas?repId=${ben}&period=${period}`))[0].current_value;

  describe('a deal that moves out of an approved period', () => {
    it('stays in the approved period, which pays what it earns on its new day', async () => {
      const office = await company();
      await office.api.setQuota([office.ben], 'New business', '2026-Q2', 50_000);
      await approve(office, office.ben, '2026-01');
      await change(office, 'D1', 60_000, '2026-04-10');
      expect(await net(office, office.ben, '2026-04'), 'April pays nothing').to.equal(0);
      expect(await credit(office, '2026-Q1')).to.equal(150_000);
      // 60,000 of 50,000 in the second quarter: 12 % instead of 8 %.
      const done = await trueUp(office, office.ben, '2026-01');
      expect(done).to.include({ action: 'trued_up', delta: 2400 });
      expect(done.lines).to.deep.equal([
        {
          dealId: 'D1',
          dealName: null,
          planId: office.planId,
          ruleName: 'New business',
          approved: 4800,
          live: 7200,
          delta: 2400,
        },
      ]);
      expect(await net(office, office.ben, '2026-01')).to.equal(7200);
      expect(await net(office, office.ben, '2026-04'), 'paid once').to.equal(0);
      expect(await credit(office, '2026-Q1')).to.equal(90_000);
      expect(await credit(office, '2026-Q2')).to.equal(60_000);
      await office.expectSoundLedger();
      await change(office, 'D9', 10_000, '2026-04-20');
      expect(await net(office, office.ben, '2026-04'), 'the moved deal counts before a later one').to.equal(1500);
      expect(await trueUp(office, office.ben, '2026-01')).to.deep.equal({ action: 'none', delta: 0 });
    });

    it('is returned to its new day when the period is reopened', async () => {
      const office = await company();
      await approve(office, office.ben, '2026-01');
      await change(office, 'D1', 60_000, '2026-04-10');
      await trueUp(office, office.ben, '2026-01');
      await office.unlock('2026-01');
      await office.calculated();
      expect(await net(office, office.ben, '2026-01')).to.equal(0);
      const earned = await fixture.sql(
        `select to_char(earned_on, 'YYYY-MM') as month, kind, status from commission_events
         where rep_id = $1 and (deal_key = 'D1' or kind = 'true_up') order by kind`,
        [office.ben],
      );
      expect(earned).to.deep.equal([
        { month: '2026-04', kind: 'commission_earned', status: 'earned' },
        { month: '2026-01', kind: 'true_up', status: 'reversed' },
      ]);
      await office.expectSoundLedger();
    });

    it('is not paid again by another approved period that it moves into', async () => {
      const office = await company();
      await approve(office, office.ben, '2026-01');
      await approve(office, office.ben, '2026-02');
      await change(office, 'D1', 60_000, '2026-02-20');
      const february = await trueUp(office, office.ben, '2026-02');
      expect(february.lines.map((line: { dealId: string }) => line.dealId)).to.deep.equal(['D2']);
      const january = await trueUp(office, office.ben, '2026-01');
      expect(january.lines.map((line: { dealId: string }) => line.dealId)).to.deep.equal(['D1']);
      // Both periods pay what one calculation of both months would: D2 alone, then D1 from 0.6 to 1.2.
      const together = (await net(office, office.ben, '2026-01')) + (await net(office, office.ben, '2026-02'));
      expect(together).to.equal(60_000 * 0.08 + 60_000 * 0.12);
      await office.expectSoundLedger();
    });
  });

  describe('a late deal in approved periods of three levels', () => {
    it('creates a delta at every level before a true-up below, and is paid once', async () => {
      const office = await company();
      const { ben, mia, dora } = office;
      for (const repId of [ben, mia, dora]) await approve(office, repId, '2026-01');
      await change(office, 'L1', 10_000, '2026-01-20');
      const top = await trueUp(office, dora, '2026-01');
      expect(top).to.include({ action: 'trued_up', delta: 40 });
      expect(await trueUp(office, mia, '2026-01')).to.include({ action: 'trued_up', delta: 80 });
      expect(await trueUp(office, ben, '2026-01')).to.include({ action: 'trued_up', delta: 800 });
      for (const repId of [ben, mia, dora])
        expect(await trueUp(office, repId, '2026-01')).to.deep.equal({ action: 'none', delta: 0 });
      expect([
        await net(office, ben, '2026-01'),
        await net(office, mia, '2026-01'),
        await net(office, dora, '2026-01'),
      ]).to.deep.equal([5600, 560, 280]);
      await office.expectSoundLedger();
    });

    it('pays the override of an open period above only after the true-up below', async () => {
      const office = await company();
      const { ben, mia, dora } = office;
      await approve(office, ben, '2026-01');
      await approve(office, dora, '2026-01');
      await change(office, 'L1', 10_000, '2026-01-20');
      expect(await net(office, mia, '2026-01')).to.equal(480);
      await trueUp(office, ben, '2026-01');
      expect(await net(office, mia, '2026-01'), 'the open period of the manager').to.equal(560);
      expect(await trueUp(office, dora, '2026-01')).to.include({ delta: 40 });
      await office.expectSoundLedger();
      await office.unlock('2026-01');
      await office.calculated();
      expect([await net(office, ben, '2026-01'), await net(office, mia, '2026-01')]).to.deep.equal([5600, 560]);
      expect(await trueUp(office, dora, '2026-01'), 'nothing twice').to.deep.equal({ action: 'none', delta: 0 });
      await office.expectSoundLedger();
    });

    it('reverses the override when reopening removes the trued-up amount', async () => {
      const office = await company();
      const { ben, mia } = office;
      await approve(office, ben, '2026-01');
      await change(office, 'D1', 50_000, '2026-01-15');
      await trueUp(office, ben, '2026-01');
      expect(await net(office, mia, '2026-01')).to.equal(400);
      await change(office, 'D1', 60_000, '2026-01-15');
      expect(await net(office, mia, '2026-01'), 'still trued up').to.equal(400);
      await office.unlock('2026-01');
      await office.calculated();
      expect([await net(office, ben, '2026-01'), await net(office, mia, '2026-01')]).to.deep.equal([4800, 480]);
      await office.expectSoundLedger();
    });
  });

  it('pays later deals at the attainment that includes trued-up credit', async () => {
    const office = await company();
    await approve(office, office.ben, '2026-01');
    await change(office, 'L1', 40_000, '2026-01-20');
    expect(await office.earned()).to.deep.equal({ D1: '4800', D2: '7200', D3: '4500' });
    expect(await credit(office, '2026-Q1')).to.equal(150_000);
    await trueUp(office, office.ben, '2026-01');
    // The late deal reaches the target in January, and D2 then passes 125 %.
    expect(await office.earned()).to.deep.equal({ D1: '4800', D2: '9000', D3: '4500', true_up: '4800' });
    expect(await credit(office, '2026-Q1')).to.equal(190_000);
    await office.expectSoundLedger();
    const recalculated = await office.api.expect(200, 'POST', '/v1/commissions/recalculate', { repId: office.ben });
    expect(recalculated).to.include({ eventsWritten: 0, eventsReversed: 0, statementLocked: false });
  });

  it('charges the previous owner and pays the new owner when a deal changes its owner', async () => {
    const office = await company();
    const [eve] = await office.api.saveReps('Eve');
    await office.api.expect(200, 'PATCH', `/v1/reps/${eve}`, { managerId: office.mia, managerFrom: '2025-01-01' });
    await office.api.assign([eve], office.planId);
    await office.api.setQuota([eve], 'New business', '2026-Q1', 100_000);
    for (const repId of [office.ben, office.mia]) await approve(office, repId, '2026-01');
    await change(office, 'D1', 60_000, '2026-01-15', { ownerId: 'eve' });
    expect(await net(office, eve, '2026-01')).to.equal(4800);
    expect(await trueUp(office, office.mia, '2026-01')).to.deep.equal({ action: 'none', delta: 0 });
    expect(await trueUp(office, office.ben, '2026-01')).to.include({ delta: -4800 });
    expect(await office.earned()).to.deep.equal({ D1: '4800', D2: '4800', D3: '2400', true_up: '-4800' });
    expect(await trueUp(office, office.mia, '2026-01')).to.deep.equal({ action: 'none', delta: 0 });
    await office.expectSoundLedger();
  });

  it('returns the lines of each true-up on the statement, and they add up to its amount', async () => {
    const office = await company();
    await approve(office, office.ben, '2026-01');
    await change(office, 'D1', 50_000, '2026-01-15');
    await change(office, 'L1', 20_000, '2026-01-20', { name: 'Late Ltd' });
    const first = await trueUp(office, office.ben, '2026-01');
    const [late, corrected] = first.lines;
    expect(late).to.include({ dealId: 'L1', dealName: 'Late Ltd', approved: 0, live: 1600, delta: 1600 });
    expect(corrected).to.include({ dealId: 'D1', approved: 4800, live: 4000, delta: -800 });
    expect(first.delta).to.equal(800);
    const file = await office.api.get(`/v1/statements/${office.ben}/export?period=2026-01`);
    const written = (file.body as string).split('\r\n').slice(1, -1);
    expect(file.headers.get('x-row-count')).to.equal(String(written.length));
    const rows = written.filter((row) => row.includes('true_up'));
    expect(rows.map((row) => row.split(',')[0])).to.deep.equal(['L1', 'D1']);
    expect(rows[0]).to.contain('1600.00').and.contain('approved 0.00');
    expect(rows[1]).to.contain('-800.00').and.contain('now 4000.00');
    await change(office, 'L1', 10_000, '2026-01-20', { name: 'Late Ltd' });
    const second = await trueUp(office, office.ben, '2026-01');
    expect(second.lines).to.deep.equal([{ ...late, approved: 1600, live: 800, delta: -800 }]);
    const { lineItems } = await office.api.expect(200, 'GET', `/v1/statements?repId=${office.ben}&period=2026-01`);
    const shown = lineItems.filter((line: { kind: string }) => line.kind === 'true_up');
    expect(shown.map((line: { eventId: string; lines: unknown }) => [line.eventId, line.lines])).to.have.deep.members([
      [first.eventId, first.lines],
      [second.eventId, second.lines],
    ]);
  });

  it('returns the approvers of a large true-up and how to approve it', async () => {
    const office = await company();
    await approve(office, office.ben, '2026-01');
    await change(office, 'D1', 20_000, '2026-01-15');
    const pending = await office.api.expect(200, 'POST', `/v1/statements/${office.ben}/true-up`, { period: '2026-01' });
    expect(pending).to.include({ action: 'requires_approval', delta: -3200, approvalThreshold: 500 });
    expect(pending.approvers).to.deep.equal([
      { repId: office.dora, name: 'Dora', role: 'manager' },
      { repId: office.mia, name: 'Mia', role: 'manager' },
    ]);
    expect(pending.how).to.contain('force: true');
    await office.addRep('Xenia', 'manager');
    await office.api.expect(200, 'PATCH', '/v1/workspaces', { managerScope: 'reports' });
    const path = `/v1/statements/${office.ben}/true-up`;
    const scoped = await office.api.expect(200, 'POST', path, { period: '2026-01' });
    expect(scoped.approvers).to.deep.equal(pending.approvers);
  });
});
