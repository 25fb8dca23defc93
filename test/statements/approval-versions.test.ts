import { expect } from 'chai';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';

describe('approving a checked version', () => {
  const service = Service.duringSuite();

  const statementOf = ({ api, ben }: WorkedExample) =>
    api.expect(200, 'GET', `/v1/statements?repId=${ben}&period=2026-01`);
  const teamRowOf = async ({ api, ben }: WorkedExample) => {
    const { statements } = await api.expect(200, 'GET', '/v1/statements?period=2026-01');
    return statements.find((one: { repId: string }) => one.repId === ben);
  };
  const statusOf = ({ api, ben }: WorkedExample) =>
    api.expect(200, 'GET', `/v1/statements/${ben}/status?period=2026-01`);
  const approve = ({ api, ben }: WorkedExample, more: object = {}) =>
    api.post(`/v1/statements/${ben}/approve`, { period: '2026-01', status: 'approved', ...more });

  async function correct(workspace: WorkedExample, amount: number): Promise<void> {
    await workspace.deal('D1', amount, '2026-01-15');
    await workspace.calculated();
  }

  it('marks a draft that differs from the ledger as stale and returns the current net payout', async () => {
    const workspace = await WorkedExample.create(service);
    await workspace.generate('2026-01');
    for (const read of [statementOf, teamRowOf, statusOf]) {
      expect(await read(workspace)).not.to.have.any.keys('stale', 'liveNetPayout', 'pending');
    }
    await correct(workspace, 50_000);
    for (const read of [statementOf, teamRowOf, statusOf])
      expect(await read(workspace)).to.include({ stale: true, liveNetPayout: 4000 });
    await correct(workspace, 60_000);
    for (const read of [statementOf, teamRowOf, statusOf]) expect(await read(workspace)).not.to.have.property('stale');
  });

  it('marks a draft with equal totals and different deals as stale', async () => {
    const workspace = await WorkedExample.create(service);
    await workspace.generate('2026-01');
    await workspace.api.expect(200, 'DELETE', '/v1/deals/D1');
    await workspace.deal('D0', 60_000, '2026-01-15');
    await workspace.calculated();
    for (const read of [statementOf, teamRowOf, statusOf])
      expect(await read(workspace)).to.include({ stale: true, liveNetPayout: 4800 });
  });

  it('rejects approval of a version that is stale or not the latest', async () => {
    const workspace = await WorkedExample.create(service);
    await workspace.generate('2026-01');
    await correct(workspace, 50_000);
    const { details } = await expectError('409 statement_changed', approve(workspace, { version: 1 }));
    expect(details).to.include({ version: 1, netPayout: 4800, liveNetPayout: 4000 });
    await workspace.generate('2026-01');
    await expectError('409 statement_changed', approve(workspace, { version: 1 }));
    expect((await statusOf(workspace)).status).to.equal('draft');
    const approved = await approve(workspace, { version: 2 });
    expect(approved.body).to.include({ status: 'approved', version: 2 });
    expect(approved.body).not.to.have.property('regenerated');
    expect((await approve(workspace, { version: 2 })).status, 'again').to.equal(200);
    await expectError('409 statement_changed', approve(workspace, { version: 1 }));
    expect((await approve(workspace, { version: 0 })).status).to.equal(400);
  });

  it('returns an earlier version with its own amounts', async () => {
    const workspace = await WorkedExample.create(service);
    const { api, ben } = workspace;
    await workspace.generate('2026-01');
    await correct(workspace, 50_000);
    await workspace.generate('2026-01');
    const of = (version: number) => `/v1/statements?repId=${ben}&period=2026-01&version=${version}`;
    expect((await api.expect(200, 'GET', of(1))).summary.netPayout).to.equal(4800);
    expect(await api.expect(200, 'GET', of(2))).to.include({ version: 2, status: 'draft' });
    await expectError('404 statement_not_found', api.get(of(3)));
  });

  it('compares a net payout with the last 12 months only on request and with at least 6 months', async () => {
    const workspace = await WorkedExample.create(service);
    const { api, ben } = workspace;
    const deviations = async () => {
      const { statements } = await api.expect(200, 'GET', '/v1/statements?period=2026-01&deviations=true');
      return statements.find((one: { repId: string }) => one.repId === ben).deviations;
    };
    const adjust = (month: number) => {
      const period = `2025-${String(month).padStart(2, '0')}`;
      return api.adjust(ben, period, month % 2 === 0 ? 100 : 200, 'Contest');
    };
    for (let month = 1; month <= 5; month += 1) await adjust(month);
    expect(await deviations()).to.equal(undefined);
    for (let month = 6; month <= 12; month += 1) await adjust(month);
    expect(await deviations()).to.equal(89);
    expect(await teamRowOf(workspace)).not.to.have.property('deviations');
  });

  it('calculates before an approval without a version, and returns regenerated if the figures differ from the draft', async () => {
    const workspace = await WorkedExample.create(service);
    await workspace.generate('2026-01');
    await workspace.deal('D1', 50_000, '2026-01-15');
    const { body } = await approve(workspace);
    expect(body).to.include({ status: 'approved', version: 2, regenerated: true });
    expect(body.summary.netPayout).to.equal(4000);
  });

  it('returns the name that the approving person or key had at the time of approval', async () => {
    const workspace = await WorkedExample.create(service);
    await workspace.generate('2026-01');
    const asMia = await workspace.as(workspace.mia);
    const { approvedBy } = await asMia.approve(workspace.ben, '2026-01');
    expect(approvedBy).to.deep.equal({ repId: workspace.mia, name: 'Mia' });
    await workspace.api.saveReps({ email: 'mia@acme.test', name: 'Mia Married', role: 'manager' });
    expect((await statusOf(workspace)).approvedBy).to.deep.equal(approvedBy);
    const file = await workspace.api.expect(
      200,
      'GET',
      `/v1/statements/${workspace.ben}/export?period=2026-01&format=json`,
    );
    expect(file.approvedBy).to.deep.equal(approvedBy);
  });

  it('approves many statements by version, each independently', async () => {
    const workspace = await WorkedExample.create(service);
    const { api, ben, mia } = workspace;
    const ada = await workspace.addRep('Ada');
    for (const repId of [ben, mia]) await api.generate(repId, '2026-01');
    await correct(workspace, 50_000);
    const answer = await api.expect(200, 'POST', '/v1/statements/approve', {
      period: '2026-01',
      statements: [ben, mia, ada].map((repId) => ({ repId, version: 1 })),
    });
    expect(answer.approved).to.have.length(1);
    expect(answer.approved[0]).to.include({ repId: mia, version: 1, netPayout: 0 });
    expect(answer.refused.map((one: { repId: string; code: string }) => [one.repId, one.code])).to.deep.equal([
      [ben, 'statement_changed'],
      [ada, 'statement_not_found'],
    ]);
  });

  it('returns pending and rejects approval while a calculation of the rep is outstanding', async () => {
    const workspace = await WorkedExample.create(service);
    await workspace.generate('2026-01');
    const [rule] = await workspace.sql(`select definition from plan_rules where workspace_id = $1`);
    const define = (definition: unknown) =>
      workspace.sql(`update plan_rules set definition = $2 where workspace_id = $1`, definition);
    await define({ name: 'broken' });
    await workspace.deal('D1', 1000, '2026-01-15');
    for (const read of [statementOf, teamRowOf, statusOf]) expect(await read(workspace)).to.include({ pending: true });
    expect(await workspace.generate('2026-01')).to.include({ generated: true, pending: true });
    for (const more of [{}, { version: 2 }]) {
      await expectError('409 calculation_pending', approve(workspace, more));
    }
    const bulk = await workspace.api.expect(200, 'POST', '/v1/statements/approve', {
      period: '2026-01',
      statements: [{ repId: workspace.ben, version: 2 }],
    });
    expect(bulk.refused[0].code).to.equal('calculation_pending');
    await define(rule.definition);
    await workspace.calculated();
    for (const read of [statementOf, teamRowOf, statusOf])
      expect(await read(workspace)).not.to.have.property('pending');
    expect((await approve(workspace)).body.summary.netPayout).to.equal(80);
  });
});
