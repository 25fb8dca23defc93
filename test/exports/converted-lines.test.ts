import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { download, readRows, readWorkbook } from '#test/support/downloads.js';
import { pdfText, requireBrowser } from '#test/support/pdf-tools.js';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';
import { exportPath, squeezed } from './same-figures.js';

// biome-ignore lint/suspicious/noExplicitAny: rows of files
type Loose = any;

describe('files of converted lines', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;

  before(async () => {
    workspace = await WorkedExample.create(service, { deals: false });
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${workspace.planId}`, { fx: { date: 'close_date' } });
    const rates = [{ from: 'EUR', to: 'USD', day: '2026-01-01', rate: 1.0837 }];
    await workspace.api.expect(200, 'PUT', '/v1/fx-rates', { rates });
    await workspace.deal('D1', 50_000, '2026-01-15', { currency: 'EUR', name: 'Alder' });
    await workspace.deal('D2', 1000, '2026-02-15', { name: 'Birch' });
    await workspace.calculated();
  });

  const csvOf = async (period: string) =>
    parse((await workspace.api.get(exportPath(workspace, period, 'csv'))).body, {
      columns: true,
      bom: true,
    }) as Loose[];

  it('have the rate, its day and the original amount beside each line as CSV', async () => {
    const rows = (await csvOf('2026-Q1')).map((row) =>
      ['Deal ID', 'Base', 'Currency', 'Original Currency', 'Original Amount', 'Exchange Rate', 'Rate Day'].map(
        (name) => row[name],
      ),
    );
    expect(rows).to.deep.equal([
      ['D1', '54185.00', 'USD', 'EUR', '50000.00', '1.0837', '2026-01-15'],
      ['D2', '1000.00', 'USD', '', '', '', ''],
    ]);
  });

  describe('of which two values were converted', () => {
    let two: WorkedExample;
    before(async () => {
      two = await WorkedExample.create(service, { deals: false });
      const { api, planId } = two;
      const { config } = await api.expect(200, 'GET', `/v1/plans/${planId}`);
      const conditions = [{ field: 'arr', fieldType: 'currency', operator: 'gte', value: 1000 }];
      const rules = config.rules.map((rule: object) => ({ ...rule, conditions }));
      await api.expect(200, 'PATCH', `/v1/plans/${planId}`, {
        fx: { date: 'close_date' },
        config: { ...config, rules },
      });
      const rates = [{ from: 'EUR', to: 'USD', day: '2026-01-01', rate: 1.25 }];
      await api.expect(200, 'PUT', '/v1/fx-rates', { rates });
      await two.deal('D1', 50_000, '2026-01-15', {
        currency: 'EUR',
        name: 'Alder',
        fields: { arr: 2000, arr_currency: 'EUR' },
      });
      await two.calculated();
    });

    it('have both as CSV and in the workbook', async () => {
      const [row] = parse((await two.api.get(exportPath(two, '2026-Q1', 'csv'))).body, {
        columns: true,
        bom: true,
      }) as Loose[];
      const both = (text: string) => text.split('; ').toSorted();
      expect(both(row['Converted Field'])).to.deep.equal(['amount', 'arr']);
      expect(both(row['Original Amount'])).to.deep.equal(['2000.00', '50000.00']);
      const { bytes } = await download(two.api, exportPath(two, '2026-Q1', 'xlsx'));
      const rows = readRows((await readWorkbook(bytes)).getWorksheet('Exchange rates'));
      const values = rows.map((each: Loose) => [each['Field'].value, each['Converted Amount'].value]);
      expect(Object.fromEntries(values)).to.deep.equal({ amount: 62_500, arr: 2500 });
    });

    it('have both as a document', async function () {
      await requireBrowser(this);
      const text = pdfText((await download(two.api, exportPath(two, '2026-Q1', 'pdf'))).bytes);
      if (text === null) return this.skip();
      expect(squeezed(text)).to.contain('amount: EUR 50,000.00 × 1.25 = USD 62,500.00');
      expect(squeezed(text)).to.contain('arr: EUR 2,000.00 × 1.25 = USD 2,500.00');
    });
  });

  it('have no such column where no line was converted', async () => {
    const [row] = await csvOf('2026-02');
    expect(Object.keys(row).at(-1)).to.equal('Currency');
  });

  it('have a sheet with the rates as a workbook', async () => {
    const sheetOf = async (period: string) =>
      (await readWorkbook((await download(workspace.api, exportPath(workspace, period, 'xlsx'))).bytes)).getWorksheet(
        'Exchange rates',
      );
    const rows = readRows(await sheetOf('2026-Q1'));
    const names = ['Deal ID', 'Original Currency', 'Original Amount', 'Exchange Rate', 'Currency', 'Converted Amount'];
    expect(rows.map((row: Loose) => names.map((name) => row[name]?.value))).to.deep.equal([
      ['D1', 'EUR', 50_000, 1.0837, 'USD', 54_185],
    ]);
    expect(await sheetOf('2026-02')).to.equal(undefined);
  });

  it('have the rate below the deal as a document', async function () {
    await requireBrowser(this);
    const { bytes } = await download(workspace.api, exportPath(workspace, '2026-Q1', 'pdf'));
    const text = pdfText(bytes);
    if (text === null) return this.skip();
    expect(squeezed(text)).to.contain('EUR 50,000.00 × 1.0837 = USD 54,185.00, rate of 15 Jan 2026');
  });
});
