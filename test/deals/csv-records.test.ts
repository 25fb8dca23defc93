import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { CsvRecords } from '#src/platform/files/csv-records.js';

function cut(parts: readonly string[], delimiter = ','): string[][] {
  const records = new CsvRecords(delimiter);
  return [...parts.flatMap((part) => records.push(part)), ...records.end()];
}

/** The records of an independent parser; null for a text that it rejects. */
function parseWithReference(text: string): string[][] | null {
  try {
    return parse(text, { relax_column_count: true, skip_empty_lines: true, record_delimiter: ['\r\n', '\n'] });
  } catch {
    return null;
  }
}

function orNull(work: () => string[][]): string[][] | null {
  try {
    return work();
  } catch {
    return null;
  }
}

describe('the CSV reader', () => {
  const piece = fc.constantFrom('a', '"', '""', '"b"', ',', '\n', '\r\n', ' ', 'é😀');
  const parts = fc.array(
    fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')),
    { maxLength: 8 },
  );

  it('returns the records of a reference parser, and an error where that parser fails, wherever the text is split', () => {
    fc.assert(
      fc.property(parts, (pieces) => {
        const text = pieces.join('');
        const expected = parseWithReference(text);
        expect(orNull(() => cut(pieces))).to.deep.equal(expected);
        expect(orNull(() => cut([...text]))).to.deep.equal(expected);
      }),
      { numRuns: 3000 },
    );
  });

  it('accepts a lone carriage return as line end if the first line ends with one', () => {
    expect(cut(['a,b\r', '1,"x\r\ny"\r'])).to.deep.equal([
      ['a', 'b'],
      ['1', 'x\r\ny'],
    ]);
  });

  it('returns the row number of an invalid record', () => {
    expect(() => cut(['id\n1\n2\n"3'])).to.throw('row 3 is not valid CSV: a quote is not closed');
    expect(() => cut(['id\n"1" ,\n'])).to.throw('row 1 is not valid CSV: a closing quote is not the end of its cell');
    expect(() => cut(['i"d\n1'])).to.throw('the header is not valid CSV');
    expect(() => cut(['id\n"', 'x'.repeat(600_000), 'y'.repeat(600_000)])).to.throw('larger than 1 MiB');
  });

  it('rejects a record with more cells than a sheet has columns', () => {
    const cells = ','.repeat(16_383);
    expect(cut([`id${cells}\n"1"${cells}\n`]).map(({ length }) => length)).to.deep.equal([16_384, 16_384]);
    expect(() => cut([`id,${cells}\n`])).to.throw('the header is not valid CSV: it has more than 16384 cells');
    expect(() => cut([`id\n"1",${cells}\n`])).to.throw('row 1 is not valid CSV: it has more than 16384 cells');
  });
});
