import { expect } from 'chai';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { type Workspace } from '#test/support/workspace.js';

const tiers = [
  { tierIndex: 0, minThreshold: 0, rate: 0.08 },
  { tierIndex: 1, minThreshold: 1, rate: 0.12 },
];
const flatRate = (rate: number) => [{ tierIndex: 0, minThreshold: 0, rate }];
const newBusiness = { name: 'New business', measure: 'amount', tiers };
const flat = { ...newBusiness, tiers: flatRate(0.1) };
const overlay = { ...newBusiness, name: 'Overlay', tiers: flatRate(0.015), creditKinds: ['overlay'] };
const override = { name: 'Override', measure: 'amount', executionPhase: 'cascade', tiers: flatRate(0.2) };

/** `ann 70`, `eve 100 overlay`, `bob 50 quota`: a person by e-mail address, the percentage, and the kind or the effect. */
function line(part: string): object {
  const [name, percent, word] = part.split(' ');
  const person = name === 'house' ? { repId: null } : { email: `${name}@x.io` };
  return {
    ...person,
    percent: Number(percent),
    ...(word === 'overlay' ? { kind: word } : {}),
    ...(word === 'quota' || word === 'payout' ? { affects: word } : {}),
  };
}

describe('deals that several people share', () => {
  const service = Service.duringSuite();
  let workspace: Workspace;
  let people: Record<'mia' | 'ann' | 'bob' | 'eve', string>;
  afterEach(() => workspace.expectSoundLedger());

  /** Mia is the manager of Ann and Bob; everyone has a quota of 100,000. */
  async function team(rules: object[], target = 100_000): Promise<void> {
    workspace = await service.workspace();
    const { api } = workspace;
    const [mia] = await api.saveReps({ name: 'Mia', role: 'manager' });
    const [ann, bob, eve] = await api.saveReps(
      { name: 'Ann', managerEmail: 'mia@x.io' },
      { name: 'Bob', managerEmail: 'mia@x.io' },
      { name: 'Eve', managerEmail: 'mia@x.io' },
    );
    people = { mia, ann, bob, eve };
    await api.createPlan({ name: 'AE', config: { rules } }, Object.values(people));
    await api.setQuota(Object.values(people), 'New business', '2026-Q1', target);
  }

  const deal = (dealId: string, amount: number, closeDate = '2026-01-10', fields: object = {}) =>
    workspace.api.putDeal(dealId, { amount, closeDate, ownerId: 'ann', ...fields });
  const share = (dealId: string, ...parts: string[]) =>
    workspace.api.expect(200, 'PUT', `/v1/deals/${dealId}/credits`, { credits: parts.map(line) });
  const preview = (dealId: string, ...parts: string[]) =>
    workspace.api.expect(200, 'PUT', `/v1/deals/${dealId}/credits?dryRun=true`, { credits: parts.map(line) });

  /** What is earned, as `Ann d: 8400`; the rule is named where it is not New business. */
  async function earned(): Promise<Record<string, number>> {
    await workspace.calculated();
    const rows = await workspace.sql(
      `select concat_ws(' ', r.name, e.deal_key, nullif(e.rule_name, 'New business')) as key, e.amount::float8 as amount
       from commission_events e join reps r on r.workspace_id = e.workspace_id and r.rep_id = e.rep_id
       where e.workspace_id = $1 and e.status = 'earned' and e.kind = 'commission_earned'`,
    );
    return Object.fromEntries(rows.map(({ key, amount }) => [key, amount]));
  }

  async function creditOf(repId: string, dealId: string, rule = 'New business'): Promise<number> {
    const [row] = await workspace.sql(
      `select credit::float8 as credit from commission_events
       where workspace_id = $1 and rep_id = $2 and deal_key = $3 and rule_name = $4 and status = 'earned'`,
      repId,
      dealId,
      rule,
    );
    return row.credit;
  }

  async function discrepancies(): Promise<Record<string, unknown>> {
    await workspace.checked();
    const { discrepancies: open } = await workspace.api.expect(200, 'GET', '/v1/discrepancies?status=open');
    const names = Object.fromEntries(Object.entries(people).map(([name, repId]) => [repId, name]));
    return Object.fromEntries(
      open.map(({ repId, delta, causes }: { repId: string; delta: number; causes: { kind: string }[] }) => [
        names[repId],
        [delta, ...causes.map(({ kind }) => kind)],
      ]),
    );
  }

  async function approve(period: string, ...repIds: string[]): Promise<void> {
    await workspace.calculated();
    for (const repId of repIds) {
      await workspace.api.generate(repId, period);
      await workspace.api.approve(repId, period);
    }
  }

  it('are in the open pipeline of everyone with a line, as in the list of open deals and the forecast', async () => {
    await team([newBusiness]);
    const open = { stage: 'Open' };
    await deal('shared', 30_000, '2026-02-01', open);
    await deal('own', 1000, '2026-02-01', open);
    await share('shared', 'ann 70', 'bob 30', 'eve 100 overlay');
    const read = async (repId: string) => {
      const { openPipeline } = await workspace.api.expect(200, 'GET', `/v1/commissions?repId=${repId}`);
      const list = await workspace.api.expect(200, 'GET', `/v1/deals?repId=${repId}&isClosed=false&totals=true`);
      const forecast = await workspace.api.expect(200, 'GET', `/v1/forecast?repId=${repId}&period=2026-Q1`);
      expect(openPipeline.deals).to.equal(list.count).and.to.equal(forecast.deals.length);
      return openPipeline;
    };
    expect(await read(people.ann)).to.include({ deals: 2, total: 31_000 });
    expect(await read(people.bob)).to.include({ deals: 1, total: 30_000 });
    expect(await read(people.eve)).to.include({ deals: 1, total: 30_000 });
    await deal('shared', 40_000, '2026-02-01', open);
    expect(await read(people.bob)).to.include({ deals: 1, total: 40_000 });
    await share('shared', 'ann 70', 'eve 30');
    expect(await read(people.bob)).to.include({ deals: 0, total: 0 });
  });

  it('S1 and S3: each seller is paid at the own tier, and the manager above both once', async () => {
    await team([newBusiness, override]);
    await deal('a', 50_000, '2026-01-05');
    await deal('d', 100_000, '2026-02-10');
    const { source, credits, jobId } = await share('d', 'ann 70', 'bob 30');
    expect(source).to.equal('api');
    expect(credits.map(({ repName, percent }: Record<string, unknown>) => [repName, percent])).to.deep.equal([
      ['Ann', 70],
      ['Bob', 30],
    ]);
    expect((await workspace.api.finishedJob(jobId)).status).to.equal('completed');
    expect(await earned()).to.deep.equal({
      'Ann a': 4000,
      'Ann d': 8400,
      'Bob d': 2400,
      'Mia a Override': 800,
      'Mia d Override': 2160,
    });
    expect(await creditOf(people.mia, 'd', 'Override')).to.equal(100_000);
  });

  it('S2: marginal tiers divide each share by the own bands', async () => {
    await team([{ ...newBusiness, tierMode: 'marginal' }]);
    await deal('a', 60_000, '2026-01-05');
    await deal('b', 95_000, '2026-01-05', { ownerId: 'bob' });
    await deal('d', 50_000, '2026-02-10');
    await share('d', 'ann 60', 'bob 40');
    expect(await earned()).to.include({ 'Ann d': 2400, 'Bob d': 2200 });
  });

  it('S4: an overlay pays under its own rule, and the manager counts the deal once', async () => {
    await team([newBusiness, overlay, override], 400_000);
    await deal('d', 100_000);
    await share('d', 'ann 100', 'eve 100 overlay');
    expect(await earned()).to.deep.equal({ 'Ann d': 8000, 'Eve d Overlay': 1500, 'Mia d Override': 1900 });
    expect(await creditOf(people.mia, 'd', 'Override')).to.equal(100_000);
  });

  it('S5: corrected lines of approved periods are owed, carried forward, and a refund follows the new lines', async () => {
    await team([flat]);
    await deal('d', 50_000);
    await share('d', 'ann 60', 'bob 40');
    await approve('2026-01', people.ann, people.bob);
    const { blocked, warnings } = await share('d', 'ann 50', 'bob 50');
    expect(blocked.people.map(({ repName }: { repName: string }) => repName).sort()).to.deep.equal(['Ann', 'Bob']);
    expect(warnings).to.deep.equal([]);
    expect(await discrepancies()).to.deep.equal({ ann: [-500, 'credits'], bob: [500, 'credits'] });
    await deal('refund', -10_000, '2026-02-20');
    await share('refund', 'ann 50', 'bob 50');
    expect(await earned()).to.deep.equal({ 'Ann d': 3000, 'Bob d': 2000, 'Ann refund': -500, 'Bob refund': -500 });
    const { discrepancies: open } = await workspace.api.expect(200, 'GET', '/v1/discrepancies?status=open');
    for (const { discrepancyId } of open)
      await workspace.api.expect(200, 'POST', `/v1/discrepancies/${discrepancyId}/resolve`, {
        action: 'carry_forward',
        reason: 'The split was corrected.',
      });
    await workspace.checked();
    const totals = await workspace.sql(
      `select rep_id, sum(amount)::float8 as total from commission_events
       where workspace_id = $1 and status = 'earned' group by rep_id`,
    );
    expect(totals.map(({ total }) => total)).to.deep.equal([2000, 2000]);
  });

  it('count once in the bookings of a team, beside what people are credited with', async () => {
    await team([flat, overlay]);
    const overview = () => workspace.api.expect(200, 'GET', '/v1/commissions?period=2026-Q1');
    await deal('alone', 10_000);
    await workspace.calculated();
    expect(await overview()).not.to.have.property('bookings');
    await deal('shared', 100_000);
    await share('shared', 'ann 70', 'bob 30', 'eve 25 overlay');
    await workspace.calculated();
    const { bookings, reps } = await overview();
    expect(bookings).to.deep.equal([{ currency: 'USD', bookings: 110_000, credited: 135_000, deals: 2 }]);
    const byName = Object.fromEntries(
      reps.map(({ name, bookings: own }: { name: string; bookings: object[] }) => [name, own]),
    );
    expect(byName['Ann']).to.deep.equal([{ currency: 'USD', bookings: 110_000, credited: 80_000, deals: 2 }]);
    expect(byName['Eve']).to.deep.equal([{ currency: 'USD', bookings: 100_000, credited: 25_000, deals: 1 }]);
    expect(byName['Mia']).to.deep.equal([]);
  });

  it('S6: shares are not rounded, and the amount of each person is', async () => {
    await team([{ ...newBusiness, tiers: flatRate(0.07) }]);
    await deal('d', 10_000.01);
    await share('d', 'ann 33.333333', 'bob 33.333333', 'eve 33.333334');
    expect(await earned()).to.deep.equal({ 'Ann d': 233.33, 'Bob d': 233.33, 'Eve d': 233.33 });
  });

  it('S7: the dry run lists by deal what a smaller share of a retroactive period takes back', async () => {
    await team([{ ...newBusiness, tierMode: 'retroactive' }]);
    await deal('own', 60_000, '2026-01-05');
    await deal('d', 60_000, '2026-02-10');
    await share('d', 'ann 75', 'house 25');
    expect(await earned()).to.deep.equal({ 'Ann own': 7200, 'Ann d': 5400 });
    const { byRep, before, after, dryRun } = await preview('d', 'ann 60', 'house 40');
    expect([dryRun, before[0].percent, after[0].percent]).to.deep.equal([true, 75, 60]);
    const [ann, ...others] = byRep;
    expect(others).to.deep.equal([]);
    expect(ann).to.deep.include({ repName: 'Ann', before: 12_600, after: 7680, delta: -4920 });
    expect(ann.deals.map(({ dealKey, delta }: Record<string, unknown>) => [dealKey, delta])).to.deep.equal([
      ['d', -2520],
      ['own', -2400],
    ]);
    expect(await earned()).to.deep.equal({ 'Ann own': 7200, 'Ann d': 5400 });
    await share('d', 'ann 60', 'house 40');
    expect(await earned()).to.deep.equal({ 'Ann own': 4800, 'Ann d': 2880 });
  });

  it('S8: a person whose period is open is paid at once, and the warning says what is paid twice', async () => {
    await team([flat]);
    await deal('d', 50_000);
    await approve('2026-01', people.ann);
    const planned = await preview('d', 'ann 50', 'bob 50');
    expect(planned.locked).to.deep.equal([
      { repId: people.ann, repName: 'Ann', period: '2026-01', currency: 'USD', delta: -2500 },
    ]);
    const { warnings, blocked } = await share('d', 'ann 50', 'bob 50');
    for (const [warning] of [planned.warnings, warnings])
      expect(warning).to.include({ code: 'paid_twice', currency: 'USD', amount: 2500 });
    expect(blocked.people).to.deep.equal([{ repId: people.ann, repName: 'Ann', period: '2026-01' }]);
    expect(await earned()).to.deep.equal({ 'Ann d': 5000, 'Bob d': 2500 });
    expect(await discrepancies()).to.deep.equal({ ann: [-2500, 'credits'] });
  });

  it('S9 and S10: limits of a deal are shared, and a split and an overlay are two events', async () => {
    await team([
      { ...newBusiness, floor: 100 },
      { ...overlay, tiers: flatRate(0.01) },
    ]);
    await deal('d', 900);
    await share('d', 'ann 50', 'bob 50');
    await deal('e', 10_000);
    await share('e', 'ann 50', 'bob 50', 'ann 20 overlay');
    expect(await earned()).to.deep.equal({
      'Ann d': 50,
      'Bob d': 50,
      'Ann e': 400,
      'Bob e': 400,
      'Ann e Overlay': 20,
    });
  });

  it('S11: a line may count for the quota alone', async () => {
    await team([{ ...newBusiness, floor: 50 }]);
    await deal('d', 60_000);
    await share('d', 'ann 50', 'bob 50 quota');
    expect(await earned()).to.deep.equal({ 'Ann d': 2400, 'Bob d': 0 });
    expect(await creditOf(people.bob, 'd')).to.equal(30_000);
    const { events } = await workspace.api.expect(200, 'GET', `/v1/commissions?dealId=d`);
    const ofBob = events.find(({ repId }: { repId: string }) => repId === people.bob);
    expect(ofBob.trace).to.deep.include({ share: { credit: 0.5, pay: 0 }, reason: 'quota_credit_only' });
  });

  it('S13: two rules on the same share are one share of the manager', async () => {
    const kicker = { ...newBusiness, name: 'Kicker', tiers: flatRate(0.01) };
    await team([newBusiness, kicker, { ...override, dependsOn: '_total' }]);
    await deal('d', 100_000);
    await share('d', 'ann 50', 'house 50');
    expect(await earned()).to.include({ 'Mia d Override': 900 });
    expect(await creditOf(people.mia, 'd', 'Override')).to.equal(50_000);
  });

  it('a removed line reverses its row, and without lines the rows are the former ones', async () => {
    await team([newBusiness, override]);
    await deal('d', 10_000);
    await workspace.calculated();
    const rows = () =>
      workspace.sql(
        `select rep_id, amount, base, credit, share, trace, idempotency_key from commission_events
         where workspace_id = $1 and status = 'earned' order by rep_id, deal_key, rule_name`,
      );
    const before = await rows();
    await share('d', 'ann 50', 'bob 50');
    await share('d', 'bob 100');
    expect(await earned()).to.deep.equal({ 'Bob d': 800, 'Mia d Override': 160 });
    const { source, credits } = await workspace.api.expect(200, 'DELETE', '/v1/deals/d/credits');
    expect([source, credits.length]).to.deep.equal(['owner', 1]);
    await workspace.calculated();
    expect(await rows()).to.deep.equal(before);
  });

  it('follows the deal: its amount, its close date and its deletion', async () => {
    await team([flat]);
    await deal('d', 10_000);
    await share('d', 'ann 60', 'bob 40');
    await deal('d', 20_000, '2026-04-10');
    expect(await earned()).to.deep.equal({ 'Ann d': 1200, 'Bob d': 800 });
    await deal('d', 20_000, '2026-04-10', { ownerId: 'eve' });
    expect(await earned()).to.deep.equal({ 'Ann d': 1200, 'Bob d': 800 });
    await workspace.api.expect(200, 'DELETE', '/v1/deals/d');
    expect(await earned()).to.deep.equal({});
    await deal('d', 20_000);
    expect(await earned()).to.deep.equal({ 'Ann d': 1200, 'Bob d': 800 });
  });

  it('rejects lines that do not add up, are repeated, or name no rep, and changes nothing', async () => {
    await team([flat]);
    await deal('d', 10_000);
    const put = (...credits: object[]) => workspace.api.put('/v1/deals/d/credits', { credits });
    await expectError('400 splits_must_total_100', put(line('ann 60'), line('bob 39.999999')));
    await expectError('400 credit_repeated', put(line('ann 50'), line('ann 50')));
    await expectError('404 rep_not_found', put(line('zoe 100')));
    await expectError(
      '404 deal_not_found',
      workspace.api.put('/v1/deals/none/credits', { credits: [line('ann 100')] }),
    );
    for (const wrong of [{ percent: 0 }, { percent: 101 }, { percent: 1.0000001 }, { email: 'bob@x.io', repId: null }])
      await expectError('400 VALIDATION_FAILED', put({ ...line('ann 100'), ...wrong }));
    expect(await workspace.sql('select from deal_credits where workspace_id = $1')).to.deep.equal([]);
    await share('d', 'eve 1000 overlay');
    const { credits } = await workspace.api.expect(200, 'GET', '/v1/deals/d/credits');
    expect(credits.map(({ repName, source }: Record<string, unknown>) => [repName, source])).to.deep.equal([
      ['Eve', 'api'],
      ['Ann', 'owner'],
    ]);
  });

  it('shows the lines of an earlier instant', async () => {
    await team([flat]);
    await deal('d', 10_000);
    await share('d', 'ann 60', 'bob 40');
    const [{ at }] = await workspace.sql(
      `select to_char((max(changed_at) + interval '1 ms') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
       from deal_credit_history where workspace_id = $1`,
    );
    await share('d', 'bob 100');
    const percents = async (query: string) =>
      (await workspace.api.expect(200, 'GET', `/v1/deals/d/credits${query}`)).credits.map(
        ({ percent }: { percent: number }) => percent,
      );
    expect(await percents('')).to.deep.equal([100]);
    expect(await percents(`?asOf=${at}`)).to.deep.equal([60, 40]);
  });

  it('imports the lines of many deals from a file, those of a deal together', async () => {
    await team([flat]);
    await deal('d', 10_000);
    await deal('e', 10_000);
    await deal('f', 10_000);
    const rows = [
      ...['d,ann@x.io,60,split,', 'd,BOB,40,,', 'e,ann@x.io,50,,', 'e,zoe@x.io,50,,'],
      ...[`f,${people.eve.toUpperCase()},100,,`],
    ];
    const csv = ['deal,rep,percent,kind,role', ...rows, ''].join('\n');
    const send = (query: string) =>
      workspace.api.expect(200, 'POST', `/v1/deals/credits/import${query}`, csv, { 'Content-Type': 'text/csv' });
    await workspace.calculated();
    const planned = await send('?dryRun=true&effect=true');
    expect(planned).to.deep.include({ accepted: 3, rejected: 2, dryRun: true });
    expect(planned.effect).to.deep.include({ lines: 4, reps: 3, locked: [] });
    expect(await workspace.sql('select from deal_credits where workspace_id = $1')).to.deep.equal([]);
    const { results, jobId } = await send('');
    expect(results.map(({ outcome, code }: Record<string, unknown>) => code ?? outcome)).to.deep.equal([
      'changed',
      'changed',
      'VALIDATION_FAILED',
      'rep_not_found',
      'changed',
    ]);
    expect((await workspace.api.finishedJob(jobId)).status).to.equal('completed');
    expect(await earned()).to.deep.equal({ 'Ann d': 600, 'Bob d': 400, 'Ann e': 1000, 'Eve f': 1000 });
    expect(await send('')).to.include({ accepted: 0, unchanged: 3 });
  });

  describe('what if', () => {
    const config = { rules: [newBusiness, overlay] };
    const amountsIn = ({ reps }: { reps: { repId: string; total: number }[] }) => {
      const totals = new Map(reps.map(({ repId, total }) => [repId, total]));
      return { Ann: totals.get(people.ann), Bob: totals.get(people.bob), Eve: totals.get(people.eve) };
    };

    it('a simulation credits made-up deals as requested, and stored deals as they are', async () => {
      await team([newBusiness, overlay], 400_000);
      await deal('d', 100_000, '2026-02-10');
      await share('d', 'ann 60', 'bob 40');
      const simulate = async (deals: object[]) =>
        amountsIn(
          await workspace.api.expect(200, 'POST', '/v1/commissions/simulate', {
            config,
            period: '2026-Q1',
            repIds: [people.ann, people.bob, people.eve],
            deals,
            quota: { target: 400_000 },
          }),
        );
      expect(await simulate([])).to.deep.equal({ Ann: 4800, Bob: 3200, Eve: 0 });
      const made = { dealId: 'x', amount: 10_000, closeDate: '2026-02-11', repId: people.ann };
      const credits = ['bob 100', 'eve 100 overlay'].map(line);
      expect(await simulate([{ ...made, credits }])).to.deep.equal({ Ann: 4800, Bob: 4000, Eve: 150 });
      expect(await simulate([{ ...made, dealId: 'd', amount: 200_000 }])).to.deep.equal({
        Ann: 9600,
        Bob: 6400,
        Eve: 0,
      });
    });

    it('a test of a plan says who is credited', async () => {
      await team([newBusiness]);
      const test = (amount: number) => ({
        name: 'shared',
        deals: [
          {
            dealId: 'd',
            closeDate: '2026-01-10',
            amount: 100_000,
            rep: 'Ann',
            credits: [
              { rep: 'Ann', percent: 60 },
              { rep: null, percent: 40 },
              { rep: 'Eve', percent: 100, kind: 'overlay' },
            ],
          },
        ],
        quotas: [{ measure: 'New business', period: '2026-Q1', target: 400_000 }],
        expected: [
          { ruleName: 'New business', rep: 'Ann', amount },
          { ruleName: 'Overlay', rep: 'Eve', amount: 1500 },
        ],
      });
      const plan = await workspace.api.createPlan({ name: 'Tested', config, tests: [test(4800)], status: 'draft' });
      const run = (tests: object[]) =>
        workspace.api.expect(200, 'POST', `/v1/plans/${plan.planVersionId}/tests/run`, { tests });
      expect(await run([test(4800)])).to.include({ passed: true });
      expect((await run([test(8000)])).failed[0]).to.include({ expected: 8000, actual: 4800 });
    });
  });

  describe('rights', () => {
    it('a rep sees the lines of the own deals, and not those of others', async () => {
      await team([flat]);
      await deal('d', 10_000);
      await deal('other', 10_000);
      await share('d', 'ann 60', 'bob 40');
      const bob = await workspace.as(people.bob);
      const { credits } = await bob.expect(200, 'GET', '/v1/deals/d/credits');
      expect(credits.map(({ repName, percent }: Record<string, unknown>) => [repName, percent])).to.deep.equal([
        ['Ann', 60],
        ['Bob', 40],
      ]);
      expect(
        (await bob.expect(200, 'GET', '/v1/deals')).deals.map((each: { deal_id: string }) => each.deal_id),
      ).to.deep.equal(['d']);
      for (const dealId of ['other', 'none'])
        await expectError('404 deal_not_found', bob.get(`/v1/deals/${dealId}/credits`));
      await expectError('403 forbidden', bob.put('/v1/deals/d/credits', { credits: [line('bob 100')] }));
    });

    it('a person on a line sees the own events and reasons, and no figure of the others', async () => {
      await team([newBusiness, overlay]);
      await deal('d', 90_000);
      await share('d', 'ann 55', 'bob 45');
      await workspace.calculated();
      const bob = await workspace.as(people.bob);
      const breakdown = await bob.expect(200, 'GET', '/v1/commissions?dealId=d');
      expect(breakdown.events.map(({ repId }: { repId: string }) => repId)).to.deep.equal([people.bob]);
      expect(breakdown.total).to.equal(3240);
      expect(
        breakdown.outcomes.map((each: Record<string, unknown>) => [each['repId'], each['ruleName'], each['reason']]),
      ).to.deep.equal([
        [people.bob, 'Overlay', 'no_credit'],
        [people.bob, 'New business', null],
      ]);
      const uuids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
      const texts = [];
      for (const path of [
        '/v1/commissions?dealId=d',
        '/v1/deals/d/credits',
        '/v1/deals',
        `/v1/commissions?repId=${people.bob}&period=2026-01`,
      ])
        texts.push(JSON.stringify(await bob.expect(200, 'GET', path)).replaceAll(uuids, ''));
      // Ann earns 3,960: 8 % of 49,500. An id may contain these digits.
      for (const text of texts) expect(text).not.to.match(/3960|49500|0\.55\b/);
      const ofTeam = await workspace.api.expect(200, 'GET', '/v1/commissions?dealId=d');
      expect(ofTeam.outcomes).to.have.length(4);
      expect(ofTeam.credits).to.have.length(2);
    });

    it('no person changes lines that pay them', async () => {
      await team([flat]);
      const [ada] = await workspace.api.saveReps({ name: 'Ada', role: 'admin' });
      await deal('d', 10_000);
      const admin = await workspace.as(ada);
      const put = (...parts: string[]) => admin.put('/v1/deals/d/credits', { credits: parts.map(line) });
      await expectError('403 forbidden', put('ann 90', 'ada 10'));
      await share('d', 'ann 90', 'ada 10');
      await expectError('403 forbidden', put('ann 80', 'ada 20'));
      await expectError('403 forbidden', admin.delete('/v1/deals/d/credits'));
      expect((await put('bob 90', 'ada 10')).status).to.equal(200);
    });
  });
});
