import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';
import { PayWorkspace } from '../../pay/payables/pay-service.js';
import { newBusiness, override, saveTeam } from './clawback-terms.js';

const flatRate = (rate: number) => [{ tierIndex: 0, minThreshold: 0, rate }];
const asPaid = { schedule: [{ on: 'paid', percent: 100 }] };
const within180 = { window: { days: 180 } };

describe('refunds of deals', () => {
  const service = Service.duringSuite();
  let workspace: Workspace;
  let people: Record<'mia' | 'ann' | 'bob', string>;
  let planId: string;
  afterEach(() => workspace.expectSoundLedger());

  /** Mia is the manager of Ann and Bob, and Ann owns all deals. */
  async function team(clawback: object | null, rules: object[] = [newBusiness]): Promise<void> {
    workspace = await service.workspace({ currency: 'USD' });
    const { api } = workspace;
    people = await saveTeam(api);
    const config = { ...(clawback === null ? {} : { clawback }), rules };
    ({ planId } = await api.createPlan({ name: 'AE', config }, Object.values(people)));
    for (const period of ['2026-Q1', '2026-Q2'])
      await api.setQuota(Object.values(people), 'New business', period, 100_000);
  }

  const deal = (dealId: string, amount: number, closeDate: string, fields: object = {}) =>
    workspace.api.putDeal(dealId, { amount, closeDate, ownerId: 'ann', ...fields });
  const refund = (dealId: string, day: string, amount: number | null = null, id = 'r') =>
    workspace.api.expect(200, 'PUT', `/v1/deals/${dealId}/refunds/${id}`, { day, cause: 'cancellation', amount });
  const waive = (dealId: string, percent: number | null, repId: string | null = null) =>
    workspace.api.expect(200, 'POST', `/v1/deals/${dealId}/refunds/r/waive`, { repId, percent, reason: 'Agreed' });

  /** The two deals of the example: 4,800 at 8 %, then 7,200 at 12 %. */
  async function twoDeals(clawback: object | null = within180, rules: object[] = [newBusiness]): Promise<void> {
    await team(clawback, rules);
    await deal('first', 60_000, '2026-01-15');
    await deal('second', 60_000, '2026-02-10');
  }

  /** What refunds take back, as `Ann second r: [day, amount, credit]`. */
  async function takenBack(): Promise<Record<string, unknown>> {
    await workspace.calculated();
    const rows = await workspace.sql(
      `select concat_ws(' ', r.name, replace(replace(e.deal_key, 'refund:', ''), ':', ' ')) as key,
         e.earned_on::text as day, e.amount::float8 as amount, e.credit::float8 as credit
       from commission_events e join reps r on r.workspace_id = e.workspace_id and r.rep_id = e.rep_id
       where e.workspace_id = $1 and e.status = 'earned' and e.deal_key like 'refund:%'`,
    );
    return Object.fromEntries(rows.map(({ key, day, amount, credit }) => [key, [day, amount, credit]]));
  }

  async function attainment(period: string, repId = people.ann): Promise<number> {
    const [row] = await workspace.sql(
      `select current_value::float8 as credit from quotas where workspace_id = $1 and rep_id = $2 and period = $3`,
      repId,
      period,
    );
    return row.credit;
  }

  const approve = async (repId: string, period: string) => {
    await workspace.calculated();
    await workspace.api.generate(repId, period);
    await workspace.api.approve(repId, period);
    // A later change is then the only cause of what it changes.
    await workspace.checked();
  };

  async function discrepancies(): Promise<unknown[]> {
    await workspace.checked();
    const { discrepancies: open } = await workspace.api.expect(200, 'GET', '/v1/discrepancies?status=open');
    return open.map(({ period, delta, causes }: { period: string; delta: number; causes: { kind: string }[] }) => [
      period,
      delta,
      ...causes.map(({ kind }) => kind),
    ]);
  }

  it('C1: takes back what was paid, at the rate of then, on the day of the refund', async () => {
    await twoDeals();
    const { jobId, warnings } = await refund('second', '2026-04-20');
    expect(warnings).to.deep.equal([]);
    expect((await workspace.api.finishedJob(jobId)).status).to.equal('completed');
    expect(await takenBack()).to.deep.equal({ 'Ann second r': ['2026-04-20', -7200, -60_000] });
    expect([await attainment('2026-Q1'), await attainment('2026-Q2')]).to.deep.equal([120_000, -60_000]);
    const { summary } = await workspace.api.expect(200, 'GET', `/v1/statements?repId=${people.ann}&period=2026-Q2`);
    expect(summary.netPayout).to.equal(-7200);
  });

  it('C2 and C3: a declining clawback takes back the days that are left, of the part that was refunded', async () => {
    await twoDeals({ window: { days: 180 }, declining: true });
    await refund('second', '2026-04-20');
    expect(await takenBack()).to.deep.equal({ 'Ann second r': ['2026-04-20', -4440, -60_000] });
    await refund('second', '2026-04-20', 15_000);
    expect(await takenBack()).to.deep.equal({ 'Ann second r': ['2026-04-20', -1110, -15_000] });
  });

  it('C4: takes back from everyone with a share, and from the manager what it took below', async () => {
    await team(within180, [newBusiness, override]);
    await deal('a', 50_000, '2026-01-05');
    await deal('d', 100_000, '2026-02-10');
    await workspace.api.expect(200, 'PUT', '/v1/deals/d/credits', {
      credits: [
        { email: 'ann@x.io', percent: 70 },
        { email: 'bob@x.io', percent: 30 },
      ],
    });
    await workspace.calculated();
    await refund('d', '2026-04-20', 50_000);
    expect(await takenBack()).to.deep.equal({
      'Ann d r': ['2026-04-20', -4200, -35_000],
      'Bob d r': ['2026-04-20', -1200, -15_000],
      'Mia d r': ['2026-04-20', -1080, -50_000],
    });
  });

  it('C6: several refunds take back at most the deal', async () => {
    await twoDeals();
    await refund('first', '2026-04-20', 40_000);
    const { warnings } = await refund('first', '2026-04-21', 30_000, 's');
    expect(warnings).to.deep.equal([
      { code: 'refund_limited', message: 'Earlier refunds left 20000 of the deal, so only this much counts.' },
    ]);
    expect(await takenBack()).to.deep.equal({
      'Ann first r': ['2026-04-20', -3200, -40_000],
      'Ann first s': ['2026-04-21', -1600, -20_000],
    });
    await workspace.api.expect(200, 'DELETE', '/v1/deals/first/refunds/r');
    expect(await takenBack()).to.deep.equal({ 'Ann first s': ['2026-04-21', -2400, -30_000] });
  });

  it('C8: a refund that is deleted after the approval of its period is owed again', async () => {
    await twoDeals();
    await refund('second', '2026-04-20');
    await approve(people.ann, '2026-04');
    await workspace.api.expect(200, 'DELETE', '/v1/deals/second/refunds/r');
    await workspace.calculated();
    expect(await discrepancies()).to.deep.equal([['2026-04', 7200, 'refund']]);
    expect(await takenBack()).to.deep.equal({ 'Ann second r': ['2026-04-20', -7200, -60_000] });
  });

  it('C9: the last day of the window is inside', async () => {
    await twoDeals();
    await refund('second', '2026-08-09');
    expect(await takenBack()).to.deep.equal({ 'Ann second r': ['2026-08-09', -7200, -60_000] });
    await refund('second', '2026-08-10');
    expect(await takenBack()).to.deep.equal({});
  });

  it('C9: on the last day of a declining window only the credit is lost', async () => {
    await twoDeals({ window: { days: 180 }, declining: true });
    await refund('second', '2026-08-09');
    expect(await takenBack()).to.deep.equal({ 'Ann second r': ['2026-08-09', 0, -60_000] });
  });

  it('C10: the refunds of an event are rounded together', async () => {
    await team(within180, [{ ...newBusiness, tiers: flatRate(0.08) }]);
    await deal('d', 1000.1, '2026-01-15');
    await refund('d', '2026-04-01', 500.05);
    await refund('d', '2026-04-02', 500.05, 's');
    expect(await takenBack()).to.deep.equal({
      'Ann d r': ['2026-04-01', -40.01, -500.05],
      'Ann d s': ['2026-04-02', -40, -500.05],
    });
  });

  it('C11: steps end the window, a waiver leaves a part, and the credit may stay', async () => {
    const steps = [
      { untilDay: 30, percent: 100 },
      { untilDay: 90, percent: 50 },
    ];
    await twoDeals({ steps, credit: 'none' });
    await refund('second', '2026-04-20');
    expect(await takenBack()).to.deep.equal({ 'Ann second r': ['2026-04-20', -3600, 0] });
    await waive('second', 50, people.ann);
    expect(await takenBack()).to.deep.equal({ 'Ann second r': ['2026-04-20', -1800, 0] });
    const { waivers } = await workspace.api.expect(200, 'GET', '/v1/deals/second/refunds/r');
    expect(waivers.map(({ repName, percent }: Record<string, unknown>) => [repName, percent])).to.deep.equal([
      ['Ann', 50],
    ]);
    await waive('second', 100);
    expect(await takenBack()).to.deep.equal({ 'Ann second r': ['2026-04-20', -1800, 0] });
    await waive('second', 0, people.ann);
    expect(await takenBack()).to.deep.equal({ 'Ann second r': ['2026-04-20', -3600, 0] });
    await waive('second', null, people.ann);
    expect(await takenBack()).to.deep.equal({ 'Ann second r': ['2026-04-20', 0, 0] });
    await refund('second', '2026-05-12');
    expect(await takenBack()).to.deep.equal({});
  });

  for (const [refundDay, closeDate, cut] of [
    ['2026-02-20', '2026-03-10', 6000],
    ['2026-04-20', '2026-05-10', 6000],
  ] as const)
    it(`C12: a cap has room again only in the period of the deal (refund on ${refundDay})`, async () => {
      await team(within180, [{ ...newBusiness, tiers: flatRate(0.08), cap: 6000 }]);
      await deal('first', 60_000, '2026-01-15');
      await refund('first', refundDay);
      await deal('second', 90_000, closeDate);
      await workspace.calculated();
      const [row] = await workspace.sql(
        `select amount::float8 as amount from commission_events where workspace_id = $1 and deal_key = 'second'`,
      );
      expect(row.amount).to.equal(cut);
    });

  it('C13: a refund before the deal was closed counts on the close date', async () => {
    await twoDeals();
    await refund('second', '2026-02-01');
    expect(await takenBack()).to.deep.equal({ 'Ann second r': ['2026-02-10', -7200, -60_000] });
  });

  it('follows the deal: a changed amount, another owner, and its deletion', async () => {
    await twoDeals();
    await refund('second', '2026-04-20', 30_000);
    expect(await takenBack()).to.deep.equal({ 'Ann second r': ['2026-04-20', -3600, -30_000] });
    await deal('first', 120_000, '2026-01-15');
    expect(await takenBack()).to.deep.equal({ 'Ann second r': ['2026-04-20', -3600, -30_000] });
    await deal('second', 40_000, '2026-02-10');
    expect(await takenBack()).to.deep.equal({ 'Ann second r': ['2026-04-20', -3600, -30_000] });
    await deal('second', 40_000, '2026-02-10', { ownerId: 'bob' });
    expect(await takenBack()).to.deep.equal({ 'Bob second r': ['2026-04-20', -2400, -30_000] });
    await workspace.api.expect(200, 'DELETE', '/v1/deals/second');
    expect(await takenBack()).to.deep.equal({});
  });

  it('are imported from a file, with a result for each row and their effect before', async () => {
    await twoDeals();
    const { api } = workspace;
    const upload = (query: string, ...lines: readonly string[]) =>
      api.expect(200, 'POST', `/v1/refunds/import${query}`, ['dealId,refundId,day,cause,amount', ...lines].join('\n'), {
        'Content-Type': 'text/csv',
      });
    const lines = ['second,r,2026-04-20,Cancellation,', 'first,q,2026-04-20,refund,15000', 'none,r,2026-04-20,,'];
    const trial = await upload('?dryRun=true&effect=true', ...lines);
    const { byPeriod } = trial.effect;
    const moved = byPeriod.map(({ repId, period, delta }: Record<string, unknown>) => [repId, period, delta]);
    expect(moved).to.deep.equal([[people.ann, '2026-Q2', -8400]]);
    expect(await takenBack()).to.deep.equal({});
    const { results, jobId } = await upload('', ...lines);
    expect(
      results.map(({ outcome, code = null }: { outcome: string; code?: string | null }) => [outcome, code]),
    ).to.deep.equal([
      ['created', null],
      ['created', null],
      ['rejected', 'deal_not_found'],
    ]);
    expect((await api.finishedJob(jobId)).status).to.equal('completed');
    const { imports } = await api.expect(200, 'GET', '/v1/imports');
    expect(imports.map(({ kind, counts, rows }: Record<string, unknown>) => ({ kind, counts, rows }))).to.deep.equal([
      { kind: 'refunds', counts: { created: 2, changed: 0, unchanged: 0, rejected: 1 }, rows: 2 },
    ]);
    expect(await takenBack()).to.deep.equal({
      'Ann first q': ['2026-04-20', -1200, -15_000],
      'Ann second r': ['2026-04-20', -7200, -60_000],
    });
    const again = await upload('', ...lines.slice(0, 2), 'first,q,2026-04-20,refund,1', 'first,x,2026-04-31,refund,1');
    expect(
      again.results.map(({ outcome, reason = '' }: { outcome: string; reason?: string }) => [outcome, reason]),
    ).to.deep.equal([
      ['unchanged', ''],
      ['unchanged', ''],
      ['rejected', 'refund q of deal first is in another row'],
      ['rejected', 'day: 2026-04-31 is not a date in the format ISO'],
    ]);
  });

  it('of lines are replaced by a file, which names no lines and refunds the amount that it states', async () => {
    await twoDeals();
    const { api } = workspace;
    await api.expect(200, 'PUT', '/v1/deals/second/lines', { lines: [{ lineId: '1', amount: 60_000 }] });
    const byLines = { day: '2026-04-20', cause: 'refund', lines: [{ lineId: '1' }] };
    await api.expect(200, 'PUT', '/v1/deals/second/refunds/r', byLines);
    const csv = 'dealId,refundId,day,cause,amount\nsecond,r,2026-04-20,refund,15000';
    const { results } = await api.expect(200, 'POST', '/v1/refunds/import', csv, { 'Content-Type': 'text/csv' });
    expect(results[0].outcome).to.equal('changed');
    const { refunds } = await api.expect(200, 'GET', '/v1/deals/second/refunds');
    expect([refunds[0].amount, refunds[0].lines]).to.deep.equal([15_000, undefined]);
    expect(await takenBack()).to.deep.equal({ 'Ann second r': ['2026-04-20', -1800, -15_000] });
  });

  it('is an exception of its period where no rule has a policy, until it is accepted', async () => {
    await twoDeals(null);
    const listed = async (period: string) => {
      const { exceptions } = await workspace.api.expect(200, 'GET', `/v1/commissions/exceptions?period=${period}`);
      const group = exceptions.find(({ reason }: { reason: string }) => reason === 'refund_without_policy');
      return (group?.deals ?? []).map(({ dealId }: { dealId: string }) => dealId);
    };
    await refund('second', '2026-04-20');
    await workspace.calculated();
    expect([await listed('2026-Q2'), await listed('2026-Q1')]).to.deep.equal([['second'], []]);
    const accepted = { dealId: 'second', reason: 'refund_without_policy', note: 'Agreed' };
    await workspace.api.expect(201, 'POST', '/v1/commissions/exceptions/accepted', accepted);
    expect(await listed('2026-Q2')).to.deep.equal([]);
    await twoDeals();
    await refund('second', '2026-04-20');
    await workspace.calculated();
    expect(await listed('2026-Q2'), 'with a policy').to.deep.equal([]);
  });

  it('does nothing without a policy, and for a rule that is exempt', async () => {
    await twoDeals(null);
    await refund('second', '2026-04-20');
    expect(await takenBack()).to.deep.equal({});
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${planId}`, {
      config: { clawback: within180, rules: [{ ...newBusiness, clawback: null }] },
    });
    expect(await takenBack()).to.deep.equal({});
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${planId}`, {
      config: { clawback: { ...within180, causes: ['cancellation'] }, rules: [newBusiness] },
    });
    expect(await takenBack()).to.deep.equal({ 'Ann second r': ['2026-04-20', -7200, -60_000] });
  });

  it('S5: takes back what approved rows paid, until they are corrected', async () => {
    await team({ window: { days: 90 } }, [{ ...newBusiness, tiers: flatRate(0.1) }]);
    await deal('d', 50_000, '2026-01-10');
    const share = (ann: number) =>
      workspace.api.expect(200, 'PUT', '/v1/deals/d/credits', {
        credits: [
          { email: 'ann@x.io', percent: ann },
          { email: 'bob@x.io', percent: 100 - ann },
        ],
      });
    await share(60);
    await approve(people.ann, '2026-01');
    await approve(people.bob, '2026-01');
    await share(50);
    await refund('d', '2026-02-20', 10_000);
    expect(await takenBack()).to.deep.equal({
      'Ann d r': ['2026-02-20', -600, -6000],
      'Bob d r': ['2026-02-20', -400, -4000],
    });
    await workspace.checked();
    for (const repId of [people.ann, people.bob])
      await workspace.api.expect(200, 'POST', `/v1/statements/${repId}/true-up`, { period: '2026-01', force: true });
    expect(await takenBack()).to.deep.equal({
      'Ann d r': ['2026-02-20', -500, -5000],
      'Bob d r': ['2026-02-20', -500, -5000],
    });
  });

  it('says what a refund would do before it is saved', async () => {
    await twoDeals();
    const terms = { day: '2026-04-20', cause: 'refund', amount: 15_000 };
    await workspace.calculated();
    const { dryRun, byRep, jobId } = await workspace.api.expect(
      200,
      'PUT',
      '/v1/deals/second/refunds/r?dryRun=true',
      terms,
    );
    expect({ dryRun, jobId }).to.deep.equal({ dryRun: true, jobId: undefined });
    expect(byRep.map(({ repName, delta }: Record<string, unknown>) => [repName, delta])).to.deep.equal([
      ['Ann', -1800],
    ]);
    expect(await takenBack()).to.deep.equal({});
    expect((await workspace.api.expect(200, 'GET', '/v1/deals/second/refunds')).count).to.equal(0);
  });

  it('shows what was taken back with the deal, and how', async () => {
    await twoDeals({ window: { days: 180 }, declining: true });
    await deal('second', 60_000, '2026-02-10', { name: 'Acme' });
    await refund('second', '2026-04-20', 15_000);
    await workspace.calculated();
    const { events } = await workspace.api.expect(200, 'GET', '/v1/commissions?dealId=second');
    const event = events.find(({ refundId }: { refundId?: string }) => refundId === 'r');
    expect(event).to.include({ dealId: 'second', dealName: 'Acme', amount: -1110, base: 7200 });
    expect(event.trace.refund).to.deep.equal({
      earnedOn: '2026-02-10',
      refunded: 15_000,
      dealAmount: 60_000,
      windowFrom: '2026-02-10',
      elapsedDays: 69,
      percent: 61.666667,
      takenBefore: 0,
      taken: 0.15416666666666667,
    });
    await workspace.api.generate(people.ann, '2026-04');
    const { lineItems } = await workspace.api.expect(200, 'GET', `/v1/statements?repId=${people.ann}&period=2026-04`);
    expect(lineItems).to.have.length(1);
    expect(lineItems[0]).to.include({ dealId: 'second', dealName: 'Acme', refundId: 'r', closeDate: '2026-02-10' });
    const file = await workspace.api.get(`/v1/statements/${people.ann}/export?period=2026&format=csv`);
    const rows = parse(file.body, { columns: true, bom: true }) as Record<string, string>[];
    expect(rows.map((row) => [row['Type'], row['Refund ID'], row['Commission']])).to.deep.equal([
      ['commission', '', '4800.00'],
      ['commission', '', '7200.00'],
      ['clawback', 'r', '-1110.00'],
    ]);
    const before = await workspace.api.get(`/v1/statements/${people.ann}/export?period=2026-01&format=csv`);
    expect(before.body, 'without refunds').not.to.contain('Refund ID');
  });

  it('takes back the fixed amount of a deal of amount 0, once', async () => {
    await team({}, [
      { ...newBusiness, payoutMode: 'flat_per_event', tiers: [{ tierIndex: 0, minThreshold: 0, flatAmount: 500 }] },
    ]);
    await deal('free', 0, '2026-01-15');
    await refund('free', '2026-02-10');
    await refund('free', '2026-03-10', null, 'again');
    expect(await takenBack()).to.deep.equal({
      'Ann free r': ['2026-02-10', -500, 0],
      'Ann free again': ['2026-03-10', 0, 0],
    });
    const more = { day: '2026-02-10', cause: 'refund', amount: 1 };
    await expectError('400 refund_exceeds_deal', workspace.api.put('/v1/deals/free/refunds/r', more));
  });

  it('are in the commission of the deal, with a warning where no policy takes anything back', async () => {
    for (const [clawback, codes] of [
      [null, ['refund_without_policy']],
      [{}, []],
    ] as const) {
      await twoDeals(clawback);
      await workspace.calculated();
      const given = await workspace.api.expect(200, 'PUT', '/v1/deals/first/refunds/r', {
        day: '2026-02-20',
        cause: 'refund',
        amount: 30_000,
      });
      const codesOf = (warnings: readonly { readonly code: string }[]) => warnings.map(({ code }) => code);
      expect(codesOf(given.warnings)).to.deep.equal(codes);
      await waive('first', 10, people.bob);
      await workspace.calculated();
      const ann = await workspace.as(people.ann);
      for (const [api, waivers] of [
        [workspace.api, 1],
        [ann, 0],
      ] as const) {
        const { refunds } = await api.expect(200, 'GET', '/v1/commissions?dealId=first');
        expect(refunds).to.have.length(1);
        expect(refunds[0]).to.include({ refundId: 'r', day: '2026-02-20', amount: 30_000 });
        expect(codesOf(refunds[0].warnings)).to.deep.equal(codes);
        expect(refunds[0].waivers).to.have.length(waivers);
      }
      const { body } = await workspace.api.mcp('tools/call', {
        name: 'get_commissions',
        arguments: { dealId: 'first' },
      });
      const [{ text }] = body.result.content;
      expect(text).to.match(/Refunds: r of 30000 on 2026-02-20/);
      expect(text.includes('takes nothing back')).to.equal(codes.length > 0);
      const other = await workspace.api.expect(200, 'GET', '/v1/commissions?dealId=second');
      expect(other).to.not.have.property('refunds');
      await workspace.expectSoundLedger();
    }
  });

  it('have a warning that earlier refunds left less only where they did, also after a refund of lines', async () => {
    await team(within180);
    const lines = [
      { lineId: '1', amount: 35_000 },
      { lineId: '2', amount: 15_000 },
    ];
    await deal('d', 50_000, '2026-01-15', { lines });
    const put = async (refundId: string, terms: object) => {
      const sent = { day: '2026-04-20', cause: 'refund', ...terms };
      const { warnings } = await workspace.api.expect(200, 'PUT', `/v1/deals/d/refunds/${refundId}`, sent);
      return warnings.map(({ message }: { message: string }) => message);
    };
    expect(await put('a', { lines: [{ lineId: '2' }] })).to.deep.equal([]);
    expect(await put('b', { amount: 20_000 })).to.deep.equal([]);
    expect(await put('c', { amount: 20_000 })).to.deep.equal([
      'Earlier refunds left 15000 of the deal, so only this much counts.',
    ]);
  });

  it('rejects refunds that are more than the deal', async () => {
    await twoDeals();
    const put = (dealId: string, amount: number | null, id = 'r') =>
      workspace.api.put(`/v1/deals/${dealId}/refunds/${id}`, { day: '2026-04-20', cause: 'refund', amount });
    await expectError('400 refund_exceeds_deal', put('second', 60_000.01));
    await expectError('404 deal_not_found', put('none', null));
    await expectError('400 VALIDATION_FAILED', put('second', null, 'a:b'));
    await deal('negative', -100, '2026-01-20');
    await expectError('400 refund_exceeds_deal', put('negative', null));
    await expectError('404 refund_not_found', workspace.api.delete('/v1/deals/second/refunds/none'));
  });

  it('are not made smaller by the person from whom they take back, whatever names the part', async () => {
    await team(within180);
    const lines = [
      { lineId: '1', amount: 40_000 },
      { lineId: '2', amount: 20_000 },
    ];
    await deal('whole', 60_000, '2026-01-15', { lines });
    await deal('part', 60_000, '2026-01-15', { lines });
    const terms = { day: '2026-04-20', cause: 'refund' };
    const half = [{ lineId: '1', amount: 20_000 }];
    await workspace.api.expect(200, 'PUT', '/v1/deals/whole/refunds/r', terms);
    await workspace.api.expect(200, 'PUT', '/v1/deals/part/refunds/r', { ...terms, lines: half });
    await workspace.api.expect(200, 'PATCH', `/v1/reps/${people.ann}`, { role: 'admin' });
    const ann = await workspace.as(people.ann);
    const put = (dealId: string, more: object) => ann.put(`/v1/deals/${dealId}/refunds/r`, { ...terms, ...more });
    await expectError('403 forbidden', put('whole', { amount: 1 }));
    await expectError('403 forbidden', put('whole', { lines: [{ lineId: '2' }] }));
    await expectError('403 forbidden', put('part', { lines: [{ lineId: '1', amount: 1 }] }));
    await expectError('403 forbidden', put('part', { lines: [{ lineId: '2' }] }));
    const same = await put('part', { lines: half, reason: 'Agreed' });
    expect(same.status, JSON.stringify(same.body)).to.equal(200);
  });

  it('have keys that no deal can take', async () => {
    await twoDeals();
    const { api } = workspace;
    const taken = 'refund:second:r';
    const deal = { amount: 10, ownerId: 'ann', closeDate: '2026-02-10' };
    for (const send of [
      api.put(`/v1/deals/${encodeURIComponent(taken)}`, deal),
      api.get(`/v1/deals/${encodeURIComponent(taken)}/history`),
    ])
      expect((await send).body.code).to.equal('VALIDATION_FAILED');
    const { rejected } = await api.expect(200, 'POST', '/v1/deals/import', { deals: [{ dealId: taken, ...deal }] });
    expect(rejected.map((row: { reason: string }) => row.reason)).to.deep.equal([
      'dealId: must not begin with refund:',
    ]);
  });

  describe('in payouts', () => {
    const cancel = (work: PayWorkspace, dealId: string, day: string) =>
      work.api.expect(200, 'PUT', `/v1/deals/${dealId}/refunds/r`, { day, cause: 'cancellation' });

    for (const [when, payouts] of [
      ['off', null],
      ['on', { enabled: true, from: '2026-01-01' }],
      ['on from a later period', { enabled: true, from: '2026-03-01' }],
    ] as const)
      it(`takes back the share of the amount from which an approved period was calculated, with payouts ${when}`, async () => {
        const rules = [flatRule('New business', 0.1, { clawback: within180 })];
        const work = await PayWorkspace.create(service, { rules, payouts });
        workspace = work;
        const { api, ben, mia } = work;
        await api.expect(200, 'PATCH', `/v1/reps/${ben}`, { managerId: mia, managerFrom: '2026-01-01' });
        const cascade = flatRule('Override', 0.2, { measure: '_earned', executionPhase: 'cascade' });
        await api.createPlan({ name: 'Managers', config: { rules: [cascade] } }, [mia]);
        await work.deal('d', 1000, '2026-01-10');
        for (const repId of [ben, mia]) await approve(repId, '2026-01');
        await work.deal('d', 500, '2026-01-10');
        await api.expect(200, 'PUT', '/v1/deals/d/refunds/r', { day: '2026-02-15', cause: 'refund', amount: 300 });
        expect(await takenBack()).to.deep.equal({
          'Ben d r': ['2026-02-15', -30, -300],
          'Mia d r': ['2026-02-15', -6, -30],
        });
        for (const repId of [ben, mia])
          await api.expect(200, 'POST', `/v1/statements/${repId}/true-up`, { period: '2026-01', force: true });
        expect(await takenBack(), 'after a correction').to.deep.equal({
          'Ben d r': ['2026-02-15', -30, -300],
          'Mia d r': ['2026-02-15', -6, -30],
        });
      });

    it('C5: what is taken back from a person who has left is a balance', async () => {
      const rule = { ...newBusiness, tiers: flatRate(0.12) };
      const work = await PayWorkspace.create(service, { payout: null, rules: [{ ...rule, clawback: within180 }] });
      workspace = work;
      await work.deal('second', 60_000, '2026-02-10');
      await work.approve('2026-01', '2026-02', '2026-03');
      await work.api.expect(200, 'PATCH', `/v1/reps/${work.ben}`, { active: false });
      await cancel(work, 'second', '2026-04-20');
      await work.calculated();
      const { summary } = await work.statement('2026-04');
      expect(summary).to.include({ netPayout: -7200, payable: 0 });
      await work.approve('2026-04');
      const { balances } = await work.api.expect(200, 'GET', `/v1/balances?repId=${work.ben}`);
      expect(balances).to.have.length(1);
      expect(balances[0]).to.include({ owed: 7200 });
    });

    it('C7: what is taken back is recovered at most by the limit of each statement', async () => {
      const rules = [flatRule('New business', 1, { clawback: within180 })];
      const work = await PayWorkspace.create(service, { payout: null, rules });
      workspace = work;
      await work.api.expect(200, 'PATCH', '/v1/workspaces', { recovery: { maxPercent: 50 } });
      await work.deal('second', 7200, '2026-02-10');
      await cancel(work, 'second', '2026-04-20');
      for (const [month, amount] of [
        ['2026-04', 6000],
        ['2026-05', 5000],
        ['2026-06', 9000],
      ] as const)
        await work.deal(month, amount, `${month}-05`);
      const paid: number[] = [];
      for (const month of ['2026-01', '2026-02', '2026-03', '2026-04', '2026-05', '2026-06']) {
        await work.approve(month);
        paid.push(await work.payable(month));
      }
      expect(paid).to.deep.equal([0, 7200, 0, 3000, 2500, 7300]);
    });

    it('P9: a declining clawback takes back what was released, and nothing of what was not', async () => {
      const clawback = { window: { days: 180 }, declining: true };
      const rules = [flatRule('New business', 0.12, { clawback, payout: asPaid })];
      const work = await PayWorkspace.create(service, { rules });
      workspace = work;
      for (const dealId of ['paid', 'unpaid']) await work.deal(dealId, 60_000, '2026-02-10');
      await work.invoice('paid', 60_000, [['2026-02-20', 60_000]]);
      for (const dealId of ['paid', 'unpaid']) await cancel(work, dealId, '2026-04-20');
      await work.calculated();
      expect(await work.lines('2026-02')).to.deep.equal({ paid: 7200 });
      expect(await work.lines('2026-04')).to.deep.equal({ paid: -4440 });
      const { summary } = await work.statement('2026-04');
      expect(summary.netPayout).to.equal(-8880);
    });

    it('takes back no more than was released', async () => {
      const rules = [flatRule('New business', 0.08, { clawback: within180, payout: asPaid })];
      const work = await PayWorkspace.create(service, { rules });
      workspace = work;
      await work.deal('d', 60_000, '2026-01-10');
      await work.invoice('d', 60_000, [['2026-02-15', 30_000]]);
      await cancel(work, 'd', '2026-03-10');
      await work.calculated();
      expect(await work.lines('2026-02')).to.deep.equal({ d: 2400 });
      expect(await work.lines('2026-03')).to.deep.equal({ d: -2400 });
      await work.api.expect(200, 'PUT', '/v1/deals/d/refunds/r', {
        day: '2026-03-10',
        cause: 'refund',
        amount: 30_000,
      });
      await work.calculated();
      expect(await work.lines('2026-03')).to.deep.equal({});
    });
  });
});
