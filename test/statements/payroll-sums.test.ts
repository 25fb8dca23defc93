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
      const names = ['Zoe', 'Adam', 'Bea', 'Cyd', 'Dee', 'Eva', 'Mia', 'Noa'];
      ids = Object.fromEntries(((await api.saveReps(...names)) as string[]).map((id, index) => [names[index], id]));
      const [Zoe, Adam, Bea, Cyd, Dee, Eva, Mia, Noa] = Object.values(ids) as [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
      ];
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
});
