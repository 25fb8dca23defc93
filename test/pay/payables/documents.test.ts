import { expect } from 'chai';
import { download, readRows, readWorkbook } from '#test/support/downloads.js';
import { pdfText, requireBrowser } from '#test/support/pdf-tools.js';
import { Service } from '#test/support/service.js';
import { PayWorkspace } from './pay-service.js';

describe('the files of a statement in a workspace with payouts', () => {
  const service = Service.duringSuite();
  let work: PayWorkspace;

  /** P3, paid in pounds: a balance of 1,600 is kept of 4,800. */
  before(async () => {
    work = await PayWorkspace.create(service);
    await work.api.expect(200, 'PATCH', `/v1/reps/${work.ben}`, { payCurrency: 'GBP', payCurrencyFrom: '2026-04-01' });
    const rates = [{ from: 'USD', to: 'GBP', day: '2026-04-20', rate: 0.8 }];
    await work.api.expect(200, 'PUT', '/v1/fx-rates', { rates });
    await work.deal('D', 60_000, '2026-01-15');
    await work.invoice('D', 60_000, [['2026-02-15', 20_000]]);
    await work.approve('2026-01', '2026-02');
    const chargedBack = [
      ['2026-02-15', 20_000],
      ['2026-03-10', -20_000],
    ] as const;
    await work.invoice('D', 60_000, chargedBack);
    await work.approve('2026-03');
    await work.invoice('D', 60_000, [...chargedBack, ['2026-04-20', 60_000]]);
    await work.approve('2026-04');
  });

  const path = (period: string, format: string) =>
    `/v1/statements/${work.ben}/export?period=${period}&format=${format}`;
  async function sheet(period: string): Promise<string[]> {
    const { bytes } = await download(work.api, path(period, 'xlsx'));
    const rows = readRows((await readWorkbook(bytes)).getWorksheet('Payable'));
    return rows.map((row) =>
      Object.values(row)
        .map(({ text }) => text)
        .join(' | '),
    );
  }

  it('the workbook has a sheet with the lines, the balance, and what is paid in which currency', async () => {
    const rows = (await sheet('2026-04')).join('\n');
    for (const [what, amount] of [
      ['Released of earlier periods', '4800'],
      ['Owed before', '-1600'],
      ['Carried in and out', '-1600'],
      ['Payable', '3200'],
      ['Exchange rate.*USD 3200.00 × 0.8 on 2026-04-20', ''],
      ['Payable.*3200.*USD', '2560.*GBP'],
    ])
      expect(rows.replaceAll(',', '')).to.match(new RegExp(`${what}.*${amount}`));
    const march = (await sheet('2026-03')).join('\n');
    expect(march)
      .to.match(/Owed afterwards.*1,?600/)
      .and.match(/Payable.*\| 0/)
      .and.not.include('GBP');
  });

  it('the document has a section with the same figures', async function () {
    await requireBrowser(this);
    const text = pdfText((await download(work.api, path('2026-04', 'pdf'))).bytes, '-layout');
    if (text === null) return this.skip();
    for (const [what, amount] of [
      ['Owed before', '-1,600.00'],
      ['Carried in and out', '-1,600.00'],
      ['Payable', '3,200.00 +2,560.00'],
      ['USD 3,200.00 × 0.8 on 20 Apr 2026', 'GBP 2,560.00'],
      ['GBP', '2,560.00'],
    ])
      expect(text).to.match(new RegExp(`${what}\\s+\\S*${amount}`));
    expect(text).not.to.match(/net payout/i);
    const march = pdfText((await download(work.api, path('2026-03', 'pdf'))).bytes, '-layout') ?? '';
    expect(march)
      .to.match(/Taken back\s+\S*-1,600\.00/)
      .and.match(/Owed afterwards\s+\S*1,600\.00/);
  });

  it('neither has it without payouts', async () => {
    const without = await PayWorkspace.create(service, { payouts: null, payout: null });
    await without.deal('D', 10_000, '2026-01-15');
    await without.approve('2026-01');
    const { bytes } = await download(without.api, `/v1/statements/${without.ben}/export?period=2026-01&format=xlsx`);
    expect((await readWorkbook(bytes)).getWorksheet('Payable')).to.equal(undefined);
  });
});
