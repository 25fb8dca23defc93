import { expect } from 'chai';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { flatRule, won } from '#test/support/terms.js';
import { PayWorkspace } from '../pay/payables/pay-service.js';

const payout = {
  schedule: [
    { on: 'close', percent: 50 },
    { on: 'paid', percent: 50 },
  ],
};
const rule = (terms: object = payout) => flatRule('New business', 0.08, { payout: terms, conditions: [won] });

describe('the pay calendar', () => {
  const service = Service.duringSuite();

  /** Ben has won 60,000 in January, half of which the customer has paid; 20,000 are open with 50 %, in March. */
  async function paying(): Promise<PayWorkspace> {
    const work = await PayWorkspace.create(service, { rules: [rule()], sandbox: true });
    await work.api.expect(200, 'PATCH', '/v1/workspaces', { testDay: '2026-02-10' });
    await work.deal('A', 60_000, '2026-01-15', { stage: 'Won' });
    await work.invoice('A', 60_000, [['2026-02-05', 30_000]]);
    await work.deal('B', 20_000, '2026-03-10', { stage: 'Proposal', fields: { probability: 50 } });
    return work;
  }
  const usd = (sure: number, expected: number) => ({ currency: 'USD', sure, expected });
  // biome-ignore lint/suspicious/noExplicitAny: responses of any shape
  const amountsOf = ({ periods, later, undated }: any) => ({
    ...Object.fromEntries(
      periods.map(({ period, amounts }: { period: string; amounts: object[] }) => [period, amounts]),
    ),
    later,
    undated,
  });
  const calendarOf = ({ api, ben }: PayWorkspace) => api.expect(200, 'GET', `/v1/pay-calendar?repId=${ben}`);

  it('has the statements of three months and those before that are not paid, sure and expected amounts apart', async () => {
    const work = await paying();
    // 4,800 are earned: 2,400 at close, 1,200 for half of the payment. 1,600 × 50 % are expected, half of it at close.
    expect(amountsOf(await calendarOf(work))).to.deep.equal({
      '2026-01': [usd(2400, 2400)],
      '2026-02': [usd(1200, 1200)],
      '2026-03': [usd(0, 400)],
      '2026-04': [],
      later: [],
      undated: [usd(1200, 1600)],
    });
    expect((await calendarOf(work)).periods[0]).to.include({ from: '2026-01-01', to: '2026-01-31', status: 'open' });
  });

  it('equals what statements pay, before and after approval, until a batch has paid it', async () => {
    const work = await paying();
    const january = async () => (await calendarOf(work)).periods.find(({ period }: never) => period === '2026-01');
    expect((await january()).amounts).to.deep.equal([usd(await work.payable('2026-01'), 2400)]);
    await work.approve('2026-01');
    expect(await january()).to.deep.include({ status: 'approved', amounts: [usd(2400, 2400)] });
    const { batchId } = await work.api.expect(201, 'POST', '/v1/payout-batches', { period: '2026-01' });
    expect((await january()).amounts).to.deep.equal([usd(2400, 2400)]);
    await work.api.expect(200, 'PATCH', `/v1/payout-batches/${batchId}`, { status: 'paid', paidOn: '2026-02-10' });
    expect(await january()).to.equal(undefined);
  });

  it('contains draws, of which expected amounts take the place', async () => {
    const work = await paying();
    const draw = { repId: work.ben, kind: 'guarantee', recoverable: false, amount: 2000, currency: 'USD' };
    await work.api.expect(201, 'POST', '/v1/draws', { ...draw, from: '2026-03-01', to: '2026-03-31' });
    const { periods } = await calendarOf(work);
    const march = periods.find(({ period }: { period: string }) => period === '2026-03');
    expect(march).to.deep.include({ amounts: [usd(2000, 2000)] });
    expect(march.totals[0]).to.include({ released: 0, drawn: 2000 });
  });

  it('leaves out what is held, until the hold ends', async () => {
    const work = await paying();
    const hold = { repId: work.ben, reason: 'Check', from: '2026-02-01', to: '2026-02-28' };
    await work.api.expect(201, 'POST', '/v1/payables/holds', hold);
    const amounts = amountsOf(await calendarOf(work));
    expect(amounts).to.deep.include({ '2026-02': [], '2026-03': [usd(1200, 1600)] });
  });

  it('has once what is held of a difference that is carried forward', async () => {
    const work = await PayWorkspace.create(service, { payout: null, sandbox: true });
    await work.deal('A', 60_000, '2026-01-15');
    await work.approve('2026-01');
    await work.deal('A', 66_000, '2026-01-15');
    await work.carryForward('2026-01');
    await work.calculated();
    await work.api.expect(200, 'PATCH', '/v1/workspaces', { testDay: '2026-02-10' });
    const hold = { dealId: 'A', reason: 'Check', from: '2026-02-10' };
    const { holdId } = await work.api.expect(201, 'POST', '/v1/payables/holds', hold);
    const held = amountsOf(await calendarOf(work));
    expect(held).to.deep.include({ '2026-02': [], '2026-03': [], later: [], undated: [usd(480, 480)] });
    await work.api.expect(200, 'PATCH', `/v1/payables/holds/${holdId}`, { to: '2026-03-10', note: 'Agreed' });
    const freed = amountsOf(await calendarOf(work));
    expect(freed).to.deep.include({ '2026-02': [], '2026-03': [usd(480, 480)], later: [], undated: [] });
  });

  it('raises what other deals of the period pay, where an open deal would reach a tier', async () => {
    const tiers = [
      { tierIndex: 0, minThreshold: 0, rate: 0.08 },
      { tierIndex: 1, minThreshold: 1, rate: 0.12 },
    ];
    const rules = [{ name: 'New business', measure: 'amount', tierMode: 'retroactive', tiers, conditions: [won] }];
    const work = await PayWorkspace.create(service, { rules, sandbox: true });
    await work.api.expect(200, 'PATCH', '/v1/workspaces', { testDay: '2026-02-10' });
    await work.api.setQuota([work.ben], 'New business', '2026-Q1', 80_000);
    await work.deal('A', 60_000, '2026-01-15', { stage: 'Won' });
    await work.deal('B', 20_000, '2026-03-10', { stage: 'Proposal', fields: { probability: 50 } });
    // 4 % of 60,000 and 12 % of 20,000, with a probability of 50 %.
    expect(amountsOf(await calendarOf(work))).to.deep.include({
      '2026-01': [usd(4800, 6000)],
      '2026-03': [usd(0, 1200)],
    });
    await work.approve('2026-01');
    // The raise of the approved January is paid by a correction.
    expect(amountsOf(await calendarOf(work))).to.deep.include({ '2026-03': [usd(0, 1200)] });
  });

  it('is empty without payouts, and read by the person, their manager and admins', async () => {
    const off = await PayWorkspace.create(service, { rules: [flatRule('New business', 0.08)], payouts: null });
    expect(await calendarOf(off)).to.deep.include({ periods: [], later: [], undated: [] });
    const asBen = await off.as(off.ben);
    await asBen.expect(200, 'GET', `/v1/pay-calendar?repId=${off.ben}`);
    await expectError('403 forbidden', asBen.get(`/v1/pay-calendar?repId=${off.mia}`));
    await expectError('404 rep_not_found', off.api.get('/v1/pay-calendar?repId=nobody'));
    await expectError('400 VALIDATION_FAILED', off.api.get('/v1/pay-calendar'));
  });

  it('the forecast of a period has the same pay by the pay period that releases it', async () => {
    const work = await paying();
    const forecast = await work.api.expect(200, 'GET', `/v1/forecast?repId=${work.ben}&period=2026-Q1`);
    expect(forecast).to.include({ sure: 4800, expected: 5600 });
    expect(forecast.byPayPeriod).to.deep.equal([
      { period: '2026-01', ...usd(2400, 2400) },
      { period: '2026-02', ...usd(1200, 1200) },
      { period: '2026-03', ...usd(0, 400) },
      { period: null, ...usd(1200, 1600) },
    ]);
  });

  it('the amounts of a forecast by pay period add up to it, of draws and thirds of cents too', async () => {
    const thirds = { parts: 3, everyMonths: 1 };
    const work = await PayWorkspace.create(service, {
      rules: [flatRule('New business', 0.0333333, { payout: thirds, conditions: [won] })],
      sandbox: true,
    });
    await work.api.expect(200, 'PATCH', '/v1/workspaces', { testDay: '2026-02-10' });
    for (let index = 0; index < 14; index += 1)
      await work.api.putDeal(`open-${index}`, {
        ...{ amount: 1000.01 + index, closeDate: '2026-03-10', ownerId: 'ben', stage: 'Proposal' },
        fields: { probability: 30 + index },
      });
    await work.calculated();
    const forecast = await work.api.expect(200, 'GET', `/v1/forecast?repId=${work.ben}&period=2026-03`);
    const cents = forecast.byPayPeriod.map(({ expected }: { expected: number }) => Math.round(expected * 100));
    expect(cents).to.have.lengthOf(3);
    expect(cents.reduce((sum: number, each: number) => sum + each, 0)).to.equal(Math.round(forecast.expected * 100));
  });
});
