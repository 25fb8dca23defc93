import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { PayWorkspace } from './pay-service.js';

interface InCurrency {
  readonly currency: string;
  readonly delta: number;
  readonly status: string;
  readonly discrepancyId: string;
}

describe('corrections of approved pay periods', () => {
  const service = Service.duringSuite();

  const hold = (work: PayWorkspace, from: string, to?: string) =>
    work.api.expect(201, 'POST', '/v1/payables/holds', { dealId: 'D', from, to, reason: 'Disputed' });

  describe('in every currency that is earned', () => {
    /** January is approved with USD 100 and EUR 100; now it comes to USD 150 and EUR 300. */
    async function correctedInTwo(deals: readonly string[] = ['USD', 'EUR']): Promise<PayWorkspace> {
      const dealsIn = (currency: string) => ({
        dealConditions: [{ field: 'currency', fieldType: 'text', operator: 'equals', value: currency }],
        rules: [flatRule('E', 0.1)],
      });
      const work = await PayWorkspace.create(service, { rules: [flatRule('None', 0)] });
      for (const currency of deals)
        await work.api.createPlan({ name: currency, currency, config: dealsIn(currency) }, [work.ben]);
      for (const currency of deals) await work.deal(currency, 1000, '2026-01-10', { currency });
      await work.approve('2026-01');
      for (const currency of deals)
        await work.deal(currency, currency === 'USD' ? 1500 : 3000, '2026-01-10', { currency });
      await work.checked();
      return work;
    }

    async function list(work: PayWorkspace): Promise<InCurrency[]> {
      const { discrepancies } = await work.api.expect(200, 'GET', `/v1/discrepancies?repId=${work.ben}`);
      return discrepancies.sort((a: InCurrency, b: InCurrency) => (a.currency < b.currency ? -1 : 1));
    }

    const short = (found: readonly InCurrency[]) =>
      found.map(({ currency, delta, status }) => `${currency} ${delta} ${status}`);

    /** What is earned and payable in each currency of the statement. */
    async function sums(work: PayWorkspace, period: string): Promise<Record<string, number[]>> {
      const { currency, summary, otherCurrencies } = await work.statement(period);
      const all = [{ currency, summary }, ...otherCurrencies];
      return Object.fromEntries(
        all.map((one) => [one.currency, [one.summary.netPayout, one.summary.payable]] as const),
      );
    }

    it('lists a discrepancy for each, and a true-up pays all of them once', async () => {
      const work = await correctedInTwo();
      expect(short(await list(work))).to.deep.equal(['EUR 200 open', 'USD 50 open']);
      expect(await work.trueUp('2026-01')).to.deep.include({ action: 'trued_up', currency: 'USD', delta: 50 });
      expect(await sums(work, '2026-01')).to.deep.equal({ USD: [150, 150], EUR: [300, 300] });
      expect(short(await list(work))).to.deep.equal(['EUR 200 resolved', 'USD 50 resolved']);
      expect(await work.trueUp('2026-01')).to.deep.equal({ action: 'none', delta: 0 });
      expect((await work.statement('2026-01')).owed).to.equal(undefined);
    });

    it('pays what is owed in another currency alone', async () => {
      const work = await correctedInTwo(['EUR']);
      expect(short(await list(work))).to.deep.equal(['EUR 200 open']);
      expect(await work.trueUp('2026-01')).to.include({ action: 'trued_up', currency: 'EUR', delta: 200 });
      expect(await sums(work, '2026-01')).to.deep.equal({ USD: [0, 0], EUR: [300, 300] });
      expect(short(await list(work))).to.deep.equal(['EUR 200 resolved']);
    });

    it('carries all of them forward, and dismisses one', async () => {
      const work = await correctedInTwo();
      const [euros, dollars] = (await list(work)) as [InCurrency, InCurrency];
      const resolve = ({ discrepancyId }: InCurrency, action: string, status = 200) =>
        work.api.expect(status, 'POST', `/v1/discrepancies/${discrepancyId}/resolve`, { action, reason: 'Agreed' });
      await resolve(dollars, 'dismiss');
      expect(short(await list(work))).to.deep.equal(['EUR 200 open', 'USD 50 dismissed']);
      const { result } = await resolve(euros, 'carry_forward');
      expect(result).to.deep.include({ action: 'carried_forward', period: '2026-02', currency: 'USD', delta: 50 });
      expect(result.otherCurrencies[0]).to.include({ currency: 'EUR', delta: 200 });
      await work.calculated();
      expect(await sums(work, '2026-01')).to.deep.equal({ USD: [100, 100], EUR: [100, 100] });
      expect(await sums(work, '2026-02')).to.deep.equal({ USD: [50, 50], EUR: [200, 200] });
      expect(short(await list(work))).to.deep.equal(['EUR 200 resolved', 'USD 50 resolved']);
      await resolve(dollars, 'carry_forward', 409);
      await work.checked();
      expect(short(await list(work))).to.deep.equal(['EUR 200 resolved', 'USD 50 resolved']);
    });

    it('needs force where the difference of any currency is above the threshold', async () => {
      const work = await correctedInTwo(['EUR']);
      await work.deal('EUR', 30_000, '2026-01-10', { currency: 'EUR' });
      const path = `/v1/statements/${work.ben}/true-up`;
      const answer = await work.api.expect(200, 'POST', path, { period: '2026-01' });
      expect(answer).to.include({ action: 'requires_approval', currency: 'EUR', delta: 2900 });
    });
  });

  describe('of what is held', () => {
    it('pays a true-up of a held deal after the hold', async () => {
      const work = await PayWorkspace.create(service, { payout: null });
      await work.deal('D', 60_000, '2026-01-15');
      await work.approve('2026-01');
      const { holdId } = await hold(work, '2026-01-20');
      await work.deal('D', 66_000, '2026-01-15');
      await work.trueUp('2026-01');
      expect((await work.statement('2026-01')).summary).to.include({ netPayout: 5280, payable: 4800 });
      expect(await work.payable('2026-02')).to.equal(0);
      const { totals } = await work.payables();
      expect(totals[0]).to.include({ earned: 5280, approved: 4800, held: 480, payable: 0 });
      await work.api.expect(200, 'PATCH', `/v1/payables/holds/${holdId}`, { to: '2026-01-31', note: 'Agreed' });
      expect(await work.payable('2026-02')).to.equal(480);
    });

    it('pays what is carried forward after a hold that came later', async () => {
      const work = await PayWorkspace.create(service, { payout: null });
      await work.deal('D', 60_000, '2026-01-15');
      await work.approve('2026-01');
      await work.deal('D', 66_000, '2026-01-15');
      await work.carryForward('2026-01');
      await work.calculated();
      expect(await work.payable('2026-02')).to.equal(480);
      await hold(work, '2026-02-10', '2026-03-10');
      expect(await work.payable('2026-02')).to.equal(0);
      expect(await work.payable('2026-03')).to.equal(480);
      await work.approve('2026-02');
      expect(await work.payable('2026-03')).to.equal(480);
      await work.approve('2026-03');
      expect((await work.payables()).totals[0]).to.include({ earned: 5280, approved: 5280, held: 0, payable: 0 });
    });

    it('still takes back at once what a correction takes back', async () => {
      const work = await PayWorkspace.create(service, { payout: null });
      await work.deal('D', 60_000, '2026-01-15');
      await work.approve('2026-01');
      await hold(work, '2026-01-20');
      await work.deal('D', 54_000, '2026-01-15');
      await work.trueUp('2026-01');
      expect(await work.balance()).to.equal(480);
    });
  });

  it('pays back what a true-up has kept for a statement that is opened again', async () => {
    const work = await PayWorkspace.create(service, { payout: null });
    await work.deal('D', 60_000, '2026-01-15');
    await work.deal('Returned', -5000, '2026-02-15');
    await work.approve('2026-01', '2026-02');
    await work.deal('D', 66_000, '2026-01-15');
    await work.trueUp('2026-01');
    expect(await work.payable('2026-01'), 'of the 480, 400 are kept for February').to.equal(4880);
    await work.api.unlock(work.ben, '2026-02');
    await work.calculated();
    const february = async () => {
      await work.api.generate(work.ben, '2026-02');
      return (await work.statement('2026-02')).payable.totals[0];
    };
    expect(await february()).to.include({ opening: -400, added: 400, recovered: 0, closing: 0, payable: 0 });
    await work.api.expect(200, 'DELETE', '/v1/deals/Returned');
    await work.calculated();
    expect(await february()).to.include({ opening: -400, added: 0, recovered: -400, closing: 0, payable: 400 });
    await work.approve('2026-02');
    expect((await work.payables()).totals[0]).to.include({ earned: 5280, approved: 5280, payable: 0 });
    expect(await work.balance()).to.equal(0);
  });

  it('pays a carry-forward in its target only, also when a period between is opened again', async () => {
    const work = await PayWorkspace.create(service, { payout: null });
    await work.deal('D', 60_000, '2026-01-15');
    await work.approve('2026-01', '2026-02');
    await work.deal('D', 66_000, '2026-01-15');
    await work.carryForward('2026-01');
    await work.calculated();
    await work.api.unlock(work.ben, '2026-02');
    await work.calculated();
    const paid = [];
    for (const period of ['2026-01', '2026-02', '2026-03']) paid.push(await work.payable(period));
    expect(paid).to.deep.equal([4800, 0, 480]);
  });
});
