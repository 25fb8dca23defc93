import { expect } from 'chai';
import { Decimal } from '#src/kernel/decimal.js';
import { groupBy } from '#src/kernel/group-by.js';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { PayWorkspace } from '../pay/payables/pay-service.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

/** The sums of the amounts by currency, without currencies whose sum is zero. */
function sumUp(amounts: readonly { readonly currency: string; readonly amount: number | null }[]) {
  const sums = new Map<string, Decimal>();
  for (const { currency, amount } of amounts)
    sums.set(currency, (sums.get(currency) ?? Decimal.zero).plus(Decimal.of(String(amount ?? 0))));
  return Object.fromEntries([...sums].filter(([, sum]) => !sum.isZero()).map(([code, sum]) => [code, sum.toNumber()]));
}

/** What a complete list of statements says of what payroll pays. */
function ofList(statements: readonly Loose[]) {
  const paid = ({ payslip, currency, summary, otherCurrencies }: Loose) =>
    payslip?.pays ??
    [{ currency, summary }, ...otherCurrencies].map((each) => ({
      currency: each.currency,
      amount: each.summary.netPayout,
    }));
  const hasAmount = ({ summary, otherCurrencies }: Loose) =>
    [summary, ...otherCurrencies.map((each: Loose) => each.summary)].some((each) =>
      Object.values(each).some((amount) => amount !== 0),
    );
  const part = (found: readonly Loose[]) => ({
    people: found.length,
    withoutAmount: found.filter((statement) => !hasAmount(statement)).length,
    sums: sumUp(found.flatMap(paid)),
  });
  const approved = statements.filter(({ status }) => status === 'approved');
  const others = statements.filter(({ status }) => status !== 'approved');
  return {
    approved: part(approved),
    missing: part(others.filter(({ coveredBy }) => coveredBy.length === 0)),
    covered: others.filter(({ coveredBy }) => coveredBy.length > 0).length,
  };
}

/** What a complete list of statements says of what a pay period pays, and what of it batches contain. */
function runOfList(statements: readonly Loose[]) {
  const unpaid = statements
    .filter(({ status }) => status === 'approved')
    .flatMap(({ repId, pay, payTotals, payouts }) => {
      const paid = pay === undefined ? payTotals : [{ currency: pay.currency, payable: pay.amount }];
      return paid.map(({ currency, payable }: Loose) => {
        const batched = payouts.filter((payout: Loose) => payout.currency === currency);
        const amounts = [payable ?? 0, ...batched.map(({ amount }: Loose) => -amount)];
        return { repId, currency, amount: sumUp(amounts.map((amount) => ({ currency, amount })))[currency] ?? 0 };
      });
    })
    .filter(({ amount }) => amount > 0);
  const unpaidIds = new Set(unpaid.map(({ repId }) => repId));
  const totals = (of: (total: Loose) => readonly number[]) =>
    [true, false].map((isUnpaid) =>
      sumUp(
        statements
          .filter(({ repId }) => unpaidIds.has(repId) === isUnpaid)
          .flatMap(({ payTotals = [] }) => payTotals)
          .flatMap((total) => of(total).map((amount) => ({ currency: total.currency, amount }))),
      ),
    );
  const payouts = statements.flatMap((statement) => statement.payouts ?? []);
  const batched = (wanted: string) => sumUp(payouts.filter(({ status }) => status === wanted));
  const paid = statements.filter((statement) => statement.payouts?.some(({ status }: Loose) => status === 'paid'));
  return {
    released: totals(({ released, carriedIn }) => [released, carriedIn]),
    deducted: totals(({ recovered, repaid = 0 }) => [recovered, repaid]),
    drawn: totals(({ drawn = 0 }) => [drawn]),
    payable: totals(({ payable }) => [payable]),
    owed: totals(({ closing }) => [closing]),
    inOpenBatches: batched('open'),
    inPaidBatches: batched('paid'),
    unpaid: sumUp(unpaid),
    unpaidPeople: unpaidIds.size,
    paidPeople: paid.length,
    paidOn: [...new Set(payouts.flatMap(({ paidOn }) => paidOn ?? []))].sort(),
    next: sumUp(unpaid),
  };
}

/** The same as the service adds it up. */
function runOfService({ earned, paid, next, ...run }: Loose) {
  const totals = (key: string) =>
    [true, false].map((isUnpaid) =>
      sumUp(
        earned
          .filter((sum: Loose) => sum.isUnpaid === isUnpaid)
          .map((sum: Loose) => ({ currency: sum.currency, amount: sum[key] })),
      ),
    );
  const inBatches = (key: string) => sumUp(paid.map((sum: Loose) => ({ currency: sum.currency, amount: sum[key] })));
  return {
    ...Object.fromEntries(['released', 'deducted', 'drawn', 'payable', 'owed'].map((key) => [key, totals(key)])),
    ...Object.fromEntries(['inOpenBatches', 'inPaidBatches', 'unpaid'].map((key) => [key, inBatches(key)])),
    unpaidPeople: run.unpaidPeople,
    paidPeople: run.paidPeople,
    paidOn: run.paidOn,
    next: sumUp(next.filter(({ currency }: Loose) => currency !== null)),
  };
}

async function expectRunOfList(api: ApiClient, period: string, query = ''): Promise<Loose> {
  const { statements } = await api.expect(200, 'GET', `/v1/statements?period=${period}${query}`);
  const { run } = await expectSumsOfList(api, period, query);
  expect(runOfService(run)).to.deep.equal(runOfList(statements));
  const unpaid = await api.expect(200, 'GET', `/v1/statements?period=${period}${query}&unpaid=true`);
  expect(unpaid.statements).to.have.length(run.unpaidPeople);
  return run;
}

const withSums = ({ sums, ...part }: Loose) => ({ ...part, sums: sumUp(sums) });

async function expectSumsOfList(api: ApiClient, period: string, query = ''): Promise<Loose> {
  const { statements } = await api.expect(200, 'GET', `/v1/statements?period=${period}${query}`);
  const sums = await api.expect(200, 'GET', `/v1/statements/payroll?period=${period}${query}`);
  const { approved, missing, covered } = sums;
  expect({ approved: withSums(approved), missing: withSums(missing), covered }).to.deep.equal(ofList(statements));
  const reps = new Map((await api.expect(200, 'GET', '/v1/reps')).reps.map((rep: Loose) => [rep.id, rep] as const));
  const teams = groupBy(statements as Loose[], ({ repId }) => (reps.get(repId) as Loose).managerId);
  expect(sums.teamCount).to.equal(teams.size);
  expect(
    Object.fromEntries(
      sums.teams.map(({ managerId, people, approved, sums }: Loose) => [
        managerId,
        { people, approved, sums: sumUp(sums) },
      ]),
    ),
  ).to.deep.equal(
    Object.fromEntries(
      [...teams].map(([managerId, ofTeam]) => {
        const found = ofList(ofTeam).approved;
        return [managerId, { people: ofTeam.length, approved: found.people, sums: found.sums }];
      }),
    ),
  );
  return sums;
}

describe('the sums of payroll', () => {
  const service = Service.duringSuite();

  describe('of a month without payouts', () => {
    const period = '2026-01';
    let api: ApiClient;
    let ids: Record<string, string>;

    /** People with each status, in two currencies, with and without an amount, below two managers. */
    before(async () => {
      const workspace = await service.workspace();
      ({ api } = workspace);
      const [Zoe, Adam, Bea, Cyd, Dee, Eva, Mia, Noa] = await api.saveReps(
        'Zoe',
        'Adam',
        'Bea',
        'Cyd',
        'Dee',
        'Eva',
        'Mia',
        'Noa',
      );
      ids = { Zoe, Adam, Bea, Mia };
      for (const [manager, people] of [
        [Mia, [Zoe, Adam, Bea]],
        [Noa, [Cyd, Dee]],
      ] as const)
        for (const repId of people) await api.expect(200, 'PATCH', `/v1/reps/${repId}`, { managerId: manager });
      await api.createPlan({ name: 'Plan', config: { rules: [flatRule('New', 0.1)] } }, [
        Zoe,
        Adam,
        Bea,
        Cyd,
        Dee,
        Eva,
      ]);
      for (const [index, repId] of [Zoe, Adam, Bea, Cyd].entries())
        await api.put(`/v1/deals/D${index}`, {
          ...{ repId, amount: 1000.1 * (index + 1), stage: 'Won', closeDate: '2026-01-10' },
        });
      await service.waitForCalculations(workspace.workspaceId);
      for (const [repId, amount, currency] of [
        [Adam, 33.33, 'EUR'],
        [Bea, -7.5, 'EUR'],
        [Zoe, 4, 'EUR'],
      ])
        await api.expect(200, 'POST', `/v1/statements/${repId}/adjust`, { period, amount, currency, reason: 'Bonus' });
      await service.waitForCalculations(workspace.workspaceId);
      await api.expect(200, 'PATCH', `/v1/reps/${Adam}`, { payrollId: 'A-1' });
      for (const repId of [Zoe, Adam, Cyd, Eva]) await api.generate(repId as string, period);
      for (const repId of [Zoe, Adam, Eva])
        await api.expect(200, 'POST', `/v1/statements/${repId}/approve`, { period, version: 1, status: 'approved' });
    });

    it('are those of the complete list, also of some people and of a period that another one covers', async () => {
      const sums = await expectSumsOfList(api, period);
      expect(sums).to.deep.include({ isPayPeriod: false, handedOver: [] });
      expect(sums.approved.people + sums.missing.people).to.equal(6);
      expect((await expectSumsOfList(api, '2026-Q1')).covered).to.equal(3);
      await expectSumsOfList(api, period, `&managerId=${ids['Mia']}`);
      await expectSumsOfList(api, '2026-02');
    });

    it('have pages of teams, those with the most people first', async () => {
      const path = `/v1/statements/payroll?period=${period}`;
      const { teams, teamCount } = await api.expect(200, 'GET', path);
      const found = [];
      for (let offset = 0; offset < teamCount; offset += 1) {
        const page = await api.expect(200, 'GET', `${path}&limit=1&offset=${offset}`);
        expect(page.teamCount).to.equal(teamCount);
        found.push(...page.teams);
      }
      expect(found).to.deep.equal(teams);
      expect(teams.map(({ managerName, people }: Loose) => [managerName, people])).to.deep.equal([
        ['Mia', 3],
        ['Noa', 2],
        [null, 1],
      ]);
    });

    it('name approved people with an amount and without a payroll id, and those whose id has changed', async () => {
      const read = () => api.expect(200, 'GET', `/v1/statements/payroll?period=${period}`);
      const names = ({ count, people }: Loose) => [count, people.map(({ name }: Loose) => name)];
      const before = await read();
      expect(names(before.withoutPayrollId)).to.deep.equal([1, ['Zoe']]);
      expect([before.changedPayrollIds.count, before.sharedPayrollIds.count]).to.deep.equal([0, 0]);
      await api.expect(200, 'PATCH', `/v1/reps/${ids['Zoe']}`, { payrollId: 'Z-1' });
      const after = await read();
      expect(after.withoutPayrollId).to.deep.equal({ count: 0, people: [] });
      expect(names(after.changedPayrollIds)).to.deep.equal([1, ['Zoe']]);
      const { changedPayrollIds } = await api.expect(200, 'GET', `/v1/statements?period=${period}`);
      expect(changedPayrollIds.map(({ repId }: Loose) => repId)).to.deep.equal([ids['Zoe']]);
    });

    it('contain what was handed over of approved statements', async () => {
      const complete = () => api.expect(200, 'GET', `/v1/statements?period=${period}`);
      const handed = async () => (await api.expect(200, 'GET', `/v1/statements/payroll?period=${period}`)).handedOver;
      await api.expect(201, 'POST', '/v1/payroll-handovers', { period, layout: 'long' });
      const asSums = ({ handedOver }: Loose) =>
        handedOver.map(({ currency, netPayout }: Loose) => ({ currency, amount: netPayout }));
      expect(sumUp(await handed())).to.deep.equal(sumUp(asSums(await complete())));
      await api.generate(ids['Bea'] as string, period);
      await api.expect(200, 'POST', `/v1/statements/${ids['Bea']}/approve`, { period, version: 1, status: 'approved' });
      await api.expect(201, 'POST', '/v1/payroll-handovers', { period, layout: 'long', scope: 'new' });
      const whole = sumUp(await handed());
      expect(whole).to.deep.equal(sumUp(asSums(await complete())));
      await api.expect(200, 'POST', `/v1/statements/${ids['Zoe']}/approve`, { period, status: 'draft' });
      const rest = sumUp(await handed());
      expect(rest).to.deep.equal(sumUp(asSums(await complete())));
      expect(rest).to.not.deep.equal(whole);
    });
  });

  it('are what is payable in pay periods, with and without a version', async () => {
    const work = await PayWorkspace.create(service);
    await work.deal('D', 60_000, '2026-01-15');
    await work.invoice('D', 60_000, [['2026-01-20', 30_000]]);
    await work.deal('E', 10_000, '2026-02-10');
    await work.invoice('E', 10_000, [['2026-02-20', 4000]]);
    expect((await expectSumsOfList(work.api, '2026-01')).isPayPeriod).to.equal(true);
    await work.approve('2026-01');
    const { approved } = await expectSumsOfList(work.api, '2026-01');
    expect(approved).to.deep.equal({ people: 1, withoutAmount: 0, sums: [{ currency: 'USD', amount: 2400 }] });
    await expectSumsOfList(work.api, '2026-02');
  });

  it('say what a pay period pays, what batches contain of it and whom the next batch does not pay', async () => {
    const period = '2026-01';
    const work = await PayWorkspace.create(service, { payout: null });
    const { api } = work;
    const [Ada, Cyd, Dee, Eva, Fay, Gus] = await api.saveReps('Ada', 'Cyd', 'Dee', 'Eva', 'Fay', 'Gus');
    await api.expect(200, 'PUT', '/v1/fx-rates', { rates: [{ from: 'USD', to: 'GBP', day: '2026-01-31', rate: 0.8 }] });
    await api.expect(200, 'PATCH', `/v1/reps/${Cyd}`, { payCurrency: 'GBP', payCurrencyFrom: '2026-01-01' });
    await work.deal('D', 10_000.1, '2026-01-15');
    const adjust = (repId: string, amount: number, currency = 'USD') =>
      api.expect(200, 'POST', `/v1/statements/${repId}/adjust`, { period, amount, currency, reason: 'Contest' });
    for (const [repId, amount] of [
      [Ada, 100.01],
      [Cyd, 50],
      [Dee, 33.33],
      [Eva, -20.5],
      [Fay, 7],
    ] as const)
      await adjust(repId, amount);
    await adjust(Ada, 0.02, 'EUR');
    await work.calculated();
    const approve = async (...repIds: readonly string[]) => {
      for (const repId of repIds) {
        const { version } = await api.generate(repId, period);
        await api.expect(200, 'POST', `/v1/statements/${repId}/approve`, { period, version, status: 'approved' });
      }
    };
    await expectRunOfList(api, period);
    await approve(Dee);
    const first = await api.expect(201, 'POST', '/v1/payout-batches', { period });
    await api.expect(200, 'PATCH', `/v1/payout-batches/${first.batchId}`, { status: 'paid', paidOn: '2026-02-05' });
    await approve(work.ben, Ada, Cyd, Eva);
    await api.generate(Fay, period);
    const run = await expectRunOfList(api, period);
    expect(run.paidOn).to.deep.equal(['2026-02-05']);
    expect(run.others).to.deep.equal([
      { reason: 'batched', count: 1, people: [{ repId: Dee, name: 'Dee' }] },
      { reason: 'owes', count: 1, people: [{ repId: Eva, name: 'Eva' }] },
    ]);
    const withoutId = ({ currency, people, withoutPayrollId }: Loose) => [currency, people, withoutPayrollId.count];
    await api.expect(200, 'PATCH', `/v1/reps/${Ada}`, { payrollId: 'A-1' });
    expect((await expectRunOfList(api, period)).next.map(withoutId)).to.deep.equal([
      ['EUR', 1, 0],
      ['GBP', 1, 1],
      ['USD', 2, 1],
      [null, 3, 2],
    ]);
    await expectRunOfList(api, period, `&ids=${[Ada, Dee, Gus].join()}`);
    await api.expect(201, 'POST', '/v1/payout-batches', { period, currency: 'EUR' });
    await expectRunOfList(api, period);
    await api.expect(201, 'POST', '/v1/payout-batches', { period, currency: 'USD' });
    expect((await expectRunOfList(api, period)).next.map(withoutId)).to.deep.equal([
      ['GBP', 1, 1],
      [null, 1, 1],
    ]);
  });
});
