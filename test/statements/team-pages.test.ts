import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';

const period = '2026-01';
const names = ['Zoe', 'adam', 'Bea', 'Cyd', 'Dee', 'Eva', 'Fay', 'Gus'];

describe('pages of the team', () => {
  const service = Service.duringSuite();
  let api: ApiClient;

  // biome-ignore lint/suspicious/noExplicitAny: responses of any shape
  const get = (path: string): Promise<any> => api.expect(200, 'GET', path);

  /** People with a version, without one, with two currencies, without a plan, and one who has left. */
  before(async () => {
    const workspace = await service.workspace();
    ({ api } = workspace);
    const repIds = (await api.saveReps(...names)) as string[];
    const [zoe, adam, bea, cyd, dee, eva, fay] = repIds as [string, string, string, string, string, string, string];
    const onPlan = [zoe, adam, bea, cyd, dee];
    await api.createPlan({ name: 'Plan', config: { rules: [flatRule('New', 0.1)] } }, onPlan);
    for (const [index, repId] of onPlan.entries())
      await api.put(`/v1/deals/D${index}`, {
        repId,
        amount: 1000.1 * (index + 1),
        stage: 'Won',
        closeDate: '2026-01-10',
      });
    await service.waitForCalculations(workspace.workspaceId);
    const adjust = (repId: string, amount: number, currency: string) =>
      api.expect(200, 'POST', `/v1/statements/${repId}/adjust`, { period, amount, currency, reason: 'Bonus' });
    await adjust(adam, 33.33, 'EUR');
    await adjust(eva, 12.5, 'EUR');
    await adjust(fay, 0.25, 'GBP');
    await service.waitForCalculations(workspace.workspaceId);
    for (const repId of [zoe, adam, eva]) await api.generate(repId, period);
    await api.expect(200, 'POST', `/v1/statements/${zoe}/approve`, { period, version: 1, status: 'approved' });
    await api.put('/v1/reps', { reps: [{ email: 'bea@acme.test', name: 'Bea', active: false }] });
  });

  for (const [path, list] of [
    [`/v1/commissions?period=${period}`, 'reps'],
    [`/v1/commissions?period=${period}&include=all`, 'reps'],
    [`/v1/statements?period=${period}&deviations=true`, 'statements'],
    [`/v1/statements?period=${period}&include=all`, 'statements'],
  ] as const)
    it(`${path}: are together the complete list, each with the totals of everyone`, async () => {
      const complete = await get(path);
      const found: unknown[] = [];
      for (let offset = 0; offset < complete[list].length + 3; offset += 3) {
        const page = await get(`${path}&limit=3&offset=${offset}`);
        expect(page[list]).to.have.length.at.most(3);
        expect(page.count).to.equal(complete[list].length);
        expect(page.totals).to.deep.equal(complete.totals);
        expect(page.otherCurrencies).to.deep.equal(complete.otherCurrencies);
        found.push(...page[list]);
      }
      expect(found).to.deep.equal(complete[list]);
      expect(complete[list].length).to.be.greaterThan(5);
    });

  it('find people by a part of the name or of the address, and by the status of their statement', async () => {
    const { statements } = await get(`/v1/statements?period=${period}`);
    const nameOf = ({ name }: { name: string }) => name;
    for (const status of ['none', 'draft', 'approved']) {
      const page = await get(`/v1/statements?period=${period}&status=${status}`);
      const expected = statements.filter((statement: { status: string }) => statement.status === status);
      expect(page.statements).to.deep.equal(expected);
      expect(page.count).to.equal(expected.length);
      expect(page.statuses[status]).to.equal(expected.length);
      const overview = await get(`/v1/commissions?period=${period}&status=${status}`);
      expect(overview.reps.every((rep: { statementStatus: string }) => rep.statementStatus === status)).to.equal(true);
    }
    expect((await get(`/v1/statements?period=${period}&status=draft`)).toApprove).to.equal(2);
    const { reps } = await get(`/v1/commissions?period=${period}`);
    const earned = reps.filter(
      ({ earnings, otherCurrencies }: { earnings: { total: number }; otherCurrencies: unknown[] }) =>
        earnings.total !== 0 || otherCurrencies.length > 0,
    );
    expect((await get(`/v1/commissions?period=${period}&limit=1`)).earners).to.equal(earned.length);
    expect((await get(`/v1/statements?period=${period}&query=ZO`)).statements.map(nameOf)).to.deep.equal(['Zoe']);
    expect((await get(`/v1/commissions?period=${period}&query=adam@`)).reps.map(nameOf)).to.deep.equal(['adam']);
    const none = await get(`/v1/statements?period=${period}&query=missing&limit=5`);
    expect([none.statements, none.count]).to.deep.equal([[], 0]);
  });

  it('list as missing the people who are not approved and whose days no other approved statement pays', async () => {
    const quarter = (await get('/v1/statements?period=2026-Q1')).statements;
    const isMissing = ({ status, coveredBy }: { status: string; coveredBy: string[] }) =>
      status !== 'approved' && coveredBy.length === 0;
    for (const [of, statements] of [
      [period, (await get(`/v1/statements?period=${period}`)).statements],
      ['2026-Q1', quarter],
    ]) {
      const page = await get(`/v1/statements?period=${of}&status=missing`);
      expect(page.statements).to.deep.equal(statements.filter(isMissing));
      expect(page.count).to.equal(page.statements.length);
    }
    expect(quarter.some(({ coveredBy }: { coveredBy: string[] }) => coveredBy.length > 0)).to.equal(true);
  });

  it('of people are together the complete list, also of those that are found', async () => {
    const complete = (await get('/v1/reps')).reps;
    const found: unknown[] = [];
    for (let offset = 0; offset < complete.length; offset += 3)
      found.push(...(await get(`/v1/reps?limit=3&offset=${offset}`)).reps);
    expect(found).to.deep.equal(complete);
    const [, second] = (await get('/v1/reps?query=A')).reps;
    expect((await get('/v1/reps?query=A&limit=1&offset=1')).reps).to.deep.equal([second]);
  });
});
