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
});
