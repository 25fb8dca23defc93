import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { csvFile } from '#src/exports/payroll-csv.js';
import { plainAmount } from '#src/kernel/money-text.js';
import { disarmFormula } from '#src/kernel/spreadsheet-formulas.js';
import { download, readWorkbook } from '#test/support/downloads.js';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';

const titles = ['Name', 'Email', 'Commissions', 'Bonuses', 'Adjustments', 'Net Payout', 'Statement Status'];

describe('exports of statements', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;
  before(async () => {
    workspace = await WorkedExample.create(service);
  });

  it('writes one row per rep', async () => {
    await workspace.generateAndApprove('2026-01');
    const answer = await workspace.api.get('/v1/statements/export.csv?period=2026-01');
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).to.equal(
      `attachment; filename="statements-2026-01-generic.csv"; filename*=UTF-8''statements-2026-01-generic.csv`,
    );
    expect(answer.headers.get('cache-control')).to.equal('no-store');
    expect(answer.headers.get('x-row-count')).to.equal('2');
    expect(answer.headers.get('x-net-total')).to.equal('4800.00');
    expect(answer.body.replace('\ufeff', '')).to.equal(
      `${titles.join(',')}\r\nBen,ben@acme.test,4800.00,0.00,0.00,4800.00,approved\r\nMia,mia@acme.test,0.00,0.00,0.00,0.00,none\r\n`,
    );
  });

  it('leaves what is payable blank in a draft from before payouts were turned on', async () => {
    const own = await WorkedExample.create(service);
    const [eva] = await own.api.saveReps('Eva');
    await own.api.assign([eva], own.planId);
    await own.api.setQuota([eva], 'New business', '2026-Q1', 100_000);
    await own.api.putDeal('E1', { amount: 10_000, closeDate: '2026-01-20', repId: eva });
    await own.calculated();
    await own.generate('2026-01');
    await own.api.expect(200, 'PATCH', '/v1/workspaces', { payouts: { enabled: true, from: '2026-01-01' } });
    const { status, body } = await own.api.get('/v1/statements/export.csv?period=2026-01');
    expect(status, body).to.equal(200);
    const rows = parse(body, { bom: true, columns: true }) as Record<string, string>[];
    const amounts = ['Payable', 'Earned', 'Commissions', 'Statement Status'];
    expect(rows.map((row) => [row['Name'], ...amounts.map((title) => row[title])])).to.deep.equal([
      ['Ben', '', '4800.00', '4800.00', 'draft'],
      ['Eva', '800.00', '800.00', '800.00', 'none'],
      ['Mia', '0.00', '0.00', '0.00', 'none'],
    ]);
    const { bytes } = await download(own.api, '/v1/statements/export.xlsx?period=2026-01');
    const summary = (await readWorkbook(bytes)).getWorksheet('Summary');
    const values = [2, 3].map((row) => [1, 5, 6, 7, 12].map((column) => summary?.getRow(row).getCell(column).value));
    expect(values).to.deep.equal([
      ['Ben', null, 4800, 4800, 'draft'],
      ['Eva', 800, 800, 800, 'none'],
    ]);
  });

  it('begins with a byte order mark', async () => {
    expect([...Buffer.from(await csvFile(['Größe'], [], ',')).subarray(0, 4)]).to.deep.equal([0xef, 0xbb, 0xbf, 0x47]);
  });

  it('has a cell in every row for each title, or is no file', async () => {
    const row = [{ text: 'Ben' }, { own: '1.00' }];
    const problem = (rows: (typeof row)[]) =>
      csvFile(['Name', 'Amount'], rows, ',').then(
        () => null,
        (error: Error) => error.message,
      );
    expect(await problem([row])).to.equal(null);
    expect(await problem([row, [...row, { own: '2.00' }]])).to.equal(
      'a row of a file has 3 cells, and the file has 2 columns',
    );
    expect(await problem([row, []])).to.equal('a row of a file has 0 cells, and the file has 2 columns');
  });

  it('contains the same data in CSV, JSON and the statement', async () => {
    const own = await WorkedExample.create(service);
    await own.deal('D9', 12_345.67, '2026-03-09', { name: 'Say "hello", world\nand more' });
    await own.api.expect(200, 'POST', `/v1/statements/${own.ben}/adjust`, {
      amount: -12.5,
      reason: '=1+1',
      period: '2026-Q1',
      dealId: 'D1',
    });
    const generated = await own.generate('2026-Q1');
    const path = `/v1/statements/${own.ben}/export?period=2026-Q1`;
    const csv = await own.api.get(path);
    const json = await own.api.get(`${path}&format=json`);
    const { generated: _, ...statement } = generated;
    expect(json.body).to.deep.equal(statement);
    expect(json.headers.get('content-disposition')).to.contain('statement-2026-Q1-Ben.json');
    expect(csv.headers.get('content-disposition')).to.contain('statement-2026-Q1-Ben.csv');
    for (const answer of [csv, json]) {
      expect(answer.headers.get('x-row-count')).to.equal('5');
      expect(answer.headers.get('x-net-total')).to.equal(statement.summary.netPayout.toFixed(2));
    }
    const rows = parse(csv.body, { columns: true, bom: true }) as Record<string, string>[];
    expect(Object.keys(rows[0] as object)).to.deep.equal(
      'Deal ID,Deal,Close Date,Plan,Plan Version,Rule,Tier,Attainment,Base,Rate,Commission,Type,Status,Note,Rep,Email,Period,Currency'.split(
        ',',
      ),
    );
    expect(rows.map((row) => row['Commission'])).to.deep.equal(
      statement.lineItems.map((line: { amount: number }) => line.amount.toFixed(2)),
    );
    expect(rows[0]).to.deep.equal({
      'Deal ID': 'D1',
      Deal: '',
      'Close Date': '2026-01-15',
      Plan: 'AE',
      'Plan Version': '1',
      Rule: 'New business',
      Tier: 'Base',
      Attainment: '0.6',
      Base: '60000.00',
      Rate: '0.08',
      Commission: '4800.00',
      Type: 'commission',
      Status: 'earned',
      Note: '',
      Rep: 'Ben',
      Email: 'ben@acme.test',
      Period: '2026-Q1',
      Currency: 'USD',
    });
    expect(rows[3]).to.include({ Deal: 'Say "hello", world\nand more', Base: '12345.67' });
    expect(rows[4]).to.include({ 'Deal ID': 'D1', Type: 'adjustment', Commission: '-12.50', Note: "'=1+1" });
  });

  it('disarms formulas in names', async () => {
    const names = ["=cmd|'/c calc'!A0", '@SUM(1)', '-2+3', '+44 20', '\u3000=1', 'O’Brien, "Bo"', '＝1+1', 'مرحبا'];
    const own = await WorkedExample.create(service, { deals: false });
    for (const [index, name] of names.entries()) {
      await own.api.expect(200, 'PUT', '/v1/reps', { reps: [{ email: `x${index}@acme.test`, name }] });
    }
    const { body } = await own.api.get('/v1/statements/export.csv?period=2026-01&include=all');
    const rows = parse(body, { columns: true, bom: true }) as Record<string, string>[];
    const stored = (await own.api.expect(200, 'GET', '/v1/reps')).reps as { name: string; email: string }[];
    for (const { name, email } of stored) {
      const row = rows.find((one) => one['Email'] === email);
      expect(row?.['Name'], name).to.equal(/^\s*[=+\-@＝]/.test(name) ? `'${name}` : name);
    }
    expect(rows.filter((row) => row['Name']?.startsWith("'"))).to.have.length.at.least(6);
  });

  it('disarms all text that a spreadsheet would run as a formula', () => {
    for (const text of [
      '=1',
      '+1',
      '-1',
      '@a',
      '\t=1',
      '\rx',
      '\u0000x',
      ' =1',
      '\n-1',
      '＝1',
      '＋1',
      '－1',
      '＠a',
      '\ttab',
    ]) {
      expect(disarmFormula(text)).to.equal(`'${text}`);
    }
    for (const text of ['', 'a=1', '1-1', "'=1", 'Ben', ' Ben']) expect(disarmFormula(text)).to.equal(text);
  });

  it('disarms formulas behind every character that is displayed as nothing', async () => {
    const invisible = Array.from({ length: 0x110000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .filter((character) => /\p{Default_Ignorable_Code_Point}/u.test(character));
    expect(invisible).to.include.members(['\u00ad', '\u034f', '\u200b', '\u2060', '\ufe0f', '\ufeff', '\u{e0041}']);
    const armed = invisible.filter((character) => {
      const text = ` ${character}${character}=1+1`;
      return disarmFormula(text) !== `'${text}`;
    });
    expect(armed).to.deep.equal([]);
    const [, line] = (await csvFile(['a'], [[{ text: 'Foo;\u200b=1+1' }]], ',')).split('\r\n');
    expect(line).to.equal("Foo;'\u200b=1+1");
  });

  it('disarms text that follows the delimiter of another file, or a line break', async () => {
    const cell = async (text: string, delimiter: string) =>
      (await csvFile(['a'], [[{ text }]], delimiter)).split('\r\n')[1];
    expect(await cell('Foo;=1+1', ',')).to.equal("Foo;'=1+1");
    expect(await cell('Foo\t@x', ',')).to.equal("Foo\t'@x");
    expect(await cell('Foo| -1', ',')).to.equal("Foo|' -1");
    expect(await cell('Foo;"=1', ',')).to.equal(`"Foo;'""=1"`);
    expect(await cell('Foo\n=1', ',')).to.equal(`"Foo\n'=1"`);
    expect(await cell('Foo,=1+1', ';')).to.equal("Foo,'=1+1");
    expect(await cell('Foo;=1+1', ';')).to.equal('"Foo;=1+1"');
    for (const text of ['Acme; Inc.', 'Acme, Inc.', 'A|B', "Foo;'=1", 'a-b'])
      expect(await cell(text, text.includes(',') ? ';' : ','), text).to.equal(text);
  });

  it('writes amounts with the decimals of their currency', () => {
    expect(plainAmount('1234.5', 'USD')).to.equal('1234.50');
    expect(plainAmount('-500', 'USD')).to.equal('-500.00');
    expect(plainAmount('12', 'JPY')).to.equal('12');
    expect(plainAmount('0.5000', 'BHD')).to.equal('0.500');
    expect(plainAmount('12.3456', 'USD')).to.equal('12.3456');
  });

  it('adds a currency column and omits the total for several currencies', async () => {
    const own = await WorkedExample.create(service);
    await own.payEuros();
    const team = await own.api.get('/v1/statements/export.csv?period=2026-01');
    expect(team.headers.get('x-net-total')).to.equal(null);
    const rows = parse(team.body, { columns: true, bom: true }) as Record<string, string>[];
    expect(rows.map((row) => [row['Name'], row['Net Payout'], row['Currency']])).to.deep.equal([
      ['Ben', '4800.00', 'USD'],
      ['Ben', '100.00', 'EUR'],
      ['Mia', '0.00', 'USD'],
    ]);
    const single = await own.api.get(`/v1/statements/${own.ben}/export?period=2026-01`);
    expect(single.headers.get('x-net-total')).to.equal(null);
    expect(single.body).to.match(/,Note,Rep,Email,Period,Currency\r\n/);
  });

  it('accepts a semicolon as delimiter and rejects unknown parameters', async () => {
    const semicolons = await workspace.api.get('/v1/statements/export.csv?period=2026-01&delimiter=%3B');
    expect(semicolons.body).to.contain(titles.join(';'));
    for (const path of [
      `/v1/statements/${workspace.ben}/export?format=xml`,
      `/v1/statements/${workspace.ben}/export?period=x`,
      '/v1/statements/export.csv?delimiter=%7C',
      '/v1/statements/export.csv?columns=all',
    ]) {
      expect((await workspace.api.get(path)).status, path).to.equal(400);
    }
  });
});
