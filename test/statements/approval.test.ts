import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';

describe('approving and unlocking statements', () => {
  const service = Service.duringSuite();

  const path = (workspace: WorkedExample, action: string) => `/v1/statements/${workspace.ben}/${action}`;

  it('rejects a body without period or status with the message of the specification', async () => {
    const workspace = await WorkedExample.create(service, { deals: false });
    for (const body of [null, { period: null, status: null }, undefined]) {
      const answer = await workspace.api.post(path(workspace, 'approve'), body);
      expect([answer.status, answer.body.code, answer.body.message], JSON.stringify(body)).to.deep.equal([
        400,
        'VALIDATION_FAILED',
        'period and status required',
      ]);
    }
    const typo = await workspace.api.post(path(workspace, 'approve'), {
      period: '2026-01',
      status: 'draft',
      forced: true,
    });
    expect(typo.body.message).to.match(/forced: unknown field/);
  });

  it('rejects approval if no statement was generated', async () => {
    const workspace = await WorkedExample.create(service);
    for (const status of ['approved', 'draft']) {
      await expectError(
        '404 statement_not_found',
        workspace.api.post(path(workspace, 'approve'), { period: '2026-01', status }),
        status,
      );
    }
  });

  it('approves and unlocks the latest version repeatedly', async () => {
    const workspace = await WorkedExample.create(service);
    const approved = await workspace.generateAndApprove('2026-01');
    expect(approved).to.include({ status: 'approved', version: 1 });
    expect(approved.approvedBy).to.have.keys('name', 'keyId');
    expect(await workspace.approve('2026-01')).to.deep.equal(approved);
    const [head] = await workspace.sql(
      `select approved_version, trim_scale(approved_total)::text as total, currency from statement_periods where workspace_id = $1`,
    );
    expect(head).to.deep.equal({ approved_version: 1, total: '4800', currency: 'USD' });
    await workspace.deal('D1', 1000, '2026-01-15');
    await workspace.calculated();
    expect((await workspace.earned())['D1']).to.equal('4800');
    const draft = await workspace.unlock('2026-01');
    expect(draft).to.include({ status: 'draft', version: 1 });
    expect(draft).not.to.have.property('approvedAt');
    expect(await workspace.unlock('2026-01')).to.deep.equal(draft);
    await workspace.calculated();
    expect((await workspace.earned())['D1']).to.equal('80');
    const acts = (await workspace.api.expect(200, 'GET', '/v1/workspaces/audit-logs?actor=api-key')).runs;
    expect(
      acts
        .map((run: { trigger: string }) => run.trigger)
        .filter((trigger: string) => trigger.startsWith('statement'))
        .sort(),
    ).to.deep.equal(['statement_approved', 'statement_unlocked']);
    expect(acts.find((run: { trigger: string }) => run.trigger === 'statement_approved')).to.include({
      repId: workspace.ben,
      period: '2026-01',
    });
    await workspace.expectSoundLedger();
  });

  it('pays a previously reversed deal in another period', async () => {
    const workspace = await WorkedExample.create(service);
    await workspace.api.expect(200, 'DELETE', '/v1/deals/D1');
    await workspace.calculated();
    await workspace.generateAndApprove('2026-01');
    await workspace.deal('D1', 60_000, '2026-02-20');
    await workspace.calculated();
    const [event] = await workspace.sql(
      `select status, earned_on::text as day from commission_events where workspace_id = $1 and deal_key = 'D1'`,
    );
    expect(event).to.deep.equal({ status: 'earned', day: '2026-02-20' });
    await workspace.expectSoundLedger();
  });

  it('rejects approval of days that are already approved', async () => {
    const workspace = await WorkedExample.create(service);
    for (const period of ['2026-01', '2026-02', '2026-Q1']) await workspace.generate(period);
    await workspace.approve('2026-01');
    await workspace.approve('2026-02');
    await expectError(
      '409 statement_overlap',
      workspace.api.post(path(workspace, 'approve'), { period: '2026-Q1', status: 'approved' }),
    );
  });

  it('rejects approval of the own statement, also when no other approver exists', async () => {
    const workspace = await WorkedExample.create(service);
    const mias = `/v1/statements/${workspace.mia}`;
    const asMia = await workspace.as(workspace.mia);
    await asMia.expect(200, 'POST', `${mias}/generate`, { period: '2026-01' });
    const ann = await workspace.addRep('Ann', 'manager');
    const approval = { period: '2026-01', status: 'approved' };
    await expectError('403 forbidden', asMia.post(`${mias}/approve`, approval));
    const asAnn = await workspace.as(ann);
    await asAnn.expect(200, 'POST', `${mias}/approve`, approval);
    expect((await asMia.post(`${mias}/approve`, { ...approval, status: 'draft' })).status).to.equal(403);
    expect((await asMia.post(`${mias}/true-up`, { period: '2026-01' })).status).to.equal(403);
    await workspace.api.expect(200, 'PATCH', `/v1/reps/${ann}`, { active: false });
    expect((await asMia.post(`${mias}/approve`, { ...approval, status: 'draft' })).status).to.equal(403);
    await asMia.generate(workspace.ben, '2026-01');
    const bens = await asMia.expect(200, 'POST', `/v1/statements/${workspace.ben}/approve`, approval);
    expect(bens.approvedBy).to.deep.equal({ repId: workspace.mia, name: 'Mia' });
    const asBen = await workspace.as(workspace.ben);
    expect((await asBen.post(`/v1/statements/${workspace.ben}/approve`, approval)).status).to.equal(403);
  });

  it('pays a deal that moved out of the period after the period is reopened', async () => {
    const workspace = await WorkedExample.create(service);
    await workspace.generateAndApprove('2026-01');
    await workspace.api.setQuota([workspace.ben], 'New business', '2026-Q3', 100_000);
    await workspace.deal('D1', 60_000, '2026-07-15');
    await workspace.calculated();
    await workspace.unlock('2026-01');
    await workspace.calculated();
    const [row] = await workspace.sql(
      `select earned_on, status, trim_scale(amount)::text as amount from commission_events where workspace_id = $1 and deal_key = 'D1'`,
    );
    expect(row).to.deep.equal({ earned_on: '2026-07-15', status: 'earned', amount: '4800' });
    await workspace.expectSoundLedger();
  });

  it('runs an approval entirely before or entirely after a concurrent change of a deal', async () => {
    const workspace = await WorkedExample.create(service);
    for (let round = 0; round < 6; round += 1) {
      await workspace.generate('2026-01');
      const change = workspace.deal('D1', 10_000 + round * 1000, '2026-01-15');
      if (round % 3 === 1) for (let turn = 0; turn < round; turn += 1) await nextTurn();
      const [approved] = await Promise.all([workspace.approve('2026-01'), change]);
      await workspace.calculated();
      const [frozen] = await workspace.sql(
        `select trim_scale(sum(amount))::float as total, (select trim_scale(approved_total)::float from statement_periods
           where workspace_id = $1 and period = '2026-01') as approved
         from commission_events where workspace_id = $1 and rep_id = $2 and status = 'earned'
           and earned_on between '2026-01-01' and '2026-01-31'`,
        workspace.ben,
      );
      expect(frozen.approved, `round ${round}`).to.equal(frozen.total);
      expect(approved.summary.netPayout, `round ${round}`).to.equal(frozen.total);
      await workspace.unlock('2026-01');
    }
    await workspace.calculated();
    await workspace.expectSoundLedger();
  });

  it('does not change a frozen period during a reset', async () => {
    for (let round = 0; round < 5; round += 1) {
      const workspace = await WorkedExample.create(service);
      await workspace.generate('2026-01');
      const rows = (day: string) =>
        workspace.sql(`select * from commission_events where workspace_id = $1 and earned_on <= $2`, day);
      const before = await rows('2026-01-31');
      const approval = workspace.approve('2026-01');
      if (round > 0) await approval;
      const [approved, reset] = await Promise.all([
        approval,
        workspace.api.expect(200, 'POST', '/v1/commissions/reset', {}),
      ]);
      const after = await rows('2026-12-31');
      // If the reset runs first, only an empty statement is frozen.
      if (round > 0 || after.length > 0) {
        expect(after).to.deep.equal(before);
        expect(reset).to.include({ events: 2, skippedLocked: 1 });
      }
      expect(approved.summary.netPayout).to.equal(after.reduce((total, row) => total + Number(row.amount), 0));
      await workspace.expectSoundLedger();
    }
  });

  it('rejects changes of frozen events in the database', async () => {
    const workspace = await WorkedExample.create(service);
    await workspace.generateAndApprove('2026-01');
    const january = `workspace_id = '${workspace.workspaceId}' and deal_key = 'D1'`;
    const february = `workspace_id = '${workspace.workspaceId}' and deal_key = 'D2'`;
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
      const message = await service.sql(write).catch((error: Error) => error.message);
      expect(message, write).to.match(/statement_locked: commission of the approved period 2026-01/);
    }
    await service.sql(`update commission_events set updated_at = now() where ${february}`);
    await service.sql(copy('true_up'));
  });
});
