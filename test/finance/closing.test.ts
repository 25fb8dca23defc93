import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { Closings } from './closings.js';

describe('closing a month of the books', () => {
  const service = Service.duringSuite();

  const deal = ({ work }: Closings, amount: number, closeDate = '2026-01-15') => work.deal('D1', amount, closeDate);

  it('keeps what was posted, and takes a late deal as a correction of the first open month (L7)', async () => {
    const closings = await Closings.open(service);
    const { books, work } = closings;
    await deal(closings, 60_000);
    await closings.close('2026-01', '2026-02');
    const before = await books.get('/liability?month=2026-02&groupBy=person');
    await work.deal('D2', 6250, '2026-02-27');
    expect(await books.get('/liability?month=2026-02&groupBy=person')).to.deep.equal(before);
    const march = await books.liability('2026-03');
    expect(march).to.include({ opening: 4800, corrections: 500, closing: 5300 });
    const { lines } = await books.get('/journals?month=2026-03&kind=correction&account=accrued_commission');
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ dealId: 'D2', dealName: 'D2', amount: -500, late: true, day: '2026-03-01' });
  });

  it('takes what changes twice before the next closing once (N13)', async () => {
    const closings = await Closings.open(service);
    const { books } = closings;
    await deal(closings, 60_000);
    await closings.close('2026-01', '2026-02');
    await deal(closings, 90_000);
    await deal(closings, 75_000);
    expect(await books.liability('2026-03')).to.include({ corrections: 1200 });
    await deal(closings, 60_000);
    expect((await books.get('/journals?month=2026-03')).lines).to.deep.equal([]);
    await deal(closings, 90_000);
    await closings.close('2026-03');
    expect(await books.liability('2026-03')).to.include({ corrections: 2400 });
    await deal(closings, 75_000);
    expect(await books.liability('2026-04')).to.include({ corrections: -1200, closing: 6000 });
  });

  it('moves a deal to another day by a correction and an earned row (N17)', async () => {
    const closings = await Closings.open(service);
    await deal(closings, 60_000);
    await closings.close('2026-01', '2026-02');
    await deal(closings, 60_000, '2026-03-10');
    const march = await closings.books.liability('2026-03');
    expect(march).to.include({ corrections: -4800, earned: 4800, closing: 4800 });
  });

  it('moves a deal to another person by a correction for each (N16)', async () => {
    const closings = await Closings.open(service);
    const { books, work } = closings;
    await closings.capitalise();
    const [eve] = await work.api.saveReps({ email: 'eve@acme.test', name: 'Eve', crmMemberId: 'eve' });
    await work.api.expect(201, 'POST', '/v1/assignments', { repIds: [eve], planId: work.planId });
    await deal(closings, 60_000);
    await closings.close('2026-01', '2026-02');
    await work.deal('D1', 60_000, '2026-01-15', { ownerId: 'eve' });
    const { contractCosts } = await books.get('/contract-costs?month=2026-03&groupBy=person');
    const moved = contractCosts.map((row: { repName: string; corrections: number; amortised: number }) => [
      row.repName,
      row.corrections,
      row.amortised,
    ]);
    expect(moved).to.deep.equal([
      ['Ben', -4800, 266.67],
      ['Eve', 4800, -400],
    ]);
    expect(await books.moved('2026-03', 'amortisation_expense')).to.equal(133.33);
    expect(await books.liability('2026-03')).to.include({ corrections: 0, closing: 4800 });
  });

  it('takes back what a statement recovered that is unlocked (N7)', async () => {
    const closings = await Closings.open(service);
    const { books, work } = closings;
    await work.api.expect(201, 'POST', '/v1/draws', {
      repId: work.ben,
      kind: 'advance',
      recoverable: true,
      amount: 300,
      from: '2026-01-01',
      to: '2026-01-31',
    });
    await work.approve('2026-01');
    await books.pay('2026-01', '2026-01-31');
    await deal(closings, 12_500, '2026-02-10');
    await work.approve('2026-02');
    expect(await books.liability('2026-02')).to.include({ earned: 1000, recovered: -300, closing: 700 });
    await closings.close('2026-01', '2026-02');
    await work.api.unlock(work.ben, '2026-02');
    await deal(closings, 10_000, '2026-02-10');
    const march = await books.liability('2026-03');
    expect(march).to.include({ corrections: -200, recovered: 300, late: 300, closing: 800 });
    expect(march.draws).to.include({ closing: 300 });
  });

  it('takes the deletion of an adjustment back (N38)', async () => {
    const closings = await Closings.open(service);
    const { books, work } = closings;
    const adjust = { period: '2026-01', amount: 300, reason: 'Agreed' };
    const { eventId } = await work.api.expect(200, 'POST', `/v1/statements/${work.ben}/adjust`, adjust);
    await closings.close('2026-01');
    await work.api.expect(200, 'DELETE', `/v1/statements/${work.ben}/adjust/${eventId}`);
    expect(await books.liability('2026-02')).to.include({ opening: 300, corrections: -300, closing: 0 });
  });

  it('keeps a payment that becomes known late in its column (N39)', async () => {
    const closings = await Closings.open(service);
    const { books, work } = closings;
    await deal(closings, 60_000);
    await work.approve('2026-01');
    await closings.close('2026-01', '2026-02');
    await books.pay('2026-01', '2026-02-20');
    expect(await books.liability('2026-03')).to.include({ corrections: 0, paid: -4800, late: -4800, closing: 0 });
  });

  it('takes a refund of a closed month as a correction, and its deletion too (N18, N19)', async () => {
    const rules = [flatRule('New business', 0.08, { clawback: { window: { from: 'close_date', days: 365 } } })];
    const closings = await Closings.open(service, { rules });
    const { books, work } = closings;
    await deal(closings, 60_000);
    await closings.close('2026-01', '2026-02', '2026-03');
    const refund = { day: '2026-02-10', cause: 'refund', amount: 15_000 };
    await work.api.expect(200, 'PUT', '/v1/deals/D1/refunds/R1', refund);
    await work.calculated();
    expect(await books.liability('2026-04')).to.include({ corrections: -1200, takenBack: 0, closing: 3600 });
    await closings.close('2026-04');
    await work.api.expect(200, 'DELETE', '/v1/deals/D1/refunds/R1');
    await work.calculated();
    expect(await books.liability('2026-05')).to.include({ opening: 3600, corrections: 1200, closing: 4800 });
  });

  it('needs the months in their order, after their last day, and a second person (N26)', async () => {
    const closings = await Closings.open(service);
    const { ann, ned, books } = closings;
    await deal(closings, 60_000);
    const { current } = await books.get('');
    expect(await closings.rejection(ann, '2026-02/prepare')).to.deep.equal([409, 'close_in_order']);
    expect(await closings.rejection(ned, '2026-01/close', { hash: 'x' })).to.deep.equal([409, 'month_not_prepared']);
    const { hash, status } = await ann.expect(200, 'POST', '/v1/accounting/months/2026-01/prepare');
    expect(status).to.equal('prepared');
    expect(await closings.rejection(ann, '2026-01/close', { hash })).to.deep.equal([403, 'second_person_required']);
    const byKey = await closings.rejection(closings.work.api, '2026-01/close', { hash });
    expect(byKey).to.deep.equal([403, 'forbidden']);
    await closings.work.deal('D2', 10_000, '2026-01-20');
    const changed = await ned.post('/v1/accounting/months/2026-01/close', { hash });
    expect([changed.status, changed.body.code]).to.deep.equal([409, 'books_changed']);
    expect(changed.body.details.changed).to.deep.include({
      entity: 'main',
      account: 'accrued_commission USD',
      before: '-4800',
      now: '-5600',
    });
    const { months } = await books.get('/months');
    expect(months.map((each: { status: string }) => each.status)).to.deep.equal(
      months.map((each: { month: string }) => (each.month === '2026-01' ? 'prepared' : 'open')),
    );
    expect((await books.get(`/months/${current}`)).checklist.blocking).to.deep.include({
      code: 'month_not_over',
      count: 1,
    });
  });

  it('needs an exchange rate for every amount (N26)', async () => {
    const closings = await Closings.open(service);
    const { work, ann } = closings;
    const eur = { period: '2026-01', amount: 1000, currency: 'EUR', reason: 'Bonus' };
    await work.api.expect(200, 'POST', `/v1/statements/${work.ben}/adjust`, eur);
    expect(await closings.rejection(ann, '2026-01/prepare')).to.deep.equal([409, 'fx_rate_missing']);
  });

  it('is reopened by two people, and has the same hash if nothing changed (N25)', async () => {
    const closings = await Closings.open(service);
    const { ann, ned, books } = closings;
    await deal(closings, 60_000);
    const hash = await closings.close('2026-01');
    const reason = { reason: 'A batch was missing' };
    const requested = await ann.expect(200, 'POST', '/v1/accounting/months/2026-01/reopen', reason);
    expect(requested.reopening.reason).to.equal('A batch was missing');
    expect(await closings.rejection(ann, '2026-01/reopen', reason)).to.deep.equal([403, 'second_person_required']);
    const open = await ned.expect(200, 'POST', '/v1/accounting/months/2026-01/reopen', reason);
    expect([open.status, open.earlier.length]).to.deep.equal(['open', 1]);
    expect(await closings.close('2026-01')).to.equal(hash);
    expect((await books.get('/months/2026-01')).version).to.equal(2);
    for (const admin of [ann, ned]) await admin.expect(200, 'POST', '/v1/accounting/months/2026-01/reopen', reason);
    await deal(closings, 75_000);
    const ids = async () =>
      (await books.journal('2026-01')).map((line) => (line as unknown as { lineId: string }).lineId);
    const before = await ids();
    expect(await closings.close('2026-01')).not.to.equal(hash);
    expect(await ids()).to.deep.equal(before);
  });

  it('stays closed once its journals are posted', async () => {
    const closings = await Closings.open(service);
    await deal(closings, 60_000);
    await closings.close('2026-01');
    const posted = { reference: 'JE-1' };
    await closings.ann.expect(200, 'POST', '/v1/accounting/journals/2026-01/posted', posted);
    expect(await closings.rejection(closings.ned, '2026-01/reopen', { reason: 'x' })).to.deep.equal([
      409,
      'journals_posted',
    ]);
    const off = await closings.work.api.patch('/v1/workspaces', { accounting: { enabled: false } });
    expect([off.status, off.body.code]).to.deep.equal([409, 'month_closed']);
  });

  it('keeps its rows: payouts are turned on or off, and begin on another day, only before it', async () => {
    const rejection = async ({ work }: Closings, payouts: object) => {
      const { status, body } = await work.api.patch('/v1/workspaces', { payouts });
      return [status, body.code, body.details?.month ?? body.details?.errors?.[0]?.message];
    };
    const off = await Closings.open(service, { payouts: null });
    await off.work.deal('D1', 60_000, '2026-01-15');
    const late = await rejection(off, { enabled: true, from: '2026-02-01' });
    expect(late.slice(0, 2)).to.deep.equal([400, 'VALIDATION_FAILED']);
    await off.close('2026-01');
    expect(await rejection(off, { enabled: true, from: '2026-01-01' })).to.deep.equal([409, 'month_closed', '2026-01']);
    expect(await off.books.liability('2026-02')).to.include({ opening: 4800, corrections: 0, closing: 4800 });
    const on = await Closings.open(service);
    await on.close('2026-01');
    for (const payouts of [{ enabled: false }, { enabled: true, from: '2026-02-01' }])
      expect(await rejection(on, payouts)).to.deep.equal([409, 'month_closed', '2026-01']);
    await on.work.api.expect(200, 'PATCH', '/v1/workspaces', { payouts: { enabled: true, period: 'monthly' } });
  });

  it('is read as it was at an earlier instant, to the byte, after later changes', async () => {
    const closings = await Closings.open(service);
    const { books, work } = closings;
    await deal(closings, 60_000);
    await books.entity({ accounts });
    const at = () => encodeURIComponent(new Date().toISOString());
    const open = at();
    const draft = await file(closings, `2026-01/export?draft=true`);
    await closings.close('2026-01');
    const closed = at();
    const first = await file(closings, '2026-01/export');
    await deal(closings, 90_000);
    await work.deal('D3', 10_000, '2026-02-10');
    await closings.close('2026-02', '2026-03');
    expect(await file(closings, '2026-01/export')).to.equal(first);
    expect(await file(closings, `2026-01/export?asOf=${closed}`)).to.equal(first);
    expect(await file(closings, `2026-01/export?draft=true&asOf=${open}`)).to.equal(draft);
  });

  const names = {
    accrued_commission: '2110',
    commission_receivable: '1210',
    draws_receivable: '1220',
    commission_expense: '6010',
    payroll_clearing: '2190',
    datev_clearing: '9090',
  };
  const accounts = Object.fromEntries(
    Object.entries(names).map(([role, number]) => [role, { number, name: role.replace('_', ' ') }]),
  );
  const file = async ({ work }: Closings, path: string): Promise<string> => {
    const { status, body } = await work.api.get(`/v1/accounting/journals/${path}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };

  it('has the journal of L9 in every layout, with equal sides and the same bytes again', async () => {
    const closings = await Closings.open(service);
    const { books, work, ann } = closings;
    await work.deal('D1', 237_500, '2026-01-15');
    await work.approve('2026-01');
    await books.pay('2026-01', '2026-02-15');
    expect(await books.moved('2026-01', 'commission_expense')).to.equal(19_000);
    expect(await books.moved('2026-02', 'payroll_clearing')).to.equal(-19_000);
    const path = '/v1/accounting/journals/2026-01/export';
    expect((await ann.get(path)).body.code).to.equal('month_open');
    await closings.close('2026-01', '2026-02');
    const missing = await ann.get(path);
    expect([missing.status, missing.body.code]).to.deep.equal([409, 'account_missing']);
    expect(missing.body.details.roles).to.deep.equal(['accrued_commission', 'commission_expense']);
    await books.entity({ accounts });
    for (const layout of ['generic', 'netsuite', 'quickbooks', 'xero', 'intacct', 'datev'])
      for (const detail of ['line', 'person', 'summary']) {
        const once = await file(closings, `2026-01/export?layout=${layout}&detail=${detail}`);
        expect(await file(closings, `2026-01/export?layout=${layout}&detail=${detail}`)).to.equal(once);
      }
    const [, debit, credit] = (await file(closings, '2026-01/export?detail=summary')).split('\r\n');
    const summary = (text = '') => text.split(',').filter((_, index) => [0, 6, 8, 9].includes(index));
    expect(summary(debit)).to.deep.equal(['main-2026-01-earned-v1', '2110', '', '19000.00']);
    expect(summary(credit)).to.deep.equal(['main-2026-01-earned-v1', '6010', '19000.00', '']);
    expect(await file(closings, '2026-01/export?layout=xero')).to.include(
      'main-2026-01-earned-v1,2026-01-31,"Commission earned, Ben, D1",2110,Tax Exempt,-19000.00,,,,',
    );
    const quickbooks = await file(closings, '2026-01/export?layout=quickbooks');
    expect(quickbooks).to.include('main-2026-01-earned-v1,01/31/2026,commission expense,19000.00,,');
    expect(await file(closings, '2026-02/export?layout=netsuite')).to.match(
      /main-2026-02-payment-0215-v1,02\/15\/2026,Feb 2026,[^,]+,USD,/,
    );
    const intacct = (await file(closings, '2026-01/export?layout=intacct')).split('\r\n');
    expect(intacct[1]).to.match(/^GJ,01\/31\/2026,,main-2026-01-earned-v1,main-2026-01-earned-v1,1,2110,/);
    expect(intacct[2]).to.match(/^,,,,,2,6010,/);
    const datev = (await file(closings, '2026-01/export?layout=datev')).split('\r\n');
    expect(datev[0]).to.match(/^"EXTF";700;21;"Buchungsstapel";13;/);
    expect(datev[2]).to.match(/^19000,00;"H";"USD";;;;2110;6010;;3101;"main-2026-01-earned-v1";/);
    expect(datev).to.have.length(4);
  });
});
