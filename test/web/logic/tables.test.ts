import { expect } from 'chai';
import fc from 'fast-check';
import { byteOrderMark, csvText, readTable, readText } from '#web/features/imports/table.js';
import { csvRows, pastedRows } from '#web/shared/format/csv.js';

const runs = { seed: 37, numRuns: 300 };

describe('the cells of a CSV text', () => {
  for (const [title, text, rows] of [
    ['nothing', '', []],
    ['one cell', 'a', [['a']]],
    [
      'line feeds',
      'a,b\nc,d\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'carriage returns with line feeds',
      'a,b\r\nc,d\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'carriage returns alone',
      'a,b\rc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'no line break at the end',
      'a,b\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['a byte order mark', '\uFEFFa,b', [['a', 'b']]],
    [
      'empty cells',
      ',a,\n,,',
      [
        ['', 'a', ''],
        ['', '', ''],
      ],
    ],
    ['an empty row', 'a\n\nb', [['a'], [''], ['b']]],
    ['quoted delimiters', '"a,b",c', [['a,b', 'c']]],
    [
      'quoted line breaks',
      '"a\r\nb",c\nd,e',
      [
        ['a\r\nb', 'c'],
        ['d', 'e'],
      ],
    ],
    ['doubled quotation marks', '"say ""yes""",""', [['say "yes"', '']]],
    ['quotation marks inside of a cell', '5" pipe,6', [['5" pipe', '6']]],
    ['text behind a quoted part', '"a"b,c', [['"a"b', 'c']]],
    ['a quotation mark that never ends', '"a,b\nc', [['"a', 'b'], ['c']]],
    ['spaces', ' a , b ', [[' a ', ' b ']]],
  ] as const)
    it(`are read with ${title}`, () => {
      expect(csvRows(text)).to.deep.equal(rows);
    });

  for (const delimiter of [',', ';', '\t', '|'])
    it(`are divided by the delimiter ${JSON.stringify(delimiter)} and by no other`, () => {
      const others = [',', ';', '\t', '|'].filter((one) => one !== delimiter).join('x');
      expect(csvRows(`a${delimiter}"b${delimiter}c"${delimiter}${others}\nd`, delimiter)).to.deep.equal([
        ['a', `b${delimiter}c`, others],
        ['d'],
      ]);
    });

  it('may be of any length', () => {
    const long = 'x'.repeat(20_000_000);
    expect(csvRows(`"${long}",b`)[0]?.[0]?.length).to.equal(long.length);
  });

  it('are the cells that were written', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ' ', ',', ';', '"', '\n', '\r', '\t', '|', 'é', '1', '€') });
    const delimiter = fc.constantFrom(',', ';', '\t', '|');
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 5 }), delimiter, (rows, of) => {
        expect(csvRows(csvText(rows, of), of)).to.deep.equal(rows);
        expect(csvRows(byteOrderMark + csvText(rows, of), of)).to.deep.equal(rows);
      }),
      runs,
    );
  });
});

describe('a file with a header', () => {
  for (const [title, text, delimiter, header] of [
    ['commas', 'Deal,Amount\nD1,5', ',', ['Deal', 'Amount']],
    ['semicolons', 'Deal;Amount\nD1;5,00', ';', ['Deal', 'Amount']],
    ['tabs', 'Deal\tAmount, net\nD1\t5', '\t', ['Deal', 'Amount, net']],
    ['vertical bars', 'Deal|Amount', '|', ['Deal', 'Amount']],
    ['one column', 'Deal\nD1', ',', ['Deal']],
    ['delimiters in quotation marks', '"Deal; number, id","Amount"\nD1,5', ',', ['Deal; number, id', 'Amount']],
    ['a line break in quotation marks', '"Deal\nnumber";Amount\nD1;5,00', ';', ['Deal\nnumber', 'Amount']],
    ['a byte order mark', '\uFEFFDeal;Amount', ';', ['Deal', 'Amount']],
    ['a byte order mark before a quotation mark', '\uFEFF"Deal, number";Amount', ';', ['Deal, number', 'Amount']],
    ['spaces around the names', ' Deal , Amount ', ',', ['Deal', 'Amount']],
    ['the same name twice', 'Deal,Note,Note', ',', ['Deal', 'Note', 'Note']],
    ['empty lines before it', '\n\r\n,,\nDeal,Amount\nD1,5', ',', ['Deal', 'Amount']],
  ] as const)
    it(`is divided by what its first row has most often: ${title}`, () => {
      const table = readTable(text);
      expect(table.delimiter).to.equal(delimiter);
      expect(table.header).to.deep.equal(header);
    });

  it('has no rows without a value', () => {
    expect(readTable('Deal,Amount\nD1,5\n\n , \n,,\nD2,6\n').rows).to.deep.equal([
      ['D1', '5'],
      ['D2', '6'],
    ]);
  });

  it('may be empty', () => {
    expect(readTable('')).to.deep.equal({ header: [], rows: [], delimiter: ',' });
  });

  it('keeps amounts as they are written', () => {
    const text = 'Deal;A;B;C;D\nD1;1.234,56;1,234.56;(500.00);"$280,000"\n';
    expect(readTable(text).rows).to.deep.equal([['D1', '1.234,56', '1,234.56', '(500.00)', '$280,000']]);
  });
});

describe('the text of a file', () => {
  it('is UTF-8, or else the encoding in which Excel saves CSV files', async () => {
    expect(await readText(new Blob(['Größe,€']))).to.equal('Größe,€');
    expect(await readText(new Blob([Uint8Array.of(0x47, 0x72, 0xf6, 0xdf, 0x65)]))).to.equal('Größe');
  });
});

describe('cells of the clipboard', () => {
  it('are divided by tabs, so that an amount with thousands separators stays one cell', () => {
    expect(pastedRows('280,000\n275,000\n')).to.deep.equal([['280,000'], ['275,000']]);
    expect(pastedRows('$280,000\t1.234,56\n(500.00)\t;|')).to.deep.equal([
      ['$280,000', '1.234,56'],
      ['(500.00)', ';|'],
    ]);
  });

  it('keep empty rows, so that the rows below stay where they were copied', () => {
    expect(pastedRows('100\t\n\t\n300\t400')).to.deep.equal([
      ['100', ''],
      ['', ''],
      ['300', '400'],
    ]);
    expect(pastedRows('100\n\n300')).to.deep.equal([['100'], [''], ['300']]);
  });
});
