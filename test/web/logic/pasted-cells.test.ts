import { expect } from 'chai';
import { placePasted } from '#web/components/pasted-cells.js';

const rows = [
  ['a', 'Ann Lee'],
  ['b', 'Bob Ray'],
  ['c', 'Cy Orr'],
] as const;
const columns = [
  ['q1', 'Q1'],
  ['q2', 'Q2'],
] as const;

describe('a block that is pasted into a grid', () => {
  it('goes to the focused cell and those after it, as far as there are any', () => {
    const { cells, unknown } = placePasted([['1', '2'], ['3']], rows, columns, { row: 1, column: 1 });
    expect(cells).to.deep.equal([
      ['b', 'q2', '1'],
      ['c', 'q2', '3'],
    ]);
    expect(unknown).to.deep.equal([]);
  });

  it('goes to the rows that its first column names, in any order, and reports other names', () => {
    const block = [['cy  orr', '$280,000', '5'], ['Ann Lee', '7'], ['Zoe', '9'], ['']];
    const { cells, unknown } = placePasted(block, rows, columns, { row: 2, column: 0 });
    expect(cells).to.deep.equal([
      ['c', 'q1', '$280,000'],
      ['c', 'q2', '5'],
      ['a', 'q1', '7'],
    ]);
    expect(unknown).to.deep.equal(['Zoe']);
  });

  it('goes to the columns that its first row names, with the names of rows or without', () => {
    const columnOf = (heading: string) => ({ 'Q1-26': 'q1', 'Q2 2026': 'q2', 'Q3-26': 'q3' })[heading] ?? null;
    const place = (block: string[][]) => placePasted(block, rows, columns, { row: 1, column: 1 }, columnOf).cells;
    const named = place([
      ['Person', 'Q2 2026', 'Q3-26', 'Q1-26'],
      ['Cy Orr', '5', '6', '7'],
    ]);
    expect(named).to.deep.equal([
      ['c', 'q2', '5'],
      ['c', 'q1', '7'],
    ]);
    const plain = place([
      ['Q1-26', 'Q2 2026'],
      ['8', '9'],
    ]);
    expect(plain).to.deep.equal([
      ['b', 'q1', '8'],
      ['b', 'q2', '9'],
    ]);
    expect(place([['2026', '9']])).to.deep.equal([['b', 'q2', '2026']]);
  });

  it('goes to the rows that an address names, whatever stands beside the name', () => {
    const people = [
      ['a', 'Anna Groß', 'anna@acme.test'],
      ['b', 'Björn Ray', 'bjoern@acme.test'],
      ['c', 'Clara Orr', 'clara@acme.test'],
    ] as const;
    const columnOf = (heading: string) => ({ 'Q1 2026': 'q1', 'Q2 2026': 'q2' })[heading] ?? null;
    const place = (...block: string[][]) => placePasted(block, people, columns, { row: 0, column: 0 }, columnOf);
    const expected = [
      ['b', 'q1', '111.111'],
      ['b', 'q2', '5'],
      ['c', 'q1', '133.333'],
    ];
    const values = [
      ['Bjoern@ACME.test', '111.111', '5'],
      ['clara@acme.test', '133.333'],
    ];
    expect(place(['E-Mail', 'Q1 2026', 'Q2 2026'], ...values).cells).to.deep.equal(expected);
    expect(place(...values).cells).to.deep.equal(expected);
    const wide = values.map(([address = '', ...rest]) => ['EMEA', address, 'Senior', ...rest]);
    expect(place(...wide).cells).to.deep.equal(expected);
    expect(place(['Team', 'Mail', 'Level', 'Q1 2026', 'Q2 2026'], ...wide).cells).to.deep.equal(expected);
    expect(place(['anna gross', '7']).cells).to.deep.equal([['a', 'q1', '7']]);
  });

  it('goes nowhere while it is not clear whose it is, and to the row that a person chooses', () => {
    const twins = [...rows, ['d', 'Ann Lee']] as const;
    const place = (block: string[][], chosen = {}) =>
      placePasted(
        block,
        twins,
        columns,
        { row: 0, column: 0 },
        (heading) => heading.match(/^Q\d/)?.[0] ?? null,
        chosen,
      );
    const strangers = [
      ['zoe@acme.test', '111'],
      ['yan@acme.test', '222'],
    ];
    expect(place(strangers)).to.deep.include({ cells: [], unknown: ['zoe@acme.test', 'yan@acme.test'] });
    expect(place(strangers, { 'yan@acme.test': 'b' }).cells).to.deep.equal([['b', 'q1', '222']]);
    expect(place([['Ann Lee', '7']])).to.deep.include({ cells: [], unknown: ['Ann Lee'] });
    const twice = [
      ['Bob Ray', '1'],
      ['Cy Orr', '2'],
      ['bob ray', '3'],
    ];
    expect(place(twice)).to.deep.include({ cells: [['c', 'q1', '2']], repeated: ['Bob Ray', 'bob ray'] });
    const others = [
      ['Name', 'Q7', 'Number'],
      ['Bob Ray', '1', '2'],
    ];
    expect(place(others)).to.deep.include({ cells: [], ignored: ['Q7', 'Number'] });
  });
});
