import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { PayWorkspace } from './pay-service.js';

describe('payables on statements', () => {
  const service = Service.duringSuite();

  it('P1: pay as the customer pays, and change nothing that is earned', async () => {
    const work = await PayWorkspace.create(service);
    await work.deal('D', 60_000, '2026-01-15');
    const earned = (await work.statement('2026-01')).summary.netPayout;
    await work.invoice('D', 60_000, [
      ['2026-02-15', 20_000],
      ['2026-04-03', 40_000],
    ]);
    expect(await work.payable('2026-01')).to.equal(0);
    expect(await work.payable('2026-02')).to.equal(1600);
    expect(await work.payable('2026-03')).to.equal(0);
    expect(await work.payable('2026-04')).to.equal(3200);
    expect((await work.statement('2026-01')).summary.netPayout).to.equal(earned);
  });

  it('list people who have left until the customer has paid, with everyone who is paid in the period', async () => {
    const work = await PayWorkspace.create(service);
    const { api, ben } = work;
    await work.deal('D', 60_000, '2026-01-15');
    const [assignment] = await api.expect(200, 'GET', `/v1/assignments?repId=${ben}`);
    await api.expect(200, 'PATCH', `/v1/assignments/${assignment.assignmentId}`, { effectiveEnd: '2026-01-31' });
    await api.expect(200, 'PATCH', `/v1/reps/${ben}`, { active: false });
    await work.calculated();
    await work.approve('2026-01', '2026-02', '2026-03');
    await work.invoice('D', 60_000, [['2026-04-20', 60_000]]);
    const listed = async (period: string) => {
      const { statements } = await api.expect(200, 'GET', `/v1/statements?period=${period}`);
      return statements.filter(({ repId }: { repId: string }) => repId === ben);
    };
    expect(await listed('2026-04')).to.have.length(1);
    const page = await api.expect(200, 'GET', '/v1/statements?period=2026-04&limit=10');
    expect(page.statements.map(({ repId }: { repId: string }) => repId)).to.include(ben);
    const generated = await api.expect(200, 'POST', '/v1/statements/generate', { period: '2026-04', withTerms: true });
    expect(generated.statements.map(({ repId }: { repId: string }) => repId)).to.include(ben);
    await api.approve(ben, '2026-04');
    expect((await listed('2026-04'))[0].summary).to.include({ payable: 4800 });
    expect(await listed('2026-05')).to.deep.equal([]);
  });

  it('P2: round parts so that they add up', async () => {
    const payout = {
      schedule: [
        { on: 'close', percent: 50 },
        { on: 'paid', percent: 50 },
      ],
    };
    const rules = [flatRule('New business', 0.100001, { payout })];
    const work = await PayWorkspace.create(service, { rules });
    await work.deal('D', 10_000, '2026-01-10');
    await work.invoice('D', 10_000, [
      ['2026-02-01', 3333.33],
      ['2026-03-01', 3333.33],
      ['2026-04-01', 3333.34],
    ]);
    const paid = [];
    for (const period of ['2026-01', '2026-02', '2026-03', '2026-04']) paid.push(await work.payable(period));
    expect(paid).to.deep.equal([500.01, 166.66, 166.67, 166.67]);
  });

  it('P3: take back what was charged back from what is released later', async () => {
    const work = await PayWorkspace.create(service);
    await work.deal('D', 60_000, '2026-01-15');
    await work.invoice('D', 60_000, [['2026-02-15', 20_000]]);
    await work.approve('2026-01', '2026-02');
    expect(await work.payable('2026-02')).to.equal(1600);
    await work.invoice('D', 60_000, [
      ['2026-02-15', 20_000],
      ['2026-03-10', -20_000],
      ['2026-04-20', 60_000],
    ]);
    expect(await work.lines('2026-03')).to.deep.equal({ D: -1600 });
    await work.approve('2026-03');
    const [march] = (await work.statement('2026-03')).payable.totals;
    expect(march).to.include({ opening: 0, added: 1600, recovered: 0, closing: 1600, payable: 0 });
    expect(await work.balance()).to.equal(1600);
    expect(await work.lines('2026-04')).to.deep.equal({ D: 4800 });
    await work.approve('2026-04');
    expect((await work.statement('2026-04')).payable.totals[0]).to.include({
      opening: 1600,
      recovered: 1600,
      closing: 0,
      payable: 3200,
    });
  });

  it('P4: release the same share of a corrected amount', async () => {
    const work = await PayWorkspace.create(service);
    await work.deal('D', 60_000, '2026-01-15');
    await work.invoice('D', 60_000, [['2026-01-20', 30_000]]);
    await work.approve('2026-01');
    expect(await work.payable('2026-01')).to.equal(2400);
    await work.deal('D', 66_000, '2026-01-15');
    expect((await work.trueUp('2026-01')).delta).to.equal(480);
    expect(await work.payable('2026-01')).to.equal(2400);
    expect(await work.payable('2026-02')).to.equal(0);
    await work.invoice('D', 66_000, [
      ['2026-01-20', 30_000],
      ['2026-02-10', 36_000],
    ]);
    expect(await work.payable('2026-02')).to.equal(2880);
  });

  it('P5: pay equal parts month by month', async () => {
    const work = await PayWorkspace.create(service, { payout: { parts: 3, everyMonths: 1 } });
    await work.deal('D', 1250, '2026-01-31');
    const paid = [];
    for (const period of ['2026-01', '2026-02', '2026-03', '2026-04']) paid.push(await work.payable(period));
    expect(paid).to.deep.equal([33.33, 33.34, 33.33, 0]);
  });

  it('P6: pay what was held after the hold', async () => {
    const work = await PayWorkspace.create(service);
    await work.deal('D', 60_000, '2026-01-15');
    await work.invoice('D', 60_000, [['2026-02-15', 60_000]]);
    const hold = await work.api.expect(201, 'POST', '/v1/payables/holds', {
      dealId: 'D',
      from: '2026-02-20',
      reason: 'The customer disputes the contract.',
    });
    await work.approve('2026-01', '2026-02', '2026-03');
    expect(await work.payable('2026-02')).to.equal(0);
    expect(await work.payable('2026-04')).to.equal(0);
    await work.api.expect(200, 'PATCH', `/v1/payables/holds/${hold.holdId}`, { to: '2026-04-01', note: 'Signed' });
    expect(await work.payable('2026-04')).to.equal(4800);
  });

  for (const name of ['Other', 'New business'])
    it(`P7: a manager follows what the people below are paid, by rules named New business and ${name}`, async () => {
      const work = await PayWorkspace.create(service);
      const { api } = work;
      await api.expect(200, 'PATCH', `/v1/reps/${work.ben}`, { managerId: work.mia, managerFrom: '2026-01-01' });
      const payout = {
        schedule: [
          { on: 'paid', percent: 50 },
          { on: 'close', percent: 50 },
        ],
      };
      const other = flatRule(name, 0.02, { payout });
      await api.createPlan({ name: 'Side', config: { rules: [other] } }, [work.ben]);
      const cascade = flatRule('Override', 0.2, { measure: '_earned', executionPhase: 'cascade' });
      await api.createPlan({ name: 'Managers', config: { rules: [cascade] } }, [work.mia]);
      await work.deal('D', 60_000, '2026-01-15');
      // 4,800 of which nothing is released, and 1,200 of which half is.
      const read = async () =>
        (await api.expect(200, 'GET', `/v1/statements?repId=${work.mia}&period=2026-01`)).summary;
      expect(await read()).to.include({ netPayout: 1200, payable: 120 });
      await work.invoice('D', 60_000, [['2026-01-20', 30_000]]);
      // (2,400 + 900) of 6,000.
      expect(await read()).to.include({ netPayout: 1200, payable: 660 });
    });

  it('P8: a deal that no longer counts gives back what was released, and not more', async () => {
    const work = await PayWorkspace.create(service);
    await work.deal('D', 60_000, '2026-01-15');
    await work.invoice('D', 60_000, [['2026-01-20', 30_000]]);
    expect(await work.payable('2026-01')).to.equal(2400);
    await work.approve('2026-01');
    await work.api.expect(200, 'DELETE', '/v1/deals/D');
    await work.calculated();
    // 4,800 are taken back, of which 2,400 were released.
    await work.carryForward('2026-01');
    const { payable, summary } = await work.statement('2026-02');
    expect(summary.netPayout).to.equal(-4800);
    expect(payable.totals[0]).to.include({ carriedIn: 0, added: 2400, closing: 2400, payable: 0 });
  });

  it('P12: an amount below that takes back counts with its own share, and not against the others', async () => {
    const half = {
      schedule: [
        { on: 'close', percent: 50 },
        { on: 'paid', percent: 50 },
      ],
    };
    // 1,000, of which half is released, and -900, which is released.
    const rules = [flatRule('New business', 0.1, { payout: half }), flatRule('Rebate', 0.1, { measure: 'rebate' })];
    const work = await PayWorkspace.create(service, { rules });
    const { api } = work;
    await api.expect(200, 'PATCH', `/v1/reps/${work.ben}`, { managerId: work.mia, managerFrom: '2026-01-01' });
    const cascade = flatRule('Override', 0.2, { measure: '_earned', executionPhase: 'cascade' });
    await api.createPlan({ name: 'Managers', config: { rules: [cascade] } }, [work.mia]);
    await work.deal('D', 10_000, '2026-01-15', { fields: { rebate: -9000 } });
    const { summary } = await work.statement('2026-01');
    expect(summary.netPayout).to.equal(100);
    const mia = (await api.expect(200, 'GET', `/v1/statements?repId=${work.mia}&period=2026-01`)).summary;
    // (500 + 900) of 1,900.
    expect(mia).to.include({ netPayout: 20, payable: 14.74 });
  });

  it('P10: a payment that is entered late is in the next statement, marked late', async () => {
    const work = await PayWorkspace.create(service);
    await work.deal('D', 60_000, '2026-01-15');
    await work.invoice('D', 60_000, [['2026-02-15', 20_000]]);
    await work.approve('2026-01', '2026-02');
    await work.invoice('D', 60_000, [
      ['2026-02-15', 20_000],
      ['2026-02-27', 10_000],
    ]);
    expect(await work.payable('2026-02')).to.equal(1600);
    expect((await work.statement('2026-03')).payable.lines).to.have.length(1);
    expect((await work.statement('2026-03')).payable.lines[0]).to.include({ amount: 800, late: true, dealName: 'D' });
  });

  it('P11: offsets, a date of the deal and gross payments', async () => {
    const payout = {
      schedule: [
        { on: 'close', percent: 20, offsetDays: 30 },
        { on: 'go_live', percent: 30 },
        { on: 'paid_in_full', percent: 50 },
      ],
    };
    const work = await PayWorkspace.create(service, { rules: [flatRule('New business', 0.1, { payout })] });
    await work.deal('D', 60_000, '2026-01-15', { fields: { go_live: '2026-03-05' } });
    const payments = [
      ['2026-03-05', 42_840],
      ['2026-05-02', 28_560],
    ] as const;
    await work.invoice('D', 60_000, payments, { grossAmount: 71_400 });
    const paid = [];
    for (const month of ['01', '02', '03', '04', '05']) paid.push(await work.payable(`2026-${month}`));
    expect(paid).to.deep.equal([0, 1200, 1800, 0, 3000]);
  });

  it('P13: a carry-forward pays the correction beside a late payment', async () => {
    const work = await PayWorkspace.create(service);
    await work.deal('D', 60_000, '2026-01-15');
    await work.invoice('D', 60_000, [['2026-01-20', 30_000]]);
    await work.approve('2026-01');
    await work.invoice('D', 66_000, [
      ['2026-01-20', 30_000],
      ['2026-01-20', 36_000],
    ]);
    await work.deal('D', 66_000, '2026-01-15');
    const { result } = await work.carryForward('2026-01');
    expect(result).to.include({ action: 'carried_forward', delta: 480, period: '2026-02' });
    await work.calculated();
    expect(await work.payable('2026-01')).to.equal(2400);
    const { payable } = await work.statement('2026-02');
    expect(payable.lines.map(({ kind, amount }: { kind: string; amount: number }) => [kind, amount])).to.deep.equal([
      ['release', 2400],
      ['correction', 480],
    ]);
    expect(payable.totals[0]).to.include({ released: 2400, carriedIn: 480, payable: 2880 });
  });

  it('P14: a row of an approved period stays in it', async () => {
    const work = await PayWorkspace.create(service, { payout: null });
    await work.deal('D', 60_000, '2026-01-15');
    await work.approve('2026-01');
    await work.deal('D', 61_000, '2026-03-10');
    expect((await work.trueUp('2026-01')).delta).to.equal(80);
    expect(await work.payable('2026-01')).to.equal(4880);
    expect(await work.payable('2026-03')).to.equal(0);
  });

  it('P15: a true-up recovers what is owed first', async () => {
    const work = await PayWorkspace.create(service, { payout: null });
    await work.deal('D', -6250, '2026-01-15');
    await work.deal('E', 6250, '2026-02-10');
    await work.approve('2026-01');
    expect(await work.balance()).to.equal(500);
    await work.deal('D', -2500, '2026-01-15');
    expect((await work.trueUp('2026-01')).delta).to.equal(300);
    expect((await work.statement('2026-01')).payable.totals[0]).to.include({ closing: 200, payable: 0 });
    expect(await work.balance()).to.equal(200);
    expect(await work.payable('2026-02')).to.equal(300);
  });

  it('keep at most the share of what they release that the rep or the workspace says', async () => {
    const work = await PayWorkspace.create(service, { payout: null });
    await work.deal('D', -6250, '2026-01-15');
    await work.deal('E', 6250, '2026-02-10');
    await work.approve('2026-01');
    await work.api.expect(200, 'PATCH', '/v1/workspaces', { recovery: { maxPercent: 50 } });
    expect(await work.payable('2026-02')).to.equal(250);
    const { recovery } = await work.api.expect(200, 'PATCH', `/v1/reps/${work.ben}`, { recovery: { maxPercent: 10 } });
    expect(recovery).to.deep.equal({ maxPercent: 10 });
    expect(await work.payable('2026-02')).to.equal(450);
    await work.api.expect(200, 'PATCH', `/v1/reps/${work.ben}`, { recovery: null });
    expect(await work.payable('2026-02')).to.equal(250);
  });

  it('approve pay periods in their order, and unlock them in the opposite order', async () => {
    const work = await PayWorkspace.create(service, { payout: null });
    const { api, ben } = work;
    await work.deal('D', 10_000, '2026-01-15');
    await work.deal('E', 10_000, '2026-02-15');
    const approval = (period: string, body: object = {}) =>
      api.post(`/v1/statements/${ben}/approve`, { period, status: 'approved', ...body });
    await api.generate(ben, '2026-Q1');
    expect((await approval('2026-Q1')).body).to.deep.include({
      code: 'not_a_pay_period',
      details: { period: '2026-01' },
    });
    await api.generate(ben, '2026-02');
    const early = await approval('2026-02');
    expect([early.status, early.body.code, early.body.details.period]).to.deep.equal([
      409,
      'earlier_period_open',
      '2026-01',
    ]);
    expect((await approval('2026-02', { force: true })).status).to.equal(200);
    await work.approve('2026-01');
    const locked = await api.post(`/v1/statements/${ben}/approve`, { period: '2026-01', status: 'draft' });
    expect([locked.status, locked.body.code]).to.deep.equal([409, 'later_statement_approved']);
    await api.unlock(ben, '2026-02');
    await api.unlock(ben, '2026-01');
    expect(await work.payable('2026-01')).to.equal(800);
  });

  it('are stale when a payment changes what they pay', async () => {
    const work = await PayWorkspace.create(service);
    await work.deal('D', 60_000, '2026-01-15');
    const { version } = await work.api.generate(work.ben, '2026-01');
    expect(await work.statement('2026-01')).not.to.have.property('stale');
    await work.invoice('D', 60_000, [['2026-01-20', 30_000]]);
    expect(await work.statement('2026-01')).to.include({ stale: true, liveNetPayout: 4800, livePayable: 2400 });
    const team = await work.api.expect(200, 'GET', '/v1/statements?period=2026-01');
    const row = team.statements.find(({ repId }: { repId: string }) => repId === work.ben);
    expect(row).to.include({ stale: true, livePayable: 2400 });
    const { status, body } = await work.api.post(`/v1/statements/${work.ben}/approve`, {
      period: '2026-01',
      status: 'approved',
      version,
    });
    expect([status, body.code]).to.deep.equal([409, 'statement_changed']);
  });

  it('never change when they are approved, also if the terms of the rule change', async () => {
    const work = await PayWorkspace.create(service);
    await work.deal('D', 60_000, '2026-01-15');
    await work.invoice('D', 60_000, [['2026-01-20', 30_000]]);
    await work.approve('2026-01');
    const approved = (await work.statement('2026-01')).payable;
    await work.invoice('D', 60_000, []);
    await work.api.expect(201, 'POST', '/v1/payables/holds', { repId: work.ben, from: '2026-01-01', reason: 'Audit' });
    expect((await work.statement('2026-01')).payable).to.deep.equal(approved);
    expect(await work.lines('2026-02')).to.deep.equal({ D: -2400 });
  });

  it('pay in full what was earned before the first pay period, with its statement', async () => {
    const work = await PayWorkspace.create(service, { payouts: null });
    await work.deal('D', 60_000, '2026-01-15');
    await work.approve('2026-01');
    expect((await work.statement('2026-01')).summary).not.to.have.property('payable');
    const used = await work.api.patch('/v1/workspaces', { payouts: { enabled: true, from: '2026-01-01' } });
    expect([used.status, used.body.code]).to.deep.equal([409, 'pay_period_in_use']);
    await work.api.expect(200, 'PATCH', '/v1/workspaces', { payouts: { enabled: true, from: '2026-02-01' } });
    expect(await work.payable('2026-02')).to.equal(0);
    await work.deal('D', 66_000, '2026-01-15');
    await work.carryForward('2026-01');
    expect(await work.payable('2026-02')).to.equal(480);
  });

  it('change their kind of periods where approved statements end with one of the new kind', async () => {
    const work = await PayWorkspace.create(service, { payout: null });
    await work.deal('D', 60_000, '2026-01-15');
    await work.approve('2026-01');
    const change = (payouts: object) => work.api.patch('/v1/workspaces', { payouts: { enabled: true, ...payouts } });
    expect((await change({ period: 'quarterly' })).body.code).to.equal('pay_period_in_use');
    expect((await work.api.patch('/v1/workspaces', { payouts: { enabled: false } })).body.code).to.equal(
      'pay_period_in_use',
    );
    await work.approve('2026-02', '2026-03');
    expect((await change({ period: 'quarterly' })).status).to.equal(200);
    await work.deal('E', 10_000, '2026-04-15');
    expect(await work.payable('2026-Q2')).to.equal(800);
    expect((await work.statement('2026-04')).summary).not.to.have.property('payable');
    const { payouts } = await work.api.expect(200, 'GET', '/v1/workspaces');
    expect(payouts).to.deep.equal({ enabled: true, from: '2026-01-01', period: 'quarterly', calendar: 'calendar' });
    const { workspace } = await work.api.expect(200, 'GET', '/auth/me');
    expect(workspace.payPeriods).to.deep.equal([
      { from: '2026-01-01', period: 'monthly', calendar: 'calendar' },
      { from: '2026-04-01', period: 'quarterly', calendar: 'calendar' },
    ]);
  });

  it('keep the days on which fiscal pay periods begin and end', async () => {
    const year = { year: 2026, start: '2026-02-01', pattern: 'months' };
    const later = [year, { ...year, year: 2027, start: '2027-02-01' }];
    const define = (...years: object[]) => work.api.put('/v1/fiscal-years', years);
    const change = (payouts: object) => work.api.expect(200, 'PATCH', '/v1/workspaces', { payouts });
    const rejects = async (...years: object[]) => {
      const { status, body } = await define(...years);
      expect([status, body.code, body.details?.period]).to.deep.equal([409, 'pay_period_in_use', 'FY2026-P01']);
    };
    let work = await PayWorkspace.create(service, { payout: null, payouts: null });
    await define(year);
    await change({ enabled: true, from: '2026-02-01', calendar: 'fiscal' });
    await rejects({ ...year, start: '2026-02-02' });
    await rejects();
    await change({ enabled: false });
    expect((await define()).status).to.equal(200);

    work = await PayWorkspace.create(service, { payout: null });
    await define(year);
    await work.approve('2026-01');
    await change({ enabled: true, calendar: 'fiscal' });
    await rejects({ ...year, start: '2026-02-02' });
    expect((await define(...later)).status).to.equal(200);
    await work.approve('FY2026-P01');
    await change({ enabled: true, calendar: 'calendar' });
    await work.api.unlock(work.ben, 'FY2026-P01');
    await rejects({ ...year, pattern: '5-4-4' });
    expect((await define({ ...year, pattern: '4-5-4' })).status).to.equal(200);
    await work.deal('D', 10_000, '2026-02-15');
    await work.deal('E', 20_000, '2026-03-15');
    await work.api.generate(work.ben, 'FY2026-P01');
    expect([await work.payable('FY2026-P01'), await work.payable('2026-03')]).to.deep.equal([800, 1600]);
  });
});
