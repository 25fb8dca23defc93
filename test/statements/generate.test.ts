import { expect } from 'chai';
import { newId } from '#src/kernel/ids.js';
import { expectError } from '#test/support/errors.js';
import { openTransaction } from '#test/support/open-transaction.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';
import { WorkedExample } from '#test/support/worked-example.js';

describe('generating and reading statements', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;
  before(async () => {
    workspace = await WorkedExample.create(service);
  });

  it('returns the response that the specification defines', async () => {
    const answer = await workspace.generate('2026-01');
    expect(answer).to.include({
      generated: true,
      version: 1,
      period: '2026-01',
      repId: workspace.ben,
      repName: 'Ben',
      status: 'draft',
      currency: 'USD',
      dealCount: 1,
    });
    expect(answer.statementId).to.match(/^[0-9a-f-]{36}$/);
    expect(answer.summary).to.deep.equal({
      totalCommission: 4800,
      totalBonuses: 0,
      totalAdjustments: 0,
      netPayout: 4800,
    });
    expect(answer.lineItems).to.have.length(1);
    expect(answer.lineItems[0]).to.include({
      repId: workspace.ben,
      dealId: 'D1',
      closeDate: '2026-01-15',
      earnedOn: '2026-01-15',
      period: '2026-Q1',
      planName: 'AE',
      planVersion: 1,
      ruleName: 'New business',
      tierName: 'Base',
      kind: 'commission_earned',
      category: 'commission',
      amount: 4800,
      base: 60_000,
      credit: 60_000,
      rate: 0.08,
      attainment: 0.6,
    });
    expect(answer.lineItems[0]).not.to.have.property('trace');
  });

  it('lists the rates of a deal that was paid in several tiers', async () => {
    const { api, workspaceId } = await service.workspace();
    const [ann] = await api.saveReps('Ann');
    const tiers = [0, 1].map((tierIndex) => ({ tierIndex, minThreshold: tierIndex, rate: (tierIndex + 1) / 10 }));
    const rule = { name: 'New', measure: 'amount', attainmentPeriod: 'monthly', tierMode: 'marginal', tiers };
    await api.createPlan({ name: 'AE', config: { rules: [rule] } }, [ann as string]);
    await api.setQuota([ann as string], 'New', '2026-01', 1000);
    for (const [dealId, amount] of [
      ['D1', 600],
      ['D2', 900],
    ] as const)
      await api.putDeal(dealId, { amount, closeDate: `2026-01-1${dealId.at(-1)}`, ownerId: 'ann' });
    await service.waitForCalculations(workspaceId);
    const { lineItems } = await api.expect(200, 'GET', `/v1/statements?repId=${ann}&period=2026-01&live=true`);
    expect(
      lineItems.map(({ rate, rates, amount }: Record<string, unknown>) => ({ rate, rates, amount })),
    ).to.deep.equal([
      { rate: 0.1, rates: undefined, amount: 60 },
      { rate: null, rates: [0.1, 0.2], amount: 140 },
    ]);
  });

  it('creates a new version on each call and never changes a stored version', async () => {
    const own = await WorkedExample.create(service);
    await own.generate('2026-Q1');
    const first = await own.sql(`select * from statements where workspace_id = $1`);
    await own.deal('D4', 1000, '2026-03-30');
    const second = await own.generate('2026-Q1');
    expect(second.version).to.equal(2);
    expect(second.summary.netPayout).to.equal(4800 + 7200 + 4500 + 150);
    const stored = await own.sql(`select * from statements where workspace_id = $1 order by version`);
    expect(stored[0]).to.deep.equal(first[0]);
    const { unitOfWork } = service.running.service;
    const change = unitOfWork.run(own, { lock: 'none', access: 'write' }, (tx) =>
      tx.db.updateTable('statements').set({ deal_count: 9 }).execute(),
    );
    expect(await change.catch((error: Error) => error.message)).to.match(/permission denied/);
    const removal = unitOfWork.run(own, { lock: 'none', access: 'write' }, (tx) =>
      tx.db.deleteFrom('statements').execute(),
    );
    expect(await removal.catch((error: Error) => error.message)).to.match(/permission denied/);
  });

  it('returns the same sums for month, quarter, half-year and year', async () => {
    for (const period of ['2026-Q1', '2026-H1', '2026']) {
      const { summary, dealCount } = await workspace.generate(period);
      expect([summary.netPayout, dealCount], period).to.deep.equal([16_500, 3]);
    }
  });

  it('returns separate totals for each currency', async () => {
    const own = await WorkedExample.create(service);
    await own.payEuros();
    const { summary, otherCurrencies, lineItems } = await own.generate('2026-01');
    expect(summary.netPayout).to.equal(4800);
    expect(otherCurrencies).to.deep.equal([
      { currency: 'EUR', summary: { totalCommission: 100, totalBonuses: 0, totalAdjustments: 0, netPayout: 100 } },
    ]);
    expect(lineItems.map((line: { currency: string }) => line.currency)).to.deep.equal(['USD', 'EUR']);
    const team = await own.api.expect(200, 'GET', '/v1/statements?period=2026-01');
    expect(team.totals.netPayout).to.equal(4800);
    expect(team.otherCurrencies[0].summary.netPayout).to.equal(100);
  });

  it('generates for all reps, skips approved statements and reports unknown reps', async () => {
    const own = await WorkedExample.create(service);
    const idle = await own.addRep('Idle');
    await own.api.expect(200, 'PATCH', `/v1/reps/${idle}`, { active: false });
    const all = await own.api.expect(200, 'POST', '/v1/statements/generate', { period: '2026-01' });
    expect(all).to.include({ period: '2026-01', generated: 2, skipped: 0, errors: 0 });
    expect(all.statements.map((one: { repId: string }) => one.repId).sort()).to.deep.equal([own.ben, own.mia].sort());
    expect(all.statements.find((one: { repId: string }) => one.repId === own.ben)).to.include({
      version: 1,
      netPayout: 4800,
    });
    await own.approve('2026-01');
    const unknown = newId();
    const some = await own.api.expect(200, 'POST', '/v1/statements/generate', {
      period: '2026-01',
      repIds: [own.ben, own.mia, unknown, 'x', own.mia],
    });
    expect(some).to.include({ generated: 1, skipped: 1, errors: 2 });
    expect(some.skippedReps).to.deep.equal([{ repId: own.ben, reason: 'already_approved' }]);
    expect(some.errorReps).to.deep.equal([
      { repId: unknown, error: 'rep_not_found' },
      { repId: 'x', error: 'rep_not_found' },
    ]);
    expect(some.statements).to.have.length(1);
    await expectError(
      '409 statement_locked',
      own.api.post(`/v1/statements/${own.ben}/generate`, { period: '2026-01' }),
    );
  });

  it('generates the statements of a team in one transaction, except for a rep whose lane is busy', async () => {
    const own = await WorkedExample.create(service);
    await own.addRep('Ann');
    const lane = 'select from lanes where rep_id = $1 for no key update';
    const busy = await openTransaction(service.database.ownerUrl, lane, own.ben);
    const generating = own.api.expect(200, 'POST', '/v1/statements/generate', { period: '2026-01' });
    const stored = () =>
      own.sql(
        'select rep_id as "repId", xmin::text as transaction from statements where workspace_id = $1 order by rep_id = $2',
        own.ben,
      );
    await until(async () => (await stored()).length === 2);
    await busy.rollback();
    expect(await generating).to.include({ generated: 3, errors: 0 });
    const [first, second, last] = await stored();
    expect(first.transaction).to.equal(second.transaction);
    expect(last).to.include({ repId: own.ben }).and.not.include({ transaction: first.transaction });
  });

  it('generates the other statements if that of one rep fails', async () => {
    const own = await WorkedExample.create(service);
    await own.sql(`update commission_events set trace = 'damaged' where workspace_id = $1`);
    const all = await own.api.expect(200, 'POST', '/v1/statements/generate', { period: '2026-01' });
    expect(all).to.include({ generated: 1, errors: 1 });
    expect(all.errorReps).to.deep.equal([{ repId: own.ben, error: 'internal_error' }]);
  });

  it('lists team members with and without a generated statement', async () => {
    const own = await WorkedExample.create(service);
    const before = await own.api.expect(200, 'GET', '/v1/statements?period=2026-01');
    expect(before).to.include({ period: '2026-01', currency: 'USD' });
    expect(before.totals.netPayout).to.equal(4800);
    expect(before.statements.map((one: { name: string }) => one.name)).to.deep.equal(['Ben', 'Mia']);
    expect(before.statements[0]).to.include({ email: 'ben@acme.test', status: 'none', version: 0, statementId: null });
    await own.generate('2026-01');
    await own.deal('late', 10_000, '2026-01-31');
    await own.calculated();
    const after = await own.api.expect(200, 'GET', '/v1/statements?period=2026-01');
    expect(after.statements[0]).to.include({ status: 'draft', version: 1 });
    expect(after.statements[0].summary.netPayout).to.equal(4800);
    const current = await own.api.expect(200, 'GET', '/v1/statements');
    expect(current.period).to.equal(new Date().toISOString().slice(0, 7));
  });

  it('lists a person without plan and quota only with an amount, also after a batch generated an empty draft', async () => {
    const own = await WorkedExample.create(service);
    const repId = await own.addRep('Pia', 'payroll');
    const { statements } = await own.api.expect(200, 'POST', '/v1/statements/generate', { period: '2026-01' });
    expect(statements.map((one: { repId: string }) => one.repId)).to.include(repId);
    const names = async (path: string, list: string): Promise<string[]> =>
      (await own.api.expect(200, 'GET', `/v1/${path}?period=2026-01`))[list].map((one: { name: string }) => one.name);
    expect(await names('statements', 'statements')).to.deep.equal(['Ben', 'Mia']);
    expect(await names('commissions', 'reps')).to.deep.equal(['Ben', 'Mia']);
    const adjustment = { period: '2026-01', amount: 100, reason: 'Referral' };
    await own.api.expect(200, 'POST', `/v1/statements/${repId}/adjust`, adjustment);
    expect(await names('statements', 'statements')).to.deep.equal(['Ben', 'Mia', 'Pia']);
    expect(await names('commissions', 'reps')).to.deep.equal(['Ben', 'Mia', 'Pia']);
  });

  it('returns the latest version of one rep, or the earnings so far', async () => {
    const own = await WorkedExample.create(service);
    const of = `/v1/statements?repId=${own.ben}&period=2026-01`;
    const live = await own.api.expect(200, 'GET', of);
    expect(live).to.include({ status: 'none', version: 0, statementId: null, generatedAt: null });
    expect(live.summary.netPayout).to.equal(4800);
    const { generated, ...version } = await own.generate('2026-01');
    expect(generated).to.equal(true);
    expect(await own.api.expect(200, 'GET', of)).to.deep.equal(version);
    await expectError('404 rep_not_found', own.api.get(`/v1/statements?repId=${newId()}`));
  });

  it('returns the statement status', async () => {
    const own = await WorkedExample.create(service);
    const path = `/v1/statements/${own.ben}/status?period=2026-01`;
    const same = { repId: own.ben, period: '2026-01' };
    const draft = { ...same, status: 'draft', checks: [] };
    expect(await own.api.expect(200, 'GET', path)).to.deep.equal({ ...draft, generated: false, version: 0 });
    await own.generate('2026-01');
    expect(await own.api.expect(200, 'GET', path)).to.deep.equal({ ...draft, generated: true, version: 1 });
    await own.approve('2026-01');
    const approved = await own.api.expect(200, 'GET', path);
    expect(approved).to.include({ ...same, status: 'approved', version: 1 });
    expect(approved.approvedBy).to.have.keys('name', 'keyId');
    expect(Date.parse(approved.approvedAt)).to.be.closeTo(Date.now(), 1_800_000);
    const asBen = await own.as(own.ben);
    expect(await asBen.expect(200, 'GET', path)).not.to.have.property('approvedBy');
  });

  it('numbers the versions of fifty concurrent generate requests without gaps', async () => {
    const own = await WorkedExample.create(service);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => own.api.post(`/v1/statements/${own.ben}/generate`, { period: '2026-01' })),
    );
    expect([...new Set(answers.map((answer) => answer.status))]).to.deep.equal([200]);
    const versions = answers.map((answer) => answer.body.version).sort((a, b) => a - b);
    expect(versions).to.deep.equal(Array.from({ length: 50 }, (_, index) => index + 1));
    const [head] = await own.sql(`select current_version from statement_periods where workspace_id = $1`);
    expect(head.current_version).to.equal(50);
  });
});
