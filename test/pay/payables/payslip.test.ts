import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { PayWorkspace } from './pay-service.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

describe('payslip of a statement', () => {
  const service = Service.duringSuite();

  const linesOf = ({ payslip }: Loose): Record<string, number> =>
    Object.fromEntries(payslip.parts[0].lines.map(({ kind, amount }: Loose) => [kind, amount]));

  it('separates what is released of the period and of earlier ones, what is taken back and what is owed', async () => {
    const work = await PayWorkspace.create(service);
    await work.deal('D', 60_000, '2026-01-15');
    await work.deal('B', 10_000, '2026-01-16');
    await work.invoice('D', 60_000, [['2026-01-20', 30_000]]);
    await work.invoice('B', 10_000, [['2026-01-20', 10_000]]);
    expect(linesOf(await work.statement('2026-01'))).to.deep.equal({ earned: 5600, released: 3200, payable: 3200 });
    await work.approve('2026-01');
    await work.deal('E', 20_000, '2026-02-10');
    await work.invoice('E', 20_000, [['2026-02-15', 5000]]);
    await work.invoice('D', 60_000, [
      ['2026-01-20', 30_000],
      ['2026-02-10', 15_000],
    ]);
    await work.invoice('B', 10_000, [
      ['2026-01-20', 10_000],
      ['2026-02-20', -10_000],
    ]);
    // 1,600 earned, of which a quarter is paid; a quarter of D; B is charged back and kept of them.
    const february = await work.statement('2026-02');
    expect(linesOf(february)).to.deep.equal({
      earned: 1600,
      released: 400,
      released_earlier: 1200,
      taken_back: -800,
      payable: 800,
    });
    expect(february.payslip.notPaid.map(({ dealId, status, amount }: Loose) => [dealId, status, amount])).to.deep.equal(
      [['E', 'waiting', 1200]],
    );
  });

  it('leaves what a batch has paid paid when the period is corrected', async () => {
    const work = await PayWorkspace.create(service, { payout: null });
    const { api, ben } = work;
    const list = async () => (await api.expect(200, 'GET', `/v1/statements/${ben}/list`))[0].payslip;
    await work.deal('D', 60_000, '2026-01-15');
    const open = { currency: 'USD', payable: 4800, approved: 0, inBatch: 0, paid: 0, paidOn: null };
    expect((await work.statement('2026-01')).payslip).to.deep.include({ status: 'payable', amounts: [open] });
    await work.approve('2026-01');
    expect(await list()).to.deep.include({ status: 'approved', amounts: [{ ...open, payable: 0, approved: 4800 }] });
    const { batchId } = await api.expect(201, 'POST', '/v1/payout-batches', { period: '2026-01' });
    expect(await list()).to.deep.include({ status: 'in_batch', amounts: [{ ...open, payable: 0, inBatch: 4800 }] });
    await api.expect(200, 'PATCH', `/v1/payout-batches/${batchId}`, { status: 'paid', paidOn: '2026-02-05' });
    const paid = { currency: 'USD', payable: 0, approved: 0, inBatch: 0, paid: 4800, paidOn: '2026-02-05' };
    expect(await list()).to.deep.include({ status: 'paid', paidOn: '2026-02-05', amounts: [paid] });
    await work.deal('D', 66_000, '2026-01-15');
    await work.trueUp('2026-01');
    const corrected = { status: 'partly_paid', paidOn: '2026-02-05', amounts: [{ ...paid, approved: 480 }] };
    expect(await list()).to.deep.include({ ...corrected, pays: [{ currency: 'USD', amount: 5280 }] });
    const { payslip } = await work.statement('2026-01');
    expect(payslip).to.deep.include(corrected);
    const { statements } = await api.expect(200, 'GET', '/v1/statements?period=2026-01');
    expect(statements.find((row: Loose) => row.repId === ben).payslip).to.deep.include(corrected);
    expect(linesOf({ payslip })).to.deep.equal({ earned: 5280, released: 4800, correction: 480, payable: 5280 });
  });

  it('is in the currency of the person, with what was earned in another beside it', async () => {
    const work = await PayWorkspace.create(service, { rules: [flatRule('New business', 0.1)] });
    const { api, ben } = work;
    const config = { rules: [flatRule('Europe', 0.08)] };
    await api.createPlan({ name: 'EU', currency: 'EUR', config }, [ben]);
    await work.deal('E', 10_000, '2026-02-15', { currency: 'EUR' });
    // Only euros are earned, in a workspace of dollars.
    const inEuros = (await work.statement('2026-02')).payslip;
    expect(inEuros).to.deep.include({ currency: 'EUR', pays: [{ currency: 'EUR', amount: 800 }] });
    expect(inEuros.parts).to.have.length(1);
    // Nothing is earned in March.
    expect((await work.statement('2026-03')).payslip).to.deep.include({
      currency: 'EUR',
      pays: [{ currency: 'EUR', amount: 0 }],
      parts: [],
    });
    await work.deal('D', 11_000, '2026-02-15', { currency: 'USD' });
    expect((await work.statement('2026-02')).payslip.currency).to.equal('USD');
    await api.expect(200, 'PATCH', `/v1/reps/${ben}`, { payCurrency: 'GBP', payCurrencyFrom: '2026-01-01' });
    const rates = [
      { from: 'USD', to: 'GBP', day: '2026-02-28', rate: 0.7901 },
      { from: 'EUR', to: 'GBP', day: '2026-02-28', rate: 0.8412 },
    ];
    expect((await work.statement('2026-02')).payslip.pays).to.deep.equal([{ currency: 'GBP', amount: null }]);
    await api.expect(200, 'PUT', '/v1/fx-rates', { rates });
    await work.calculated();
    const { payslip } = await work.statement('2026-02');
    // 1,100 x 0.7901 and 800 x 0.8412.
    expect(payslip).to.deep.include({ currency: 'GBP', pays: [{ currency: 'GBP', amount: 1542.07 }] });
    expect(payslip.earned).to.deep.equal([
      { currency: 'EUR', amount: 800 },
      { currency: 'USD', amount: 1100 },
    ]);
    const converted = payslip.parts.map(({ currency, rate, lines }: Loose) => [currency, rate, lines.at(-1).converted]);
    expect(converted).to.deep.equal([
      ['EUR', 0.8412, 672.96],
      ['USD', 0.7901, 869.11],
    ]);
  });
});
