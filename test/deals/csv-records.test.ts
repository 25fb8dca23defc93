import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { CsvRecords } from '#src/platform/files/csv-records.js';

function cut(parts: readonly string[], delimiter = ','): string[][] {
  const records = new CsvRecords(delimiter);
  return [...parts.flatMap((part) => records.push(part)), ...records.end()];
}

/** What a parser that knows nothing of ours makes of it; null for what it refuses. */
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

describe('records of a CSV file', () => {
  const piece = fc.constantFrom('a', '"', '""', '"b"', ',', '\n', '\r\n', ' ', 'é😀');
  const parts = fc.array(
    fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')),
    { maxLength: 8 },
  );

  it('are what another parser finds, and nothing where it finds a mistake, wherever the text is cut', () => {
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

  it('end with a carriage return alone where the first line does', () => {
    expect(cut(['a,b\r', '1,"x\r\ny"\r'])).to.deep.equal([
      ['a', 'b'],
      ['1', 'x\r\ny'],
    ]);
  });

  it('are told by their row when they are broken', () => {
    expect(() => cut(['id\n1\n2\n"3'])).to.throw('row 3 is not valid CSV: a quote is not closed');
    expect(() => cut(['id\n"1" ,\n'])).to.throw('row 1 is not valid CSV: a closing quote is not the end of its cell');
    expect(() => cut(['i"d\n1'])).to.throw('the header is not valid CSV');
    expect(() => cut(['id\n"', 'x'.repeat(600_000), 'y'.repeat(600_000)])).to.throw('larger than 1 MiB');
  });
});
