import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { PayWorkspace } from './pay-service.js';

const rules = [flatRule('New business', 1)];

describe('draws on statements', () => {
  const service = Service.duringSuite();
  let work: PayWorkspace;

  beforeEach(async () => {
    work = await PayWorkspace.create(service, { rules });
  });

  const guarantee = (terms: object = {}) =>
    work.api.expect(201, 'POST', '/v1/draws', {
      repId: work.ben,
      kind: 'guarantee',
      recoverable: true,
      amount: 2000,
      from: '2026-01-01',
      to: '2026-03-31',
      ...terms,
    });

  /** What the person owes in all. */
  async function owed(): Promise<number> {
    const { balances } = await work.api.expect(200, 'GET', `/v1/balances?repId=${work.ben}`);
    return balances[0]?.owed ?? 0;
  }

  async function pay(period: string): Promise<number> {
    await work.approve(period);
    return work.payable(period);
  }

  it('W2: top up for three months, then recover half of what is released', async () => {
    await guarantee({ recovery: { start: 'after_end', maxPercent: 50 } });
    const months = ['2026-01', '2026-02', '2026-03', '2026-04', '2026-05', '2026-06'];
    const earned = [1200, 2600, 500, 3000, 1000, 5000];
    for (const [index, month] of months.entries()) await work.deal(month, earned[index] ?? 0, `${month}-10`);
    const paid: number[] = [];
    const balances: number[] = [];
    for (const month of months) {
      paid.push(await pay(month));
      balances.push(await owed());
    }
    expect(paid).to.deep.equal([2000, 2600, 2000, 1500, 500, 4700]);
    expect(balances).to.deep.equal([800, 800, 2300, 800, 300, 0]);
    const { draws } = (await work.statement('2026-04')).payable;
    expect(draws[0]).to.include({ kind: 'draw_recovery', amount: -1500, change: -1500 });
    expect(draws[0].formula).to.equal('min(2300, 3000, 1500 − 0) = 1500');
    await work.api.unlock(work.ben, '2026-06');
    expect(await owed()).to.equal(300);
  });

  for (const [found, february] of [
    [300, 2400],
    [1800, 2700],
  ] as const)
    it(`W3: late commission of ${found} first repays what was topped up`, async () => {
      await guarantee({ recoverable: false, to: '2026-01-31' });
      await work.deal('A', 500, '2026-01-10');
      expect(await pay('2026-01')).to.equal(2000);
      await work.deal('late', found, '2026-01-20');
      await work.deal('B', 2400, '2026-02-10');
      await work.carryForward('2026-01');
      expect(await work.payable('2026-02')).to.equal(february);
    });

  it('W4: a true-up of a recoverable guarantee lowers what is owed', async () => {
    await guarantee({ to: '2026-01-31' });
    await work.deal('A', 500, '2026-01-10');
    await work.approve('2026-01');
    expect(await owed()).to.equal(1500);
    await work.deal('late', 300, '2026-01-20');
    await work.trueUp('2026-01');
    expect(await work.payable('2026-01')).to.equal(2000);
    expect(await owed()).to.equal(1200);
  });

  for (const [example, recoverable, april] of [
    ['W5', true, 1500],
    ['W10', false, 2600],
  ] as const)
    it(`${example}: what is taken back waits until there is pay above the guarantee`, async () => {
      await guarantee({ recoverable, from: '2026-03-01' });
      await work.deal('A', 1400, '2026-02-10');
      await work.approve('2026-01', '2026-02');
      await work.deal('B', 900, '2026-03-10');
      await work.deal('C', 4000, '2026-04-10');
      await work.api.adjust(work.ben, '2026-03', -1400, 'Cancelled');
      expect(await pay('2026-03')).to.equal(2000);
      expect(await owed()).to.equal(recoverable ? 2500 : 1400);
      expect(await pay('2026-04')).to.equal(april);
      expect(await owed()).to.equal(0);
    });

  it('W6: recover nothing of a running guarantee', async () => {
    await guarantee({ amount: 1000, to: '2026-02-28', recovery: { maxPercent: 50 } });
    await work.deal('A', 100, '2026-01-10');
    await work.deal('B', 1600, '2026-02-10');
    await work.approve('2026-01');
    expect(await owed()).to.equal(900);
    expect(await pay('2026-02')).to.equal(1000);
    expect(await owed()).to.equal(300);
  });

  it('W7: write off what is open in the period of the day', async () => {
    await guarantee({ recovery: { forgiveOn: '2026-02-10' } });
    await work.deal('A', 1000, '2026-01-10');
    await work.deal('B', 5000, '2026-02-10');
    expect(await pay('2026-01')).to.equal(2000);
    expect(await pay('2026-02')).to.equal(5000);
    expect(await owed()).to.equal(0);
  });

  it('W8: offset nothing that was repaid', async () => {
    await guarantee({ to: '2026-01-31' });
    await work.deal('A', 1000, '2026-01-10');
    await work.deal('B', 3000, '2026-02-10');
    await work.approve('2026-01', '2026-02');
    expect(await owed()).to.equal(0);
    await work.deal('late', 300, '2026-01-20');
    await work.trueUp('2026-01');
    expect(await work.payable('2026-01')).to.equal(2300);
    expect(await owed()).to.equal(0);
  });

  it('W9: less commission of a guaranteed month increases its top-up', async () => {
    await guarantee({ recoverable: false });
    await work.deal('A', 2500, '2026-01-10');
    await work.deal('B', 1000, '2026-02-10');
    expect(await pay('2026-01')).to.equal(2500);
    await work.deal('A', 1700, '2026-01-10');
    await work.carryForward('2026-01');
    expect(await pay('2026-02')).to.equal(2000);
    expect(await owed()).to.equal(500);
  });

  it('W11: prorate, and book the top-up on the guarantees in order', async () => {
    await guarantee({ amount: 1000, to: '2026-01-10' });
    await guarantee({ recoverable: false, from: '2026-01-11', to: null });
    await work.deal('A', 500, '2026-01-05');
    const { payable } = await work.statement('2026-01');
    expect(payable.draws.map(({ amount }: { amount: number }) => amount)).to.deep.equal([322.58, 854.84]);
    expect(payable.totals[0]).to.include({ drawn: 1177.42, repaid: 0, payable: 1677.42 });
  });

  it('pays an advance in addition, and recovers what was not forgiven', async () => {
    const { drawId } = await guarantee({ kind: 'advance', amount: 1000, to: '2026-01-31' });
    await work.deal('A', 500, '2026-01-10');
    await work.deal('B', 3000, '2026-12-10');
    expect(await pay('2026-01')).to.equal(1500);
    await work.api.expect(200, 'POST', `/v1/draws/${drawId}/forgive`, { amount: 400, reason: 'Agreed' });
    expect(await owed()).to.equal(600);
    expect(await work.payable('2026-12')).to.equal(2400);
  });

  it('is rejected where days are approved or another draw of the kind has them', async () => {
    const { drawId } = await guarantee({ to: '2026-01-31' });
    const again = { repId: work.ben, kind: 'guarantee', recoverable: true, amount: 1, from: '2026-01-31' };
    expect((await work.api.expect(409, 'POST', '/v1/draws', again)).code).to.equal('draw_overlap');
    await work.approve('2026-01', '2026-02');
    const extended = await work.api.expect(409, 'PATCH', `/v1/draws/${drawId}`, { to: '2026-02-15' });
    expect(extended.code).to.equal('statement_locked');
    const { draws } = await work.api.expect(200, 'GET', `/v1/draws?repId=${work.ben}`);
    expect(draws.map(({ to }: { to: string }) => to)).to.deep.equal(['2026-01-31']);
  });

  it('needs payouts', async () => {
    const off = await PayWorkspace.create(service, { payouts: null });
    const terms = { repId: off.ben, kind: 'advance', recoverable: true, amount: 1, from: '2026-01-01' };
    expect((await off.api.expect(409, 'POST', '/v1/draws', terms)).code).to.equal('payouts_off');
  });
});
