import { expect } from 'chai';
import { type FieldValue } from '#src/engine/field-value.js';
import { findNearestRows, findRow } from '#src/engine/rate-lookup.js';
import { findOverlap } from '#src/engine/rate-overlap.js';
import {
  payInColumn,
  type RateCell,
  type RateTable,
  type RateTableKey,
  type RateTableRow,
} from '#src/engine/rate-table.js';

type Row = readonly [cells: Readonly<Record<string, RateCell>>, rate: number, start?: string | undefined, end?: string];

function tableOf(keys: Readonly<Record<string, RateTableKey['match']>>, ...rows: readonly Row[]): RateTable {
  return {
    name: 'Rates',
    keys: Object.entries(keys).map(([name, match]) => ({ name, field: `line.${name}`, match })),
    columns: [{ name: 'rate', kind: 'rate' }],
    rows: rows.map(([cells, rate, effectiveStart, effectiveEnd]): RateTableRow => {
      return { keys: cells, values: { rate }, effectiveStart, effectiveEnd };
    }),
    noMatch: 'exception',
  };
}

function rateOf(table: RateTable, ...values: readonly (FieldValue | undefined)[]): number | null {
  return rateOn('2026-02-10', table, ...values);
}

function rateOn(day: string, table: RateTable, ...values: readonly (FieldValue | undefined)[]): number | null {
  const row = findRow(table, values, day);
  return row === null ? null : (row.values['rate'] as number);
}

describe('the cells of a rate table', () => {
  it('match texts without regard to case and surrounding white space, and numbers in their shortest form', () => {
    const table = tableOf({ code: 'exact' }, [{ code: ' Soft ware' }, 1], [{ code: '12' }, 2], [{ code: 7 }, 3]);
    expect(rateOf(table, 'SOFT WARE ')).to.equal(1);
    expect(rateOf(table, 12)).to.equal(2);
    expect(rateOf(table, '12')).to.equal(2);
    expect(rateOf(table, '012')).to.equal(null);
    expect(rateOf(table, '7')).to.equal(3);
  });

  it('match an absent value with * or an absent cell only', () => {
    const table = tableOf({ code: 'exact', region: 'exact' }, [{ code: 'A' }, 1], [{ code: '*', region: 'EMEA' }, 2]);
    expect(rateOf(table, 'A', undefined)).to.equal(1);
    expect(rateOf(table, null, 'emea')).to.equal(2);
    expect(rateOf(table, '', [])).to.equal(null);
  });

  it('match ranges from their first bound up to the second (J56)', () => {
    const table = tableOf(
      { months: 'range' },
      [{ months: { to: 12 } }, 5],
      [{ months: { from: 12, to: 24 } }, 7],
      [{ months: { from: 24 } }, 9],
    );
    const rates = [11, 12, '24.0', -3, 'twelve', undefined, true].map((months) => rateOf(table, months));
    expect(rates).to.deep.equal([5, 7, 9, 5, null, null, null]);
  });

  it('match ranges of days', () => {
    const table = tableOf(
      { start: 'range' },
      [{ start: { from: '2026-01-01', to: '2026-02-01' } }, 1],
      [{ start: { from: 0, to: 10 } }, 2],
      [{ start: '*' }, 3],
    );
    const rates = ['2026-01-31', '2026-02-01', 4, '4', 'soon'].map((start) => rateOf(table, start));
    expect(rates).to.deep.equal([1, 3, 2, 2, 3]);
  });

  it('match one of a list of values, of exact texts the first in string order (J65)', () => {
    const rows: Row[] = [
      [{ tags: 'promo' }, 20],
      [{ tags: '*' }, 10],
    ];
    expect(rateOf(tableOf({ tags: 'exact' }, ...rows), ['New', 'promo'])).to.equal(20);
    expect(rateOf(tableOf({ tags: 'exact' }, ...rows, [{ tags: 'new' }, 30]), ['promo', 'New'])).to.equal(30);
    expect(rateOf(tableOf({ tags: 'range' }, [{ tags: { from: 10 } }, 1]), ['3', '12'])).to.equal(1);
  });
});

describe('the row of a rate table that counts', () => {
  it('has the longest prefix, and otherwise * (J57)', () => {
    const table = tableOf({ code: 'prefix' }, [{ code: 'SW-' }, 10], [{ code: 'SW-ENT' }, 12], [{ code: '*' }, 3]);
    const rates = ['sw-ent-7', 'SW-1', 'HW', undefined].map((code) => rateOf(table, code));
    expect(rates).to.deep.equal([12, 10, 3, 3]);
  });

  it('is decided by the first key in which two rows differ (J58)', () => {
    const rows: Row[] = [
      [{ family: '*', region: 'EMEA' }, 5],
      [{ family: 'software', region: '*' }, 10],
    ];
    expect(rateOf(tableOf({ family: 'exact', region: 'exact' }, ...rows), 'software', 'EMEA')).to.equal(10);
    expect(rateOf(tableOf({ region: 'exact', family: 'exact' }, ...rows), 'EMEA', 'software')).to.equal(5);
  });

  it('is found behind a more exact one that fails in a later key', () => {
    const table = tableOf(
      { family: 'exact', months: 'range', region: 'exact' },
      [{ family: 'software', months: { from: 0, to: 12 }, region: 'EMEA' }, 1],
      [{ family: 'software', months: { from: 6, to: 18 }, region: '*' }, 2],
      [{ region: 'APAC' }, 3],
    );
    expect(rateOf(table, 'software', 8, 'EMEA')).to.equal(1);
    expect(rateOf(table, 'software', 8, 'APAC')).to.equal(2);
    expect(rateOf(table, 'software', 3, 'APAC')).to.equal(3);
    expect(rateOf(table, 'software', 3, 'LATAM')).to.equal(null);
  });

  it('holds from its first day to its last', () => {
    const table = tableOf(
      { family: 'exact' },
      [{ family: 'software' }, 10, undefined, '2026-02-14'],
      [{ family: 'software' }, 12, '2026-02-15', '2026-02-28'],
      [{}, 1],
    );
    const days = ['2026-01-01', '2026-02-14', '2026-02-15', '2026-03-01'];
    expect(days.map((day) => rateOn(day, table, 'software'))).to.deep.equal([10, 10, 12, 1]);
  });

  it('is the same in every order of the rows, and found in many', () => {
    const rows: Row[] = Array.from({ length: 2_000 }, (_, index) => [
      { code: { from: index * 2, to: index * 2 + (index === 3 ? 5_000 : 1) }, region: `R${index}` },
      index,
    ]);
    for (const table of [rows, rows.toReversed()].map((ordered) =>
      tableOf({ code: 'range', region: 'exact' }, ...ordered),
    )) {
      expect(rateOf(table, 1_000, 'r500')).to.equal(500);
      expect(rateOf(table, 1_001, 'r500')).to.equal(null);
      expect(rateOf(table, 1_001, 'r3')).to.equal(3);
    }
  });

  it('has an own kind of value where it names one', () => {
    const [column] = tableOf({}).columns;
    const pays = (value: RateTableRow['values'][string]) => {
      const pay = payInColumn({ keys: {}, values: { rate: value } }, column as RateTable['columns'][number]);
      return [pay.kind, pay.value.toString()];
    };
    expect([0.1, { rate: 0.2 }, { amount: 10 }, { perUnit: 25 }].map(pays)).to.deep.equal([
      ['rate', '0.1'],
      ['rate', '0.2'],
      ['amount', '10'],
      ['perUnit', '25'],
    ]);
  });

  it('has neighbours where there is none: those that differ in the fewest keys', () => {
    const table = tableOf(
      { family: 'exact', region: 'exact' },
      [{ family: 'Hardware', region: 'APAC' }, 1],
      [{ family: 'Support', region: 'AMER' }, 2],
      [{ family: 'Software', region: 'EMEA' }, 3],
      [{ family: 'Support', region: 'EMEA' }, 4, undefined, '2025-12-31'],
    );
    const near = findNearestRows(table, ['Support', 'EMEA'], '2026-02-10');
    expect(near.map(({ row, differing }) => [row.values['rate'], ...differing])).to.deep.equal([
      [2, 'region'],
      [3, 'family'],
      [1, 'family', 'region'],
    ]);
  });
});

describe('the neighbours of values in ranges', () => {
  it('are the rows whose other keys match, from the first bound of a range up to the second', () => {
    const table = tableOf(
      { family: 'exact', months: 'range' },
      [{ family: 'Software', months: { to: 12 } }, 1],
      [{ family: 'Software', months: { from: 12, to: 24 } }, 2],
      [{ family: 'Software', months: { from: '2026-01-01' } }, 3],
    );
    const near = (months: FieldValue) =>
      findNearestRows(table, ['Support', months], '2026-02-10')
        .filter(({ differing }) => differing.join() === 'family')
        .map(({ row }) => row.values['rate']);
    expect([11, '12', 24, '2026-01-01', 'soon'].map(near)).to.deep.equal([[1], [2], [], [3], []]);
  });
});

describe('the overlap of two rows (J59)', () => {
  const range = (from: number | undefined, to: number | undefined): Row => [{ code: { from, to } }, 1];

  it('is where ranges meet', () => {
    expect(findOverlap(tableOf({ code: 'range' }, range(0, 10), range(9, undefined)))).to.deep.equal({
      rows: [0, 1],
      common: { code: 9 },
      day: null,
    });
    expect(findOverlap(tableOf({ code: 'range' }, range(0, 10), range(10, undefined)))).to.equal(null);
    expect(findOverlap(tableOf({ code: 'range' }, range(undefined, 5), range(undefined, 3)))?.common).to.deep.equal({
      code: 2,
    });
    expect(findOverlap(tableOf({ code: 'range' }, range(0, 10), [{ code: '*' }, 1]))).to.equal(null);
  });

  it('is where texts or prefixes are the same', () => {
    expect(findOverlap(tableOf({ code: 'exact' }, [{ code: 'X ' }, 1], [{ code: 'x' }, 2]))?.rows).to.deep.equal([
      0, 1,
    ]);
    expect(findOverlap(tableOf({ code: 'prefix' }, [{ code: 'SW' }, 1], [{ code: 'SW-1' }, 2]))).to.equal(null);
    expect(findOverlap(tableOf({ code: 'exact' }, [{}, 1], [{ code: ' * ' }, 2]))?.common).to.deep.equal({ code: '*' });
  });

  it('is where days meet', () => {
    const ending = (start: string) =>
      findOverlap(tableOf({ code: 'exact' }, [{ code: 'A' }, 1, undefined, '2026-01-31'], [{ code: 'A' }, 2, start]));
    expect(ending('2026-02-01')).to.equal(null);
    expect(ending('2026-01-31')).to.deep.equal({ rows: [0, 1], common: { code: 'A' }, day: '2026-01-31' });
  });

  it('needs all keys to meet', () => {
    const grid = Array.from({ length: 900 }, (_, index): Row => {
      const [from, margin] = [(index % 30) * 10, Math.floor(index / 30) * 5];
      return [{ amount: { from, to: from + 10 }, margin: { from: margin, to: margin + 5 } }, 1];
    });
    const keys = { amount: 'range', margin: 'range' } as const;
    expect(findOverlap(tableOf(keys, ...grid))).to.equal(null);
    const crossing: Row = [{ amount: { from: 15, to: 17 }, margin: { from: 4, to: 5 } }, 1];
    expect(findOverlap(tableOf(keys, ...grid, crossing))?.rows).to.deep.equal([1, 900]);
  });
});
