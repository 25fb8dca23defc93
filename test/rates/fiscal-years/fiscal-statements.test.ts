import { expect } from 'chai';
import { download, readRows, readWorkbook } from '#test/support/downloads.js';
import { pdfText, requireBrowser } from '#test/support/pdf-tools.js';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';

const tiers = [
  { tierIndex: 0, minThreshold: 0, rate: 0.08 },
  { tierIndex: 1, minThreshold: 1, rate: 0.12 },
];

describe('statements of fiscal periods', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;

  /** The fiscal year begins in February; deals of 60,000 in P01 and in P03 meet a quota of 100,000 for FY2026-Q1. */
  beforeEach(async () => {
    workspace = await WorkedExample.create(service, { deals: false });
    const years = [{ year: 2026, start: '2026-02-01', pattern: 'months' }];
    await workspace.api.expect(200, 'PUT', '/v1/fiscal-years', years);
    const rules = [{ name: 'New business', measure: 'amount', calendar: 'fiscal', tiers }];
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${workspace.planId}`, { config: { rules } });
    const [{ quotaId }] = await get(`/v1/quotas?repId=${workspace.ben}`);
    await workspace.api.expect(200, 'DELETE', `/v1/quotas/${quotaId}`);
    await workspace.api.setQuota([workspace.ben], 'New business', 'FY2026-Q1', 100_000);
    await workspace.deal('a', 60_000, '2026-02-10');
    await workspace.deal('b', 60_000, '2026-04-30');
    await workspace.calculated();
    expect(await workspace.earned()).to.deep.equal({ a: '4800', b: '7200' });
  });
  afterEach(() => workspace.expectSoundLedger());

  const get = (path: string) => workspace.api.expect(200, 'GET', path);
  const readStatement = (period: string, query = '') =>
    get(`/v1/statements?repId=${workspace.ben}&period=${period}${query}`);
  const trueUp = (period: string) =>
    workspace.api.expect(200, 'POST', `/v1/statements/${workspace.ben}/true-up`, { period, force: true });
  const now = async () => {
    const [{ now: instant }] = await workspace.sql(
      'select clock_timestamp() as now from workspaces where workspace_id = $1',
    );
    return `&asOf=${encodeURIComponent((instant as Date).toISOString())}`;
  };

  it('a true-up pays what an approved fiscal quarter owes, and earlier states stay readable', async () => {
    await workspace.generateAndApprove('FY2026-Q1');
    const approved = await now();
    await workspace.deal('a', 90_000, '2026-02-10');
    await workspace.checked();
    const { discrepancies } = await get('/v1/discrepancies?status=open');
    expect(discrepancies).to.have.lengthOf(1);
    expect(discrepancies[0]).to.deep.include({ period: 'FY2026-Q1', delta: 2400 });
    expect(await trueUp('FY2026-Q1')).to.include({ action: 'trued_up', delta: 2400, version: 2 });
    await workspace.calculated();
    const paid = await readStatement('FY2026-Q1');
    expect(paid).to.include({ status: 'approved', version: 2 });
    expect(paid.summary.netPayout).to.equal(14_400);
    expect(paid.lineItems.at(-1)).to.include({ kind: 'true_up', earnedOn: '2026-04-30' });

    const before = await readStatement('FY2026-Q1', approved);
    expect(before).to.include({ period: 'FY2026-Q1', version: 1 });
    expect(before.summary.netPayout).to.equal(12_000);
    const earned = await get(`/v1/commissions?repId=${workspace.ben}&period=FY2026-Q1${approved}`);
    expect(earned.earnings.total).to.equal(12_000);
    expect((await get(`/v1/commissions?period=FY2026-P01${approved}`)).totals.total).to.equal(4800);
  });

  it('a difference of an approved fiscal period is carried forward to a later one', async () => {
    await workspace.generateAndApprove('FY2026-P01');
    await workspace.deal('a', 90_000, '2026-02-10');
    await workspace.checked();
    const [{ discrepancyId }] = (await get('/v1/discrepancies?status=open')).discrepancies;
    const { result } = await workspace.api.expect(200, 'POST', `/v1/discrepancies/${discrepancyId}/resolve`, {
      action: 'carry_forward',
      reason: 'Late',
    });
    expect(result).to.deep.include({ action: 'carried_forward', period: 'FY2026-P02' });
    await workspace.calculated();
    const p02 = await workspace.generate('FY2026-P02');
    expect(p02.summary.netPayout).to.equal(2400);
    expect((await readStatement('FY2026-P01')).summary.netPayout).to.equal(4800);
  });

  it('the workbook and the earlier workbook name the fiscal periods', async () => {
    await workspace.generateAndApprove('FY2026-Q1');
    const approved = await now();
    await workspace.deal('a', 90_000, '2026-02-10');
    await workspace.checked();
    await trueUp('FY2026-Q1');
    await workspace.calculated();
    const cells = async (query = '') => {
      const path = `/v1/statements/${workspace.ben}/export?period=FY2026-Q1&format=xlsx${query}`;
      const { worksheets } = await readWorkbook((await download(workspace.api, path)).bytes);
      return worksheets
        .flatMap((sheet) => readRows(sheet))
        .flatMap((row) => Object.values(row).map(({ text }) => text))
        .join(' ');
    };
    const [current, earlier] = [await cells(), await cells(approved)];
    expect(current)
      .to.include('FY2026-Q1')
      .and.not.match(/\b2026-Q\d|Q\d 2026/);
    expect(earlier)
      .to.include('FY2026-Q1')
      .and.not.match(/\b2026-Q\d|Q\d 2026/);
    expect(current).to.not.equal(earlier);
  });

  it('the document names the fiscal quarter and no quarter of the calendar', async function () {
    await requireBrowser(this);
    await workspace.generateAndApprove('FY2026-Q1');
    const path = `/v1/statements/${workspace.ben}/export?period=FY2026-Q1&format=pdf`;
    const text = pdfText((await download(workspace.api, path)).bytes, '-layout');
    if (text === null) return this.skip();
    expect(text).to.match(/FY2026-Q1|Q1 FY2026/);
    expect(text)
      .to.include('12,000.00')
      .and.not.match(/\b2026-Q\d|Q\d 2026/);
  });
});
