import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { PayWorkspace } from '../pay/payables/pay-service.js';
import { Books } from './finance-service.js';

describe('what people are owed at the end of a month', () => {
  const service = Service.duringSuite();

  /** P1 of the money model: 4,800 earned in January, paid as the customer pays. */
  async function customerPays(options: object = {}): Promise<Books> {
    const books = await Books.open(service, options);
    const { work } = books;
    await work.deal('D1', 60_000, '2026-01-15');
    await work.invoice('D1', 60_000, [
      ['2026-02-15', 20_000],
      ['2026-04-03', 40_000],
    ]);
    await work.approve('2026-01', '2026-02');
    await books.pay('2026-02', '2026-03-15');
    await work.approve('2026-03', '2026-04');
    await books.pay('2026-04', '2026-05-15');
    return books;
  }

  it('waits for the customer, is payable, and is paid (L1)', async () => {
    const books = await customerPays();
    const january = await books.liability('2026-01');
    expect(january).to.include({ opening: 0, earned: 4800, paid: 0, closing: 4800 });
    expect(january.states).to.include({ waiting: 4800, payable: 0 });
    expect((await books.liability('2026-02')).states).to.include({ waiting: 3200, payable: 1600 });
    const march = await books.liability('2026-03');
    expect(march).to.include({ opening: 4800, earned: 0, paid: -1600, closing: 3200 });
    expect(march.states).to.include({ waiting: 3200, payable: 0 });
    expect((await books.liability('2026-04')).states).to.include({ waiting: 0, payable: 3200 });
    expect(await books.liability('2026-05')).to.include({ opening: 3200, paid: -3200, closing: 0 });
  });

  it("has the employer's payroll tax of what is owed, which payments use up (L5)", async () => {
    const books = await customerPays();
    await books.entity({ payrollTax: [{ from: '2026-01-01', percent: 7.65 }] });
    expect(await books.balance(['2026-01'], 'accrued_payroll_tax')).to.equal(-367.2);
    const months = ['2026-01', '2026-02', '2026-03', '2026-04', '2026-05'];
    expect(await books.balance(months, 'accrued_payroll_tax')).to.equal(0);
    expect(await books.balance(months, 'payroll_tax_clearing')).to.equal(-367.2);
    expect(await books.balance(months, 'payroll_tax_expense')).to.equal(367.2);
  });

  it('has the tax of the percentage of the last day (N51)', async () => {
    const books = await Books.open(service);
    await books.work.deal('D1', 60_000, '2026-01-15');
    await books.entity({
      payrollTax: [
        { from: '2026-01-01', percent: 7.65 },
        { from: '2026-02-01', percent: 10 },
      ],
    });
    expect(await books.moved('2026-01', 'accrued_payroll_tax')).to.equal(-367.2);
    expect(await books.moved('2026-02', 'payroll_tax_expense')).to.equal(112.8);
    expect(await books.balance(['2026-01', '2026-02'], 'accrued_payroll_tax')).to.equal(-480);
  });

  it('rounds the tax of what one person is owed once (N34)', async () => {
    const books = await Books.open(service, { payout: null });
    for (const dealId of ['D1', 'D2', 'D3']) await books.work.deal(dealId, 126.25, '2026-01-15');
    await books.entity({ payrollTax: [{ from: '2026-01-01', percent: 7.65 }] });
    expect(await books.liability('2026-01')).to.include({ closing: 30.3 });
    expect(await books.moved('2026-01', 'payroll_tax_expense')).to.equal(2.32);
  });

  it('posts a recoverable guarantee as a receivable when it is paid (L6)', async () => {
    const books = await Books.open(service, { payout: null });
    const { work } = books;
    await work.api.expect(201, 'POST', '/v1/draws', {
      repId: work.ben,
      kind: 'guarantee',
      recoverable: true,
      amount: 2000,
      from: '2026-01-01',
      to: '2026-01-31',
    });
    await work.deal('D1', 15_000, '2026-01-15');
    expect(await books.liability('2026-01')).to.include({ earned: 1200, topUps: 0, closing: 1200 });
    await work.approve('2026-01');
    await books.pay('2026-01', '2026-02-15');
    const february = await books.liability('2026-02');
    expect(february).to.include({ opening: 1200, paid: -1200, closing: 0 });
    expect(february.draws).to.deep.equal({ opening: 0, granted: 800, recovered: 0, forgiven: 0, closing: 800 });
    expect(await books.moved('2026-02', 'draws_receivable')).to.equal(800);
    expect(await books.moved('2026-02', 'payroll_clearing')).to.equal(-2000);
  });

  it('posts a guarantee that is not paid back before it is paid (N31)', async () => {
    const books = await Books.open(service, { payout: null });
    const { work } = books;
    await work.api.expect(201, 'POST', '/v1/draws', {
      repId: work.ben,
      kind: 'guarantee',
      recoverable: false,
      amount: 2000,
      from: '2026-01-01',
      to: '2026-01-31',
    });
    await work.deal('D1', 12_500, '2026-01-15');
    expect(await books.liability('2026-01')).to.include({ earned: 1000, topUps: 1000, closing: 2000 });
    expect(await books.moved('2026-01', 'draw_expense')).to.equal(1000);
    await work.approve('2026-01');
    expect(await books.liability('2026-01')).to.include({ topUps: 1000, closing: 2000 });
    await books.pay('2026-01', '2026-02-10');
    expect(await books.liability('2026-02')).to.include({ opening: 2000, paid: -2000, closing: 0 });
  });

  it('recovers an advance, and forgives of it (N32)', async () => {
    const books = await Books.open(service, { payout: null });
    const { work } = books;
    const { drawId } = await work.api.expect(201, 'POST', '/v1/draws', {
      repId: work.ben,
      kind: 'advance',
      recoverable: true,
      amount: 2000,
      from: '2026-01-01',
      to: '2026-01-31',
    });
    await work.approve('2026-01');
    await books.pay('2026-01', '2026-01-31');
    await work.deal('D1', 11_250, '2026-02-10');
    await work.approve('2026-02');
    await work.api.expect(200, 'POST', `/v1/draws/${drawId}/forgive`, { amount: 500, reason: 'Agreed' });
    // What is forgiven by hand counts from today on.
    const { current } = await books.get('');
    const closings = [];
    for (const month of ['2026-01', '2026-02', current]) closings.push((await books.liability(month)).draws.closing);
    expect(closings).to.deep.equal([2000, 1100, 600]);
    expect(await books.liability('2026-02')).to.include({ earned: 900, recovered: -900, closing: 0 });
    expect(await books.moved(current, 'draw_expense')).to.equal(500);
  });

  it('recovers a draw no sooner than it was paid (N33)', async () => {
    const books = await Books.open(service, { payout: null });
    const { work } = books;
    await work.api.expect(201, 'POST', '/v1/draws', {
      repId: work.ben,
      kind: 'guarantee',
      recoverable: true,
      amount: 800,
      from: '2026-01-01',
      to: '2026-01-31',
    });
    await work.approve('2026-01');
    await work.deal('D1', 12_500, '2026-02-10');
    await work.approve('2026-02');
    await books.pay('2026-01', '2026-03-05');
    expect(await books.liability('2026-02')).to.include({ recovered: 0, closing: 1000 });
    const march = await books.liability('2026-03');
    expect(march).to.include({ recovered: -800, closing: 200 });
    expect(march.draws).to.include({ granted: 800, recovered: -800, closing: 0 });
  });

  it('has a roll-forward for each currency, and its value in that of the entity (L8)', async () => {
    const books = await Books.open(service, { payout: null });
    const { work } = books;
    await work.deal('D1', 60_000, '2026-01-15');
    const eur = { period: '2026-01', amount: 1000, currency: 'EUR', reason: 'Bonus' };
    await work.api.expect(200, 'POST', `/v1/statements/${work.ben}/adjust`, eur);
    const missing = await books.get('/liability?month=2026-01');
    expect(missing.missingRates.map(({ currency }: { currency: string }) => currency)).to.include('EUR');
    await work.api.expect(200, 'PUT', '/v1/fx-rates', {
      rates: [{ from: 'EUR', to: 'USD', day: '2026-01-01', rate: 1.1 }],
    });
    expect(await books.liability('2026-01')).to.include({ earned: 4800, closing: 4800, value: 4800 });
    const inEuro = await books.liability('2026-01', { currency: 'EUR' });
    expect(inEuro).to.include({ adjustments: 1000, closing: 1000, value: 1100 });
    expect(await books.moved('2026-01', 'accrued_commission')).to.equal(-5900);
  });

  it('shows what a person owes apart from what others are owed (N4)', async () => {
    const books = await Books.open(service, { payout: null });
    const { work } = books;
    const adjust = (repId: string, period: string, amount: number) =>
      work.api.expect(200, 'POST', `/v1/statements/${repId}/adjust`, { period, amount, reason: 'Agreed' });
    await adjust(work.ben, '2026-01', 1000);
    await adjust(work.ben, '2026-02', -1500);
    await adjust(work.mia, '2026-02', 700);
    await adjust(work.ben, '2026-03', 900);
    expect(await books.liability('2026-02')).to.include({ liability: 700, receivable: 500, closing: 200 });
    expect(await books.balance(['2026-01', '2026-02'], 'commission_receivable')).to.equal(500);
    expect(await books.liability('2026-03')).to.include({ liability: 1100, receivable: 0 });
    expect(await books.moved('2026-03', 'commission_receivable')).to.equal(-500);
    const people = await books.get('/liability?month=2026-02&groupBy=person');
    expect(
      people.liability.map((row: { repName: string; closing: number }) => [row.repName, row.closing]),
    ).to.deep.equal([
      ['Ben', -500],
      ['Mia', 700],
    ]);
  });

  it('is paid by hand-overs where payouts are off, and a full file takes back what it replaces', async () => {
    const books = await Books.open(service, { payouts: null, payout: null });
    const { work } = books;
    await work.deal('D1', 60_000, '2026-01-15');
    await work.approve('2026-01');
    const { current } = await books.get('');
    for (let files = 0; files < 2; files += 1) {
      await work.api.expect(201, 'POST', '/v1/payroll-handovers', { period: '2026-01', layout: 'generic' });
      expect(await books.liability(current)).to.include({ paid: -4800, closing: 0 });
    }
  });

  it('begins with the balances of the day before, and takes later changes of them as corrections (N24)', async () => {
    const work = await PayWorkspace.create(service, { payout: null, payouts: { enabled: true, from: '2025-07-01' } });
    const books = new Books(work);
    await work.deal('D1', 45_000, '2025-07-15');
    await work.approve('2025-07');
    await books.turnOn({ from: '2026-01' });
    expect(await books.liability('2026-01')).to.include({ opening: 3600, corrections: 0, closing: 3600 });
    await work.deal('D1', 49_500, '2025-07-15');
    await work.trueUp('2025-07');
    const january = await books.liability('2026-01');
    expect(january).to.include({ opening: 3600, corrections: 360, closing: 3960 });
    const [line] = (await books.get('/journals?month=2026-01&kind=correction')).lines;
    expect(line).to.include({ dealId: 'D1', late: true });
  });

  it('begins with the balances that count after payouts are turned on', async () => {
    const books = await Books.open(service, { payouts: null, payout: null });
    const { work } = books;
    await work.deal('D1', 45_000, '2025-12-15');
    await books.turnOn({ from: '2026-02' });
    expect(await books.liability('2026-02')).to.include({ opening: 3600, corrections: 0 });
    await work.api.expect(200, 'PATCH', '/v1/workspaces', { payouts: { enabled: true, from: '2026-01-01' } });
    expect(await books.liability('2026-02')).to.include({ opening: 0, closing: 0 });
  });

  it('is the same again with an earlier instant after facts have changed', async () => {
    const books = await Books.open(service, { payout: null });
    await books.work.deal('D1', 60_000, '2026-01-15');
    const before = await books.get('/liability?month=2026-01&groupBy=person');
    const at = new Date().toISOString();
    await books.work.deal('D1', 90_000, '2026-01-15');
    await books.work.deal('D2', 10_000, '2026-01-20');
    expect(await books.get(`/liability?month=2026-01&groupBy=person&asOf=${at}`)).to.deep.equal(before);
    expect(await books.liability('2026-01')).to.include({ closing: 8000 });
  });

  it('is a file with one row for each person and currency', async () => {
    const books = await Books.open(service, { payout: null });
    await books.work.deal('D1', 60_000, '2026-01-15');
    const { body } = await books.work.api.get('/v1/accounting/liability/export.csv?month=2026-01');
    const [header, row] = body.split('\r\n');
    expect(header).to.equal(
      'Month,Entity,Currency,Rep ID,Person,Opening,Earned,Corrections,Adjustments,Taken back,Top-ups,Recovered,Paid,Written off,Closing,Waiting,Held,Payable,Approved,In batch,To recover,Draws receivable',
    );
    expect(row).to.equal(
      `2026-01,main,USD,${books.work.ben},Ben,0.00,4800.00,0.00,0.00,0.00,0.00,0.00,0.00,0.00,4800.00,0.00,0.00,4800.00,0.00,0.00,0.00,0.00`,
    );
  });

  it('is not kept while accounting is off, and begins with a month that has books', async () => {
    const work = await PayWorkspace.create(service);
    const off = await work.api.get('/v1/accounting/liability?month=2026-01');
    expect([off.status, off.body.code]).to.deep.equal([409, 'accounting_off']);
    const missing = await work.api.patch('/v1/workspaces', { accounting: { enabled: true } });
    expect(missing.status).to.equal(400);
    await work.api.expect(200, 'PATCH', '/v1/workspaces', { accounting: { enabled: true, from: '2026-01' } });
    for (const month of ['2025-12', '2199-01']) {
      const { status, body } = await work.api.get(`/v1/accounting/liability?month=${month}`);
      expect([status, body.code]).to.deep.equal([404, 'month_not_found']);
    }
    await work.api.expect(200, 'PATCH', '/v1/workspaces', { accounting: { enabled: false } });
    expect((await work.api.get('/v1/accounting')).status).to.equal(409);
  });
});
