import { expect } from 'chai';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';

const tiers = [
  { tierIndex: 0, minThreshold: 0, rate: 0.08 },
  { tierIndex: 1, minThreshold: 1, rate: 0.12 },
];

describe('absences and employment', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;

  /** Ben's plan prorates by days; his quota for 2026-Q1 is 90,000. */
  beforeEach(async () => {
    workspace = await WorkedExample.create(service, { deals: false });
    const rules = [{ name: 'New business', measure: 'amount', quotaProration: 'calendar_days', tiers }];
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${workspace.planId}`, { config: { rules } });
    await workspace.api.setQuota([workspace.ben], 'New business', '2026-Q1', 90_000);
    await workspace.calculated();
  });
  afterEach(() => workspace.expectSoundLedger());

  const leave = { from: '2026-02-10', to: '2026-03-11' };
  const enter = (terms: object = {}) =>
    workspace.api.expect(201, 'POST', '/v1/absences', { repId: workspace.ben, ...leave, ...terms });
  const change = (absenceId: string, terms: object) =>
    workspace.api.expect(200, 'PATCH', `/v1/absences/${absenceId}`, terms);
  const remove = (absenceId: string) => workspace.api.expect(200, 'DELETE', `/v1/absences/${absenceId}`);
  const employ = (terms: object) => workspace.api.expect(200, 'PATCH', `/v1/reps/${workspace.ben}`, terms);
  const rows = () =>
    workspace.sql(
      `select deal_key, amount, base, credit, trace, idempotency_key, status from commission_events
       where workspace_id = $1 order by deal_key`,
    );

  it('Q3: a leave lowers the target of the whole quarter, and its deletion leaves the rows of before', async () => {
    await workspace.deal('a', 45_000, '2026-01-20');
    await workspace.deal('b', 30_000, '2026-03-25');
    await workspace.calculated();
    const before = await rows();
    expect(await workspace.earned()).to.deep.equal({ a: '3600', b: '2400' });
    const { absenceId } = await enter();
    await workspace.calculated();
    expect(await workspace.earned()).to.deep.equal({ a: '3600', b: '3600' });
    await change(absenceId, { to: '2026-02-10' });
    await workspace.calculated();
    expect(await workspace.earned()).to.deep.equal({ a: '3600', b: '2400' });
    await remove(absenceId);
    await workspace.calculated();
    expect(await rows()).to.deep.equal(before);
  });

  it('Q4: a leave that is entered after an approval is a discrepancy, which clears when it is shortened', async () => {
    await workspace.deal('a', 62_000, '2026-01-28');
    await workspace.calculated();
    await workspace.generateAndApprove('2026-01');
    await service.waitForChecks(workspace.workspaceId);
    const before = await rows();
    const open = async () => {
      await service.waitForChecks(workspace.workspaceId);
      const found = await workspace.api.expect(200, 'GET', '/v1/discrepancies?status=open');
      return found.discrepancies.map(({ delta, causes }: { delta: number; causes: { kind: string }[] }) => [
        delta,
        causes.map(({ kind }) => kind),
      ]);
    };
    const { absenceId } = await enter();
    expect(await open()).to.deep.equal([[2480, ['absence']]]);
    await change(absenceId, { to: '2026-03-01' });
    expect(await open()).to.deep.equal([]);
    await remove(absenceId);
    expect(await open()).to.deep.equal([]);
    expect(await rows()).to.deep.equal(before);
  });

  it('Q4: a leave that was paid after the approval is owed back when it is shortened', async () => {
    await workspace.deal('a', 62_000, '2026-01-28');
    await workspace.calculated();
    await workspace.generateAndApprove('2026-01');
    const { absenceId } = await enter();
    await workspace.checked();
    const path = `/v1/statements/${workspace.ben}/true-up`;
    const pending = await workspace.api.expect(200, 'POST', path, { period: '2026-01' });
    expect(pending).to.include({ action: 'requires_approval', delta: 2480 });
    const paid = await workspace.api.expect(200, 'POST', path, { period: '2026-01', force: true });
    expect(paid).to.include({ action: 'trued_up', delta: 2480 });
    const shorter = await workspace.api.expect(200, 'PATCH', `/v1/absences/${absenceId}?dryRun=true`, {
      to: '2026-03-01',
    });
    expect(shorter.effect.locked).to.deep.equal([
      { repId: workspace.ben, period: '2026-01', currency: 'USD', delta: -2480 },
    ]);
    expect(shorter.targets[0]).to.include({ before: 60_000, after: 70_000 });
    await change(absenceId, { to: '2026-03-01' });
    await workspace.checked();
    const { discrepancies } = await workspace.api.expect(200, 'GET', '/v1/discrepancies?status=open');
    expect(discrepancies.map(({ delta }: { delta: number }) => delta)).to.deep.equal([-2480]);
  });

  it('Q3: with marginal tiers, the part above the lowered target pays the higher rate', async () => {
    const marginal = { name: 'New business', measure: 'amount', tierMode: 'marginal', tiers };
    const rules = [{ ...marginal, quotaProration: 'calendar_days' }];
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${workspace.planId}`, { config: { rules } });
    await workspace.deal('a', 45_000, '2026-01-20');
    await workspace.deal('b', 30_000, '2026-03-25');
    await enter();
    await workspace.calculated();
    expect(await workspace.earned()).to.deep.equal({ a: '3600', b: '3000' });
  });

  it('Q1: a hire in mid-quarter has the target of the remaining days, and the explanation states them', async () => {
    await workspace.api.setQuota([workspace.ben], 'New business', '2026-Q1', 100_000);
    await workspace.deal('a', 50_000, '2026-03-20');
    await workspace.calculated();
    expect(await workspace.earned()).to.deep.equal({ a: '4000' });
    expect(await employ({ hireDate: '2026-02-15' })).to.include({ hireDate: '2026-02-15', endDate: null });
    await workspace.calculated();
    expect(await workspace.earned()).to.deep.equal({ a: '6000' });
    const { events } = await workspace.api.expect(200, 'GET', '/v1/commissions?dealId=a');
    expect(events[0].trace).to.deep.include({
      target: 50_000,
      proration: { target: 100_000, weight: 45, size: 90, unit: 'days' },
    });
    await expectError(
      '400 VALIDATION_FAILED',
      workspace.api.patch(`/v1/reps/${workspace.ben}`, { endDate: '2026-02-14' }),
    );
  });

  it('a dry run says what an absence would do, and changes nothing', async () => {
    await workspace.deal('a', 45_000, '2026-01-20');
    await workspace.deal('b', 30_000, '2026-03-25');
    await workspace.calculated();
    const before = await rows();
    const dryRun = async (method: string, path: string, body?: object) => {
      const status = method === 'POST' ? 201 : 200;
      const { effect, targets } = await workspace.api.expect(status, method, `${path}?dryRun=true`, body);
      return { effect, targets };
    };
    const predict = (before: number, after: number, target: number, nextTarget: number, explanation: string) => {
      const delta = after - before;
      const moved = { repId: workspace.ben, period: '2026-Q1', currency: 'USD', before, after, delta };
      const named = { quotaId, planId: workspace.planId, measure: 'New business', period: '2026-Q1', explanation };
      const variable = { variableBefore: null, variableAfter: null };
      return {
        effect: { lines: 1, reps: 1, totals: [{ currency: 'USD', delta }], locked: [], byPeriod: [moved] },
        targets: [{ ...named, before: target, after: nextTarget, ...variable }],
      };
    };
    const [{ quotaId }] = await workspace.api.expect(200, 'GET', `/v1/quotas?repId=${workspace.ben}`);
    const gain = predict(2400, 3600, 90_000, 60_000, '90,000 × 60 of 90 days');
    expect(await dryRun('POST', '/v1/absences', { repId: workspace.ben, ...leave })).to.deep.equal(gain);
    expect(await workspace.api.expect(200, 'GET', '/v1/absences')).to.include({ count: 0 });
    expect(await rows()).to.deep.equal(before);
    const { absenceId, effect } = await enter();
    expect(effect).to.equal(undefined);
    await workspace.calculated();
    const shorter = predict(3600, 2400, 60_000, 89_000, '90,000 × 89 of 90 days');
    expect(await dryRun('PATCH', `/v1/absences/${absenceId}`, { to: '2026-02-10' })).to.deep.equal(shorter);
    const none = predict(3600, 2400, 60_000, 90_000, '90,000 × 90 of 90 days');
    expect(await dryRun('DELETE', `/v1/absences/${absenceId}`)).to.deep.equal(none);
    expect(await workspace.earned()).to.deep.equal({ a: '3600', b: '3600' });
  });

  it('entering an absence again from the same day replaces it', async () => {
    const { absenceId } = await enter();
    expect(await enter({ to: '2026-02-20' })).to.include({ absenceId, to: '2026-02-20' });
    expect(await workspace.api.expect(200, 'GET', '/v1/absences')).to.include({ count: 1 });
  });

  it('an absence of a person whose rules prorate nothing has a warning', async () => {
    const rules = [{ name: 'New business', measure: 'amount', tiers }];
    expect(await enter()).to.not.have.property('warnings');
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${workspace.planId}`, { config: { rules } });
    const { warnings } = await enter({ to: '2026-02-20' });
    expect(warnings[0].code).to.equal('no_effect_without_proration');
  });

  it('absences are imported by e-mail address, and a repeated file changes nothing', async () => {
    const csv =
      'email;from;to;quotaRelief\nben@acme.test;10/02/2026;11/03/2026;50 %\nben@acme.test;01/03/2026;02/03/2026;\nwho@acme.test;01/03/2026;02/03/2026;\n';
    const load = (query = '') =>
      workspace.api.expect(200, 'POST', `/v1/absences/import?delimiter=;&dateFormat=DMY${query}`, csv, {
        'Content-Type': 'text/csv',
      });
    await workspace.deal('a', 62_000, '2026-01-28');
    await workspace.calculated();
    expect(await load('&dryRun=true')).to.include({ accepted: 1, rejected: 2, dryRun: true });
    expect((await load('&dryRun=true&effect=true')).effect).to.deep.include({ lines: 0, byPeriod: [] });
    const whole = csv.replace('50 %', '100');
    const { effect } = await workspace.api.expect(
      200,
      'POST',
      '/v1/absences/import?delimiter=;&dateFormat=DMY&dryRun=true&effect=true',
      whole,
      { 'Content-Type': 'text/csv' },
    );
    expect(effect.byPeriod).to.deep.equal([
      { repId: workspace.ben, period: '2026-Q1', currency: 'USD', before: 4960, after: 7440, delta: 2480 },
    ]);
    expect(await workspace.api.expect(200, 'GET', '/v1/absences')).to.include({ count: 0 });
    const { results } = await load();
    expect(results.map(({ code = 'ok' }: { code?: string }) => code)).to.deep.equal([
      'ok',
      'absence_overlap',
      'rep_not_found',
    ]);
    const { absences } = await workspace.api.expect(200, 'GET', '/v1/absences');
    expect(absences[0]).to.include({ ...leave, quotaRelief: 50, variableRelief: 50 });
    expect(await load()).to.include({ accepted: 0, unchanged: 1 });
  });

  it('two absences of one person do not overlap', async () => {
    const { absenceId } = await enter();
    const again = { repId: workspace.ben, from: '2026-03-11', to: '2026-03-20' };
    await expectError('409 absence_overlap', workspace.api.post('/v1/absences', again));
    await enter({ repId: workspace.mia });
    await enter({ from: '2026-03-12', to: '2026-03-20' });
    await expectError('409 absence_overlap', workspace.api.patch(`/v1/absences/${absenceId}`, { to: '2026-03-12' }));
    await expectError('400 VALIDATION_FAILED', workspace.api.patch(`/v1/absences/${absenceId}`, { to: '2026-02-09' }));
    const { absences, count } = await workspace.api.expect(200, 'GET', `/v1/absences?repId=${workspace.ben}`);
    expect([absences.map(({ from }: { from: string }) => from), count]).to.deep.equal([
      ['2026-02-10', '2026-03-12'],
      2,
    ]);
  });
});
