import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';

const rowsOf = (body: string) => parse(body, { columns: true, bom: true }) as Record<string, string>[];
const path = (query: string) => `/v1/statements/export.csv?period=2026-Q1&${query}`;

describe('files for payroll systems', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;
  before(async () => {
    workspace = await WorkedExample.create(service, { benName: 'Ben van der Berg' });
    await workspace.api.expect(200, 'PATCH', `/v1/reps/${workspace.ben}`, { payrollId: '004711' });
    await workspace.api.adjust(workspace.ben, '2026-Q1', -250.5, 'x');
    await workspace.generate('2026-Q1');
  });

  it('contains only approved statements by default and marks requested drafts', async () => {
    for (const layout of ['gusto', 'long']) {
      const none = await workspace.api.get(path(`layout=${layout}`));
      expect(rowsOf(none.body)).to.deep.equal([]);
      expect(none.headers.get('x-row-count')).to.equal('0');
    }
    const [draft] = rowsOf((await workspace.api.get(path('layout=gusto&include=draft'))).body);
    expect(draft?.['personal_note']).to.equal('DRAFT, not for payroll');
    const long = rowsOf((await workspace.api.get(path('layout=long&include=draft'))).body);
    expect(long.map((row) => row['Statement Status'])).to.deep.equal(['draft', 'draft']);
    expect(rowsOf((await workspace.api.get(path('include=approved'))).body)).to.deep.equal([]);
    expect(rowsOf((await workspace.api.get(path('include=draft'))).body)).to.have.length(1);
    expect(rowsOf((await workspace.api.get(path('layout=generic'))).body)).to.have.length(2);
  });

  it('leaves the generic file unchanged and adds columns on request', async () => {
    const [own] = rowsOf((await workspace.api.get(path('columns=extended'))).body);
    expect(Object.keys(own ?? {})).to.deep.equal(
      'Name,Email,Commissions,Bonuses,Adjustments,Net Payout,Statement Status,Employee ID,Currency,Period,Period Start,Period End,Statement ID,Version,Approved At,Approved By'.split(
        ',',
      ),
    );
    expect(own).to.include({
      'Employee ID': '004711',
      Currency: 'USD',
      'Period Start': '2026-01-01',
      'Period End': '2026-03-31',
      Version: '1',
      'Approved At': '',
    });
    expect((await workspace.api.get(path('layout=adp&columns=extended'))).status).to.equal(400);
  });

  describe('of an approved statement', () => {
    before(() => workspace.approve('2026-Q1'));

    it('gusto: splits names and leaves zeros blank', async () => {
      const answer = await workspace.api.get(path('layout=gusto'));
      expect(answer.headers.get('content-disposition')).to.contain('filename="statements-2026-Q1-gusto.csv"');
      expect(answer.body.replace('\ufeff', '')).to.equal(
        'last_name,first_name,gusto_employee_id,commission,bonus,correction_payment,personal_note\r\n' +
          'Berg,Ben van der,004711,16500.00,,-250.50,\r\n',
      );
      expect(answer.headers.get('x-row-count')).to.equal('1');
      expect(answer.headers.get('x-net-total')).to.equal('16249.50');
    });

    it('rippling: writes one row per person, with a column for each earning', async () => {
      const [row] = rowsOf((await workspace.api.get(path('layout=rippling'))).body);
      expect(row).to.deep.equal({
        'Employee ID': '004711',
        'Work email': 'ben@acme.test',
        'Employee name': 'Ben van der Berg',
        Commission: '16500.00',
        Bonus: '',
        Adjustment: '-250.50',
        'Start date': '2026-01-01',
        'End date': '2026-03-31',
        Note: '',
      });
    });

    it('workday: numbers the earnings of each worker', async () => {
      const answer = await workspace.api.get(path('layout=workday'));
      const shared = {
        ...{ 'Spreadsheet Key': '1', 'Batch ID': '2026-Q1', Worker: '004711', Currency: 'USD' },
        ...{ 'Start Date': '2026-01-01', 'End Date': '2026-03-31' },
      };
      expect(rowsOf(answer.body)).to.deep.equal([
        { ...shared, 'Row ID': '1', Earning: 'Commission', Amount: '16500.00' },
        { ...shared, 'Row ID': '2', Earning: 'Adjustment', Amount: '-250.50' },
      ]);
      expect(answer.headers.get('x-net-total')).to.equal('16249.50');
    });

    it('long: writes one row per kind of earning with the codes of the workspace', async () => {
      const rows = rowsOf((await workspace.api.get(path('layout=long'))).body);
      expect(rows).to.deep.equal([
        {
          'Employee ID': '004711',
          'Work Email': 'ben@acme.test',
          'Earning Type': 'Commission',
          Amount: '16500.00',
          Currency: 'USD',
          'Effective Date': '2026-03-31',
        },
        {
          'Employee ID': '004711',
          'Work Email': 'ben@acme.test',
          'Earning Type': 'Adjustment',
          Amount: '-250.50',
          Currency: 'USD',
          'Effective Date': '2026-03-31',
        },
      ]);
    });

    it('adp: requires a company code, writes the codes and uses the ADP file name', async () => {
      await expectError('400 VALIDATION_FAILED', workspace.api.get(path('layout=adp')));
      const payroll = { companyCode: 'A1B', batchId: 'COMM', earningCodes: { commission: 'CM' } };
      await workspace.api.expect(200, 'PATCH', '/v1/workspaces', { payroll });
      expect((await workspace.api.expect(200, 'GET', '/v1/workspaces')).payroll).to.deep.equal(payroll);
      const answer = await workspace.api.get(path('layout=adp'));
      expect(answer.headers.get('content-disposition')).to.contain('filename="PRA1BEPI.csv"');
      expect(answer.body.replace('\ufeff', '')).to.equal(
        'Co Code,Batch ID,File #,Earnings 3 Code,Earnings 3 Amount,Earnings 4 Code,Earnings 4 Amount,Earnings 5 Code,Earnings 5 Amount\r\n' +
          'A1B,COMM,004711,CM,16500.00,,,A,-250.50\r\n',
      );
    });
  });

  it('adp: splits amounts beyond the range of one cell and reports reps without a payroll id', async () => {
    const own = await WorkedExample.create(service, { deals: false });
    await own.api.expect(200, 'PATCH', '/v1/workspaces', { payroll: { companyCode: 'XYZ' } });
    await own.deal('HUGE', 3_000_000, '2026-01-10');
    await own.api.adjust(own.ben, '2026-Q1', -90_000, 'x');
    await own.calculated();
    await own.generateAndApprove('2026-Q1');
    const { details } = await expectError('400 VALIDATION_FAILED', own.api.get(path('layout=adp')));
    expect(details.issues[0].path).to.equal(`reps.${own.ben}.payrollId`);
    await own.api.saveReps({ email: 'ben@acme.test', name: 'Ben', payrollId: '=1' });
    const answer = await own.api.get(path('layout=adp'));
    const rows = rowsOf(answer.body);
    expect(rows.map((row) => row['Earnings 3 Amount'])).to.deep.equal([
      '99999.99',
      '99999.99',
      '99999.99',
      '99999.99',
      '50000.04',
    ]);
    expect(rows.map((row) => row['Earnings 5 Amount'])).to.deep.equal(['-40500.00', '-40500.00', '-9000.00', '', '']);
    expect(rows.map((row) => row['File #'])).to.deep.equal(Array(5).fill("'=1"));
    expect(answer.headers.get('x-row-count')).to.equal('5');
    expect(answer.headers.get('x-net-total')).to.equal('360000.00');
  });

  it('rejects several currencies in layouts without a currency column', async () => {
    const own = await WorkedExample.create(service);
    await own.payEuros();
    await own.generate('2026-Q1');
    for (const layout of ['gusto', 'adp']) {
      const rejected = await own.api.get(path(`layout=${layout}&include=draft`));
      expect(rejected.status).to.equal(400);
      expect(rejected.body.message).to.contain('USD, EUR').and.to.contain('layout=long');
    }
    const long = await own.api.get(path('layout=long&include=draft'));
    expect(rowsOf(long.body).map((row) => [row['Amount'], row['Currency']])).to.deep.equal([
      ['16500.00', 'USD'],
      ['100.00', 'EUR'],
    ]);
    expect(long.headers.get('x-net-total')).to.equal(null);
  });

  it('rejects unknown parameters', async () => {
    for (const query of ['layout=other', 'include=none', 'columns=all'])
      expect((await workspace.api.get(path(query))).status, query).to.equal(400);
    for (const body of [
      { payroll: { companyCode: '=A' } },
      { payroll: { earningCodes: { commission: '' } } },
      { payroll: { other: 1 } },
      { paper: 'A5' },
    ])
      expect((await workspace.api.patch('/v1/workspaces', body)).status, JSON.stringify(body)).to.equal(400);
    expect((await workspace.api.patch(`/v1/reps/${workspace.ben}`, { payrollId: 'x'.repeat(51) })).status).to.equal(
      400,
    );
    await workspace.api.expect(200, 'PATCH', `/v1/reps/${workspace.mia}`, { payrollId: 'M1' });
    const cleared = await workspace.api.expect(200, 'PATCH', `/v1/reps/${workspace.mia}`, { payrollId: null });
    expect(cleared.payrollId).to.equal(null);
  });
});
