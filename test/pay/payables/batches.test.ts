import { expect } from 'chai';
import pg from 'pg';
import sinon from 'sinon';
import { EventReceiver } from '#test/support/event-receiver.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';
import { PayWorkspace } from './pay-service.js';

describe('payout batches', () => {
  const service = Service.duringSuite();

  async function paidDeal(): Promise<PayWorkspace> {
    const work = await PayWorkspace.create(service);
    await work.deal('D', 60_000, '2026-01-15');
    await work.invoice('D', 60_000, [['2026-01-20', 30_000]]);
    await work.approve('2026-01');
    return work;
  }

  const create = ({ api }: PayWorkspace, body: object = {}) =>
    api.expect(201, 'POST', '/v1/payout-batches', { period: '2026-01', ...body });
  const decide = ({ api }: PayWorkspace, batchId: string, body: object) =>
    api.patch(`/v1/payout-batches/${batchId}`, body);

  it('collect what approved statements pay, and are final when they are paid', async () => {
    const work = await paidDeal();
    const { api, ben } = work;
    const batch = await create(work);
    expect(batch).to.include({ status: 'open', layout: 'generic', people: 1, rowCount: 1, paidOn: null });
    expect(batch.totals).to.deep.equal([{ currency: 'USD', payable: 2400 }]);
    expect(batch.lines).to.deep.equal([
      {
        repId: ben,
        repName: 'Ben',
        period: '2026-01',
        version: 1,
        currency: 'USD',
        commission: 2400,
        bonus: 0,
        adjustment: 0,
        amount: 2400,
      },
    ]);
    expect(batch.missingPayrollIds).to.have.length(1);
    const second = await api.post('/v1/payout-batches', { period: '2026-01' });
    expect([second.status, second.body.code]).to.deep.equal([409, 'batch_open']);
    const locked = await api.post(`/v1/statements/${ben}/approve`, { period: '2026-01', status: 'draft' });
    expect(locked.body.code).to.equal('batch_open');

    const { body: paid } = await decide(work, batch.batchId, {
      status: 'paid',
      paidOn: '2026-02-05',
      reference: 'Run 2',
    });
    expect(paid).to.include({ status: 'paid', paidOn: '2026-02-05', reference: 'Run 2' });
    for (const status of ['paid', 'cancelled'])
      expect((await decide(work, batch.batchId, { status })).body.code).to.equal('already_paid');
    const unlock = await api.post(`/v1/statements/${ben}/approve`, { period: '2026-01', status: 'draft' });
    expect([unlock.status, unlock.body.code]).to.deep.equal([409, 'already_paid']);
    expect((await api.post('/v1/payout-batches', { period: '2026-01' })).body.code).to.equal('nothing_to_pay');
    const payout = { batchId: batch.batchId, status: 'paid', currency: 'USD', amount: 2400, paidOn: '2026-02-05' };
    expect((await work.statement('2026-01')).payouts).to.deep.equal([payout]);
    const team = await api.expect(200, 'GET', '/v1/statements?period=2026-01');
    const row = team.statements.find(({ repId }: { repId: string }) => repId === ben);
    expect(row.payouts).to.deep.equal([payout]);
    expect(row.payTotals[0]).to.include({ released: 2400, payable: 2400 });
    const { payables } = await work.payables('&status=paid');
    expect(payables[0]).to.include({ amount: 2400, batchId: batch.batchId, paidOn: '2026-02-05' });
    const { batches } = await api.expect(200, 'GET', '/v1/payout-batches?period=2026-01&status=paid');
    expect(batches.map(({ batchId }: { batchId: string }) => batchId)).to.deep.equal([batch.batchId]);
  });

  it('list as many of their people as a request asks for, and all by default', async () => {
    const work = await paidDeal();
    const { api } = work;
    const sizes = ({
      lines,
      missingPayrollIds,
      people,
    }: Record<'lines' | 'missingPayrollIds', unknown[]> & { people: number }) => [
      lines.length,
      missingPayrollIds.length,
      people,
    ];
    const { batchId, ...batch } = await api.expect(201, 'POST', '/v1/payout-batches?lines=0', { period: '2026-01' });
    expect(sizes(batch)).to.deep.equal([0, 0, 1]);
    const read = async (query: string) => sizes(await api.expect(200, 'GET', `/v1/payout-batches/${batchId}${query}`));
    expect(await read('')).to.deep.equal([1, 1, 1]);
    expect(await read('?lines=0')).to.deep.equal([0, 0, 1]);
    for (const lines of [0, 1]) {
      const query = sinon.spy(pg.Client.prototype, 'query');
      await read(`?lines=${lines}`).finally(() => query.restore());
      const reads = query
        .getCalls()
        .filter(({ args: [text] }) => /from payout_batch_lines l\s+join reps/.test(String(text)));
      expect(reads).to.have.length(lines);
    }
    const paid = await api.expect(200, 'PATCH', `/v1/payout-batches/${batchId}?lines=0`, { status: 'paid' });
    expect(sizes(paid)).to.deep.equal([0, 0, 1]);
  });

  it('are described by a dry run with their file, one for each currency, and nothing is stored', async () => {
    const work = await PayWorkspace.create(service, { payout: null });
    const { api, ben } = work;
    const adjust = (amount: number, currency: string) =>
      api.expect(200, 'POST', `/v1/statements/${ben}/adjust`, { period: '2026-01', amount, currency, reason: 'Bonus' });
    await adjust(300, 'EUR');
    await adjust(500, 'USD');
    await work.approve('2026-01');
    const preview = (currency: string, layout = 'gusto') =>
      api.expect(201, 'POST', '/v1/payout-batches?dryRun=true', { period: '2026-01', layout, currency });
    const described = await preview('EUR');
    expect(described.totals).to.deep.equal([{ currency: 'EUR', payable: 300 }]);
    expect((await api.expect(200, 'GET', '/v1/payout-batches')).count).to.equal(0);
    const first = await create(work, { layout: 'gusto', currency: 'EUR' });
    expect(first).to.include({ sha256: described.sha256, filename: described.filename });
    const file = await api.get(`/v1/payout-batches/${first.batchId}/file`);
    // The client of the tests leaves the mark of the encoding out, as browsers do.
    expect(file.body).to.equal(described.content.replace('\ufeff', ''));
    const again = await api.post('/v1/payout-batches', { period: '2026-01', currency: 'EUR' });
    expect(again.body.code).to.equal('batch_open');
    const second = await create(work, { layout: 'gusto', currency: 'USD' });
    expect(second.totals).to.deep.equal([{ currency: 'USD', payable: 500 }]);
    await decide(work, first.batchId, { status: 'cancelled' });
    const third = await create(work, { layout: 'gusto', currency: 'EUR' });
    expect([first, second, third].map(({ filename }) => filename)).to.deep.equal([
      'payout-2026-01-gusto.csv',
      'payout-2026-01-gusto-part-2.csv',
      'payout-2026-01-gusto-part-3.csv',
    ]);
    const none = await api.post('/v1/payout-batches?dryRun=true', { period: '2026-01', currency: 'GBP' });
    expect([none.status, none.body.code]).to.deep.equal([409, 'nothing_to_pay']);
  });

  it('pay what a true-up adds in another batch, and nothing twice', async () => {
    const work = await paidDeal();
    const first = await create(work);
    await decide(work, first.batchId, { status: 'paid' });
    await work.deal('D', 66_000, '2026-01-15');
    await work.invoice('D', 66_000, [['2026-01-20', 66_000]]);
    await work.trueUp('2026-01');
    const second = await create(work);
    expect(second.lines).to.have.length(1);
    expect(second.lines[0]).to.include({ version: 2, adjustment: 480, commission: 0, amount: 480 });
    expect(await work.api.expect(200, 'GET', `/v1/payout-batches/${first.batchId}`)).to.deep.include({
      status: 'paid',
      totals: [{ currency: 'USD', payable: 2400 }],
    });
  });

  it('make amounts unpaid again when they are cancelled', async () => {
    const work = await paidDeal();
    const first = await create(work);
    expect((await decide(work, first.batchId, { status: 'cancelled', paidOn: '2026-02-05' })).status).to.equal(400);
    expect((await decide(work, first.batchId, { status: 'cancelled' })).body.status).to.equal('cancelled');
    expect((await decide(work, first.batchId, { status: 'paid' })).body.code).to.equal('invalid_transition');
    expect((await create(work)).totals).to.deep.equal([{ currency: 'USD', payable: 2400 }]);
    const file = await work.api.get(`/v1/payout-batches/${first.batchId}/file`);
    expect([file.status, file.body.code]).to.deep.equal([409, 'invalid_transition']);
  });

  it('stay paid after a correction, and only the difference waits for another batch', async () => {
    const work = await PayWorkspace.create(service, { payout: null });
    await work.deal('D', 60_000, '2026-01-15');
    await work.approve('2026-01');
    const first = await create(work);
    await decide(work, first.batchId, { status: 'paid', paidOn: '2026-02-05' });
    const read = async () => {
      const { totals, paidOut, payables } = await work.payables();
      return [totals[0].paid, totals[0].approved, paidOut[0].amount, payables.length];
    };
    expect(await read()).to.deep.equal([4800, 0, 4800, 1]);
    await work.deal('D', 66_000, '2026-01-15');
    await work.trueUp('2026-01');
    expect(await read()).to.deep.equal([4800, 480, 4800, 2]);
    const second = await create(work);
    expect(second.totals).to.deep.equal([{ currency: 'USD', payable: 480 }]);
    await decide(work, second.batchId, { status: 'paid' });
    expect(await read()).to.deep.equal([5280, 0, 5280, 2]);
    await work.deal('D', 54_000, '2026-01-15');
    await work.trueUp('2026-01');
    expect(await read()).to.deep.equal([5280, -960, 5280, 3]);
    expect(await work.balance()).to.equal(960);
  });

  it('pay people in another currency, which the amounts that they earned say too', async () => {
    const work = await PayWorkspace.create(service, { payout: null });
    await work.api.expect(200, 'PATCH', `/v1/reps/${work.ben}`, { payCurrency: 'GBP', payCurrencyFrom: '2026-01-01' });
    const rates = [{ from: 'USD', to: 'GBP', day: '2026-01-31', rate: 0.8 }];
    await work.api.expect(200, 'PUT', '/v1/fx-rates', { rates });
    await work.deal('D', 60_000, '2026-01-15');
    await work.approve('2026-01');
    await decide(work, (await create(work)).batchId, { status: 'paid' });
    const { totals, paidOut } = await work.payables();
    expect(totals[0]).to.include({ currency: 'USD', paid: 4800, approved: 0 });
    expect(paidOut).to.deep.equal([{ currency: 'GBP', amount: 3840 }]);
  });

  it('list what waits once at the instant of the approval, and as it is corrected at that of the correction', async () => {
    const work = await paidDeal();
    const waitingAt = async (asOf: string) => {
      const { payables } = await work.payables(`&status=waiting&asOf=${asOf}`);
      return payables.map(({ amount }: { amount: number }) => amount);
    };
    const { approvedAt } = await work.statement('2026-01');
    await work.deal('D', 66_000, '2026-01-15');
    await work.trueUp('2026-01');
    const { generatedAt } = await work.statement('2026-01');
    expect(await waitingAt(approvedAt)).to.have.length(1);
    expect(await waitingAt(generatedAt)).to.deep.equal([2880]);
  });

  it('are read at the instants that they state, which are in milliseconds', async () => {
    const work = await paidDeal();
    const { batchId, createdAt } = await work.api.expect(201, 'POST', '/v1/payout-batches', { period: '2026-01' });
    const { decidedAt } = await work.api.expect(200, 'PATCH', `/v1/payout-batches/${batchId}`, { status: 'paid' });
    const statusAt = async (asOf: string) => (await work.statement('2026-01', `&asOf=${asOf}`)).payouts[0]?.status;
    expect([await statusAt(createdAt), await statusAt(decidedAt)]).to.deep.equal(['open', 'paid']);
  });

  it('cannot begin on days that a payroll file has paid', async () => {
    const work = await PayWorkspace.create(service, { payouts: null, payout: null });
    await work.deal('D', 60_000, '2026-01-15');
    await work.approve('2026-01');
    await work.api.expect(201, 'POST', '/v1/payroll-handovers', { period: '2026-01', layout: 'generic' });
    await work.api.unlock(work.ben, '2026-01');
    await work.calculated();
    const start = (from: string) => work.api.patch('/v1/workspaces', { payouts: { enabled: true, from } });
    for (const from of ['2025-12-01', '2026-01-01']) {
      const { status, body } = await start(from);
      expect([status, body.code, body.details?.period]).to.deep.equal([409, 'pay_period_in_use', '2026-01']);
    }
    expect((await start('2026-02-01')).status).to.equal(200);
  });

  it('pay only pay periods, and take the place of hand-overs there', async () => {
    const work = await paidDeal();
    const quarter = await work.api.post('/v1/payout-batches', { period: '2026-Q1' });
    expect([quarter.status, quarter.body.code]).to.deep.equal([409, 'not_a_pay_period']);
    const handover = await work.api.post('/v1/payroll-handovers', { period: '2026-01', layout: 'generic' });
    expect([handover.status, handover.body.code]).to.deep.equal([409, 'payouts_enabled']);
    expect((await decide(work, work.planId, { status: 'paid' })).body.code).to.equal('payout_batch_not_found');
  });

  it('keep their file, which pays what is payable', async () => {
    const work = await paidDeal();
    const { api } = work;
    await api.expect(200, 'PATCH', `/v1/reps/${work.ben}`, { payrollId: '004711' });
    const batch = await create(work, { layout: 'long' });
    const file = await api.get(`/v1/payout-batches/${batch.batchId}/file`);
    expect(file.status).to.equal(200);
    expect(file.body.replace(/^\uFEFF/, '').split('\r\n')).to.deep.equal([
      'Employee ID,Work Email,Earning Type,Amount,Currency,Effective Date',
      '004711,ben@acme.test,Commission,2400.00,USD,2026-01-31',
      '',
    ]);
    // Two files for payroll of one period could both be paid.
    for (const other of ['layout=long', 'layout=gusto', 'scope=new']) {
      const response = await api.get(`/v1/statements/export.csv?period=2026-01&${other}`);
      expect([response.status, response.body.code], other).to.deep.equal([409, 'payouts_enabled']);
    }
    const generic = await api.get('/v1/statements/export.csv?period=2026-01');
    expect(generic.body).to.include('Payable,Earned,Commissions,Bonuses,Adjustments,Statement Status');
    expect(generic.body).to.include('2400.00,4800.00,4800.00,0.00,0.00,approved');
  });

  it('are for admins and payroll', async () => {
    const work = await paidDeal();
    const [payroll] = await work.api.saveReps({ email: 'pay@acme.test', name: 'Pay', role: 'payroll' });
    const session = await work.as(payroll);
    const batch = await session.expect(201, 'POST', '/v1/payout-batches', { period: '2026-01' });
    expect(batch.actor).to.include({ repId: payroll });
    expect((await (await work.as(work.mia)).get('/v1/payout-batches')).status).to.equal(403);
    const { status } = await session.patch(`/v1/payout-batches/${batch.batchId}`, { status: 'paid' });
    expect(status).to.equal(200);
  });
});

describe('outgoing events of payouts', () => {
  const service = Service.duringSuite();

  it('report what payments release, holds, and what is paid', async () => {
    const work = await PayWorkspace.create(service);
    const { api, ben } = work;
    const receiver = await EventReceiver.start();
    try {
      const eventTypes = ['payable.released', 'payable.held', 'payout.paid'];
      await api.expect(201, 'POST', '/v1/webhook-endpoints', { url: receiver.url, eventTypes });
      await work.deal('D', 60_000, '2026-01-15');
      await work.invoice('D', 60_000, [['2026-01-20', 30_000]]);
      await work.invoice('D', 60_000, [['2026-01-20', 30_000]]);
      await work.approve('2026-01');
      const { batchId } = await api.expect(201, 'POST', '/v1/payout-batches', { period: '2026-01' });
      await api.expect(200, 'PATCH', `/v1/payout-batches/${batchId}`, { status: 'paid', paidOn: '2026-02-05' });
      const { holdId } = await api.expect(201, 'POST', '/v1/payables/holds', {
        dealId: 'D',
        from: '2026-02-01',
        reason: 'Audit',
      });
      await until(() => (receiver.received.length >= 3 ? true : undefined));
      const events = receiver.received.map(({ body: { type, data } }) => ({ type, data }));
      expect(events).to.deep.equal([
        { type: 'payable.released', data: { repId: ben, dealId: 'D', currency: 'USD', released: 2400, change: 2400 } },
        {
          type: 'payout.paid',
          data: { batchId, repId: ben, period: '2026-01', currency: 'USD', amount: 2400, paidOn: '2026-02-05' },
        },
        {
          type: 'payable.held',
          data: { holdId, repId: ben, dealId: 'D', ruleName: null, from: '2026-02-01', to: null },
        },
      ]);
    } finally {
      await receiver.stop();
    }
  });
});
