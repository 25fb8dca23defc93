import { expect } from 'chai';
import { download, readRows, readWorkbook } from '#test/support/downloads.js';
import { pdfText, requireBrowser } from '#test/support/pdf-tools.js';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';

describe('files of statements with prorated quotas', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;

  /** Ben starts on January 15 with a ramp that pays 150 % of a deal in its first month. */
  before(async () => {
    workspace = await WorkedExample.create(service, { deals: false });
    const { api, ben, planId } = workspace;
    const tiers = [
      { tierIndex: 0, minThreshold: 0, rate: 0.08 },
      { tierIndex: 1, minThreshold: 1, rate: 0.12 },
    ];
    const rules = [{ name: 'New business', measure: 'amount', quotaProration: 'calendar_days', tiers }];
    await api.expect(200, 'PATCH', `/v1/plans/${planId}`, { config: { rules } });
    await api.setQuota([ben], 'New business', '2026-Q1', 120_000);
    const steps = [25, 50, 75].map((quotaPercent, index) => ({
      months: 1,
      quotaPercent,
      ...(index === 0 ? { ratePercent: 150 } : {}),
    }));
    const { rampId } = await api.expect(201, 'POST', '/v1/ramps', { name: 'Start', steps });
    const [{ assignmentId }] = await api.expect(200, 'GET', `/v1/assignments?repId=${ben}`);
    await api.expect(200, 'PATCH', `/v1/assignments/${assignmentId}`, { rampId, effectiveStart: '2026-01-15' });
    await workspace.deal('a', 10_000, '2026-01-20');
    await workspace.deal('b', 36_000, '2026-03-20');
    await workspace.calculated();
    expect(await workspace.earned()).to.deep.equal({ a: '1200', b: '4320' });
  });

  it('the lines of a statement have the target that counts, and how it was computed', async () => {
    const { lineItems } = await workspace.generate('2026-Q1');
    for (const line of lineItems)
      expect(line).to.deep.include({
        target: 46_000,
        proration: { target: 120_000, weight: 34.5, size: 90, unit: 'days' },
      });
  });

  it('the workbook has a sheet of the prorated quotas, which others do not have', async () => {
    const sheet = async ({ api, ben }: WorkedExample) => {
      const { bytes } = await download(api, `/v1/statements/${ben}/export?period=2026-Q1&format=xlsx`);
      return (await readWorkbook(bytes)).getWorksheet('Prorated quotas');
    };
    const rows = readRows(await sheet(workspace)).map((row) => Object.values(row).map(({ text }) => text));
    expect(rows).to.have.lengthOf(1);
    expect(rows[0]).to.include.members(['Ben', 'New business', '2026-Q1', '120,000 × 34.5 of 90 days']);
    expect(await sheet(await WorkedExample.create(service))).to.equal(undefined);
  });

  it('the document states the days, and what the ramp adds to the rates', async function () {
    await requireBrowser(this);
    const { bytes } = await download(workspace.api, `/v1/statements/${workspace.ben}/export?period=2026-Q1&format=pdf`);
    const text = pdfText(bytes, '-layout');
    if (text === null) return this.skip();
    expect(text).to.contain('USD 46,000.00 of 46,000.00 (120,000 × 34.5 of 90 days)');
    expect(text)
      .to.match(/Ramp\s+400\.00/)
      .and.not.contain('Rounding');
  });
});
