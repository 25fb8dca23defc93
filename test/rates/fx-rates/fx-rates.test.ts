import { expect } from 'chai';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { WorkedExample } from '#test/support/worked-example.js';

const fx = { date: 'close_date' };

describe('exchange rates over HTTP', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;

  /** Ben's plan pays 8 % and from the quota of 100,000 USD on 12 %, and converts at the close date. */
  beforeEach(async () => {
    workspace = await WorkedExample.create(service, { deals: false });
    await convert(fx);
    await workspace.calculated();
  });
  afterEach(() => workspace.expectSoundLedger());

  const convert = (terms: object | null, change: object = {}) =>
    workspace.api.expect(200, 'PATCH', `/v1/plans/${workspace.planId}`, { fx: terms, ...change });
  const flat = (rate: number) => ({ config: { rules: [flatRule('New business', rate)] } });
  const enter = (from: string, to: string, rate: number | string, day = '2026-01-01') =>
    workspace.api.expect(200, 'PUT', '/v1/fx-rates', { rates: [{ from, to, day, rate }] });
  const dealIn = (currency: string, dealId: string, amount: number, day: string, fields: object = {}) =>
    workspace.deal(dealId, amount, day, { currency, ...fields });
  const earned = async () => {
    await workspace.calculated();
    return workspace.earned();
  };
  const explain = async (dealId: string) =>
    (await workspace.api.expect(200, 'GET', `/v1/commissions?dealId=${dealId}`)).events;

  it('X1: a deal in euros is converted at the rate of its close date, which its trace names', async () => {
    await enter('EUR', 'USD', 1.0837);
    await dealIn('EUR', 'D1', 50_000, '2026-01-15');
    expect(await earned()).to.deep.equal({ D1: '4334.8' });
    const [{ base, currency, trace }] = await explain('D1');
    expect({ base, currency }).to.deep.equal({ base: 54_185, currency: 'USD' });
    expect(trace.conversions).to.deep.equal([
      {
        from: 'EUR',
        to: 'USD',
        day: '2026-01-15',
        rate: 1.0837,
        legs: [{ from: 'EUR', to: 'USD', day: '2026-01-01', rate: 1.0837 }],
        values: [{ field: 'amount', value: 50_000, converted: 54_185 }],
      },
    ]);
  });

  it('X2: a corrected rate moves the deal to another tier', async () => {
    await workspace.deal('D1', 60_000, '2026-01-15');
    await dealIn('EUR', 'D2', 37_000, '2026-02-10');
    await enter('EUR', 'USD', 1.0837);
    expect(await earned()).to.deep.equal({ D1: '4800', D2: '4811.63' });
    await enter('EUR', 'USD', '1.0790');
    expect(await earned()).to.deep.equal({ D1: '4800', D2: '3193.84' });
  });

  it('X3: an amount is rounded once, to the currency of the plan', async () => {
    await convert(fx, { currency: 'JPY', ...flat(0.03) });
    await enter('USD', 'JPY', 149.87);
    await dealIn('USD', 'D1', 12_345.67, '2026-01-15');
    expect(await earned()).to.deep.equal({ D1: '55507' });
  });

  it('X5: a corrected rate is a discrepancy of an approved period, with its cause', async () => {
    await convert(fx, flat(0.1));
    await enter('EUR', 'USD', 1.08);
    await dealIn('EUR', 'D1', 50_000, '2026-01-15');
    expect(await earned()).to.deep.equal({ D1: '5400' });
    await workspace.generateAndApprove('2026-01');
    await service.waitForChecks(workspace.workspaceId);
    await enter('EUR', 'USD', 1.1);
    expect(await earned()).to.deep.equal({ D1: '5400' });
    await service.waitForChecks(workspace.workspaceId);
    const { discrepancies } = await workspace.api.expect(200, 'GET', '/v1/discrepancies?status=open');
    expect(discrepancies).to.containSubset([{ delta: 100, currency: 'USD', causes: [{ kind: 'fx_rate' }] }]);
    await enter('EUR', 'USD', 1.08);
    await workspace.calculated();
    await service.waitForChecks(workspace.workspaceId);
    expect((await workspace.api.expect(200, 'GET', '/v1/discrepancies?status=open')).count).to.equal(0);
  });

  it('X6: a manager is paid on what people below earned in other currencies', async () => {
    const managerPlan = { rules: [{ ...flatRule('Override', 0.2), executionPhase: 'cascade', measure: undefined }] };
    await workspace.api.createPlan({ name: 'Lead', config: managerPlan, currency: 'USD', fx }, [workspace.mia]);
    await workspace.api.expect(200, 'PATCH', `/v1/reps/${workspace.ben}`, { managerId: workspace.mia });
    await convert(null, { currency: 'EUR', ...flat(0.1) });
    const dealConditions = [{ field: 'currency', fieldType: 'text', operator: 'equals', value: 'USD' }];
    await workspace.api.createPlan(
      { name: 'Dollars', config: { dealConditions, rules: [flatRule('Dollars', 0.1)] }, currency: 'USD' },
      [workspace.ben],
    );
    await dealIn('EUR', 'D1', 40_000, '2026-01-15');
    await dealIn('USD', 'D2', 48_000, '2026-01-20');
    await workspace.calculated();
    const overrides = async () => {
      await workspace.calculated();
      const rows = await workspace.sql(
        `select deal_key as key, trim_scale(amount)::text as amount from commission_events
         where workspace_id = $1 and rule_name = 'Override' and status = 'earned' order by 1`,
      );
      return Object.fromEntries(rows.map((row) => [row.key, row.amount]));
    };
    expect(await overrides(), 'without a rate').to.deep.equal({ D2: '960' });
    const { affected } = await enter('EUR', 'USD', 1.0837);
    expect(affected.reps, 'only the manager converts').to.equal(1);
    expect(await overrides()).to.deep.equal({ D1: '866.96', D2: '960' });
  });

  it('X7: the opposite pair is inverted exactly', async () => {
    await convert(fx, flat(0.08));
    await enter('USD', 'EUR', 0.9228);
    await dealIn('EUR', 'D1', 50_000, '2026-01-15');
    expect(await earned()).to.deep.equal({ D1: '4334.63' });
  });

  it('X8: a deal without a rate is an exception, and pays when the rate arrives', async () => {
    await enter('EUR', 'USD', 1.05, '2025-12-01');
    await dealIn('EUR', 'D1', 50_000, '2026-02-10', { stage: 'Won' });
    await workspace.deal('D2', 60_000, '2026-03-05');
    expect(await earned()).to.deep.equal({ D2: '4800' });
    const { exceptions } = await workspace.api.expect(200, 'GET', '/v1/commissions/exceptions?period=2026-02');
    const reasons = exceptions.map(({ reason }: { reason: string }) => reason);
    expect(reasons).to.deep.equal(['fx_rate_missing']);
    const { changed, affected, jobId } = await enter('EUR', 'USD', 1.08, '2026-02-01');
    expect({ changed, affected }).to.deep.equal({ changed: 1, affected: { reps: 1, events: 1 } });
    expect(jobId).to.be.a('string');
    expect(await earned()).to.deep.equal({ D1: '4320', D2: '7200' });
  });

  it('X9: seats are no money', async () => {
    const tiers = [{ tierIndex: 0, minThreshold: 0, rate: 10 }];
    await convert(fx, { config: { rules: [{ name: 'Seats', measure: 'seats', tiers }] } });
    await dealIn('EUR', 'D1', 50_000, '2026-01-15', { fields: { seats: 180 } });
    expect(await earned()).to.deep.equal({ D1: '1800' });
  });

  it('X10: two rates of the currency of the workspace are legs of a third', async () => {
    await workspace.api.expect(200, 'PATCH', '/v1/workspaces', { currency: 'EUR' });
    await convert(fx, { currency: 'USD', ...flat(0.08) });
    await enter('EUR', 'CHF', 0.95);
    await enter('EUR', 'USD', 1.08);
    await dealIn('CHF', 'D1', 50_000, '2026-01-15');
    expect(await earned()).to.deep.equal({ D1: '4547.37' });
  });

  it('X11: the rate of the end of a period is provisional until then', async () => {
    await convert({ date: 'period_end' }, flat(0.08));
    await enter('EUR', 'USD', 1.05, '2026-01-05');
    await dealIn('EUR', 'D1', 50_000, '2026-01-10');
    await workspace.calculated();
    const simulated = async (asOf: string) => {
      const { reps } = await workspace.api.expect(200, 'POST', '/v1/commissions/simulate', {
        planId: workspace.planId,
        repId: workspace.ben,
        period: '2026-Q1',
        asOf,
      });
      const rows = reps[0].rules.flatMap(({ deals }: { deals: object[] }) => deals);
      return rows.map(({ amount, trace }: { amount: number; trace: { conversions: object[] } }) => [
        amount,
        (trace.conversions[0] as { provisional?: boolean }).provisional ?? false,
      ]);
    };
    expect(await simulated('2026-03-31')).to.deep.equal([[4200, true]]);
    expect(await simulated('2026-04-01')).to.deep.equal([]);
    await enter('EUR', 'USD', 1.1, '2026-03-31');
    expect(await simulated('2026-04-01')).to.deep.equal([[4400, false]]);
  });

  it('a preview says what a rate would do, and stores nothing', async () => {
    await enter('EUR', 'USD', 1.08);
    await dealIn('EUR', 'D1', 50_000, '2026-01-15');
    await workspace.calculated();
    const preview = await workspace.api.expect(200, 'PUT', '/v1/fx-rates?dryRun=true', {
      rates: [{ from: 'EUR', to: 'USD', day: '2026-01-01', rate: 1.1 }],
    });
    expect(preview).to.containSubset({ stored: 1, changed: 1, affected: { reps: 1, events: 1 }, jobId: null });
    expect(preview.effect.totals).to.deep.equal([{ currency: 'USD', delta: 80 }]);
    const { fxRates } = await workspace.api.expect(200, 'GET', '/v1/fx-rates');
    expect(fxRates).to.deep.equal([{ table: 'default', from: 'EUR', to: 'USD', day: '2026-01-01', rate: 1.08 }]);
  });

  it('a preview names the plans and months that use a rate, and what an approved period keeps', async () => {
    await convert(fx, flat(0.1));
    await enter('EUR', 'USD', 1.08);
    await enter('EUR', 'USD', 1.2, '2026-03-01');
    await dealIn('EUR', 'D1', 50_000, '2026-01-15');
    await dealIn('EUR', 'D2', 10_000, '2026-01-20');
    await dealIn('EUR', 'D3', 10_000, '2026-02-10');
    await dealIn('EUR', 'D4', 10_000, '2026-03-10');
    await workspace.calculated();
    await workspace.generateAndApprove('2026-01');
    const rateOf = (day: string) => `/v1/fx-rates?from=EUR&to=USD&since=${day}&until=${day}&dryRun=true`;
    const { affected } = await workspace.api.expect(200, 'DELETE', rateOf('2026-01-01'));
    const name = affected.plans[0].name;
    expect(affected).to.deep.equal({
      reps: 1,
      events: 3,
      plans: [{ planId: workspace.planId, name, deals: 3 }],
      months: [
        { month: '2026-01', people: 1, deals: 2, approvedDeals: 2 },
        { month: '2026-02', people: 1, deals: 1, approvedDeals: 0 },
      ],
    });
    expect(name).to.be.a('string').that.does.not.equal(workspace.planId);
    const later = await workspace.api.expect(200, 'DELETE', rateOf('2026-03-01'));
    expect(later.affected.months).to.deep.equal([{ month: '2026-03', people: 1, deals: 1, approvedDeals: 0 }]);
  });

  it('a simulation assumes other rates', async () => {
    await dealIn('EUR', 'D1', 50_000, '2026-01-15');
    await workspace.calculated();
    const { total } = await workspace.api.expect(200, 'POST', '/v1/commissions/simulate', {
      planId: workspace.planId,
      period: '2026-Q1',
      fxRates: [{ from: 'EUR', to: 'USD', rate: 1.0837 }],
    });
    expect(total).to.equal(4334.8);
  });

  it('a rate that is deleted no longer converts, and the state before has its history', async () => {
    await enter('EUR', 'USD', 1.08);
    await dealIn('EUR', 'D1', 50_000, '2026-01-15');
    expect(await earned()).to.deep.equal({ D1: '4320' });
    const asOf = new Date().toISOString();
    const path = '/v1/fx-rates?from=EUR&to=USD&since=2026-01-01&until=2026-01-01';
    const { deleted, affected } = await workspace.api.expect(200, 'DELETE', path);
    expect({ deleted, affected }).to.deep.equal({ deleted: 1, affected: { reps: 1, events: 1 } });
    expect(await earned()).to.deep.equal({});
    expect((await workspace.api.expect(200, 'GET', '/v1/fx-rates')).count).to.equal(0);
    expect((await workspace.api.expect(200, 'GET', `/v1/fx-rates?asOf=${asOf}`)).count).to.equal(1);
  });

  it('a file has a row for each rate, or is that of the European Central Bank', async () => {
    const upload = (text: string, query = '') =>
      workspace.api.expect(200, 'POST', `/v1/fx-rates/import${query}`, text, { 'content-type': 'text/csv' });
    const simple = await upload(
      'from,to,day,rate\nEUR,USD,2026-01-05,1.0837\nEUR,USD,2026-01-06,0\nEUR,XXX,2026-01-05,1\n',
    );
    expect(simple).to.containSubset({ accepted: 1, rejected: 2, stored: 1, changed: 1 });
    expect(simple.results.map(({ code }: { code?: string }) => code)).to.deep.equal([
      undefined,
      'invalid_rate',
      'VALIDATION_FAILED',
    ]);
    const bank = await upload(
      'Date,USD,JPY,CYP,\n2026-01-06,1.0800,157.50,N/A,\n2026-01-05,1.0837,N/A,N/A,\n1999-01-04,1.1789,133.73,0.58231,\n',
      '?since=2026-01-01',
    );
    expect(bank).to.containSubset({ accepted: 1, unchanged: 2, rejected: 0, stored: 3, changed: 2 });
    const { fxRates } = await workspace.api.expect(200, 'GET', '/v1/fx-rates?to=JPY');
    expect(fxRates).to.deep.equal([{ table: 'default', from: 'EUR', to: 'JPY', day: '2026-01-06', rate: 157.5 }]);
  });

  it('rejects a rate that is 0, negative, too exact, or of one currency', async () => {
    const send = async (rate: unknown, to = 'USD') =>
      workspace.api.put('/v1/fx-rates', { rates: [{ from: 'EUR', to, day: '2026-01-01', rate }] });
    for (const rate of [0, -1, '0.12345678901', '10000000000', 'abc'])
      await expectError('400 invalid_rate', send(rate));
    await expectError('400 invalid_rate', send(1, 'EUR'));
    expect((await send('0.1234567891')).status).to.equal(200);
  });

  it('a plan without fx pays nothing on a deal in another currency', async () => {
    await convert(null);
    await enter('EUR', 'USD', 1.08);
    await dealIn('EUR', 'D1', 50_000, '2026-01-15', { stage: 'Won' });
    expect(await earned()).to.deep.equal({});
    const { exceptions } = await workspace.api.expect(200, 'GET', '/v1/commissions/exceptions?period=2026-01');
    expect(exceptions.map(({ reason }: { reason: string }) => reason)).to.deep.equal(['currency_mismatch']);
  });
});
