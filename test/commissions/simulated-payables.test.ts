import { expect } from 'chai';
import { PayWorkspace } from '#test/pay/payables/pay-service.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';

/** Ben earns 8 % as the customer pays, and has a stored deal of 60,000 in January. */
describe('the pay periods of a simulation', () => {
  const service = Service.duringSuite();
  let pay: PayWorkspace;

  before(async () => {
    pay = await PayWorkspace.create(service);
    await pay.deal('D', 60_000, '2026-01-15');
    await pay.invoice('D', 60_000, [['2026-02-15', 20_000]]);
  });

  const simulate = (request: object, { api, planId, ben } = pay) =>
    api.expect(200, 'POST', '/v1/commissions/simulate', {
      planId,
      period: '2026-Q1',
      repId: ben,
      asOf: '2026-03-31',
      ...request,
    });

  const byPayPeriod = ({ reps }: { reps: readonly { byPayPeriod: readonly Record<string, unknown>[] }[] }) =>
    reps[0]?.byPayPeriod.map(({ period, amount, currency }) => [period, amount, currency]);

  it('follow the stored invoices, as the statements do', async () => {
    const simulated = await simulate({});
    expect(byPayPeriod(simulated)).to.deep.equal([
      ['2026-02', 1600, 'USD'],
      [null, 3200, 'USD'],
    ]);
    expect(await pay.payable('2026-02')).to.equal(1600);
    expect(simulated.reps[0].rules[0].deals[0].payable).to.deep.equal({
      share: 0.333333,
      released: 1600,
      waiting: 3200,
      because: 'customer_not_paid',
      waitsFor: [{ because: 'customer_not_paid', on: 'paid', expectedOn: null }],
    });
  });

  it('follow made-up invoices of stored and of made-up deals, and store nothing', async () => {
    const paid = (dealId: string, amount: number, paidOn: string, terms = {}) => ({
      dealId,
      amount,
      payments: [{ amount, paidOn }],
      ...terms,
    });
    const simulated = await simulate({
      deals: [{ dealId: 'W', amount: 10_000, closeDate: '2026-03-10', repId: pay.ben }],
      invoices: [paid('D', 60_000, '2026-03-02', { invoiceId: 'INV-1' }), paid('W', 5000, '2026-05-20')],
    });
    expect(simulated.total).to.equal(5600);
    expect(byPayPeriod(simulated)).to.deep.equal([
      ['2026-03', 4800, 'USD'],
      ['2026-05', 400, 'USD'],
      [null, 400, 'USD'],
    ]);
    const added = await simulate({ invoices: [paid('D', 10_000, '2026-03-02')] });
    expect(byPayPeriod(added), 'an invoice beside the stored one').to.deep.equal([
      ['2026-02', 1600, 'USD'],
      ['2026-03', 800, 'USD'],
      [null, 2400, 'USD'],
    ]);
    expect(await pay.payable('2026-02')).to.equal(1600);
    expect(await pay.payable('2026-03')).to.equal(0);
  });

  it('follow the schedule of a config that is not stored, in parts that add up', async () => {
    const config = { rules: [flatRule('New business', 0.01, { payout: { parts: 3, everyMonths: 1 } })] };
    const deals = [{ dealId: 'W', amount: 10_000, closeDate: '2026-01-31', repId: pay.ben }];
    const ids = { planId: undefined, config, deals };
    const { reps } = await simulate(ids);
    expect(reps[0].rules[0].deals.map(({ dealId }: { dealId: string }) => dealId)).to.have.members(['D', 'W']);
    expect(byPayPeriod({ reps })).to.deep.equal([
      ['2026-01', 233.33, 'USD'],
      ['2026-02', 233.34, 'USD'],
      ['2026-03', 233.33, 'USD'],
    ]);
  });

  it('measure payments by what a made-up refund leaves of the deal, and take back with its line', async () => {
    const work = await PayWorkspace.create(service, {
      rules: [flatRule('New business', 0.08, { payout: { schedule: [{ on: 'paid', percent: 100 }] }, clawback: {} })],
    });
    await work.deal('D', 60_000, '2026-01-15');
    await work.invoice('D', 60_000, [['2026-02-15', 20_000]]);
    const refunds = [{ dealId: 'D', day: '2026-03-10', cause: 'cancellation', amount: 40_000 }];
    const simulated = await simulate({ refunds }, work);
    expect(simulated.total).to.equal(1600);
    // The customer has paid all that is left: 4,800 - 3,200, of which February has released a third of 4,800.
    expect(byPayPeriod(simulated)).to.deep.equal([['2026-02', 1600, 'USD']]);
  });

  it('let managers follow what is released below', async () => {
    const work = await PayWorkspace.create(service);
    await work.api.expect(200, 'PATCH', `/v1/reps/${work.ben}`, { managerId: work.mia, managerFrom: '2026-01-01' });
    await work.deal('D', 60_000, '2026-01-15');
    await work.invoice('D', 60_000, [['2026-02-15', 20_000]]);
    const cascade = flatRule('Override', 0.2, { measure: '_earned', executionPhase: 'cascade' });
    const { planId } = await work.api.createPlan({ name: 'Managers', config: { rules: [cascade] } }, [work.mia]);
    await work.calculated();
    const simulated = await simulate({ planId, repId: work.mia }, work);
    expect(byPayPeriod(simulated)).to.deep.equal([
      ['2026-02', 320, 'USD'],
      [null, 640, 'USD'],
    ]);
  });

  it('need payouts, and are absent without them', async () => {
    const without = await PayWorkspace.create(service, { payouts: null });
    await without.deal('D', 1000, '2026-01-15');
    const { reps } = await simulate({}, without);
    expect(reps[0]).not.to.have.property('byPayPeriod');
    expect(reps[0].rules[0].deals[0]).not.to.have.property('payable');
    const request = { planId: without.planId, period: '2026-Q1', repId: without.ben, invoices: [] };
    await expectError('400 VALIDATION_FAILED', without.api.post('/v1/commissions/simulate', request), 'invoices');
  });
});
