import { expect } from 'chai';
import { ApiError } from '#src/client.js';
import { placeBlock } from '#web/components/placed-block.js';
import { readCell, readValue, writeCell, writeValue } from '#web/features/rate-tables/cells.js';
import {
  type BuiltTable,
  buildTable,
  listPieces,
  listSpans,
  newRow,
  noTableEdits,
  rejectedCells,
  type TableEdits,
  withDay,
  withMissingRow,
} from '#web/features/rate-tables/edited-table.js';

type Table = NonNullable<Parameters<typeof buildTable>[0]>;

describe('the cells of a rate table', () => {
  it('are read as they are written', () => {
    const values = [0.1, 0.0825, { amount: 10 }, { perUnit: 25 }] as const;
    for (const value of values) expect(readValue(writeValue(value, 'rate'), 'rate')).to.deep.equal({ value });
    expect(readValue(writeValue(12.5, 'amount'), 'amount')).to.deep.equal({ value: 12.5 });
    expect(readValue(writeValue({ rate: 0.07 }, 'amount'), 'amount')).to.deep.equal({ value: { rate: 0.07 } });
    const ranges = [{ from: 0, to: 12 }, { from: 24 }, { to: 0.1 }, { from: '2026-01-01', to: '2026-02-15' }];
    for (const range of ranges) expect(readCell(writeCell(range), 'range')).to.deep.equal({ value: range });
    for (const text of ['*', '', ' * ']) expect(readCell(text, 'range')).to.deep.equal({ value: '*' });
    expect(readCell('software ', 'exact')).to.deep.equal({ value: 'software' });
  });

  it('take shares and percentages, and no number that could be either', () => {
    expect(readValue('10 %', 'rate')).to.deep.equal({ value: 0.1 });
    expect(readValue('0.1', 'rate')).to.deep.equal({ value: 0.1 });
    expect(readValue('7%', 'rate')).to.deep.equal({ value: 0.07 });
    expect(readCell('10 %..30 %', 'range')).to.deep.equal({ value: { from: 0.1, to: 0.3 } });
    for (const text of ['10', '', 'ten', '-1 %', '1200 %', 'amount:5 %'])
      expect(readValue(text, 'rate'), text).to.have.property('problem');
    for (const text of ['12', '..', '5..5', '9..2', '1..2026-01-01', '1..2..3'])
      expect(readCell(text, 'range'), text).to.have.property('problem');
  });
});

describe('the row for values that meet none', () => {
  const lastDay = '2026-02-10';
  const keys = [
    { name: 'family', field: 'line.family', match: 'exact' },
    { name: 'size', field: 'line.amount', match: 'range' },
  ] as const;
  const table = (effectiveStart: string): Table =>
    ({
      name: 'T',
      keys: [...keys],
      columns: [{ name: 'rate', kind: 'rate' }],
      rows: [{ keys: { family: 'a' }, values: { rate: 0.1 }, effectiveStart, effectiveEnd: null }],
      noMatch: 'zero',
      revision: 1,
      plans: [],
    }) satisfies Table;
  const added = (stored: Table, values: Record<string, unknown>) => {
    const { edits, firstValue } = withMissingRow(stored.rows, noTableEdits(stored), { keys: values, lastDay });
    return buildTable(stored, { ...edits, cells: { ...edits.cells, [firstValue]: '5 %' } }).body.rows.filter(
      ({ keys: cells }) => cells?.['family'] !== 'a',
    );
  };

  it('has the value, a range that begins with it, or * for what is absent', () => {
    const days = { effectiveStart: '2026-01-01', effectiveEnd: null };
    const cases = [
      [
        { family: 'Support', size: 900.5 },
        { family: 'Support', size: { from: 900.5 } },
      ],
      [
        { family: ['b', 'c'], size: '12' },
        { family: 'b', size: { from: 12 } },
      ],
      [
        { family: null, size: 'large' },
        { family: '*', size: '*' },
      ],
    ] as const;
    for (const [values, cells] of cases)
      expect(added(table('2026-01-01'), values)).to.deep.equal([{ keys: cells, values: { rate: 0.05 }, ...days }]);
  });

  it('holds from the day of the deal on where the table has no days of it', () => {
    const [row] = added(table('2026-03-01'), { family: 'b', size: 1 });
    expect(row).to.deep.include({ effectiveStart: lastDay, effectiveEnd: '2026-02-28' });
  });
});

describe('a pasted block', () => {
  const columns = ['family', 'rate'].map((key) => ({ key, label: key, isNumber: false }));

  it('goes from the focused cell on, also to rows that are missing', () => {
    expect(placeBlock([['a', '1 %'], [''], ['b', '2 %', 'left out']], columns, 3, 0)).to.deep.equal([
      [3, 'family', 'a'],
      [3, 'rate', '1 %'],
      [4, 'family', 'b'],
      [4, 'rate', '2 %'],
    ]);
  });

  it('goes to the columns that its first row names', () => {
    const block = [
      ['Rate', 'Family'],
      ['1 %', 'a'],
    ];
    expect(placeBlock(block, columns, 0, 1)).to.deep.equal([
      [0, 'rate', '1 %'],
      [0, 'family', 'a'],
    ]);
  });
});

describe('an edited rate table', () => {
  const row = (family: string, rate: number, days = {}) => ({ keys: { family }, values: { base: rate }, ...days });
  const table = (...rows: Table['rows']): Table => ({
    name: 'Products',
    keys: [{ name: 'family', field: 'line.family', match: 'exact' }],
    columns: [{ name: 'base', kind: 'rate' }],
    rows,
    noMatch: 'exception',
    revision: 4,
    plans: [],
  });
  const base = table(row('software', 0.1), row('*', 0.03));
  const typed = (edits: TableEdits, cells: Readonly<Record<string, string>>): TableEdits => ({
    ...edits,
    cells: { ...edits.cells, ...cells },
  });
  const rowsOf = ({ body }: BuiltTable) =>
    body.rows.map(({ keys = {}, values, effectiveStart, effectiveEnd }) => [
      keys['family'],
      values['base'],
      effectiveStart ?? '',
      effectiveEnd ?? '',
    ]);

  it('is what is stored until something is entered', () => {
    const built = buildTable(base, noTableEdits(base));
    expect(built.changed).to.equal(0);
    expect(rowsOf(built)).to.deep.equal([
      ['software', 0.1, '', ''],
      ['*', 0.03, '', ''],
    ]);
    expect(built.body).to.include({ revision: 4, noMatch: 'exception', currency: null });
  });

  it('changes, adds and removes rows of all days', () => {
    const edits = typed(
      { ...noTableEdits(base), added: [newRow(null, 1), newRow(null, 2)], removed: ['r1@'] },
      { 'r0@ value base': '12 %', 'n1@ key family': 'services', 'n1@ value base': '0.04' },
    );
    const built = buildTable(base, edits);
    expect(rowsOf(built)).to.deep.equal([
      ['software', 0.12, '', ''],
      ['services', 0.04, '', ''],
    ]);
    expect(built.changed).to.equal(3);
    expect([...built.problems]).to.deep.equal([]);
  });

  it('divides only the rows that differ from a day on', () => {
    const days = withDay(base.rows, noTableEdits(base), '2026-02-15');
    expect(listSpans(base.rows, days)).to.deep.equal([
      { from: null, to: '2026-02-14' },
      { from: '2026-02-15', to: null },
    ]);
    expect(rowsOf(buildTable(base, days))).to.deep.equal(rowsOf(buildTable(base, noTableEdits(base))));
    expect(rowsOf(buildTable(base, typed(days, { 'r0@2026-02-15 value base': '12 %' })))).to.deep.equal([
      ['software', 0.1, '', '2026-02-14'],
      ['software', 0.12, '2026-02-15', ''],
      ['*', 0.03, '', ''],
    ]);
  });

  it('takes what was entered along to the new days', () => {
    const edits = typed(
      { ...noTableEdits(base), added: [newRow(null, 1)] },
      { 'r0@ value base': '12 %', 'n1@ key family': 'services', 'n1@ value base': '4 %' },
    );
    const days = withDay(base.rows, edits, '2026-02-15');
    expect(rowsOf(buildTable(base, days))).to.deep.equal(rowsOf(buildTable(base, edits)));
  });

  it('shows the rows of their days', () => {
    const dated = table(
      row('software', 0.1, { effectiveEnd: '2026-02-14' }),
      row('software', 0.12, { effectiveStart: '2026-02-15' }),
    );
    const spans = listSpans(dated.rows, noTableEdits(dated));
    const visible = spans.map((span) => listPieces(dated.rows, noTableEdits(dated), span).map(({ key }) => key));
    expect(visible).to.deep.equal([['r0@'], ['r1@2026-02-15']]);
  });

  it('says beside the cell what is wrong, before and after it was sent', () => {
    const edits = typed(
      { ...noTableEdits(base), added: [newRow(null, 1)] },
      { 'r0@ value base': 'ten', 'n1@ key family': 'Software' },
    );
    const built = buildTable(base, edits);
    expect([...built.problems.keys()]).to.have.members(['r0@ value base', 'n1@ value base', 'n1@ key family']);
    const sent = buildTable(base, noTableEdits(base));
    const message = 'rows.1 overlaps row 0: both match family software.';
    const overlap = new ApiError(400, 'rows_overlap', message, { path: 'rows.1' }, null);
    expect([...rejectedCells(overlap, sent, edits.head)]).to.deep.equal([
      ['r1@ key family', 'Overlaps another row: both match family software'],
    ]);
    const issues = [{ path: 'rows.0.values.base', message: 'must be a rate from 0 to 10' }];
    const invalid = new ApiError(400, 'VALIDATION_FAILED', '', { issues }, null);
    expect([...rejectedCells(invalid, sent, edits.head)]).to.deep.equal([['r0@ value base', issues[0]?.message]]);
  });

  it('keeps the cells of keys and columns that are renamed', () => {
    const { head, ...edits } = noTableEdits(base);
    const [column] = head.columns;
    const renamed = {
      ...edits,
      head: { ...head, columns: [{ ...column, name: 'rate' } as (typeof head.columns)[number]] },
    };
    const { body } = buildTable(base, renamed);
    expect(body.columns).to.deep.equal([{ name: 'rate', kind: 'rate' }]);
    expect(body.rows.map(({ values }) => values)).to.deep.equal([{ rate: 0.1 }, { rate: 0.03 }]);
  });
});
