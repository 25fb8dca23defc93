import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { duringSuite } from '#test/support/during-suite.js';
import { expectError } from '#test/support/errors.js';
import { type Office, StatementFixture } from './statement-fixture.js';

describe('approving and unlocking statements', () => {
  const fixture = duringSuite(() => StatementFixture.create());

  const path = (office: Office, action: string) => `/v1/statements/${office.ben}/${action}`;

  it('rejects a body without period or status with the message of the specification', async () => {
    const office = await fixture.office({ deals: false });
    for (const body of [null, { period: null, status: null }, undefined]) {
      const answer = await office.api.post(path(office, 'approve'), body);
      expect([answer.status, answer.body.code, answer.body.message], JSON.stringify(body)).to.deep.equal([
        400,
        'VALIDATION_FAILED',
        'period and status required',
      ]);
    }
    const typo = await office.api.post(path(office, 'approve'), { period: '2026-01', status: 'draft', forced: true });
    expect(typo.body.message).to.match(/forced: unknown field/);
  });

  it('rejects approval if no statement was generated', async () => {
    const office = await fixture.office();
    for (const status of ['approved', 'draft']) {
      await expectError(
        '404 statement_not_found',
        office.api.post(path(office, 'approve'), { period: '2026-01', status }),
        status,
      );
    }
  });

  it('approves and unlocks the latest version repeatedly', async () => {
    const office = await fixture.office();
    const approved = await office.generateAndApprove('2026-01');
    expect(approved).to.include({ status: 'approved', version: 1 });
    expect(approved.approvedBy).to.have.keys('name', 'keyId');
    expect(await office.approve('2026-01')).to.deep.equal(approved);
    const [head] = await office.sql(
      `select approved_version, trim_scale(approved_total)::text as total, currency from statement_periods where workspace_id = $1`,
    );
    expect(head).to.deep.equal({ approved_version: 1, total: '4800', currency: 'USD' });
    await office.deal('D1', 1000, '2026-01-15');
    await office.calculated();
    expect((await office.earned())['D1']).to.equal('4800');
    const draft = await office.unlock('2026-01');
    expect(draft).to.include({ status: 'draft', version: 1 });
    expect(draft).not.to.have.property('approvedAt');
    expect(await office.unlock('2026-01')).to.deep.equal(draft);
    await office.calculated();
    expect((await office.earned())['D1']).to.equal('80');
    const acts = (await office.api.expect(200, 'GET', '/v1/workspaces/audit-logs?actor=api-key')).runs;
    expect(
      acts
        .map((run: { trigger: string }) => run.trigger)
        .filter((trigger: string) => trigger.startsWith('statement'))
        .sort(),
    ).to.deep.equal(['statement_approved', 'statement_unlocked']);
    expect(acts.find((run: { trigger: string }) => run.trigger === 'statement_approved')).to.include({
      repId: office.ben,
      period: '2026-01',
    });
    await office.expectSoundLedger();
  });

  it('pays a previously reversed deal in another period', async () => {
    const office = await fixture.office();
    await office.api.expect(200, 'DELETE', '/v1/deals/D1');
    await office.calculated();
    await office.generateAndApprove('2026-01');
    await office.deal('D1', 60_000, '2026-02-20');
    await office.calculated();
    const [event] = await office.sql(
      `select status, earned_on::text as day from commission_events where workspace_id = $1 and deal_key = 'D1'`,
    );
    expect(event).to.deep.equal({ status: 'earned', day: '2026-02-20' });
    await office.expectSoundLedger();
  });

  it('rejects approval of days that are already approved', async () => {
    const office = await fixture.office();
    for (const period of ['2026-01', '2026-02', '2026-Q1']) await office.generate(period);
    await office.approve('2026-01');
    await office.approve('2026-02');
    await expectError(
      '409 statement_overlap',
      office.api.post(path(office, 'approve'), { period: '2026-Q1', status: 'approved' }),
    );
  });

  it('rejects approval of the own statement, also when no other approver exists', async () => {
    const office = await fixture.office();
    const mias = `/v1/statements/${office.mia}`;
    const asMia = await office.as(office.mia);
    await asMia.expect(200, 'POST', `${mias}/generate`, { period: '2026-01' });
    const ann = await office.addRep('Ann', 'manager');
    const approval = { period: '2026-01', status: 'approved' };
    await expectError('403 forbidden', asMia.post(`${mias}/approve`, approval));
    const asAnn = await office.as(ann);
    await asAnn.expect(200, 'POST', `${mias}/approve`, approval);
    expect((await asMia.post(`${mias}/approve`, { ...approval, status: 'draft' })).status).to.equal(403);
    expect((await asMia.post(`${mias}/true-up`, { period: '2026-01' })).status).to.equal(403);
    await office.api.expect(200, 'PATCH', `/v1/reps/${ann}`, { active: false });
    expect((await asMia.post(`${mias}/approve`, { ...approval, status: 'draft' })).status).to.equal(403);
    await asMia.generate(office.ben, '2026-01');
    const bens = await asMia.expect(200, 'POST', `/v1/statements/${office.ben}/approve`, approval);
    expect(bens.approvedBy).to.deep.equal({ repId: office.mia, name: 'Mia' });
    const asBen = await office.as(office.ben);
    expect((await asBen.post(`/v1/statements/${office.ben}/approve`, approval)).status).to.equal(403);
  });

  it('pays a deal that moved out of the period after the period is reopened', async () => {
    const office = await fixture.office();
    await office.generateAndApprove('2026-01');
    await office.api.setQuota([office.ben], 'New business', '2026-Q3', 100_000);
    await office.deal('D1', 60_000, '2026-07-15');
    await office.calculated();
    await office.unlock('2026-01');
    await office.calculated();
    const [row] = await office.sql(
      `select earned_on, status, trim_scale(amount)::text as amount from commission_events where workspace_id = $1 and deal_key = 'D1'`,
    );
    expect(row).to.deep.equal({ earned_on: '2026-07-15', status: 'earned', amount: '4800' });
    await office.expectSoundLedger();
  });

  it('runs an approval entirely before or entirely after a concurrent change of a deal', async () => {
    const office = await fixture.office();
    for (let round = 0; round < 20; round += 1) {
      await office.generate('2026-01');
      const change = office.deal('D1', 10_000 + round * 1000, '2026-01-15');
      if (round % 3 === 1) for (let turn = 0; turn < round; turn += 1) await nextTurn();
      const [approved] = await Promise.all([office.approve('2026-01'), change]);
      await office.calculated();
      const [frozen] = await office.sql(
        `select trim_scale(sum(amount))::float as total, (select trim_scale(approved_total)::float from statement_periods
           where workspace_id = $1 and period = '2026-01') as approved
         from commission_events where workspace_id = $1 and rep_id = $2 and status = 'earned'
           and earned_on between '2026-01-01' and '2026-01-31'`,
        office.ben,
      );
      expect(frozen.approved, `round ${round}`).to.equal(frozen.total);
      expect(approved.summary.netPayout, `round ${round}`).to.equal(frozen.total);
      await office.unlock('2026-01');
    }
    await office.calculated();
    await office.expectSoundLedger();
  });

  it('does not change a frozen period during a reset', async () => {
    for (let round = 0; round < 5; round += 1) {
      const office = await fixture.office();
      await office.generate('2026-01');
      const rows = (day: string) =>
        office.sql(`select * from commission_events where workspace_id = $1 and earned_on <= $2`, day);
      const before = await rows('2026-01-31');
      const approval = office.approve('2026-01');
      if (round > 0) await approval;
      const [approved, reset] = await Promise.all([
        approval,
        office.api.expect(200, 'POST', '/v1/commissions/reset', {}),
      ]);
      const after = await rows('2026-12-31');
      // If the reset runs first, only an empty statement is frozen.
      if (round > 0 || after.length > 0) {
        expect(after).to.deep.equal(before);
        expect(reset).to.include({ events: 2, skippedLocked: 1 });
      }
      expect(approved.summary.netPayout).to.equal(after.reduce((total, row) => total + Number(row.amount), 0));
      await office.expectSoundLedger();
    }
  });

  it('rejects changes of frozen events in the database', async () => {
    const office = await fixture.office();
    await office.generateAndApprove('2026-01');
    const january = `workspace_id = '${office.workspaceId}' and deal_key = 'D1'`;
    const february = `workspace_id = '${office.workspaceId}' and deal_key = 'D2'`;
    const copy = (
      kind: string,
    ) => `insert into commission_events (workspace_id, rep_id, event_id, kind, status, category,
      amount, currency, period, earned_on, idempotency_key) select workspace_id, rep_id, gen_random_uuid(), '${kind}',
      'earned', 'adjustment', 1, 'USD', '2026-01', '2026-01-31', gen_random_uuid() from commission_events where ${january}`;
    for (const write of [
      `update commission_events set amount = 1 where ${january}`,
      `update commission_events set earned_on = '2026-02-01' where ${january}`,
      `update commission_events set earned_on = '2026-01-31' where ${february}`,
      `delete from commission_events where ${january}`,
      copy('adjustment'),
      copy('clawback'),
    ]) {
      const message = await fixture.sql(write).catch((error: Error) => error.message);
      expect(message, write).to.match(/statement_locked: commission of the approved period 2026-01/);
    }
    await fixture.sql(`update commission_events set updated_at = now() where ${february}`);
    await fixture.sql(copy('true_up'));
  });
});
