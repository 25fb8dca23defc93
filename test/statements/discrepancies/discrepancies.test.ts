import { expect } from 'chai';
import { PeriodChecker } from '#src/statements/discrepancies/period-checker.js';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { openTransaction, untilBlocked } from '#test/support/open-transaction.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { WorkedExample } from '#test/support/worked-example.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Body = any;

describe('discrepancies', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;

  /** Ben's January is approved at 4,800. */
  beforeEach(async () => {
    workspace = await WorkedExample.create(service);
    await workspace.generateAndApprove('2026-01');
    await idle();
  });
  afterEach(() => workspace.expectSoundLedger());

  const idle = () => service.waitForChecks(workspace.workspaceId);
  const late = async (dealId: string, amount: number, closeDate = '2026-01-30') => {
    await workspace.deal(dealId, amount, closeDate);
    await idle();
  };
  const list = async (query = '?status=open', client: ApiClient = workspace.api): Promise<Body[]> =>
    (await client.expect(200, 'GET', `/v1/discrepancies${query}`)).discrepancies;
  const only = async (query?: string) => {
    const found = await list(query);
    expect(found, JSON.stringify(found)).to.have.length(1);
    return found[0];
  };
  const resolve = (discrepancyId: string, action: string, more: object = {}, client: ApiClient = workspace.api) =>
    client.post(`/v1/discrepancies/${discrepancyId}/resolve`, { action, reason: 'agreed', ...more });
  const overview = async () =>
    (await workspace.api.expect(200, 'GET', '/v1/commissions?period=2026-02')).openDiscrepancies;

  it('a difference that is carried forward cannot be deleted; unlocking its period takes it back', async () => {
    const { api, ben } = workspace;
    await late('late', 1000);
    await resolve((await only()).discrepancyId, 'carry_forward');
    const [trueUp] = await workspace.sql<{ eventId: string }>(
      `select event_id as "eventId" from commission_events where workspace_id = $1 and kind = 'true_up'`,
    );
    const path = `/v1/statements/${ben}/adjust/${trueUp?.eventId}`;
    const rejected = await expectError('409 statement_locked', api.delete(path));
    expect(rejected.details).to.deep.equal({ period: '2026-01' });
    await workspace.unlock('2026-01');
    await api.expect(200, 'DELETE', path);
  });

  it('lists what a late deal would add to an approved period, with lines, causes and the team overview', async () => {
    expect(await list()).to.deep.equal([]);
    expect(await overview()).to.deep.equal({ count: 0, total: 0, otherCurrencies: [] });
    await late('late', 1000);
    const found = await only();
    expect(found).to.deep.include({
      repId: workspace.ben,
      repName: 'Ben',
      period: '2026-01',
      status: 'open',
      currency: 'USD',
      approved: 4800,
      carriedForward: 0,
      live: 4880,
      delta: 80,
      otherCurrencies: [],
      lineCount: 1,
      resolution: null,
    });
    expect(found.lines).to.have.length(1);
    expect(found.lines[0]).to.include({ dealId: 'late', ruleName: 'New business', approved: 0, live: 80, delta: 80 });
    expect(found.causes.map(({ kind, what }: Body) => [kind, what])).to.deep.equal([['deal_change', 'Deal late']]);
    expect(await overview()).to.deep.equal({ count: 1, total: 80, otherCurrencies: [] });
    expect(await list('?period=2026-02')).to.deep.equal([]);
  });

  it('has pages of all lines, also of those that the list leaves out', async () => {
    const deals = Array.from({ length: 130 }, (_, index) => ({
      dealId: `late-${index + 1}`,
      amount: (index + 1) * 10,
      stage: 'Won',
      closeDate: '2026-01-30',
      repId: workspace.ben,
    }));
    await workspace.api.expect(200, 'POST', '/v1/deals/import', { deals });
    await idle();
    const found = await only();
    expect([found.lines.length, found.lineCount]).to.deep.equal([100, 130]);
    const path = `/v1/discrepancies/${found.discrepancyId}/lines`;
    const first = await workspace.api.expect(200, 'GET', path);
    const second = await workspace.api.expect(200, 'GET', `${path}?offset=100`);
    expect(first.lines).to.deep.equal(found.lines);
    expect([second.lines.length, second.count]).to.deep.equal([30, 130]);
    const sum = [...first.lines, ...second.lines].reduce((total, { delta }: Body) => total + delta * 100, 0);
    expect(Math.round(sum)).to.equal(Math.round(found.delta * 100));
    await expectError('404 discrepancy_not_found', workspace.api.get(`/v1/discrepancies/${workspace.ben}/lines`));
  });

  it('closes a discrepancy when the change is taken back', async () => {
    await late('late', 1000);
    await workspace.api.expect(200, 'DELETE', '/v1/deals/late');
    await idle();
    expect(await list()).to.deep.equal([]);
    expect((await only('?status=resolved')).resolution).to.include({ action: 'cleared', by: null });
  });

  it('follows a deal that moved out of the approved period', async () => {
    await workspace.deal('D1', 60_000, '2026-02-15');
    await idle();
    const moved = await only();
    expect(moved.delta).to.not.equal(0);
    await workspace.deal('D1', 10_000, '2026-02-15');
    await idle();
    expect((await only()).delta).to.be.lessThan(moved.delta);
    await workspace.api.expect(200, 'DELETE', '/v1/deals/D1');
    await idle();
    expect((await only()).lines.find(({ dealId }: Body) => dealId === 'D1')).to.include({ live: 0 });
  });

  it('true_up pays in the approved period, above the threshold with force', async () => {
    await late('late', 10_000);
    const { discrepancyId, delta } = await only();
    const waiting = (await resolve(discrepancyId, 'true_up')).body;
    expect(waiting.result).to.include({ action: 'requires_approval', approvalThreshold: 500, delta });
    expect(waiting.discrepancy.status).to.equal('open');
    const { body } = await resolve(discrepancyId, 'true_up', { force: true });
    expect(body.result).to.include({ action: 'trued_up', delta, version: 2 });
    expect(body.discrepancy).to.deep.include({ status: 'resolved' });
    expect(body.discrepancy.resolution).to.include({
      action: 'true_up',
      reason: 'agreed',
      eventId: body.result.eventId,
    });
    await idle();
    expect(await list()).to.deep.equal([]);
    await expectError('409 invalid_transition', resolve(discrepancyId, 'dismiss'));
    const again = await workspace.api.expect(200, 'POST', `/v1/statements/${workspace.ben}/true-up`, {
      period: '2026-01',
    });
    expect(again).to.deep.equal({ action: 'none', delta: 0 });
  });

  it('carry_forward pays once, in the first open period, and later true-ups subtract it', async () => {
    await workspace.generateAndApprove('2026-02');
    await late('late', 10_000);
    const january = await only('?status=open&period=2026-01');
    const { body } = await resolve(january.discrepancyId, 'carry_forward');
    expect(body.result).to.deep.include({ action: 'carried_forward', delta: january.delta, period: '2026-03' });
    expect(body.discrepancy.status).to.equal('resolved');
    await idle();
    expect(await list('?status=open&period=2026-01')).to.deep.equal([]);

    const approved = await workspace.api.expect(200, 'GET', `/v1/statements?repId=${workspace.ben}&period=2026-01`);
    expect([approved.version, approved.summary.netPayout]).to.deep.equal([1, 4800]);
    const march = await workspace.api.expect(200, 'GET', `/v1/statements?repId=${workspace.ben}&period=2026-03`);
    const carried = march.lineItems.filter(({ kind }: Body) => kind === 'true_up');
    expect(carried).to.have.length(1);
    expect(carried[0]).to.deep.include({
      eventId: body.result.eventId,
      amount: january.delta,
      sourcePeriod: '2026-01',
      reason: 'Carried forward from 2026-01',
    });

    await late('later', 1000);
    const next = await only('?status=open&period=2026-01');
    expect([next.carriedForward, next.live - next.approved - next.carriedForward]).to.deep.equal([
      january.delta,
      next.delta,
    ]);
    const path = `/v1/statements/${workspace.ben}/true-up`;
    const paid = await workspace.api.expect(200, 'POST', path, { period: '2026-01' });
    expect([paid.action, paid.delta]).to.deep.equal(['trued_up', next.delta]);
    expect(paid.lines.reduce((sum: number, line: Body) => sum + line.delta, 0)).to.equal(paid.delta);

    // The period that pays it owes nothing for it.
    await workspace.generateAndApprove('2026-03');
    await idle();
    expect(await list('?status=open&period=2026-03')).to.deep.equal([]);
    const unlock = { period: '2026-01', status: 'draft' };
    await expectError('409 carried_forward', workspace.api.post(`/v1/statements/${workspace.ben}/approve`, unlock));
    await workspace.unlock('2026-03');
    await workspace.unlock('2026-01');
    await idle();
    await workspace.generate('2026-03');
    const reopened = await workspace.api.expect(200, 'GET', `/v1/statements?repId=${workspace.ben}&period=2026-03`);
    expect(reopened.lineItems.filter(({ kind }: Body) => kind === 'true_up')).to.deep.equal([]);
  });

  it('a reset of commission keeps what was carried forward', async () => {
    await late('late', 1000);
    await resolve((await only()).discrepancyId, 'carry_forward');
    await workspace.api.expect(200, 'POST', '/v1/commissions/reset', { scope: 'events' });
    await workspace.api.expect(200, 'POST', '/v1/commissions/recalculate', {});
    await idle();
    expect(await list()).to.deep.equal([]);
    expect((await workspace.earned())['true_up']).to.equal('80');
  });

  it('dismiss pays nothing until the delta changes', async () => {
    await late('late', 1000);
    const { discrepancyId } = await only();
    const { body } = await resolve(discrepancyId, 'dismiss');
    expect([body.result, body.discrepancy.status]).to.deep.equal([
      { action: 'dismissed', currency: 'USD', delta: 80 },
      'dismissed',
    ]);
    await expectError('409 invalid_transition', resolve(discrepancyId, 'dismiss'));
    await workspace.api.expect(200, 'POST', '/v1/commissions/recalculate', { repId: workspace.ben });
    await idle();
    expect(await list()).to.deep.equal([]);
    await late('later', 500);
    expect(await only()).to.include({ discrepancyId, delta: 120, resolution: null });
    await workspace.deal('later', 0, '2026-01-30');
    await idle();
    expect(await only()).to.include({ delta: 80 });
  });

  /** Runs a check that was requested for another reason after the change and before its calculation, as a busy worker does. */
  async function checkBeforeCalculation(kind: string, repId: string, change: () => Promise<unknown>): Promise<void> {
    const checker = new PeriodChecker(service.running.service.unitOfWork, { now: () => new Date() });
    const { ownerUrl } = service.database;
    const lanes = 'select from lanes where workspace_id = $1 for no key update';
    const locked = await openTransaction(ownerUrl, lanes, workspace.workspaceId);
    await change();
    const causes = JSON.stringify([{ kind, dealId: null }]);
    await workspace.sql(
      `insert into period_checks (workspace_id, rep_id, period, causes) values ($1, $2, '2026-01', $3)`,
      repId,
      causes,
    );
    const checked = checker.run(workspace.workspaceId, repId);
    // The end of the comparison.
    await untilBlocked(ownerUrl, 'from lanes');
    await locked.rollback();
    await checked;
    await idle();
  }

  for (const consequence of ['true_up', 'statement_approved'])
    it(`names the deal that changed, and not ${consequence}, whose check finds the change first`, async () => {
      await late('late', 1000);
      await resolve((await only()).discrepancyId, 'true_up');
      await idle();
      await checkBeforeCalculation(consequence, workspace.ben, () => workspace.deal('later', 500, '2026-01-30'));
      const { causes, delta } = await only();
      expect([delta, causes.map(({ what }: Body) => what)]).to.deep.equal([40, ['Deal later']]);
    });

  it('closes a discrepancy when the statement is unlocked', async () => {
    await late('late', 1000);
    await workspace.unlock('2026-01');
    await idle();
    expect(await list()).to.deep.equal([]);
    expect((await only('?status=resolved')).resolution.action).to.equal('unlocked');
  });

  it('lists the approved periods of managers above, also when the period below keeps its rows', async () => {
    await workspace.api.expect(200, 'PATCH', `/v1/reps/${workspace.ben}`, { managerId: workspace.mia });
    const rules = [flatRule('Override', 0.1, { executionPhase: 'cascade' })];
    await workspace.api.createPlan({ name: 'Lead', config: { rules } }, [workspace.mia]);
    await idle();
    await workspace.api.generate(workspace.mia, '2026-01');
    await workspace.api.approve(workspace.mia, '2026-01');
    await idle();
    expect(await list()).to.deep.equal([]);
    await late('late', 1000);
    const both = await list();
    expect(both.map(({ repName, delta }) => [repName, delta]).sort()).to.deep.equal([
      ['Ben', 80],
      ['Mia', 8],
    ]);
    // A change of Ben's quota changes no row of his, because January is approved.
    const quota = { repIds: [workspace.ben], measure: 'New business', period: '2026-Q1', target: 50_000 };
    await workspace.api.expect(201, 'POST', '/v1/quotas', quota);
    await idle();
    const after = await list();
    const [ben, mia] = ['Ben', 'Mia'].map((name) => after.find(({ repName }) => repName === name)) as [Body, Body];
    expect(ben.delta).to.be.greaterThan(80);
    expect(mia.delta).to.equal(ben.delta / 10);
    expect(mia.causes.at(-1).kind).to.equal('cascade');
    await checkBeforeCalculation('true_up', workspace.mia, () => workspace.deal('later', 500, '2026-01-30'));
    const last = (await list()).find(({ repName }) => repName === 'Mia') as Body;
    expect(last.delta).to.be.greaterThan(mia.delta);
    expect(last.causes.map(({ kind }: Body) => kind)).to.not.include('true_up');
  });

  it('is resolved by managers and admins, but not by the rep, and from the present delta', async () => {
    await late('late', 1000);
    const { discrepancyId } = await only();
    const ben = await workspace.as(workspace.ben);
    expect((await ben.get('/v1/discrepancies')).status).to.equal(403);
    expect((await resolve(discrepancyId, 'dismiss', {}, ben)).status).to.equal(403);
    await workspace.api.expect(200, 'PATCH', `/v1/reps/${workspace.ben}`, { role: 'admin' });
    await expectError('403 forbidden', resolve(discrepancyId, 'carry_forward', {}, await workspace.as(workspace.ben)));
    const mia = await workspace.as(workspace.mia);
    expect(await list('?status=open', mia)).to.have.length(1);
    await workspace.sql('update discrepancies set delta = 79 where workspace_id = $1');
    const changed = await resolve(discrepancyId, 'dismiss', {}, mia);
    expect([changed.status, changed.body.code, changed.body.details]).to.deep.equal([
      409,
      'discrepancy_changed',
      { delta: 80 },
    ]);
  });
});
