import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { PayWorkspace } from '../pay/payables/pay-service.js';

const ofFamily = (family: string, base: number, accelerated: number) => ({
  keys: { family },
  values: { base, accelerated },
});
const productsWith = (softwareBase: number) => ({
  keys: [{ name: 'family', field: 'line.family', match: 'exact' }],
  columns: [{ name: 'base' }, { name: 'accelerated' }],
  rows: [ofFamily('software', softwareBase, 0.14), ofFamily('services', 0.04, 0.05), ofFamily('hardware', 0.02, 0.02)],
});
const base = { tierIndex: 0, minThreshold: 0, table: 'Products', column: 'base' };
const accelerated = { tierIndex: 1, minThreshold: 1, table: 'Products', column: 'accelerated' };
const rule = { name: 'Lines', measure: 'line.amount', lines: {}, tiers: [base] };
const software = (amount: number) => [{ lineId: '1', family: 'software', amount }];
const d = [
  ...software(30_000),
  { lineId: '2', family: 'services', amount: 15_000 },
  { lineId: '3', family: 'hardware', amount: 5_000 },
];

describe('the worked examples of lines that need approvals, managers and payments', () => {
  const service = Service.duringSuite();
  let work: PayWorkspace;
  afterEach(() => work.expectSoundLedger());

  async function start(more: object = {}, payouts: object | null = null): Promise<void> {
    work = await PayWorkspace.create(service, { payouts });
    await work.api.expect(200, 'PUT', '/v1/rate-tables/Products', productsWith(0.1));
    await work.api.expect(200, 'PATCH', `/v1/plans/${work.planId}`, { config: { rules: [{ ...rule, ...more }] } });
    await work.api.setQuota([work.ben], 'Lines', '2026-Q1', 100_000);
  }

  const deal = (dealId: string, closeDate: string, lines: readonly { readonly amount: number }[]) =>
    work.deal(
      dealId,
      lines.reduce((sum, { amount }) => sum + amount, 0),
      closeDate,
      { lines },
    );
  const earned = async (repId = work.ben): Promise<Record<string, number>> => {
    await work.calculated();
    const rows = await work.sql(
      `select deal_key as key, amount::float8 as amount from commission_events
       where workspace_id = $1 and rep_id = $2 and status = 'earned' order by 1`,
      repId,
    );
    return Object.fromEntries(rows.map(({ key, amount }) => [key, amount]));
  };
  const openDiscrepancies = async () => {
    await work.checked();
    return (await work.api.expect(200, 'GET', '/v1/discrepancies?status=open')).discrepancies;
  };

  it('J35: a manager is paid on what the lines of a deal earned', async () => {
    await start();
    await work.api.expect(200, 'PATCH', `/v1/reps/${work.ben}`, { managerId: work.mia, managerFrom: '2026-01-01' });
    const override = flatRule('Override', 0.2, { measure: '_earned', executionPhase: 'cascade' });
    await work.api.createPlan({ name: 'Managers', config: { rules: [override] } }, [work.mia]);
    await deal('D', '2026-02-10', d);
    expect(await earned(work.mia)).to.deep.equal({ D: 740 });
  });

  for (const [id, tierMode, before, after, discrepancies] of [
    ['J53', 'full_rate', { A: 1_000, D: 3_700, M: 8_400 }, { A: 1_000, D: 4_000, M: 8_400 }, [[100, 'rate_table']]],
    ['J54', 'retroactive', { A: 1_400, D: 5_050, M: 8_400 }, { A: 1_400, D: 5_050, M: 8_400 }, []],
  ] as const)
    it(`${id}: an approved month keeps its rates when a table is corrected, ${tierMode}`, async () => {
      await start({ tierMode, tiers: [base, accelerated] });
      await deal('A', '2026-01-15', software(10_000));
      await deal('D', '2026-02-10', d);
      await deal('M', '2026-03-10', software(60_000));
      expect(await earned()).to.deep.equal(before);
      await work.approve('2026-01');
      await work.api.expect(200, 'PUT', '/v1/rate-tables/Products', productsWith(0.11));
      expect(await earned()).to.deep.equal(after);
      expect(
        (await openDiscrepancies()).map(({ delta, causes }: { delta: number; causes: { kind: string }[] }) => [
          delta,
          causes[0]?.kind,
        ]),
      ).to.deep.equal(discrepancies);
    });

  it('I15: a corrected line of an approved month is owed, and paid with a true-up', async () => {
    await start();
    await deal('D', '2026-02-10', d);
    await work.calculated();
    await work.approve('2026-02');
    const [first, ...others] = d;
    await work.api.expect(200, 'PUT', '/v1/deals/D/lines', { lines: [{ ...first, amount: 32_000 }, ...others] });
    expect(await earned()).to.deep.equal({ D: 3_700 });
    const [{ delta, causes }] = await openDiscrepancies();
    expect([delta, causes[0].kind]).to.deep.equal([200, 'lines']);
    await work.trueUp('2026-02');
    expect((await work.statement('2026-02')).summary.netPayout).to.equal(3_900);
    expect(await openDiscrepancies()).to.deep.equal([]);
  });

  it('J69: a refunded line releases more of what the customer has paid for the others', async () => {
    await start(
      { clawback: { window: { days: 365 } }, payout: { schedule: [{ on: 'paid', percent: 100 }] } },
      { enabled: true, from: '2026-01-01' },
    );
    await deal('D', '2026-02-10', d);
    await work.invoice('D', 50_000, [['2026-02-20', 25_000]]);
    expect(await work.payable('2026-02')).to.equal(1_850);
    await work.approve('2026-02');
    await work.api.expect(200, 'PUT', '/v1/deals/D/refunds/R1', {
      day: '2026-03-10',
      cause: 'refund',
      lines: [{ lineId: '2' }],
    });
    await work.calculated();
    const { summary } = await work.statement('2026-03');
    expect([summary.netPayout, summary.payable]).to.deep.equal([-600, 364.29]);
  });

  it('J30: lines in another currency follow a rate that is entered, and corrected, after the deal', async () => {
    await start();
    await work.api.expect(200, 'PATCH', `/v1/plans/${work.planId}`, { fx: { date: 'close_date' } });
    await work.deal('D', 20_000, '2026-02-10', {
      currency: 'USD',
      lines: software(20_000).map((line) => ({ ...line, currency: 'EUR' })),
    });
    expect(await earned()).to.deep.equal({});
    for (const [rate, paid] of [
      ['1.1', 2_200],
      ['1.2', 2_400],
    ] as const) {
      const rates = [{ from: 'EUR', to: 'USD', day: '2026-02-01', rate }];
      const { affected } = await work.api.expect(200, 'PUT', '/v1/fx-rates', { rates });
      expect(affected.reps).to.equal(1);
      expect(await earned()).to.deep.equal({ D: paid });
    }
  });

  it('a refunded line in another currency counts at the rate of its day for what the customer still pays', async () => {
    const payout = { schedule: [{ on: 'paid', percent: 100 }] };
    const whole = flatRule('Whole', 0.1, { clawback: { window: { days: 365 } }, payout });
    work = await PayWorkspace.create(service, { payouts: { enabled: true, from: '2026-01-01' } });
    await work.api.expect(200, 'PATCH', `/v1/plans/${work.planId}`, { config: { rules: [whole] } });
    const rates = [{ from: 'EUR', to: 'USD', day: '2026-03-10', rate: '1.1' }];
    await work.api.expect(200, 'PUT', '/v1/fx-rates', { rates });
    const lines = [
      { lineId: '1', amount: 20_000, currency: 'EUR' },
      { lineId: '2', amount: 18_000 },
    ];
    await work.deal('D', 40_000, '2026-02-10', { lines, currency: 'USD' });
    await work.invoice('D', 40_000, [['2026-02-20', 9_000]]);
    const sent = { day: '2026-03-10', cause: 'refund', lines: [{ lineId: '1' }] };
    await work.api.expect(200, 'PUT', '/v1/deals/D/refunds/R1', sent);
    expect(await earned()).to.deep.equal({ D: 4_000, 'refund:D:R1': -2_200 });
    expect(await work.payable('2026-02')).to.equal(900);
    // 9,000 of the 18,000 that are left.
    expect(await work.payable('2026-03')).to.equal(0);
  });

  it('a refund of lines in another currency follows the rate of its day, also if no plan converts', async () => {
    const whole = flatRule('Whole', 0.1, { clawback: { window: { days: 365 } } });
    await start();
    await work.api.expect(200, 'PATCH', `/v1/plans/${work.planId}`, { config: { rules: [whole] } });
    const lines = software(20_000).map((line) => ({ ...line, currency: 'EUR' }));
    await work.deal('D', 40_000, '2026-02-10', { lines, currency: 'USD' });
    await work.deal('E', 40_000, '2026-02-10', { lines: software(20_000), currency: 'USD' });
    const sent = { day: '2026-03-10', cause: 'refund', lines: [{ lineId: '1', amount: 10_000 }] };
    for (const dealId of ['D', 'E']) await work.api.expect(200, 'PUT', `/v1/deals/${dealId}/refunds/R1`, sent);
    const withoutRate = { D: 4_000, E: 4_000, 'refund:D:R1': 0, 'refund:E:R1': -1_000 };
    expect(await earned()).to.deep.equal(withoutRate);
    for (const [day, rate, refunds, takenBack] of [
      ['2026-03-01', '1.1', 1, -1_100],
      ['2026-03-01', '1.2', 1, -1_200],
      ['2026-03-11', '1.3', 0, -1_200],
    ] as const) {
      const rates = [{ from: 'EUR', to: 'USD', day, rate }];
      const preview = await work.api.expect(200, 'PUT', '/v1/fx-rates?dryRun=true', { rates });
      expect([preview.affected.events, preview.effect.lines]).to.deep.equal([refunds, refunds]);
      const { affected } = await work.api.expect(200, 'PUT', '/v1/fx-rates', { rates });
      expect([affected.reps, affected.events]).to.deep.equal([refunds, refunds]);
      expect(await earned()).to.deep.equal({ ...withoutRate, 'refund:D:R1': takenBack });
    }
    await work.api.expect(200, 'DELETE', '/v1/fx-rates?from=EUR&to=USD');
    expect(await earned()).to.deep.equal(withoutRate);
  });

  it('J70: a line that only the cap had paid is deleted without a difference', async () => {
    await start({ cap: 4_000 });
    await deal('A', '2026-01-15', software(20_000));
    await deal('D', '2026-02-10', d);
    expect(await earned()).to.deep.equal({ A: 2_000, D: 2_000 });
    await work.approve('2026-02');
    await work.api.expect(200, 'PUT', '/v1/deals/D/lines', { lines: d.slice(0, 2) });
    await work.calculated();
    expect(await openDiscrepancies()).to.deep.equal([]);
  });
});
