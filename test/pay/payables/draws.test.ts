import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { PayWorkspace } from './pay-service.js';

interface Line {
  readonly period: string;
  readonly kind: string;
  readonly amount: number;
  readonly owed: number;
}

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
    expect(draws[0].formula).to.equal(
      'owed 2,300.00, released 3,000.00, of which at most 50% is kept, repaid 1,500.00',
    );
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

  for (const [example, earned, changed, expected] of [
    ['more is owed', 2500, 1700, [300, 0, 300]],
    ['less is owed', 500, 800, [1200, 1500, 0]],
  ] as const)
    it(`drafts do not count the offset of a carry-forward whose target is not approved: ${example}`, async () => {
      await guarantee({ to: '2026-01-31' });
      await work.deal('A', earned, '2026-01-10');
      await work.deal('B', 5000, '2026-02-10');
      await work.deal('C', 5000, '2026-03-10');
      await work.approve('2026-01');
      await work.deal('A', changed, '2026-01-10');
      await work.carryForward('2026-01');
      const repaid = async (period: string) => {
        const [total] = (await work.statement(period)).payable.totals;
        return total.repaid ?? 0;
      };
      const [february, march, owedBefore] = expected;
      expect([await repaid('2026-02'), await repaid('2026-03')]).to.deep.equal([february, march]);
      expect(await owed()).to.equal(owedBefore === 300 ? 300 : 1200);
      await work.approve('2026-02');
      expect([await repaid('2026-03'), await owed()]).to.deep.equal([0, 0]);
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
    // What is forgiven counts from today on.
    const later = `${new Date().getUTCFullYear() + 1}-12`;
    await work.deal('B', 3000, `${later}-10`);
    expect(await pay('2026-01')).to.equal(1500);
    await work.api.expect(200, 'POST', `/v1/draws/${drawId}/forgive`, { amount: 400, reason: 'Agreed' });
    expect(await owed()).to.equal(600);
    expect(await work.payable(later)).to.equal(2400);
  });

  it('has as many decimals as its currency, also where it is forgiven', async () => {
    const { drawId } = await guarantee();
    const rejected = [
      work.api.post('/v1/draws', {
        repId: work.ben,
        kind: 'advance',
        recoverable: true,
        amount: 0.001,
        from: '2026-01-01',
      }),
      work.api.post('/v1/draws', {
        ...{ repId: work.ben, kind: 'advance', recoverable: true, from: '2026-01-01' },
        ...{ amount: 1000.5, currency: 'JPY' },
      }),
      work.api.post(`/v1/draws/${drawId}/forgive`, { amount: 1e-9, reason: 'Agreed' }),
    ];
    for (const { status, body } of await Promise.all(rejected))
      expect([status, body.details?.issues?.[0]?.path]).to.deep.equal([400, 'amount']);
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

  it('a dry run says what each open statement would pay, and changes nothing', async () => {
    await work.deal('A', 1200, '2026-01-10');
    await work.deal('B', 3000, '2026-04-10');
    await work.deal('C', 1000, '2026-05-10');
    const terms = { ...{ repId: work.ben, kind: 'guarantee', recoverable: true, amount: 2000 }, from: '2026-01-01' };
    const recovery = { start: 'after_end', maxPercent: 50 };
    const sent = { ...terms, to: '2026-01-31', recovery };
    const { effect } = await work.api.expect(201, 'POST', '/v1/draws?dryRun=true', sent);
    const change = { repId: work.ben, currency: 'USD' };
    expect(effect.byPeriod).to.deep.equal([
      { ...change, period: '2026-01', before: 1200, after: 2000, delta: 800, owedBefore: 0, owedAfter: 800 },
      { ...change, period: '2026-02', before: 0, after: 0, delta: 0, owedBefore: 0, owedAfter: 800 },
      { ...change, period: '2026-03', before: 0, after: 0, delta: 0, owedBefore: 0, owedAfter: 800 },
      { ...change, period: '2026-04', before: 3000, after: 2200, delta: -800, owedBefore: 0, owedAfter: 0 },
    ]);
    expect((await work.api.expect(200, 'GET', '/v1/draws')).count).to.equal(0);
    const { drawId } = await guarantee({ to: '2026-01-31', recovery });
    const removal = await work.api.expect(200, 'DELETE', `/v1/draws/${drawId}?dryRun=true`);
    expect(removal.effect.byPeriod.map(({ delta }: { delta: number }) => delta)).to.deep.equal([-800, 0, 0, 800]);
    const month = new Date().toISOString().slice(0, 7);
    const advance = await guarantee({ kind: 'advance', from: `${month}-01`, to: `${month}-28` });
    const forgive = `/v1/draws/${advance.drawId}/forgive?dryRun=true`;
    const forgiven = await work.api.expect(200, 'POST', forgive, { amount: 300, reason: 'Agreed' });
    const [first] = forgiven.effect.byPeriod;
    expect([first.period, first.delta, first.owedAfter - first.owedBefore]).to.deep.equal([month, 0, -300]);
    const { draws } = await work.api.expect(200, 'GET', '/v1/draws');
    expect(draws.flatMap((draw: { forgiven: unknown[] }) => draw.forgiven)).to.deep.equal([]);
  });

  it('is deleted without a trace in open periods, and not in approved ones', async () => {
    await work.deal('A', 1200, '2026-01-10');
    const before = (await work.statement('2026-01')).payable;
    const { drawId } = await guarantee({ to: '2026-01-31' });
    const entered = new Date().toISOString();
    expect(await work.payable('2026-01')).to.equal(2000);
    await work.api.expect(200, 'DELETE', `/v1/draws/${drawId}`);
    expect((await work.statement('2026-01')).payable).to.deep.equal(before);
    expect((await work.api.expect(200, 'GET', '/v1/draws')).count).to.equal(0);
    expect((await work.api.expect(200, 'GET', `/v1/draws?asOf=${entered}`)).draws[0]).to.include({ drawId });
    expect((await work.api.expect(404, 'DELETE', `/v1/draws/${drawId}`)).code).to.equal('draw_not_found');
    const again = await guarantee({ to: '2026-01-31' });
    await work.approve('2026-01');
    expect((await work.api.expect(409, 'DELETE', `/v1/draws/${again.drawId}`)).code).to.equal('statement_locked');
    await work.api.unlock(work.ben, '2026-01');
    await work.api.expect(200, 'DELETE', `/v1/draws/${again.drawId}`);
    await work.api.generate(work.ben, '2026-01');
    expect((await work.statement('2026-01')).payable).to.deep.equal(before);
  });

  it('lists what statements granted, repaid and offset, with what is owed after each', async () => {
    await guarantee({ to: '2026-01-31' });
    await work.deal('A', 500, '2026-01-10');
    await work.deal('B', 1000, '2026-02-10');
    await work.approve('2026-01', '2026-02');
    await work.deal('late', 300, '2026-01-20');
    await work.carryForward('2026-01');
    const [draw] = (await work.api.expect(200, 'GET', `/v1/draws?repId=${work.ben}`)).draws;
    const listed = draw.lines.map(({ period, kind, amount, owed: left }: Line) => [period, kind, amount, left]);
    expect(listed).to.deep.equal([
      ['2026-01', 'draw', 1500, 1500],
      ['2026-02', 'draw_recovery', -1000, 500],
      ['2026-03', 'draw_offset', -300, 200],
    ]);
    expect(draw.lines[2]).to.include({ sourcePeriod: '2026-01' });
    expect(draw.owed).to.equal(200);
    const rep = service.client(await service.token(work.workspaceId, 'sess', work.ben));
    expect((await rep.expect(200, 'GET', '/v1/draws')).draws).to.deep.equal([draw]);
    await rep.expect(403, 'GET', `/v1/draws?repId=${work.mia}`);
  });

  it('warns of a currency that no plan pays, and of a guarantee of pay that only waits', async () => {
    const codes = (draw: { warnings?: { code: string }[] }) => (draw.warnings ?? []).map(({ code }) => code);
    expect(codes(await guarantee({ to: '2026-01-31', currency: 'EUR' }))).to.deep.equal(['draw_currency_not_earned']);
    expect(codes(await guarantee({ recoverable: false, from: '2026-02-01' }))).to.deep.equal([]);
    const waiting = await PayWorkspace.create(service);
    const terms = { repId: waiting.ben, kind: 'guarantee', amount: 1, from: '2026-01-01' };
    const enter = (recoverable: boolean) =>
      waiting.api.expect(201, 'POST', '/v1/draws?dryRun=true', { ...terms, recoverable });
    expect(codes(await enter(false))).to.deep.equal(['guarantee_covers_waiting_pay']);
    expect(codes(await enter(true))).to.deep.equal([]);
  });

  it('are imported from a file, by person, kind and first day', async () => {
    const header = 'email,kind,recoverable,amount,from,to,recoveryStart,maxPercent\n';
    const send = (text: string, query = '') =>
      work.api.expect(200, 'POST', `/v1/draws/import${query}`, header + text, { 'Content-Type': 'text/csv' });
    const row = 'ben@acme.test,guarantee,yes,"2,000.00",2026-01-01,2026-01-31,after_end,50 %\n';
    const checked = await send(row, '?dryRun=true&effect=true');
    expect(checked.effect.byPeriod[0]).to.include({ period: '2026-01', after: 2000 });
    expect((await work.api.expect(200, 'GET', '/v1/draws')).count).to.equal(0);
    const outcomes = async (text: string) =>
      (await send(text)).results.map(({ outcome, code }: { outcome: string; code?: string }) => code ?? outcome);
    expect(await outcomes(row)).to.deep.equal(['created']);
    expect(await outcomes(row)).to.deep.equal(['unchanged']);
    expect(
      await outcomes(
        `${row.replace('01-31', '02-28')}ben@acme.test,guarantee,no,1,2026-02-10,,,\nno@acme.test,advance,no,1,2026-02-10,,,\nben@acme.test,loan,no,1,2026-02-10,,,\n`,
      ),
    ).to.deep.equal(['changed', 'draw_overlap', 'rep_not_found', 'VALIDATION_FAILED']);
    await work.approve('2026-01');
    expect(await outcomes(row.replace('2,000.00', '2,500.00'))).to.deep.equal(['statement_locked']);
    const { draws } = await work.api.expect(200, 'GET', '/v1/draws');
    expect(draws).to.have.length(1);
    expect(draws[0]).to.include({ amount: 2000, to: '2026-02-28', owed: 2000 });
    expect(draws[0].recovery).to.deep.equal({ start: 'after_end', day: null, maxPercent: 50, forgiveOn: null });
  });

  it('needs payouts', async () => {
    const off = await PayWorkspace.create(service, { payouts: null });
    const terms = { repId: off.ben, kind: 'advance', recoverable: true, amount: 1, from: '2026-01-01' };
    expect((await off.api.expect(409, 'POST', '/v1/draws', terms)).code).to.equal('payouts_off');
  });
});
