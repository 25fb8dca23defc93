import { expect } from 'chai';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';

const tiers = [
  { tierIndex: 0, minThreshold: 0, rate: 0.08 },
  { tierIndex: 1, minThreshold: 1, rate: 0.12 },
];
const fromFebruary = { year: 2026, start: '2026-02-01', pattern: 'months' };
const inWeeks = { year: 2026, start: '2026-02-01', pattern: '4-5-4', weeks: 52 };

describe('fiscal years', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;

  beforeEach(async () => {
    workspace = await WorkedExample.create(service, { deals: false });
  });
  afterEach(() => workspace.expectSoundLedger());

  const define = (...years: object[]) => workspace.api.expect(200, 'PUT', '/v1/fiscal-years', years);
  const preview = (...years: object[]) => workspace.api.expect(200, 'PUT', '/v1/fiscal-years?dryRun=true', years);
  const list = () => workspace.api.expect(200, 'GET', '/v1/fiscal-years');
  const countFiscal = async (terms: object = {}) => {
    const rules = [{ name: 'New business', measure: 'amount', calendar: 'fiscal', tiers, ...terms }];
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${workspace.planId}`, { config: { rules } });
  };
  const get = (path: string) => workspace.api.expect(200, 'GET', path);
  const periodsOfRows = () =>
    workspace.sql(
      `select deal_key as deal, period from commission_events
       where workspace_id = $1 and status = 'earned' order by deal_key`,
    );
  const reasons = async (period: string) => {
    const { exceptions } = await get(`/v1/commissions/exceptions?period=${period}`);
    return exceptions.map(({ reason }: { reason: string }) => reason);
  };

  it('Q6: a workspace with a fiscal year from February has its quotas, amounts and reasons by fiscal quarter', async () => {
    await define(fromFebruary);
    await countFiscal();
    const file = 'email,plan,period,target\nben@acme.test,AE,FY2026-Q1,100000\nben@acme.test,AE,2026-Q1,1\n';
    const imported = await workspace.api.expect(200, 'POST', '/v1/quotas/import', file, { 'Content-Type': 'text/csv' });
    expect(
      imported.results.map(({ outcome, code }: { outcome: string; code?: string }) => [outcome, code]),
    ).to.deep.equal([
      ['created', undefined],
      ['rejected', 'period_mismatch'],
    ]);
    await workspace.deal('a', 60_000, '2026-02-10');
    await workspace.deal('b', 60_000, '2026-04-30');
    await workspace.deal('c', 10_000, '2026-05-02');
    await workspace.deal('d', 10_000, '2026-01-31');
    await workspace.calculated();
    expect(await workspace.earned()).to.deep.equal({ a: '4800', b: '7200', c: '0' });
    expect(await periodsOfRows()).to.deep.equal([
      { deal: 'a', period: 'FY2026-Q1' },
      { deal: 'b', period: 'FY2026-Q1' },
      { deal: 'c', period: 'FY2026-Q2' },
    ]);
    expect(await reasons('FY2026-Q2')).to.deep.equal(['quota_missing']);
    expect(await reasons('2026-01')).to.deep.equal(['no_fiscal_period']);
  });

  it('Q7: a year in weeks has periods of 4, 5 and 4 weeks', async () => {
    const { fiscalYears } = await define(inWeeks);
    const days = Object.fromEntries(
      fiscalYears[0].periods.map(({ period, from, to }: { period: string; from: string; to: string }) => [
        period,
        `${from} ${to}`,
      ]),
    );
    expect(days).to.include({
      'FY2026-P01': '2026-02-01 2026-02-28',
      'FY2026-P02': '2026-03-01 2026-04-04',
      'FY2026-P03': '2026-04-05 2026-05-02',
      'FY2026-Q1': '2026-02-01 2026-05-02',
      FY2026: '2026-02-01 2027-01-30',
    });
    await countFiscal({ attainmentPeriod: 'monthly' });
    for (const day of ['2026-05-02', '2026-05-03']) await workspace.deal(day, 100, day);
    await workspace.calculated();
    expect(await periodsOfRows()).to.deep.equal([
      { deal: '2026-05-02', period: 'FY2026-P03' },
      { deal: '2026-05-03', period: 'FY2026-P04' },
    ]);
  });

  it('runs statements, files, hand-overs, dashboards and disputes by fiscal periods', async () => {
    await define(inWeeks);
    await countFiscal();
    await workspace.api.setQuota([workspace.ben], 'New business', 'FY2026-Q1', 100_000);
    await workspace.deal('a', 50_000, '2026-04-04');
    await workspace.deal('b', 50_000, '2026-04-05');
    await workspace.calculated();

    const p03 = await get(`/v1/commissions?repId=${workspace.ben}&period=FY2026-P03`);
    expect(p03).to.deep.include({ period: 'FY2026-P03', currency: 'USD' });
    expect(p03.earnings.total).to.equal(6000);
    expect(
      p03.attainment.map(({ period, credit, through }: Record<string, unknown>) => [period, credit, through]),
    ).to.deep.equal([['FY2026-Q1', 100_000, '2026-05-02']]);
    expect(p03.trend).to.deep.equal([
      { period: 'FY2026-P01', total: 0 },
      { period: 'FY2026-P02', total: 4000 },
      { period: 'FY2026-P03', total: 6000 },
    ]);
    const p02 = await get(`/v1/commissions?repId=${workspace.ben}&period=FY2026-P02`);
    expect(p02.attainment[0]).to.include({ period: 'FY2026-Q1', credit: 50_000, through: '2026-04-04' });
    expect((await get('/v1/commissions?period=FY2026-Q1')).totals.total).to.equal(10_000);
    expect(await get('/v1/commissions/periods')).to.deep.equal(['FY2026-Q1']);

    await workspace.api.adjust(workspace.ben, 'FY2026-P02', 100, 'Contest');
    const generated = await workspace.api.expect(200, 'POST', '/v1/statements/generate', { period: 'FY2026-P02' });
    expect(generated.errors).to.equal(0);
    await workspace.api.approve(workspace.ben, 'FY2026-P02');
    const team = await get('/v1/statements?period=FY2026-P02');
    expect(team.totals.netPayout).to.equal(4100);
    expect(team.statements.find(({ repId }: { repId: string }) => repId === workspace.ben)).to.deep.include({
      status: 'approved',
    });
    await workspace.api.generate(workspace.ben, '2026-03');
    await expectError(
      '409 statement_overlap',
      workspace.api.post(`/v1/statements/${workspace.ben}/approve`, { period: '2026-03', status: 'approved' }),
    );
    const listed = await get(`/v1/statements/${workspace.ben}/list`);
    expect(
      listed.map(({ period, coveredBy }: { period: string; coveredBy: string[] }) => [period, coveredBy]),
    ).to.deep.equal([
      ['FY2026-P02', []],
      ['2026-03', ['FY2026-P02']],
    ]);

    const csv = await get('/v1/statements/export.csv?period=FY2026-P02&columns=extended');
    expect(csv).to.contain('FY2026-P02,2026-03-01,2026-04-04');
    await workspace.api.expect(201, 'POST', '/v1/payroll-handovers', { period: 'FY2026-P02', layout: 'generic' });
    await workspace.api.expect(201, 'POST', `/v1/disputes`, {
      repId: workspace.ben,
      period: 'FY2026-P03',
      type: 'missing_deal',
      description: 'A deal is missing',
    });
    const holds = await get(`/v1/statements?repId=${workspace.ben}&period=2026-04`);
    expect(holds.openDisputes.map(({ period }: { period: string }) => period)).to.deep.equal(['FY2026-P03']);
  });

  it('rejects years with a gap and periods of unknown years, and changes nothing', async () => {
    for (const [years, issue] of [
      [[fromFebruary, { year: 2027, start: '2027-02-02', pattern: 'months' }], '1.start: must be 2027-02-01'],
      [[fromFebruary, { year: 2028, start: '2027-02-01', pattern: 'months' }], '1.year: must be 2027'],
      [[{ ...fromFebruary, weeks: 53 }], '0.weeks: must be 52'],
      [[{ ...inWeeks, pattern: '4-4-4' }], '0.pattern: must be one of'],
    ] as const) {
      const { status, body } = await workspace.api.put('/v1/fiscal-years', years);
      expect([status, body.message]).to.satisfy(
        ([code, text]: [number, string]) => code === 400 && text.includes(issue),
      );
    }
    expect(await list()).to.deep.equal({ fiscalYears: [], count: 0 });
    for (const path of [
      '/v1/commissions?period=FY2026',
      '/v1/statements?period=FY2026-Q1',
      '/v1/statements/export.csv?period=FY2026-P01',
    ]) {
      const { status, body } = await workspace.api.get(path);
      expect([status, body.message]).to.deep.equal([
        400,
        'period: no fiscal year 2026 is defined; an admin defines it with PUT /v1/fiscal-years',
      ]);
    }
    const rules = [{ name: 'New business', measure: 'amount', calendar: 'fiscal', tiers }];
    const { body } = await workspace.api.patch(`/v1/plans/${workspace.planId}`, { config: { rules } });
    expect(body.message).to.contain('must be calendar: no fiscal year is defined');
    await expectError('400 VALIDATION_FAILED', workspace.api.post('/v1/statements/generate', { period: 'FY2026-Q1' }));
    await expectError('400 VALIDATION_FAILED', workspace.api.get('/v1/commissions?period=FY2026-P13'));
  });

  it('a change of days is rejected while an approved statement lies in the year; a new year opens discrepancies', async () => {
    await define(fromFebruary);
    await countFiscal();
    await workspace.api.setQuota([workspace.ben], 'New business', 'FY2026-Q1', 100_000);
    await workspace.deal('a', 60_000, '2026-02-10');
    await workspace.deal('old', 60_000, '2026-01-10');
    await workspace.calculated();
    await workspace.generateAndApprove('2026-01');
    await workspace.generateAndApprove('2026-02');
    const before = await workspace.sql('select * from commission_events where workspace_id = $1 order by event_id');
    const { status, body } = await workspace.api.put('/v1/fiscal-years', [inWeeks]);
    expect([status, body.code, body.details.periods]).to.deep.equal([409, 'calendar_in_use', ['2026-02']]);
    await expectError('409 calendar_in_use', workspace.api.put('/v1/fiscal-years', []));
    const years = [{ year: 2025, start: '2025-02-01', pattern: 'months' }, fromFebruary];
    const dry = await preview(...years);
    expect(dry.reps).to.equal(2);
    expect(dry.effect.locked).to.deep.equal([]);
    expect((await list()).count).to.equal(1);
    await define(...years);
    await workspace.checked();
    expect(
      await workspace.sql('select * from commission_events where workspace_id = $1 order by event_id'),
    ).to.deep.equal(before);
    await workspace.api.setQuota([workspace.ben], 'New business', 'FY2025-Q4', 100_000);
    await workspace.checked();
    const { discrepancies } = await get('/v1/discrepancies?status=open');
    expect(discrepancies).to.have.length(1);
    expect(discrepancies[0]).to.deep.include({ period: '2026-01', delta: 4800 });
  });

  it('a new year on approved days is a discrepancy with the cause calendar, and a preview shows it', async () => {
    await define(fromFebruary);
    await countFiscal({ tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] });
    await workspace.deal('old', 60_000, '2026-01-10');
    await workspace.calculated();
    await workspace.generateAndApprove('2026-01');
    const years = [{ year: 2025, start: '2025-02-01', pattern: 'months' }, fromFebruary];
    const dry = await preview(...years);
    expect(dry.effect.locked).to.deep.equal([
      { repId: workspace.ben, period: '2026-01', currency: 'USD', delta: 6000 },
    ]);
    await define(...years);
    await workspace.checked();
    const { discrepancies } = await get('/v1/discrepancies?status=open');
    expect(
      discrepancies.map(({ delta, causes }: { delta: number; causes: { kind: string }[] }) => [
        delta,
        causes.map(({ kind }) => kind),
      ]),
    ).to.deep.equal([[6000, ['calendar']]]);
  });

  it('earlier fiscal years stay readable', async () => {
    await define(fromFebruary);
    const [{ now }] = await workspace.sql('select clock_timestamp() as now from workspaces where workspace_id = $1');
    await define();
    const asOf = `?asOf=${encodeURIComponent((now as Date).toISOString())}`;
    const { fiscalYears } = await get(`/v1/fiscal-years${asOf}`);
    expect(fiscalYears).to.have.lengthOf(1);
    expect(fiscalYears[0]).to.include(fromFebruary);
    expect(await list()).to.include({ count: 0 });
  });

  it('calculates again exactly the people whose plans read fiscal years, on the days of the changed years', async () => {
    await define(fromFebruary);
    const other = await workspace.api.createPlan(
      {
        name: 'Other',
        config: {
          rules: [{ name: 'Flat', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.01 }] }],
        },
      },
      [workspace.mia],
    );
    expect(other.planId).to.be.a('string');
    expect((await define(inWeeks)).reps).to.equal(0);
    await countFiscal();
    await workspace.deal('a', 60_000, '2026-05-02');
    await workspace.calculated();
    expect((await periodsOfRows())[0].period).to.equal('FY2026-Q1');
    expect((await define(fromFebruary)).reps).to.equal(2);
    await workspace.calculated();
    expect((await periodsOfRows())[0].period).to.equal('FY2026-Q2');
    expect((await define(fromFebruary)).reps).to.equal(0);
    const entries = await workspace.sql(
      `select content::jsonb -> 'changes' as changes from audit_entries
       where workspace_id = $1 and content like '%setFiscalYears%' order by at`,
    );
    expect(
      entries.map(({ changes }) => changes.map(({ table, id }: { table: string; id: object }) => ({ table, id }))),
    ).to.deep.equal([...Array.from({ length: 3 }, () => [{ table: 'fiscal_years', id: { year: 2026 } }]), []]);
  });

  it('an absence in January lowers the target of the fiscal quarter that began in November, also where it is approved', async () => {
    await define(fromFebruary);
    await countFiscal({ quotaProration: 'calendar_days' });
    await workspace.api.setQuota([workspace.ben], 'New business', 'FY2026-Q4', 92_000);
    await workspace.deal('a', 62_000, '2026-11-10');
    await workspace.calculated();
    await workspace.generateAndApprove('2026-11');
    const leave = { repId: workspace.ben, from: '2027-01-02', to: '2027-01-31' };
    await workspace.api.expect(201, 'POST', '/v1/absences', leave);
    await workspace.checked();
    const { discrepancies } = await get('/v1/discrepancies?status=open');
    expect(discrepancies.map(({ period, delta }: Record<string, unknown>) => [period, delta])).to.deep.equal([
      ['2026-11', 2480],
    ]);
  });

  it('a condition takes the days of a fiscal period, and is rejected for a year that is not defined', async () => {
    await define(fromFebruary);
    const inPeriod = (value: string) => ({
      config: {
        rules: [
          {
            name: 'New business',
            measure: 'amount',
            tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }],
            conditions: [{ field: 'closeDate', fieldType: 'date', operator: 'in_period', value }],
          },
        ],
      },
    });
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${workspace.planId}`, inPeriod('FY2026-P01'));
    for (const day of ['2026-01-31', '2026-02-01', '2026-02-28', '2026-03-01']) await workspace.deal(day, 100, day);
    await workspace.calculated();
    expect(await workspace.earned()).to.deep.equal({ '2026-02-01': '10', '2026-02-28': '10' });
    const { status, body } = await workspace.api.patch(`/v1/plans/${workspace.planId}`, inPeriod('FY2027'));
    expect([status, body.message]).to.satisfy(
      ([code, text]: [number, string]) => code === 400 && text.includes('no fiscal year 2027'),
    );
    expect((await define({ ...fromFebruary, start: '2026-03-01' })).reps).to.equal(2);
    await workspace.calculated();
    expect(await workspace.earned()).to.deep.equal({ '2026-03-01': '10' });
  });
});
