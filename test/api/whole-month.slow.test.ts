import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { Decimal } from '#src/kernel/decimal.js';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { flatRule, won } from '#test/support/terms.js';

const month = '2026-02';
const deals = `id,name,amount,currency,stage,close_date,owner_id
B1,January,60000,USD,Won,2026-01-20,ben
B2,Over the quota,55123.45,USD,Won,2026-02-05,ben
B3,"Into the top, almost",40000.10,USD,Won,2026-02-17,ben
B4,Lost one,9999,USD,Lost,2026-02-20,ben
B5,From Lyon,12345.67,EUR,Won,2026-02-24,ben
A1,=Small,30000.33,USD,Won,2026-02-03,ana
A2,Last day,60000,USD,Won,2026-02-28,ana
G1,Torino,8001,EUR,Won,2026-02-09,gil
G2,Bari,2222.22,EUR,Won,2026-02-11,gil
`;

interface Figures {
  readonly commission: string;
  readonly adjustments: string;
  readonly net: string;
  /** In euros; the workspace has dollars. */
  readonly euros: string;
}

const atFirst: Readonly<Record<string, Figures>> = {
  ben: { commission: '9968.53', adjustments: '0.00', net: '9968.53', euros: '617.28' },
  ana: { commission: '7600.04', adjustments: '0.00', net: '7600.04', euros: '0.00' },
  gil: { commission: '0.00', adjustments: '0.00', net: '0.00', euros: '511.16' },
  mia: { commission: '1756.85', adjustments: '0.00', net: '1756.85', euros: '0.00' },
  ida: { commission: '0.00', adjustments: '0.00', net: '0.00', euros: '0.00' },
};
const adjusted = { ...atFirst, ben: { ...figuresOf('ben'), adjustments: '250.25', net: '10218.78' } };
const truedUp = {
  ...adjusted,
  ben: { ...figuresOf('ben'), adjustments: '1750.25', net: '11718.78' },
  ana: { ...figuresOf('ana'), adjustments: '120.00', net: '7720.04' },
};
const linesOfBen = { B2: '5014.81', B3: '4953.72', B5: '617.28' };
const linesOfMia = { A1: '240.00', B2: '501.48', B3: '495.37', A2: '520.00' };

function figuresOf(name: string): Figures {
  return atFirst[name] as Figures;
}

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

/** The lines of a true-up: the deal, its approved and its current amount, and their difference. */
const differences = ({ lines }: Loose) =>
  lines.map(({ dealId, approved, live, delta }: Loose) => [dealId, approved, live, delta]);
const cents = (amount: number | string) => Decimal.of(amount).rounded(2).toNumber().toFixed(2);
const sumOf = (amounts: readonly (number | string)[]) =>
  cents(amounts.reduce<Decimal>((total, amount) => total.plus(Decimal.of(amount)), Decimal.zero).toString());
/** The line items, and instead of a true-up its lines: what each deal was paid. */
const linesOf = ({ lineItems }: Loose): Loose[] =>
  lineItems.flatMap((line: Loose) => line.lines ?? [{ ...line, delta: line.amount }]);
const rowsOf = (csv: string): Record<string, string>[] => parse(csv, { columns: true, bom: true });

describe('a month of a company', () => {
  const service = Service.duringSuite();
  let workspaceId: string;
  let api: ApiClient;
  let manager: ApiClient;
  const ids: Record<string, string> = {};
  const idOf = (name: string) => ids[name] as string;

  before(async () => {
    ({ workspaceId, api } = await service.workspace({ currency: 'USD' }));
  });

  it('is set up with people, plans and quotas', async () => {
    const report = { managerEmail: 'mia@acme.test' };
    const [ida, mia, ben, ana, gil] = await api.saveReps(
      { email: 'ida@acme.test', name: 'Ida', role: 'admin' },
      { email: 'mia@acme.test', name: 'Mia', role: 'manager' },
      { email: 'ben@acme.test', name: 'Ben', crmMemberId: 'ben', ...report },
      { email: 'ana@acme.test', name: 'Ana', crmMemberId: 'ana', ...report },
      { email: 'gil@acme.test', name: 'Gil', crmMemberId: 'gil', ...report },
    );
    Object.assign(ids, { ida, mia, ben, ana, gil });
    manager = await service.as(workspaceId, idOf('mia'));
    const sold = (currency: string) => [
      won,
      { field: 'currency', fieldType: 'text', operator: 'equals', value: currency },
    ];
    const tiers = [
      { tierIndex: 0, minThreshold: 0, name: 'Base', rate: 0.08 },
      { tierIndex: 1, minThreshold: 1, name: 'Over', rate: 0.12 },
      { tierIndex: 2, minThreshold: 1.5, name: 'Top', rate: 0.15 },
    ];
    const rules = [
      { name: 'New business', measure: 'amount', attainmentPeriod: 'quarterly', tierMode: 'marginal', tiers },
      flatRule('Override', 0.1, { executionPhase: 'cascade', dependsOn: 'New business' }),
    ];
    await api.createPlan({ name: 'AE', config: { dealConditions: sold('USD'), rules } }, [ben, ana, mia]);
    const abroad = { dealConditions: sold('EUR'), rules: [flatRule('Export', 0.05)] };
    await api.createPlan({ name: 'Europe', currency: 'EUR', config: abroad }, [ben, gil]);
    await api.setQuota([ben], 'New business', '2026-Q1', 100_000);
    await api.setQuota([ana], 'New business', '2026-Q1', 80_000);
  });

  /** The final status of the job, which is written in a separate transaction after its last calculation. */
  const endOf = async (jobId: string) => (await api.finishedJob(jobId)).status;

  it('calculates the exact commission of the imported deals', async () => {
    const answer = await api.expect(200, 'POST', '/v1/deals/import', deals, { 'Content-Type': 'text/csv' });
    expect(answer).to.include({ accepted: 9, unchanged: 0, stale: 0 }).and.deep.include({ rejected: [] });
    await service.waitForCalculations(workspaceId);
    expect(await endOf(answer.jobId)).to.equal('completed');
    const january = await api.expect(200, 'GET', `/v1/statements?repId=${idOf('ben')}&period=2026-01`);
    expect(cents(january.summary.netPayout)).to.equal('4800.00');
    await expectFigures(atFirst, { status: 'none', version: 0 });
    expect(await lines('ben')).to.deep.equal(linesOfBen);
    expect(await lines('mia')).to.deep.equal(linesOfMia);
    const dashboard = await api.expect(200, 'GET', `/v1/commissions?repId=${idOf('ben')}&period=${month}`);
    expect(dashboard.attainment).to.have.length(1);
    expect(dashboard.attainment[0]).to.include({ target: 100_000, credit: 155_123.55 });
  });

  it('generates the statements, adjusts one and generates it again', async () => {
    expect(await generate()).to.deep.equal([5, 0, 0, 1, 1, 1, 1, 1]);
    await expectFigures(atFirst, { status: 'draft', version: 1 });
    const adjustment = { amount: 250.25, reason: '=Contest', period: month };
    expect((await manager.post(`/v1/statements/${idOf('ben')}/adjust`, adjustment)).status).to.equal(403);
    await api.expect(200, 'POST', `/v1/statements/${idOf('ben')}/adjust`, adjustment);
    expect(await generate()).to.deep.equal([5, 0, 0, 2, 2, 2, 2, 2]);
    await expectFigures(adjusted, { status: 'draft', version: 2 });
  });

  it('is approved by the manager, and her own statement by the admin', async () => {
    const approval = { period: month, status: 'approved' };
    for (const name of ['ben', 'ana', 'gil', 'ida']) {
      const { approvedBy } = await manager.expect(200, 'POST', `/v1/statements/${idOf(name)}/approve`, approval);
      expect(approvedBy).to.include({ repId: idOf('mia') });
    }
    expect((await manager.post(`/v1/statements/${idOf('mia')}/approve`, approval)).status).to.equal(403);
    const { approvedBy } = await api.expect(200, 'POST', `/v1/statements/${idOf('mia')}/approve`, approval);
    expect(approvedBy.keyId).to.be.a('string');
    await expectFigures(adjusted, { status: 'approved', version: 2 });
    const again = await api.expect(200, 'POST', '/v1/statements/generate', { period: month });
    expect([again.generated, again.skipped, again.errors]).to.deep.equal([0, 5, 0]);
    await expectError(
      '400 statement_locked',
      api.post(`/v1/statements/${idOf('ben')}/adjust`, { amount: 1, reason: 'x', period: month }),
    );
  });

  it('blocks later changes and reports them', async () => {
    await change('B2', 65_123.45);
    await change('A1', 31_000.33);
    for (const dealId of ['B2', 'A1']) {
      const answer = await api.expect(200, 'POST', '/v1/commissions/recalculate', { dealId });
      expect(answer, dealId).to.include({ statementLocked: true, reason: 'statement_locked', eventsWritten: 0 });
      const { runs } = await api.expect(200, 'GET', `/v1/workspaces/audit-logs?dealId=${dealId}`);
      const blocked = runs.filter((run: Loose) => run.outcome === 'statement_locked');
      expect(blocked, dealId).to.have.length.at.least(2);
      for (const run of blocked) {
        expect(run.counters.statementLocked).to.equal(true);
        expect(run.blocked).to.deep.include({ statementLocked: true, periods: [month] });
      }
    }
    await expectFigures(adjusted, { status: 'approved', version: 2 });
    expect(await lines('ben')).to.deep.include(linesOfBen);
    await service.expectSoundLedger(workspaceId);
  });

  it('is trued up, with force for large differences', async () => {
    const trueUp = (name: string, more: object = {}) =>
      manager.expect(200, 'POST', `/v1/statements/${idOf(name)}/true-up`, { period: month, ...more });
    const required = await trueUp('ben');
    expect(required).to.include({ action: 'requires_approval', delta: 1500, approvalThreshold: 500 });
    expect(required.approvers.map(({ name }: Loose) => name)).to.deep.equal(['Ida', 'Mia']);
    expect(differences(required)).to.deep.equal([
      ['B2', 5014.81, 6214.81, 1200],
      ['B3', 4953.72, 5253.72, 300],
    ]);
    await expectFigures(adjusted, { status: 'approved', version: 2 });
    expect(await trueUp('ben', { force: true })).to.include({ action: 'trued_up', delta: 1500, version: 3 });
    expect(await trueUp('ana')).to.include({ action: 'trued_up', delta: 120, version: 3 });
    for (const name of ['ben', 'ana', 'gil'])
      expect(await trueUp(name, { force: true })).to.deep.equal({ action: 'none', delta: 0 });
    const own = await manager.post(`/v1/statements/${idOf('mia')}/true-up`, { period: month });
    expect(own.status).to.equal(403);
    await expectFigures(truedUp, { status: 'approved' });
    expect((await api.get(`/v1/statements/${idOf('ben')}/status?period=${month}`)).body.version).to.equal(3);
    await service.expectSoundLedger(workspaceId);
  });

  it("trues up the manager's share of her reps, which does not change when one of them is unlocked", async () => {
    const share = () => api.expect(200, 'POST', `/v1/statements/${idOf('mia')}/true-up`, { period: month });
    const trueUp = await share();
    expect(trueUp).to.include({ action: 'trued_up', delta: 162, version: 3 });
    expect(differences(trueUp)).to.deep.equal([
      ['B2', 501.48, 621.48, 120],
      ['B3', 495.37, 525.37, 30],
      ['A1', 240, 248, 8],
      ['A2', 520, 524, 4],
    ]);
    const approve = (status: string) =>
      manager.expect(200, 'POST', `/v1/statements/${idOf('ben')}/approve`, { period: month, status });
    await approve('draft');
    await service.waitForCalculations(workspaceId);
    await manager.generate(idOf('ben'), month);
    await approve('approved');
    expect(await lines('ben')).to.deep.equal({ B2: '6214.81', B3: '5253.72', B5: '617.28' });
    expect(await share()).to.deep.equal({ action: 'none', delta: 0 });
    await expectFigures(
      {
        ...truedUp,
        ben: { ...figuresOf('ben'), commission: '11468.53', adjustments: '250.25', net: '11718.78' },
        mia: { ...figuresOf('mia'), adjustments: '162.00', net: '1918.85' },
      },
      { status: 'approved' },
    );
    await service.expectSoundLedger(workspaceId);
  });

  async function change(dealId: string, amount: number): Promise<void> {
    const all = rowsOf(deals).find((row) => row['id'] === dealId) as Record<string, string>;
    const { stage, currency, close_date: closeDate, owner_id: ownerId } = all;
    const deal = { stage, currency, closeDate, ownerId, amount };
    await api.expect(200, 'PUT', `/v1/deals/${dealId}`, deal);
    await service.waitForCalculations(workspaceId);
  }

  async function generate(): Promise<number[]> {
    const answer = await manager.expect(200, 'POST', '/v1/statements/generate', { period: month });
    return [
      answer.generated,
      answer.skipped,
      answer.errors,
      ...answer.statements.map((statement: Loose) => statement.version),
    ];
  }

  /** Amounts of the rep's line items by deal. */
  async function lines(name: string): Promise<Record<string, string>> {
    const { lineItems } = await api.expect(200, 'GET', `/v1/statements?repId=${idOf(name)}&period=${month}`);
    return Object.fromEntries(
      lineItems
        .filter((line: Loose) => line.dealId !== null)
        .map((line: Loose) => [line.dealId, cents(line.amount)] as const),
    );
  }

  /** Statements, payroll files and dashboards have the expected figures. */
  async function expectFigures(
    expected: Readonly<Record<string, Figures>>,
    state: { readonly status: string; readonly version?: number },
  ): Promise<void> {
    const team = await manager.expect(200, 'GET', `/v1/statements?period=${month}&include=all`);
    const overview = await manager.expect(200, 'GET', `/v1/commissions?period=${month}&include=all`);
    const file = await manager.send('GET', `/v1/statements/export.csv?period=${month}`);
    expect(file.status).to.equal(200);
    expect(file.headers.get('x-net-total')).to.equal(null);
    const payroll = rowsOf(file.body);
    for (const [name, figures] of Object.entries(expected)) {
      const statement = await expectStatement(name, figures, state);
      const { repId, status, version, statementId, currency, summary, otherCurrencies, ownChanges = [] } = statement;
      expect(team.statements.find((one: Loose) => one.repId === repId)).to.deep.equal({
        ...{ repId, name: statement.repName, email: `${name}@acme.test`, status, version, statementId },
        ...{ currency, summary, otherCurrencies, checks: [], openDisputes: [], coveredBy: [], ownChanges },
      });
      expectPayroll(name, figures, status, payroll);
      await expectDashboards(statement, overview);
    }
    const all = Object.values(expected);
    const [net, euros] = [sumOf(all.map((one) => one.net)), sumOf(all.map((one) => one.euros))];
    expect(team.statements).to.have.length(all.length);
    expect([cents(team.totals.netPayout), team.currency]).to.deep.equal([net, 'USD']);
    expect(
      team.otherCurrencies.map(({ currency, summary }: Loose) => [currency, cents(summary.netPayout)]),
    ).to.deep.equal([['EUR', euros]]);
    expect(cents(overview.totals.total)).to.equal(net);
    expect(
      overview.otherCurrencies.map(({ currency, earnings }: Loose) => [currency, cents(earnings.total)]),
    ).to.deep.equal([['EUR', euros]]);
    for (const [currency, total] of [
      ['USD', net],
      ['EUR', euros],
    ]) {
      const rows = payroll.filter((row) => row['Currency'] === currency);
      expect(sumOf(rows.map((row) => row['Net Payout'] as string))).to.equal(total);
    }
  }

  /** The rep's statement, which equals its JSON file and, line by line, its CSV file. */
  async function expectStatement(
    name: string,
    figures: Figures,
    state: { readonly status: string; readonly version?: number },
  ): Promise<Loose> {
    const repId = idOf(name);
    const statement = await manager.expect(200, 'GET', `/v1/statements?repId=${repId}&period=${month}`);
    const { summary, otherCurrencies, lineItems } = statement;
    expect(statement, name).to.include({ ...state, currency: 'USD' });
    expect({ ...summary, netPayout: cents(summary.netPayout) }, name).to.deep.equal({
      totalCommission: Number(figures.commission),
      totalBonuses: 0,
      totalAdjustments: Number(figures.adjustments),
      netPayout: figures.net,
    });
    expect(otherCurrencies.map((one: Loose) => [one.currency, cents(one.summary.netPayout)])).to.deep.equal(
      figures.euros === '0.00' ? [] : [['EUR', figures.euros]],
    );
    const amounts = (currency: string, category?: string): number[] =>
      lineItems
        .filter((line: Loose) => line.currency === currency && (category ?? line.category) === line.category)
        .map((line: Loose) => line.amount);
    expect(sumOf(amounts('USD'))).to.equal(figures.net);
    expect(sumOf(amounts('USD', 'commission'))).to.equal(figures.commission);
    expect(sumOf(amounts('USD', 'adjustment'))).to.equal(figures.adjustments);
    expect(sumOf(amounts('EUR'))).to.equal(figures.euros);

    const address = `/v1/statements/${repId}/export?period=${month}`;
    const json = await manager.get(`${address}&format=json`);
    // What is owed now, and what people changed of their own pay, are no parts of the version that the file has.
    const { owed: _, ownChanges: __, ...ofVersion } = statement;
    expect(json.body).to.deep.equal(ofVersion);
    const own = await (await service.as(workspaceId, repId)).get(`${address}&format=csv`);
    const csv = await manager.get(`${address}&format=csv`);
    expect(own.body).to.equal(csv.body);
    const mixed = otherCurrencies.length > 0;
    expect(json.headers.get('x-row-count')).to.equal(String(lineItems.length));
    expect(csv.headers.get('x-row-count')).to.equal(String(rowsOf(csv.body).length));
    for (const answer of [json, csv]) {
      expect(answer.headers.get('x-net-total')).to.equal(mixed ? null : figures.net);
      expect(answer.headers.get('x-statement-status')).to.equal(state.status);
    }
    const rows = rowsOf(csv.body);
    expect(rows.map((row) => [row['Deal ID'], row['Commission'], row['Rule'], row['Close Date']])).to.deep.equal(
      linesOf(statement).map((line: Loose) => [
        line.dealId ?? '',
        cents(line.delta),
        line.ruleName ?? '',
        line.closeDate ?? '',
      ]),
    );
    if (mixed)
      expect(rows.map((row) => row['Currency'])).to.deep.equal(
        lineItems.flatMap(({ lines = [null], currency }: Loose) => lines.map(() => currency)),
      );
    return statement;
  }

  function expectPayroll(name: string, figures: Figures, status: string, payroll: Record<string, string>[]): void {
    const row = (commission: string, adjustments: string, net: string, currency: string) => ({
      ...{ Name: name.slice(0, 1).toUpperCase() + name.slice(1), Email: `${name}@acme.test` },
      ...{ Commissions: commission, Bonuses: '0.00', Adjustments: adjustments, 'Net Payout': net },
      ...{ 'Statement Status': status, Currency: currency },
    });
    const { commission, adjustments, net, euros } = figures;
    // A person without a plan and an amount has a row only for an approved statement.
    const main = status !== 'approved' && name === 'ida' ? [] : [row(commission, adjustments, net, 'USD')];
    expect(payroll.filter((one) => one['Email'] === `${name}@acme.test`)).to.deep.equal([
      ...main,
      ...(euros === '0.00' ? [] : [row(euros, '0.00', euros, 'EUR')]),
    ]);
  }

  async function expectDashboards(statement: Loose, overview: Loose): Promise<void> {
    const { repId, status } = statement;
    const earningsOf = (summary: Loose) => ({
      total: summary.netPayout,
      commission: summary.totalCommission,
      bonus: summary.totalBonuses,
      adjustments: summary.totalAdjustments,
    });
    const expected = {
      earnings: earningsOf(statement.summary),
      otherCurrencies: statement.otherCurrencies.map(({ currency, summary }: Loose) => ({
        currency,
        earnings: earningsOf(summary),
      })),
    };
    const row = overview.reps.find((rep: Loose) => rep.repId === repId);
    expect(row).to.deep.include({ ...expected, statementStatus: status });
    const dashboard = await manager.expect(200, 'GET', `/v1/commissions?repId=${repId}&period=${month}`);
    expect(dashboard).to.deep.include(expected);
    const others = expected.otherCurrencies.map(({ currency, earnings }: Loose) => ({
      currency,
      total: earnings.total,
    }));
    const { total } = expected.earnings;
    expect(dashboard.trend.at(-1)).to.deep.equal({
      ...{ period: month, total },
      ...(others.length > 0 && { otherCurrencies: others }),
    });
    for (const { dealId, commission } of dashboard.closedDeals) {
      const paid = linesOf(statement).filter((line: Loose) => line.dealId === dealId);
      expect(cents(commission), dealId).to.equal(sumOf(paid.map((line: Loose) => line.delta)));
    }
  }
});
