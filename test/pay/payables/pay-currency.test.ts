import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { PayWorkspace } from './pay-service.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

describe('the currency in which people are paid', () => {
  const service = Service.duringSuite();

  /** Rates are stored by pair and day. */
  async function rates(work: PayWorkspace, ...stored: readonly (readonly [pair: string, day: string, rate: number])[]) {
    const sent = stored.map(([pair, day, rate]) => {
      const [from, to] = pair.split('→');
      return { from, to, day, rate };
    });
    await work.api.expect(200, 'PUT', '/v1/fx-rates', { rates: sent });
    await work.calculated();
  }

  const payIn = ({ api, ben }: PayWorkspace, payCurrency: string | null, payCurrencyFrom = '2026-01-01') =>
    api.expect(200, 'PATCH', `/v1/reps/${ben}`, { payCurrency, payCurrencyFrom });
  const create = ({ api }: PayWorkspace, period = '2026-01') =>
    api.expect(201, 'POST', '/v1/payout-batches', { period });
  const pay = async (work: PayWorkspace, period = '2026-01') => (await work.statement(period)).payable.pay;

  /** A rule that pays at once, so that what is payable is what is earned. */
  const atOnce = (): Promise<PayWorkspace> => PayWorkspace.create(service, { payout: null });

  it('X4: adds up what is payable in each earned currency, each at its own rate, rounded once', async () => {
    const work = await atOnce();
    const config = { rules: [flatRule('Europe', 0.08)] };
    await work.api.createPlan({ name: 'EU', currency: 'EUR', config }, [work.ben]);
    await work.deal('D', 77_500, '2026-01-15', { currency: 'USD' });
    await work.deal('E', 14_380, '2026-01-15', { currency: 'EUR' });
    await payIn(work, 'GBP');
    await rates(work, ['USD→GBP', '2026-01-15', 0.7901], ['EUR→GBP', '2026-01-31', 0.8412]);
    await work.approve('2026-01');
    const paid = await pay(work);
    expect([paid.currency, paid.amount]).to.deep.equal(['GBP', 5866.34]);
    expect(paid.parts.map((part: Loose) => [part.currency, part.payable, part.rate, part.amount])).to.deep.equal([
      ['EUR', 1150.4, 0.8412, 967.72],
      ['USD', 6200, 0.7901, 4898.62],
    ]);
    expect((await work.statement('2026-01')).summary.payable).to.equal(6200);
    const batch = await create(work);
    expect(batch.totals).to.deep.equal([{ currency: 'GBP', payable: 5866.34 }]);
    expect(batch.lines[0]).to.include({ currency: 'GBP', commission: 5866.34, amount: 5866.34 });
  });

  it('is paid at the latest rate of any age until the period has ended, then at one that is not too old', async () => {
    const work = await PayWorkspace.create(service, { payout: null, sandbox: true });
    await work.deal('D', 10_000, '2026-01-15');
    await payIn(work, 'GBP');
    await rates(work, ['USD→GBP', '2025-01-31', 0.8]);
    for (const [testDay, amount] of [
      ['2026-01-31', 640],
      ['2026-02-01', null],
    ]) {
      await work.api.expect(200, 'PATCH', '/v1/workspaces', { testDay });
      await work.calculated();
      expect((await pay(work)).amount).to.equal(amount);
    }
  });

  it('X5: stays at the rate of the approval; a true-up is paid at it, and what is carried at that of its period', async () => {
    const work = await PayWorkspace.create(service, {
      rules: [flatRule('New business', 0.1)],
    });
    const carried = await PayWorkspace.create(service, {
      rules: [flatRule('New business', 0.1)],
    });
    for (const one of [work, carried]) {
      await one.deal('D', 54_000, '2026-01-15');
      await payIn(one, 'GBP');
      await rates(one, ['USD→GBP', '2026-01-31', 0.79]);
      await one.approve('2026-01');
      expect((await pay(one)).amount).to.equal(4266);
      const first = await create(one);
      await one.api.expect(200, 'PATCH', `/v1/payout-batches/${first.batchId}`, { status: 'paid' });
      await rates(one, ['USD→GBP', '2026-01-31', 0.8], ['USD→GBP', '2026-02-28', 0.805]);
      expect((await pay(one)).amount).to.equal(4266);
      await one.deal('D', 55_000, '2026-01-15');
    }
    await work.trueUp('2026-01');
    expect((await pay(work)).amount).to.equal(4345);
    expect((await create(work)).totals).to.deep.equal([{ currency: 'GBP', payable: 79 }]);
    await carried.carryForward('2026-01');
    await carried.approve('2026-02');
    expect((await pay(carried, '2026-02')).amount).to.equal(80.5);
    expect((await create(carried, '2026-02')).totals).to.deep.equal([{ currency: 'GBP', payable: 80.5 }]);
  });

  it('X5 in euros: the corrected rate of the deal is a difference, and the rate of payment stays', async () => {
    const [work, carried] = [await atOnce(), await atOnce()];
    const fx = { date: 'close_date' };
    const config = { rules: [flatRule('Europe', 0.1, { conditions: [] })] };
    for (const one of [work, carried]) {
      await one.api.expect(200, 'PATCH', `/v1/plans/${one.planId}`, { config, fx });
      await one.deal('D', 50_000, '2026-01-15', { currency: 'EUR' });
      await payIn(one, 'GBP');
      await rates(one, ['EUR→USD', '2026-01-10', 1.08], ['USD→GBP', '2026-01-31', 0.79]);
      await one.approve('2026-01');
      expect((await one.statement('2026-01')).summary.payable).to.equal(5400);
      expect((await pay(one)).amount).to.equal(4266);
      await rates(
        one,
        ['EUR→USD', '2026-01-10', 1.1],
        ['USD→GBP', '2026-01-31', 0.8],
        ['USD→GBP', '2026-02-28', 0.805],
      );
      await one.checked();
      const { discrepancies } = await one.api.expect(200, 'GET', `/v1/discrepancies?repId=${one.ben}&status=open`);
      expect(discrepancies.map(({ delta }: Loose) => delta)).to.deep.equal([100]);
    }
    await work.trueUp('2026-01');
    expect((await pay(work)).amount).to.equal(4345);
    await carried.carryForward('2026-01');
    await carried.approve('2026-02');
    expect((await pay(carried, '2026-02')).amount).to.equal(80.5);
  });

  it('X5 with adjustments: an amount in euros is paid at the rate of euros, and each correction in its currency', async () => {
    const work = await atOnce();
    await work.deal('D', 54_000, '2026-01-15');
    const adjust = (amount: number, period: string) =>
      work.api.expect(200, 'POST', `/v1/statements/${work.ben}/adjust`, {
        amount,
        currency: 'EUR',
        period,
        reason: 'x',
      });
    await adjust(100, '2026-01');
    await payIn(work, 'GBP');
    await rates(work, ['USD→GBP', '2026-01-31', 0.79], ['EUR→GBP', '2026-01-31', 0.85]);
    await work.approve('2026-01');
    const parts = ({ parts: paid }: Loose) => paid.map((part: Loose) => [part.currency, part.payable, part.amount]);
    const usd = (await work.statement('2026-01')).summary.payable;
    const first = await pay(work);
    expect(parts(first)).to.deep.equal([
      ['EUR', 100, 85],
      ['USD', usd, Math.round(usd * 79) / 100],
    ]);
    await rates(
      work,
      ['EUR→GBP', '2026-01-31', 0.9],
      ['USD→GBP', '2026-02-28', 0.805],
      ['EUR→GBP', '2026-02-28', 0.86],
    );
    expect(parts(await pay(work)), 'the rate of the approval stays').to.deep.equal(parts(first));
    await adjust(-40, '2026-02');
    await work.deal('E', 10_000, '2026-02-15');
    await work.approve('2026-02');
    const february = await pay(work, '2026-02');
    expect(february.parts.find((part: Loose) => part.currency === 'EUR')?.payable ?? 0).to.equal(0);
    await adjust(100, '2026-03');
    await rates(work, ['EUR→GBP', '2026-03-31', 0.87]);
    await work.approve('2026-03');
    const march = (await pay(work, '2026-03')).parts.find((part: Loose) => part.currency === 'EUR');
    expect([march.payable, march.amount], 'what was taken back in euros is kept from euros').to.deep.equal([60, 52.2]);
  });

  it('prevents an approval without a rate, if there is something to pay', async () => {
    const work = await atOnce();
    await work.deal('D', 10_000, '2026-01-15');
    await payIn(work, 'GBP');
    await work.api.generate(work.ben, '2026-01');
    expect((await pay(work)).amount).to.equal(null);
    const approved = await work.api.post(`/v1/statements/${work.ben}/approve`, {
      period: '2026-01',
      status: 'approved',
    });
    expect([approved.status, approved.body.code]).to.deep.equal([409, 'fx_rate_missing']);
    await rates(work, ['GBP→USD', '2026-01-31', 1.25]);
    await work.approve('2026-01');
    expect((await pay(work)).amount).to.equal(640);
  });

  it('prevents a true-up without a rate, where the approval had nothing to pay', async () => {
    const work = await atOnce();
    await payIn(work, 'GBP');
    await work.approve('2026-01');
    await work.deal('D', 5000, '2026-01-15');
    await work.checked();
    const path = `/v1/statements/${work.ben}/true-up`;
    const rejected = await work.api.post(path, { period: '2026-01' });
    expect([rejected.status, rejected.body.code]).to.deep.equal([409, 'fx_rate_missing']);
    await rates(work, ['GBP→USD', '2026-01-31', 1.25]);
    await work.trueUp('2026-01');
    expect((await pay(work)).amount).to.equal(320);
  });

  it('is the one in force on the last day of the statement, and none after it ends', async () => {
    const work = await atOnce();
    await rates(work, ['USD→GBP', '2026-02-28', 0.5], ['USD→GBP', '2026-01-31', 0.4]);
    await work.deal('D', 10_000, '2026-01-15');
    await work.deal('E', 10_000, '2026-02-15');
    await work.deal('F', 10_000, '2026-03-15');
    await payIn(work, 'GBP', '2026-02-28');
    const rep = await payIn(work, null, '2026-03-31');
    expect(rep.payCurrencies).to.deep.equal([
      { from: '2026-02-28', currency: 'GBP' },
      { from: '2026-03-31', currency: null },
    ]);
    expect(await pay(work, '2026-01')).to.equal(undefined);
    expect((await pay(work, '2026-02')).amount).to.equal(400);
    expect(await pay(work, '2026-03')).to.equal(undefined);
  });

  it('is shown as it was entered at an earlier instant, and read from the file of people', async () => {
    const work = await atOnce();
    await rates(work, ['USD→GBP', '2026-01-31', 0.5]);
    await work.deal('D', 10_000, '2026-01-15');
    const [row] = await work.sql<{ at: Date }>('select clock_timestamp() as at where $1::uuid is not null');
    const upload = (...lines: readonly string[]) =>
      work.api.expect(200, 'POST', '/v1/reps/import', ['email,payCurrency,payCurrencyFrom', ...lines].join('\n'), {
        'Content-Type': 'text/csv',
      });
    const imported = await upload('ben@acme.test,GBP,2026-01-01', 'mia@acme.test,,2026-01-01');
    expect(imported.results.map(({ outcome, reason = null }: Loose) => [outcome, reason])).to.deep.equal([
      ['changed', null],
      ['rejected', 'payCurrencyFrom: needs a payCurrency, or null to end it'],
    ]);
    expect((await pay(work)).amount).to.equal(400);
    const before = await work.statement('2026-01', `&asOf=${row?.at.toISOString()}`);
    expect(before.payable.pay).to.equal(undefined);
    expect((await upload('ben@acme.test,GBP,2026-01-01')).results[0].outcome).to.equal('unchanged');
  });

  it('converts by the table and the day that the workspace says', async () => {
    const work = await atOnce();
    const { api } = work;
    await work.deal('D', 10_000, '2026-01-15');
    await payIn(work, 'GBP');
    await rates(work, ['USD→GBP', '2026-01-31', 0.4]);
    await api.expect(200, 'PATCH', '/v1/workspaces', { payFx: { date: 'approved_on' } });
    expect((await api.expect(200, 'GET', '/v1/workspaces')).payFx).to.deep.equal({ date: 'approved_on' });
    // The rate of January is too old today.
    expect((await pay(work)).amount).to.equal(null);
    await rates(work, ['USD→GBP', new Date().toISOString().slice(0, 10), 0.6]);
    expect((await pay(work)).amount).to.equal(480);
  });

  it('is decided by another person than the rep', async () => {
    const work = await atOnce();
    await work.api.expect(200, 'PATCH', `/v1/reps/${work.ben}`, { role: 'admin' });
    const own = await (await work.as(work.ben)).patch(`/v1/reps/${work.ben}`, { payCurrency: 'GBP' });
    expect([own.status, own.body.code]).to.deep.equal([403, 'forbidden']);
  });

  it('P1 in two currencies: payments count at the rate of their day, and without one nothing', async () => {
    const work = await PayWorkspace.create(service);
    await work.deal('D', 60_000, '2026-01-15');
    await work.invoice('D', 50_000, [['2026-02-15', 25_000]], { currency: 'EUR' });
    expect(await work.payable('2026-02')).to.equal(0);
    const payments = async () =>
      (await work.api.expect(200, 'GET', '/v1/deals/D/invoices')).invoices.flatMap(
        (invoice: Loose) => invoice.payments,
      );
    const payment = { paymentId: 'P0', amount: 25_000, paidOn: '2026-02-15' };
    expect(await payments()).to.deep.equal([{ ...payment, rateMissing: true }]);
    await rates(work, ['EUR→USD', '2026-02-10', 1.2]);
    expect(await payments()).to.deep.equal([payment]);
    expect(await work.payable('2026-02')).to.equal(2400);
  });
});
