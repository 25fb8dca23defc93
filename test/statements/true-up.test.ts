import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';

describe('true-up', () => {
  const service = Service.duringSuite();

  const trueUp = ({ api, ben }: WorkedExample, body: object = {}) =>
    api.post(`/v1/statements/${ben}/true-up`, { period: '2026-01', ...body });

  async function approvedJanuary(options = {}): Promise<WorkedExample> {
    const workspace = await WorkedExample.create(service, options);
    await workspace.generateAndApprove('2026-01');
    return workspace;
  }

  async function correct(workspace: WorkedExample, amount: number): Promise<void> {
    await workspace.deal('D1', amount, '2026-01-15');
    await workspace.calculated();
  }

  it('pays the worked example: January approved, then the first deal corrected', async () => {
    const workspace = await approvedJanuary();
    await correct(workspace, 20_000);
    expect(await workspace.earned()).to.deep.equal({ D1: '4800', D2: '7200', D3: '4500' });
    const pending = await trueUp(workspace);
    expect(pending.status).to.equal(200);
    expect(pending.body).to.include({ action: 'requires_approval', delta: -3200, approvalThreshold: 500 });
    const done = (await trueUp(workspace, { force: true })).body;
    expect(done).to.include({ action: 'trued_up', delta: -3200, version: 2 });
    await workspace.calculated();
    // The open deals after it are paid at the corrected attainment.
    expect(await workspace.earned()).to.deep.equal({ D1: '4800', D2: '4800', D3: '3600', true_up: '-3200' });
    const statement = await workspace.api.expect(200, 'GET', `/v1/statements?repId=${workspace.ben}&period=2026-01`);
    expect(statement).to.include({ status: 'approved', version: 2 });
    expect(statement.summary).to.deep.equal({
      totalCommission: 4800,
      totalBonuses: 0,
      totalAdjustments: -3200,
      netPayout: 1600,
    });
    expect(statement.lineItems.at(-1)).to.include({ eventId: done.eventId, kind: 'true_up', earnedOn: '2026-01-31' });
    expect((await trueUp(workspace)).body).to.deep.equal({ action: 'none', delta: 0 });
    expect((await trueUp(workspace, { force: true })).body).to.deep.equal({ action: 'none', delta: 0 });
    await workspace.expectSoundLedger();

    await workspace.unlock('2026-01');
    await workspace.calculated();
    expect(await workspace.earned()).to.deep.equal({ D1: '1600', D2: '4800', D3: '3600' });
    const history = await service.sql(
      `select change from commission_event_history where event_id = $1 order by revision`,
      done.eventId,
    );
    expect(history.map((row) => row.change)).to.deep.equal(['inserted', 'reversed']);
    await workspace.expectSoundLedger();

    const again = await workspace.generate('2026-01');
    expect([again.version, again.summary.netPayout]).to.deep.equal([3, 1600]);
    await workspace.approve('2026-01');
    expect((await trueUp(workspace)).body).to.deep.equal({ action: 'none', delta: 0 });
  });

  it('requires force for a delta above 500 in either direction, and not for exactly 500', async () => {
    for (const [amount, delta, action] of [
      [66_250, 500, 'trued_up'],
      [66_250.125, 500.01, 'requires_approval'],
      [53_749.875, -500.01, 'requires_approval'],
      [53_750, -500, 'trued_up'],
    ] as const) {
      const workspace = await approvedJanuary();
      await correct(workspace, amount);
      const { body } = await trueUp(workspace);
      expect([body.action, body.delta], String(amount)).to.deep.equal([action, delta]);
      const rows = await workspace.sql(`select 1 from commission_events where workspace_id = $1 and kind = 'true_up'`);
      expect(rows).to.have.length(action === 'trued_up' ? 1 : 0);
    }
  });

  it('pays each further change of the ledger with another true-up', async () => {
    const workspace = await approvedJanuary();
    for (const [amount, delta] of [
      [61_000, 80],
      [62_000, 80],
      [60_000, -160],
    ] as const) {
      await correct(workspace, amount);
      expect((await trueUp(workspace)).body, String(amount)).to.include({ action: 'trued_up', delta });
      await workspace.calculated();
    }
    const { summary, version } = await workspace.api.expect(
      200,
      'GET',
      `/v1/statements?repId=${workspace.ben}&period=2026-01`,
    );
    expect([summary.netPayout, version]).to.deep.equal([4800, 4]);
  });

  it('counts an adjustment only once in the delta', async () => {
    const workspace = await WorkedExample.create(service);
    await workspace.api.adjust(workspace.ben, '2026-01', 300, 'Spiff');
    await workspace.generateAndApprove('2026-01');
    expect((await trueUp(workspace)).body).to.deep.equal({ action: 'none', delta: 0 });
  });

  it('calculates the delta as if no period of the rep were frozen', async () => {
    const workspace = await WorkedExample.create(service);
    for (const period of ['2026-01', '2026-02']) {
      await workspace.generateAndApprove(period);
    }
    await correct(workspace, 20_000);
    expect((await trueUp(workspace, { period: '2026-02' })).body).to.include({
      action: 'requires_approval',
      delta: -2400,
    });
    expect((await trueUp(workspace)).body).to.include({ delta: -3200 });
  });

  it('pays the difference of each currency by a separate event', async () => {
    const workspace = await WorkedExample.create(service);
    await workspace.payEuros();
    await workspace.generateAndApprove('2026-01');
    await workspace.deal('E1', 2000, '2026-01-20', { currency: 'EUR' });
    await workspace.calculated();
    const { body } = await trueUp(workspace);
    expect(body).to.include({ action: 'trued_up', currency: 'EUR', delta: 100, version: 2 });
    expect(
      body.lines.map(({ currency, delta }: { currency: string; delta: number }) => [currency, delta]),
    ).to.deep.equal([['EUR', 100]]);
    const { otherCurrencies } = await workspace.api.expect(
      200,
      'GET',
      `/v1/statements?repId=${workspace.ben}&period=2026-01`,
    );
    expect(otherCurrencies[0]).to.deep.include({ currency: 'EUR' });
    expect(otherCurrencies[0].summary.netPayout).to.equal(200);
    expect((await trueUp(workspace)).body).to.deep.equal({ action: 'none', delta: 0 });
  });

  it('does not take back earnings under a plan that was withdrawn later', async () => {
    const workspace = await approvedJanuary();
    const [assignment] = await workspace.api.expect(200, 'GET', '/v1/assignments');
    await workspace.api.expect(200, 'DELETE', `/v1/assignments/${assignment.assignmentId}`);
    await workspace.calculated();
    expect((await trueUp(workspace)).body).to.deep.equal({ action: 'none', delta: 0 });
  });

  it('writes one true-up for two concurrent requests', async () => {
    for (let round = 0; round < 5; round += 1) {
      const workspace = await approvedJanuary();
      await correct(workspace, 20_000);
      const answers = await Promise.all([1, 2, 3].map(() => trueUp(workspace, { force: true })));
      expect(answers.map((answer) => answer.body.action).sort()).to.deep.equal(['none', 'none', 'trued_up']);
      const rows = await workspace.sql(
        `select amount from commission_events where workspace_id = $1 and kind = 'true_up'`,
      );
      expect(rows).to.have.length(1);
    }
  });
});
