import { expect } from 'chai';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';

describe('adjustments', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;
  before(async () => {
    workspace = await WorkedExample.create(service);
  });

  const add = ({ api, ben }: WorkedExample, more: object = {}) =>
    api.post(`/v1/statements/${ben}/adjust`, { amount: 250.5, reason: 'Spiff', period: '2026-01', ...more });

  it('adds an event to the period that the statement, dashboard and overview count', async () => {
    const own = await WorkedExample.create(service);
    const { status, body } = await add(own);
    expect(status).to.equal(200);
    expect(body).to.include({
      repId: own.ben,
      repName: 'Ben',
      kind: 'adjustment',
      category: 'adjustment',
      status: 'earned',
      amount: 250.5,
      currency: 'USD',
      period: '2026-01',
      earnedOn: '2026-01-31',
      reason: 'Spiff',
      dealId: null,
    });
    const clawback = await add(own, { amount: -100, kind: 'clawback', dealId: 'D1' });
    expect(clawback.body).to.include({ kind: 'clawback', amount: -100, dealId: 'D1' });
    const { summary, dealCount } = await own.generate('2026-01');
    expect(summary).to.deep.equal({
      totalCommission: 4800,
      totalBonuses: 0,
      totalAdjustments: 150.5,
      netPayout: 4950.5,
    });
    expect(dealCount).to.equal(1);
    const dashboard = await own.api.expect(200, 'GET', `/v1/commissions?repId=${own.ben}&period=2026-01`);
    expect(dashboard.earnings).to.deep.equal({ total: 4950.5, commission: 4800, bonus: 0, adjustments: 150.5 });
    await own.expectSoundLedger();
  });

  it('adds an amount in another currency, which is apart from the others', async () => {
    const own = await WorkedExample.create(service);
    expect((await add(own, { currency: 'EUR' })).body).to.include({ amount: 250.5, currency: 'EUR' });
    const { eventId } = (await add(own, { currency: 'JPY', amount: 3000 })).body;
    const change = (amount: number) => own.api.patch(`/v1/statements/${own.ben}/adjust/${eventId}`, { amount });
    await expectError('400 VALIDATION_FAILED', change(3000.5));
    await expectError('400 VALIDATION_FAILED', add(own, { currency: 'JPY', amount: 0.5 }));
    await expectError('400 VALIDATION_FAILED', add(own, { currency: 'euro' }));
    const { summary, otherCurrencies } = await own.generate('2026-01');
    expect(summary).to.include({ totalAdjustments: 0, netPayout: 4800 });
    const others = otherCurrencies.map((other: { currency: string; summary: { netPayout: number } }) => [
      other.currency,
      other.summary.netPayout,
    ]);
    expect(others).to.deep.equal([
      ['EUR', 250.5],
      ['JPY', 3000],
    ]);
    await own.expectSoundLedger();
  });

  it('rejects a positive clawback on creation and on update', async () => {
    const own = await WorkedExample.create(service);
    await expectError('400 clawback_must_be_negative', add(own, { amount: 100, kind: 'clawback' }));
    const { body: clawback } = await add(own, { amount: -100, kind: 'clawback' });
    const path = `/v1/statements/${own.ben}/adjust/${clawback.eventId}`;
    await expectError('400 clawback_must_be_negative', own.api.patch(path, { amount: 100 }));
    expect((await own.api.patch(path, { amount: -150 })).body).to.include({ amount: -150 });
    const { body: adjustment } = await add(own, { amount: -5 });
    const other = `/v1/statements/${own.ben}/adjust/${adjustment.eventId}`;
    expect((await own.api.patch(other, { amount: 5 })).body).to.include({ kind: 'adjustment', amount: 5 });
  });

  it('dates an adjustment today while the period is current', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const { body } = await add(workspace, { period: today.slice(0, 4) });
    expect(body.earnedOn).to.equal(today);
  });

  it('does not date an adjustment on days that another approved statement covers', async () => {
    const own = await WorkedExample.create(service);
    await own.generateAndApprove('2026-03');
    expect((await add(own, { period: '2026-Q1' })).body.earnedOn).to.equal('2026-02-28');
    await own.generate('2026-H1');
    await own.unlock('2026-03');
    await own.approve('2026-H1');
    await expectError('400 statement_locked', add(own, { period: '2026-01' }));
  });

  it('rejects invalid input', async () => {
    for (const more of [
      { amount: 0 },
      { amount: 1e13 },
      { amount: '5' },
      { amount: 0.005 },
      { amount: null },
      { reason: '' },
      { reason: '   ' },
      { reason: 'x'.repeat(501) },
      { period: undefined },
      { period: 'soon' },
      { kind: 'true_up' },
      { note: 'unknown' },
    ]) {
      await expectError('400 VALIDATION_FAILED', add(workspace, more), JSON.stringify(more));
    }
    await expectError('404 deal_not_found', add(workspace, { dealId: 'nope' }));
  });

  it('rejects amounts with more decimals than the currency has', async () => {
    const yen = await WorkedExample.create(service, { currency: 'JPY', deals: false });
    expect((await add(yen, { amount: 10.5 })).status).to.equal(400);
    expect((await add(yen, { amount: 10 })).body).to.include({ amount: 10, currency: 'JPY' });
    const dinar = await WorkedExample.create(service, { currency: 'BHD', deals: false });
    expect((await add(dinar, { amount: 10.005 })).body.amount).to.equal(10.005);
  });

  it('updates the amount and the reason of an adjustment', async () => {
    const own = await WorkedExample.create(service);
    const { eventId } = (await add(own)).body;
    const path = `/v1/statements/${own.ben}/adjust/${eventId}`;
    await own.api.expect(200, 'PATCH', path, { amount: 300 });
    await own.api.expect(200, 'PATCH', path, { reason: 'Better' });
    for (const amount of [0, 0.001]) expect((await own.api.patch(path, { amount })).status).to.equal(400);
    for (const unknown of [`${own.ben}/adjust/x`, `${own.mia}/adjust/${eventId}`])
      await expectError('400 adjustment_not_found', own.api.patch(`/v1/statements/${unknown}`, { amount: 1 }));
    const history = await service.sql(
      `select revision, change, trim_scale(amount)::text as amount, reason from commission_event_history where event_id = $1 order by revision`,
      eventId,
    );
    expect(history).to.deep.equal([
      { revision: 1, change: 'inserted', amount: '250.5', reason: 'Spiff' },
      { revision: 2, change: 'changed', amount: '300', reason: 'Spiff' },
      { revision: 3, change: 'changed', amount: '300', reason: 'Better' },
    ]);
    await own.expectSoundLedger();
  });

  it('deletes an adjustment, and records the deletion in the history and in the audit log', async () => {
    const own = await WorkedExample.create(service);
    const { eventId } = (await add(own)).body;
    const path = `/v1/statements/${own.ben}/adjust/${eventId}`;
    const foreign = await own.api.expect(200, 'DELETE', `/v1/statements/${own.mia}/adjust/${eventId}`);
    expect(foreign).to.deep.equal({ deleted: false });
    await own.api.expect(200, 'DELETE', path);
    const history = await service.sql(
      `select change from commission_event_history where event_id = $1 order by revision`,
      eventId,
    );
    expect(history.map((row) => row.change)).to.deep.equal(['inserted', 'deleted']);
    await own.expectSoundLedger();
    const acts = (await own.api.expect(200, 'GET', '/v1/workspaces/audit-logs?actor=api-key')).runs;
    expect(acts.map((run: { trigger: string }) => run.trigger)).to.include.members([
      'adjustment_added',
      'adjustment_deleted',
    ]);
  });

  it('runs an adjustment entirely before or entirely after a concurrent approval', async () => {
    const own = await WorkedExample.create(service);
    for (let round = 0; round < 4; round += 1) {
      await own.generate('2026-01');
      const [adjusted, approved] = await Promise.all([add(own, { amount: 1 }), own.approve('2026-01')]);
      const amount = Object.entries(await own.earned()).find(([key]) => key === 'D1')?.[1];
      const [sum] = await own.sql(
        `select coalesce(sum(amount), 0)::float as total from commission_events where workspace_id = $1 and kind = 'adjustment'`,
      );
      expect(approved.summary.netPayout).to.equal(Number(amount) + sum.total);
      expect(adjusted.status).to.be.oneOf([200, 400]);
      await own.unlock('2026-01');
      await own.calculated();
    }
    await own.expectSoundLedger();
  });
});
