import { expect } from 'chai';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';

const tiers = [
  { tierIndex: 0, minThreshold: 0, rate: 0.08 },
  { tierIndex: 1, minThreshold: 1, rate: 0.12 },
];

describe('the days of employment', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;

  /** Ben's plan prorates his quota of 100,000 by days, and a deal of 50,000 earns 4,000. */
  beforeEach(async () => {
    workspace = await WorkedExample.create(service, { deals: false });
    const rules = [{ name: 'New business', measure: 'amount', quotaProration: 'calendar_days', tiers }];
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${workspace.planId}`, { config: { rules } });
    await workspace.deal('a', 50_000, '2026-03-20');
    await workspace.calculated();
  });
  afterEach(() => workspace.expectSoundLedger());

  const employ = (terms: object, query = '') =>
    workspace.api.expect(200, 'PATCH', `/v1/reps/${workspace.ben}${query}`, terms);
  const readRep = (query = '') => workspace.api.expect(200, 'GET', `/v1/reps/${workspace.ben}${query}`);
  const now = async () => {
    const [{ now: instant }] = await workspace.sql(
      'select clock_timestamp() as now from workspaces where workspace_id = $1',
    );
    return `?asOf=${encodeURIComponent((instant as Date).toISOString())}`;
  };

  it('a dry run says what they would do to commission, and changes nothing', async () => {
    const { effect } = await employ({ hireDate: '2026-02-15' }, '?dryRun=true');
    expect(effect).to.deep.equal({
      lines: 1,
      reps: 1,
      totals: [{ currency: 'USD', delta: 2000 }],
      locked: [],
      byPeriod: [{ repId: workspace.ben, period: '2026-Q1', currency: 'USD', before: 4000, after: 6000, delta: 2000 }],
    });
    expect(await readRep()).to.include({ hireDate: null });
    await workspace.calculated();
    expect(await workspace.earned()).to.deep.equal({ a: '4000' });
    expect(await employ({ hireDate: '2026-02-15' })).to.not.have.property('effect');
    await workspace.calculated();
    expect(await workspace.earned()).to.deep.equal({ a: '6000' });
    await expectError(
      '400 VALIDATION_FAILED',
      workspace.api.patch(`/v1/reps/${workspace.ben}?dryRun=true`, { hireDate: null, role: 'manager' }),
    );
    await expectError(
      '400 VALIDATION_FAILED',
      workspace.api.patch(`/v1/reps/${workspace.ben}?dryRun=true`, { endDate: '2026-02-14' }),
    );
  });

  it('a dry run names approved periods, which would become discrepancies', async () => {
    await workspace.generateAndApprove('2026-03');
    const { effect } = await employ({ hireDate: '2026-02-15' }, '?dryRun=true');
    expect(effect).to.deep.include({
      lines: 0,
      locked: [{ repId: workspace.ben, period: '2026-03', currency: 'USD', delta: 2000 }],
    });
  });

  it('earlier days stay readable', async () => {
    const unknown = await now();
    await employ({ hireDate: '2026-02-15' });
    const hired = await now();
    await employ({ hireDate: '2026-02-01', endDate: '2026-06-30' });
    await employ({ hireDate: null, endDate: null });
    expect(await readRep()).to.include({ hireDate: null, endDate: null });
    expect(await readRep(hired)).to.include({ hireDate: '2026-02-15', endDate: null, name: 'Ben' });
    expect(await readRep(unknown)).to.include({ hireDate: null, endDate: null });
  });

  it('are set for many people at once, by e-mail or from a file', async () => {
    const people = [{ email: 'ben@acme.test', name: 'Ben', hireDate: '2026-02-15' }];
    const { reps } = await workspace.api.expect(200, 'PUT', '/v1/reps', { reps: people });
    expect(reps[0]).to.include({ hireDate: '2026-02-15', endDate: null });
    await workspace.calculated();
    expect(await workspace.earned()).to.deep.equal({ a: '6000' });
    const instant = await now();
    const load = (...rows: string[]) =>
      workspace.api.expect(
        200,
        'POST',
        '/v1/reps/import?dateFormat=DMY',
        ['email,name,hireDate,endDate', ...rows].join('\n'),
        { 'Content-Type': 'text/csv' },
      );
    const { results } = await load(
      'ben@acme.test,,01/01/2026,30/06/2026',
      'new@acme.test,New,01/02/2026,',
      'mia@acme.test,,01/02/2026,31/01/2026',
      'x@acme.test,X,soon,',
    );
    expect(results.map(({ outcome, reason }: Record<string, unknown>) => reason ?? outcome)).to.deep.equal([
      'changed',
      'created',
      'endDate: must not be before hireDate',
      'hireDate: soon is not a date in the format DMY',
    ]);
    await workspace.calculated();
    expect(await workspace.earned()).to.deep.equal({ a: '4000' });
    expect(await readRep()).to.include({ hireDate: '2026-01-01', endDate: '2026-06-30' });
    expect(await readRep(instant)).to.include({ hireDate: '2026-02-15', endDate: null });
    expect(await load('ben@acme.test,,01/01/2026,30/06/2026')).to.include({ accepted: 0, unchanged: 1 });
    expect((await load('ben@acme.test,,,')).unchanged, 'an empty cell keeps the day').to.equal(1);
  });
});
