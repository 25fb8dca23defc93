import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { PayWorkspace } from './pay-service.js';

interface Entry {
  readonly dealId: string;
  readonly status: string;
  readonly amount: number;
}

describe('payables', () => {
  const service = Service.duringSuite();

  it('list what is waiting, held, payable, approved and paid, and what it waits for', async () => {
    const work = await PayWorkspace.create(service);
    const { api } = work;
    await work.deal('D', 60_000, '2026-01-15');
    await work.deal('E', 10_000, '2026-01-20');
    await work.invoice('D', 60_000, [
      ['2026-01-20', 30_000],
      ['2026-02-20', 10_000],
    ]);
    await work.invoice('E', 10_000, [['2026-01-25', 10_000]]);
    const { holdId } = await api.expect(201, 'POST', '/v1/payables/holds', {
      dealId: 'E',
      from: '2026-01-25',
      reason: 'Checked by finance',
    });
    await work.approve('2026-01');
    const { payables, totals, count } = await work.payables();
    expect(payables.map(({ dealId, status, amount }: Entry) => [dealId, status, amount])).to.deep.equal([
      ['D', 'approved', 2400],
      ['D', 'payable', 800],
      ['D', 'waiting', 1600],
      ['E', 'held', 800],
    ]);
    expect(count).to.equal(4);
    expect(totals).to.deep.equal([
      { currency: 'USD', earned: 5600, waiting: 1600, held: 800, payable: 800, approved: 2400, paid: 0, balance: 0 },
    ]);
    expect(payables[2].waitsFor).to.deep.equal([{ because: 'customer_not_paid', on: 'paid', expectedOn: null }]);
    expect(payables[3].heldBy).to.deep.equal([{ holdId, reason: 'Checked by finance', from: '2026-01-25', to: null }]);
    expect(payables[0]).to.include({ repName: 'Ben', dealName: 'D', earned: 4800, share: 0.666667, period: '2026-01' });
    expect((await work.payables('&status=held')).count).to.equal(1);
    expect((await work.payables('&dealId=E')).payables).to.have.length(1);
  });

  it('are explained with each event', async () => {
    const work = await PayWorkspace.create(service);
    const { api } = work;
    await work.deal('D', 60_000, '2026-01-15');
    await work.invoice('D', 60_000, [['2026-01-20', 15_000]]);
    const [event] = (await work.statement('2026-01')).lineItems;
    const explain = async () => (await api.expect(200, 'GET', `/v1/commissions/events/${event.eventId}`)).payable;
    expect(await explain()).to.deep.equal({
      share: 0.25,
      released: 1200,
      waiting: 3600,
      because: 'customer_not_paid',
      waitsFor: [{ because: 'customer_not_paid', on: 'paid', expectedOn: null }],
    });
    await api.expect(201, 'POST', '/v1/payables/holds', { dealId: 'D', from: '2026-01-01', reason: 'Audit' });
    expect((await explain()).because).to.equal('on_hold');
  });

  it('show a rep only their own', async () => {
    const work = await PayWorkspace.create(service);
    await work.deal('D', 60_000, '2026-01-15');
    const ben = await work.as(work.ben);
    const own = await ben.expect(200, 'GET', '/v1/payables');
    expect(own.payables.map(({ repId }: { repId: string }) => repId)).to.deep.equal([work.ben]);
    expect((await ben.get(`/v1/payables?repId=${work.mia}`)).status).to.equal(403);
  });

  it('are empty without payouts', async () => {
    const work = await PayWorkspace.create(service, { payouts: null });
    await work.deal('D', 60_000, '2026-01-15');
    expect(await work.payables()).to.deep.include({ payables: [], totals: [], count: 0 });
    expect((await work.statement('2026-01')).summary).not.to.have.property('payable');
  });

  it('read the payments of an earlier instant', async () => {
    const work = await PayWorkspace.create(service);
    await work.deal('D', 60_000, '2026-01-15');
    await work.invoice('D', 60_000, [['2026-01-20', 30_000]]);
    const [row] = await work.sql<{ at: Date }>('select clock_timestamp() as at where $1::uuid is not null');
    await work.invoice('D', 60_000, []);
    expect(await work.payable('2026-01')).to.equal(0);
    const earlier = await work.statement('2026-01', `&asOf=${row?.at.toISOString()}`);
    expect(earlier.summary.payable).to.equal(2400);
  });

  describe('invoices', () => {
    it('are replaced with their payments, read, and deleted', async () => {
      const work = await PayWorkspace.create(service);
      const { api } = work;
      await work.deal('D', 60_000, '2026-01-15');
      await work.invoice('D', 60_000, [
        ['2026-02-15', 20_000],
        ['2026-03-15', 10_000],
      ]);
      await work.invoice('D', 60_000, [['2026-02-15', 25_000]], { currency: 'USD' });
      const stored = await api.expect(200, 'GET', '/v1/deals/D/invoices/INV-1');
      expect(stored.payments).to.deep.equal([{ paymentId: 'P0', amount: 25_000, paidOn: '2026-02-15' }]);
      expect(stored).to.include({ amount: 60_000, grossAmount: null, currency: 'USD', status: 'open' });
      expect((await api.expect(200, 'GET', '/v1/deals/D/invoices')).count).to.equal(1);
      await api.expect(200, 'DELETE', '/v1/deals/D/invoices/INV-1');
      expect((await api.get('/v1/deals/D/invoices/INV-1')).body.code).to.equal('invoice_not_found');
      expect((await api.delete('/v1/deals/D/invoices/INV-1')).status).to.equal(404);
      expect(await work.payable('2026-02')).to.equal(0);
    });

    it('count by their status and currency', async () => {
      const work = await PayWorkspace.create(service);
      await work.deal('D', 60_000, '2026-01-15');
      const released = async (terms: object) => {
        await work.invoice('D', 60_000, [['2026-01-20', 30_000]], terms);
        return work.payable('2026-01');
      };
      expect(await released({ status: 'void' })).to.equal(0);
      expect(await released({ status: 'written_off' })).to.equal(2400);
      expect(await released({ currency: 'EUR' })).to.equal(0);
      expect(await released({ currency: 'USD' })).to.equal(2400);
    });

    it('of a deal without a currency are in the one that it earns in', async () => {
      const work = await PayWorkspace.create(service, { rules: [flatRule('None', 0)] });
      const payout = { schedule: [{ on: 'paid', percent: 100 }] };
      const config = { rules: [flatRule('Euro', 0.1, { payout })] };
      await work.api.createPlan({ name: 'Europe', currency: 'EUR', config }, [work.ben]);
      await work.deal('D', 1000, '2026-01-15');
      const released = async (currency: string) => {
        await work.invoice('D', 1000, [['2026-01-20', 500]], { currency });
        const { otherCurrencies } = await work.statement('2026-01');
        return otherCurrencies[0].summary.payable;
      };
      expect(await released('EUR')).to.equal(50);
      expect(await released('USD')).to.equal(0);
      expect((await work.api.expect(200, 'GET', '/v1/deals/D/invoices/INV-1')).payments[0].rateMissing).to.equal(true);
      const rates = [{ from: 'EUR', to: 'USD', day: '2026-01-01', rate: 1.1 }];
      await work.api.expect(200, 'PUT', '/v1/fx-rates', { rates });
      expect(await released('EUR')).to.equal(50);
      expect(await released('USD')).to.equal(45.45);
    });

    it('reject what is no invoice, and change nothing', async () => {
      const work = await PayWorkspace.create(service);
      const { api } = work;
      await work.deal('D', 60_000, '2026-01-15');
      const put = (body: object, deal = 'D') => api.put(`/v1/deals/${deal}/invoices/INV-1`, body);
      const invoice = { amount: 100, issuedOn: '2026-01-31' };
      const payment = { paymentId: 'P', amount: 10, paidOn: '2026-02-01' };
      expect((await put(invoice, 'unknown')).body.code).to.equal('deal_not_found');
      for (const body of [
        { ...invoice, amount: 0 },
        { ...invoice, amount: 1.00001 },
        { ...invoice, paid: 1 },
        { ...invoice, issuedOn: '2026-02-30' },
        { ...invoice, payments: [payment, payment] },
        { ...invoice, payments: [{ ...payment, amount: 0 }] },
      ])
        expect((await put(body)).status, JSON.stringify(body)).to.equal(400);
      expect((await api.expect(200, 'GET', '/v1/deals/D/invoices')).count).to.equal(0);
    });

    it('are imported from a file, with a result for each row', async () => {
      const work = await PayWorkspace.create(service);
      await work.deal('D', 60_000, '2026-01-15');
      const file = [
        'dealId,invoiceId,amount,issuedOn,paymentId,paidAmount,paidOn',
        'D,INV-1,60000,2026-01-31,P-1,20000,2026-01-20',
        'D,INV-1,60000,2026-01-31,P-2,10000,2026-01-21',
        'D,INV-2,5000,2026-01-31,,,',
        'D,INV-3,5000,2026-01-31,P-1,ten,2026-01-21',
        'X,INV-1,5000,2026-01-31,,,',
        'D,INV-4,5000,2026-01-31,P-1,10,2026-01-21',
        'D,INV-4,5001,2026-01-31,P-2,10,2026-01-21',
      ].join('\n');
      const send = (query = '') =>
        work.api.expect(200, 'POST', `/v1/invoices/import${query}`, file, { 'Content-Type': 'text/csv' });
      const dry = await send('?dryRun=true');
      expect(dry).to.include({ accepted: 3, rejected: 4, dryRun: true });
      expect(await work.payable('2026-01')).to.equal(0);
      const { results } = await send();
      const outcomes = results.map(({ outcome, code }: { outcome: string; code?: string }) => code ?? outcome);
      expect(outcomes).to.deep.equal([
        'created',
        'created',
        'created',
        'VALIDATION_FAILED',
        'deal_not_found',
        'VALIDATION_FAILED',
        'VALIDATION_FAILED',
      ]);
      expect(await work.payable('2026-01')).to.equal(2400);
      expect(await send()).to.include({ accepted: 0, unchanged: 3, rejected: 4 });
    });
  });

  describe('holds', () => {
    it('are listed with their reason, and apply to what they name', async () => {
      const work = await PayWorkspace.create(service, { payout: null });
      const { api, ben } = work;
      await work.deal('D', 60_000, '2026-01-15');
      await api.adjust(ben, '2026-01', 100, 'Spiff');
      const hold = (terms: object) => api.expect(201, 'POST', '/v1/payables/holds', { reason: 'Audit', ...terms });
      const first = await hold({ ruleName: 'New business', from: '2026-01-31', to: '2026-01-31' });
      expect(await work.payable('2026-01')).to.equal(100);
      await api.expect(200, 'PATCH', `/v1/payables/holds/${first.holdId}`, { to: '2026-01-31', note: 'Ends' });
      await hold({ repId: ben, from: '2026-01-01', to: '2026-01-31' });
      expect(await work.payable('2026-01')).to.equal(0);
      expect(await work.payable('2026-02')).to.equal(4900);
      const { holds } = await api.expect(200, 'GET', `/v1/payables/holds?repId=${ben}`);
      expect(holds.map(({ reason, note }: { reason: string; note: string | null }) => [reason, note])).to.deep.equal([
        ['Audit', null],
        ['Audit', 'Ends'],
      ]);
    });

    it('reject holds of nothing, of an unknown rep, and those of the own pay', async () => {
      const work = await PayWorkspace.create(service, { payout: null });
      const { api, ben } = work;
      await work.deal('D', 60_000, '2026-01-15');
      const terms = { from: '2026-01-31', reason: 'Audit' };
      expect((await api.post('/v1/payables/holds', terms)).status).to.equal(400);
      const unknown = { ...terms, repId: work.planId };
      expect((await api.post('/v1/payables/holds', unknown)).body.code).to.equal('rep_not_found');
      expect((await api.patch(`/v1/payables/holds/${work.planId}`, { to: null })).body.code).to.equal('hold_not_found');
      await api.expect(200, 'PATCH', `/v1/reps/${ben}`, { role: 'admin' });
      const own = await work.as(ben);
      for (const selected of [{ repId: ben }, { dealId: 'D' }, { ruleName: 'New business' }])
        expect((await own.post('/v1/payables/holds', { ...terms, ...selected })).status).to.equal(403);
      const { holdId } = await api.expect(201, 'POST', '/v1/payables/holds', { ...terms, dealId: 'D' });
      expect((await own.patch(`/v1/payables/holds/${holdId}`, { to: '2026-01-31' })).status).to.equal(403);
    });
  });

  it('reject a schedule that does not total 100, and one of a periodic rule that waits for the customer', async () => {
    const work = await PayWorkspace.create(service);
    const create = (rule: object) =>
      work.api.post('/v1/plans', {
        name: `Plan ${Math.random()}`,
        config: {
          rules: [{ name: 'R', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }], ...rule }],
        },
      });
    const partial = await create({ payout: { schedule: [{ on: 'paid', percent: 99.999999 }] } });
    expect([partial.status, partial.body.code]).to.deep.equal([400, 'schedule_must_total_100']);
    const periodic = { executionPhase: 'periodic', payout: { schedule: [{ on: 'paid', percent: 100 }] } };
    expect((await create(periodic)).body.details.issues[0].path).to.equal('config.rules.0.payout.schedule.0.on');
    expect((await create({ payout: { parts: 0, everyMonths: 1 } })).status).to.equal(400);
    const created = await create({
      payout: {
        schedule: [
          { on: 'close', percent: 30 },
          { on: 'x', percent: 70 },
        ],
      },
    });
    expect(created.status).to.equal(201);
  });
});
