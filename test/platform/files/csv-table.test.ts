import { Readable } from 'node:stream';
import { expect } from 'chai';
import { Failure } from '#src/kernel/failure.js';
import { ColumnNames } from '#src/platform/files/column-names.js';
import { readCsvRecords, readCsvTable, type TableColumns } from '#src/platform/files/csv-table.js';

const columns: TableColumns<'email' | 'name'> = { names: { email: [], name: ['fullName'] }, required: ['email'] };

function titles(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `column ${at}`);
}

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  return expect.fail('the file was accepted');
}

describe('the header of a CSV file', () => {
  const read = (text: string, terms = columns) => readCsvTable(Readable.from([Buffer.from(text)]), ',', terms);

  it('has at most 1001 columns with a name, whichever import reads it', async () => {
    const wide = `${['email', ...titles(1001)].join()}\na@x.io\n`;
    for (const work of [
      read(wide),
      read(wide, { ...columns, keepsOthers: true }),
      readCsvRecords(Readable.from([Buffer.from(wide)]), ','),
    ])
      expect((await failureOf(work)).message).to.contain('the file has more than 1001 columns');
    const rows = await read(`${['email', ...titles(1000)].join()}\na@x.io${','.repeat(1000)}\n`, {
      ...columns,
      keepsOthers: true,
    });
    expect(rows).to.have.length(1);
    const empty = ','.repeat(10_000);
    expect(await read(`email${empty}\na@x.io${empty}\n`)).to.deep.equal([
      { row: 1, cells: { email: 'a@x.io' }, problem: null },
    ]);
  });

  it('is rejected with the first 20 of its unknown columns', async () => {
    const { message } = await failureOf(read(['email', ...titles(25)].join()));
    expect(message).to.contain('unknown columns column 0, ').and.to.contain('column 19 and 5 more; rename');
    const { details } = await failureOf(read(['naem', ...titles(25)].join()));
    const { suggestions } = details as { suggestions: { column: string; suggestions: string[] }[] };
    expect(suggestions).to.have.length(20);
    expect(suggestions[0]).to.deep.equal({ column: 'naem', suggestions: ['name'] });
  });

  it('that names a column twice, or has values below no name, is rejected', async () => {
    expect((await failureOf(read('email,name,fullName\n'))).message).to.contain('names the column name twice');
    expect((await failureOf(read('email,,name,\na@x.io,,A,x\n'))).message).to.contain('column 4 of the header has no');
  });

  it('is compared with known names', () => {
    expect(new ColumnNames(['closeDate']).suggest('Close Dtae')).to.deep.equal(['closeDate']);
  });
});
