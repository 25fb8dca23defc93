import { expect } from 'chai';
import { dateFormats, readDateText } from '#src/kernel/date-text.js';
import { readWrittenNumber } from '#src/kernel/number-text.js';
import { ColumnNames } from '#src/platform/files/column-names.js';
import { CsvRecords } from '#src/platform/files/csv-records.js';

const size = 1024 * 1024;
const maxMs = 1000;

function expectFast<T>(work: () => T): T {
  const startedAt = performance.now();
  const result = work();
  expect(performance.now() - startedAt).to.be.lessThan(maxMs);
  return result;
}

function cut(parts: readonly string[]): string[][] {
  const records = new CsvRecords(',');
  return [...parts.flatMap((part) => records.push(part)), ...records.end()];
}

describe('long texts in files', () => {
  it('are no numbers and days at once', () => {
    for (const text of [`${'1'.repeat(size)}x`, `1${' '.repeat(size)}x`, `${'1,'.repeat(size / 2)}x`, '-'.repeat(size)])
      expect(expectFast(() => readWrittenNumber(text, null))).to.equal(null);
    for (const format of dateFormats)
      for (const day of ['2026-01-01', '1/2/2026', '2026-01-01 12:30', '1/2/2026 12:30'])
        for (const end of ['x', '\nx'])
          expect(expectFast(() => readDateText(`${day}${' '.repeat(size)}${end}`, format, 'UTC'))).to.equal(null);
  });

  it('are compared with known names in little time', () => {
    const known = new ColumnNames(Array.from({ length: 1000 }, (_, at) => `${at}${'known'.repeat(90)}`));
    expectFast(() => known.suggest('x'.repeat(size)));
  });

  it('are read in little time, however small the parts are in which they arrive', () => {
    const parts = Array.from({ length: 60_000 }, () => 'xxxxxxxxxxxxx""\n');
    const records = expectFast(() => cut(['id\n"', ...parts, '"\n', '2\n']));
    expect(records.map(([cell]) => cell?.length)).to.deep.equal([2, 60_000 * 15, 1]);
  });

  it('are searched once for the end of a line, however many cells the line has', () => {
    // A search for a line end stops at each of these characters, whose lower bytes are those of a line end.
    const cell = '\u010a'.repeat(60);
    const [record] = expectFast(() => cut([`"id",${`${cell},`.repeat(16_000)}x\n`]));
    expect(record).to.have.length(16_002);
  });
});
