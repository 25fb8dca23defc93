import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { download, readRows, readWorkbook } from '#test/support/downloads.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { flatTier } from '#test/support/terms.js';
import { WorkedExample } from '#test/support/worked-example.js';
import { exportPath } from './same-figures.js';

// biome-ignore lint/suspicious/noExplicitAny: rows of files
type Loose = any;

describe('files of lines of deals', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;

  before(async () => {
    workspace = await WorkedExample.create(service, { deals: false });
    const rules = [
      { name: 'New business', measure: 'line.amount', lines: {}, tiers: flatTier(0.07) },
      { name: 'Whole', measure: 'amount', tiers: flatTier(0.01) },
    ];
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${workspace.planId}`, { config: { rules } });
    const lines = [33.33, 33.33, 33.34].map((amount, index) => ({ lineId: `L${index + 1}`, name: 'Suite', amount }));
    await workspace.deal('D1', 100, '2026-01-15', { name: 'Alder', lines });
    await workspace.deal('D2', 1000, '2026-02-15', { name: 'Birch' });
    await workspace.calculated();
    await workspace.api.adjust(workspace.ben, '2026-Q1', -2.5, 'x');
  });

  const csv = async (query: string) =>
    parse((await workspace.api.get(`/v1/statements/export.csv?period=2026-Q1&${query}`)).body, {
      columns: true,
      bom: true,
    }) as Loose[];

  it('layout=lines has a row for each line and adds up to what was earned', async () => {
    const rows = await csv('layout=lines&include=all');
    expect(rows.map((row) => [row['Deal ID'], row['Rule'], row['Line ID'], row['Rate'], row['Amount']])).to.deep.equal([
      ['D1', 'New business', 'L1', '0.07', '2.33'],
      ['D1', 'New business', 'L2', '0.07', '2.34'],
      ['D1', 'New business', 'L3', '0.07', '2.33'],
      ['D1', 'Whole', '', '', '1.00'],
      ['D2', 'Whole', '', '', '10.00'],
      ['', '', '', '', '-2.50'],
    ]);
    const [own] = (await csv('layout=generic')).filter((row) => row['Name'] === 'Ben');
    const sum = rows.reduce((total, row) => total + Math.round(Number(row['Amount']) * 100), 0);
    expect(sum / 100).to.equal(Number(own?.['Net Payout']));
  });

  it('layout=lines is no file for payroll', async () => {
    const path = '/v1/statements/export.csv?period=2026-Q1&layout=lines&scope=new';
    await expectError('400 VALIDATION_FAILED', workspace.api.send('GET', path));
    await expectError(
      '400 VALIDATION_FAILED',
      workspace.api.send('POST', '/v1/payroll-handovers', { period: '2026-Q1', layout: 'lines' }),
    );
  });

  it('have a sheet of the lines as a workbook, if a rule paid lines', async () => {
    const sheetOf = async (period: string) =>
      (await readWorkbook((await download(workspace.api, exportPath(workspace, period, 'xlsx'))).bytes)).getWorksheet(
        'Lines',
      );
    const rows = readRows(await sheetOf('2026-01'));
    const names = ['Deal ID', 'Line ID', 'Line', 'Base', 'Rate', 'Commission'];
    expect(rows.map((row: Loose) => names.map((name) => row[name]?.value))).to.deep.equal([
      ['D1', 'L1', 'Suite', 33.33, 0.07, 2.33],
      ['D1', 'L2', 'Suite', 33.33, 0.07, 2.34],
      ['D1', 'L3', 'Suite', 33.34, 0.07, 2.33],
    ]);
    expect(await sheetOf('2026-02')).to.equal(undefined);
  });
});
