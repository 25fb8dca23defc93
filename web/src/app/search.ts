import { isDay } from '../shared/format/dates.js';
import { isPeriod } from '../shared/format/periods.js';

/** Reads a search parameter; undefined if it is absent or invalid. */
export type Reader = (value: unknown) => unknown;

/** All search parameters are optional. */
type Parameters<Readers> = {
  -readonly [Name in keyof Readers]?: Readers[Name] extends Reader ? NonNullable<ReturnType<Readers[Name]>> : never;
};

export const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
export const period = (value: unknown) => (isPeriod(value) ? value : undefined);
export const day = (value: unknown) => (typeof value === 'string' && isDay(value) ? value : undefined);
export const year = (value: unknown) => (/^\d{4}$/.test(String(value)) ? String(value) : undefined);
/** The first page has no number. */
export const pageNumber = (value: unknown) => (/^[1-9]\d{0,8}$/.test(String(value)) ? Number(value) : undefined);
export const oneOf =
  <const Choice>(...choices: readonly Choice[]) =>
  (value: unknown) =>
    choices.find((choice) => choice === value);

/** The period in the address that is none, such as 2026-13; null if there is a valid one, or none. */
export function findUnknownPeriod(search: string): string | null {
  const period = parseSearch(search)['period'];
  return period === undefined || isPeriod(period) ? null : period;
}

export function readSearch<Readers extends Readonly<Record<string, Reader>>>(readers: Readers) {
  return (search: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(
      Object.entries(readers).map(([name, read]) => [name, read(search[name])]),
    ) as Parameters<Readers>;
}

/** The parameters of an address as texts, whatever they look like: the year 2026 and the filter 007 are no numbers. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const present = Object.entries(search).filter(([, value]) => value !== undefined && value !== null);
  const query = new URLSearchParams(present.map(([name, value]) => [name, String(value)])).toString();
  return query === '' ? '' : `?${query}`;
}
