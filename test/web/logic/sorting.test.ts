import { expect } from 'chai';
import { type SortValue, sortedRows } from '#web/components/sorted-rows.js';
import { toggled } from '#web/components/toggled.js';
import { orderedLines } from '#web/features/lines/words.js';
import { byName, containsText, withoutAccents } from '#web/shared/format/texts.js';

const sorted = (values: readonly SortValue[], isDescending = false) =>
  sortedRows(values, (value) => value, isDescending);

describe('rows that are sorted', () => {
  it('have names in the order of the language, whatever their case and accents', () => {
    const names = ['Zoë', 'ömer', 'Łukasz', 'Çelik', 'Dang', 'élodie', 'Ana', 'cem', 'Özil', 'Max'];
    const order = ['Ana', 'Çelik', 'cem', 'Dang', 'élodie', 'Łukasz', 'Max', 'ömer', 'Özil', 'Zoë'];
    expect(sorted(names)).to.deep.equal(order);
    expect(sorted(names, true)).to.deep.equal([...order].reverse());
    expect(byName(names.map((name) => ({ name }))).map(({ name }) => name)).to.deep.equal(order);
  });

  it('have numbers in names by their value', () => {
    expect(sorted(['Deal 10', 'Deal 9', 'Deal 9b'])).to.deep.equal(['Deal 9', 'Deal 9b', 'Deal 10']);
  });

  it('have numbers and days in their order', () => {
    expect(sorted([10, -2, 0, 9.5])).to.deep.equal([-2, 0, 9.5, 10]);
    expect(sorted(['2026-10-01', '2026-09-30', '2025-12-31'])).to.deep.equal([
      '2025-12-31',
      '2026-09-30',
      '2026-10-01',
    ]);
  });

  it('have rows without a value at their end, in both directions', () => {
    expect(sorted([null, 2, null, -1])).to.deep.equal([-1, 2, null, null]);
    expect(sorted([null, 2, null, -1], true)).to.deep.equal([2, -1, null, null]);
    expect(sorted([null, 'b', 'a'], true)).to.deep.equal(['b', 'a', null]);
  });

  it('keep the order of equal rows, and the given list', () => {
    const rows = [
      { key: 'a', of: 1 },
      { key: 'b', of: 0 },
      { key: 'c', of: 1 },
      { key: 'd', of: 1 },
    ];
    const keys = (isDescending: boolean) =>
      sortedRows(rows, ({ of }) => of, isDescending)
        .map(({ key }) => key)
        .join('');
    expect(keys(false)).to.equal('bacd');
    expect(keys(true)).to.equal('acdb');
    expect(rows.map(({ key }) => key).join('')).to.equal('abcd');
  });
});

describe('lines of a period', () => {
  it('are the latest first, by deal, the largest amount of a deal first', () => {
    const line = (earnedOn: string, dealId: string | null, amount: number) => ({ earnedOn, dealId, amount });
    const lines = [
      line('2026-01-01', 'D2', 5),
      line('2026-01-02', 'D2', -5),
      line('2026-01-02', 'D1', 1),
      line('2026-01-02', 'D2', 0),
      line('2026-01-02', 'D2', 7),
      line('2026-01-02', null, 9),
    ];
    const order = orderedLines(lines as unknown as Parameters<typeof orderedLines>[0]);
    expect(order.map(({ dealId, amount }) => [dealId, amount])).to.deep.equal([
      [null, 9],
      ['D1', 1],
      ['D2', 7],
      ['D2', -5],
      ['D2', 0],
      ['D2', 5],
    ]);
  });
});

describe('a filter', () => {
  for (const [searched, value, found] of [
    ['muller', 'Jürgen Müller', true],
    ['MÜLLER', 'Anna Muller', true],
    ['grossmann', 'Großmann', true],
    ['lukasz', 'Łukasz Nowak', true],
    ['celik', 'Çelik', true],
    [' ana ', 'Ana Silva', true],
    ['', 'Ana Silva', true],
    ['silvia', 'Ana Silva', false],
  ] as const)
    it(`${found ? 'finds' : 'does not find'} ${value} by ${JSON.stringify(searched)}`, () => {
      expect(containsText(searched, 'other', value)).to.equal(found);
    });

  it('compares letters without accents', () => {
    expect(withoutAccents('Øresund ﬁ İ ı 王')).to.equal('oresund fi i i 王');
  });
});

describe('a selection', () => {
  it('has one key more, or without it one less', () => {
    const keys = new Set(['a']);
    expect([...toggled(keys, 'b')]).to.deep.equal(['a', 'b']);
    expect([...toggled(keys, 'a')]).to.deep.equal([]);
    expect([...keys]).to.deep.equal(['a']);
  });
});
