import { type BoundedKind } from './declared-fields.js';

/** A number that is valid JSON and that JavaScript cannot write. */
const raw = (text: string) => `@raw:${text}@`;

/** JSON with the numbers of {@link raw}. */
export function jsonOf(body: unknown): string {
  return (JSON.stringify(body) ?? '').replace(/"@raw:([^@]*)@"/g, '$1');
}

const outsideDays = [
  '0000-01-01',
  '1899-12-31',
  '2200-01-01',
  '9999-12-31',
  '+275760-09-13',
  '-000001-01-01',
  '2026-02-29',
  '1900-02-29',
  '2026-02-30',
  '2026-00-10',
  '2026-13-01',
  '2026-01-00',
  '2026-W07-1',
  '2026-041',
  '20260210',
  '2026-2-1',
  'infinity',
  '-infinity',
];
const outsideInstants = [
  '0000-01-01T00:00:00Z',
  '1899-12-31T23:59:59Z',
  '1900-01-01T00:00:00+14:00',
  '1900-01-01T12:00:00Z',
  '2199-12-31T00:00:00Z',
  '2199-12-30T23:00:00-12:00',
  '9999-12-31T23:59:59-12:00',
  '+275760-09-13T00:00:00Z',
  '-271821-04-20T00:00:00Z',
  '2026-02-29T00:00:00Z',
  '2026-02-10T23:59:60Z',
  '2026-02-10T24:00:01Z',
  '2026-02-10T08:00:00+15:00',
  '2026-02-10T08:00:00+99:00',
  '2026-W07-2T00:00:00Z',
  `2026-02-10T00:00:00.${'1'.repeat(5000)}Z`,
];
const outsidePeriods = [
  '0000-01',
  '1899-12',
  '1899-Q4',
  '1899',
  '2200-01',
  '2200',
  '9999-Q4',
  '10000',
  '+275760-09',
  '2026-00',
  '2026-13',
  '2026-Q0',
  '2026-Q5',
  '2026-H3',
  '2026-W07',
];

/** Values that every field of the kind rejects with 400. */
export const outsideValues: Readonly<Record<Exclude<BoundedKind, 'number'>, readonly string[]>> = {
  day: [...outsideDays, '2026-02-10T00:00:00Z'],
  instant: [...outsideInstants, ...outsideDays],
  'day or instant': [...outsideDays, ...outsideInstants],
  period: [...outsidePeriods, '2026-02-10'],
};

const extremeDays = ['1900-01-01', '2199-12-31', '2024-02-29', '1970-01-01'];
const extremeInstants = [
  '1900-01-02T00:00:00Z',
  '1900-01-02T14:00:00+14:00',
  '2199-12-30T23:59:59.999Z',
  '2199-12-30T11:59:59-12:00',
  '1969-12-31T23:59:59.999999999Z',
  '2024-02-29T24:00:00Z',
];
const extremeNumbers = [
  0,
  -0,
  -1,
  1,
  0.1 + 0.2,
  1e-9,
  1e-320,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  1e12,
  1e12 + 1,
  1e15,
  1e21,
  Number.MAX_VALUE,
  raw('1e400'),
  raw('-1e400'),
  raw('1e-400'),
  raw('123456789012345678901234567890.123456789'),
  raw('-0.0'),
];

/** Values at the bounds of the kind. Whether a field accepts them depends on the field. */
export const extremeValues: Readonly<Record<BoundedKind, readonly unknown[]>> = {
  day: extremeDays,
  instant: extremeInstants,
  'day or instant': [...extremeDays, ...extremeInstants],
  period: ['1900-01', '1900-Q1', '1900-H1', '1900', '2199-12', '2199-Q4', '2199-H2', '2199'],
  number: extremeNumbers,
};
