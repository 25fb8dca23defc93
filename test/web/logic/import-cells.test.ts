import { expect } from 'chai';
import { readDates } from '#web/features/imports/dates.js';
import { columnNames } from '#web/features/imports/kind.js';
import { importKinds } from '#web/features/imports/kinds.js';
import { readNumberFormat } from '#web/features/imports/number-format.js';
import { prepared, rowsOf } from './samples.js';

/** The cells of test/api/every-import.test.ts, with the formats that the page sends for a file of them. */
const cells = [
  { cell: '12,5 %', dates: 'ISO', numbers: 'eu' },
  { cell: '12.5%', dates: 'ISO', numbers: 'en' },
  { cell: '0,125', dates: 'ISO', numbers: 'eu' },
  { cell: '1.250,00', dates: 'ISO', numbers: 'eu' },
  { cell: '(300)', dates: 'ISO', numbers: null },
  { cell: '31.12.2026', dates: 'DMY', numbers: null },
  { cell: '12/31/2026', dates: 'MDY', numbers: null },
  { cell: 'Dec-26', dates: 'ISO', numbers: null },
  { cell: '', dates: 'ISO', numbers: null },
] as const;

/** Columns without which a file of people has no rows or no days. */
const needed: readonly string[] = ['email', 'manager'];

describe('the page of every import sends a cell as it is, so that the service reads it', () => {
  for (const [name, kind] of Object.entries(importKinds))
    it(`of ${name}`, () => {
      const read = kind.targets.filter(({ values }) => values === 'number' || values === 'date');
      for (const target of read)
        for (const { cell } of cells) {
          const required = kind.targets.filter(({ isRequired, key }) => isRequired || needed.includes(key));
          const columns = [...new Set([...required, target])].map(({ key }) => key);
          const text = [columns, columns.map((key) => (key === target.key ? cell : 'x@x.test'))]
            .map((row) => row.map((each) => `"${each}"`).join(','))
            .join('\n');
          const [row = {}] = rowsOf(prepared(kind, text, { columns }));
          if (cell === '') expect(row, target.key).not.to.have.property(target.key);
          else expect(Object.values(row), `${target.key} ${cell}`).to.include(cell);
        }
      expect(read).not.to.deep.equal([]);
    });

  it('with the formats that its cells show', () => {
    for (const { cell, dates, numbers } of cells) {
      expect([cell, readDates([cell]).format]).to.deep.equal([cell, dates]);
      expect([cell, readNumberFormat([cell], ',').format]).to.deep.equal([cell, numbers]);
    }
  });

  it('in columns with the names that the service reads', () => {
    expect(columnNames('refunds', 'day')).to.include.members(['day', 'refunddate', 'cancelledon']);
    for (const { targets } of Object.values(importKinds))
      for (const { names } of targets) expect(names.filter((name) => name !== name.toLowerCase())).to.deep.equal([]);
  });
});
