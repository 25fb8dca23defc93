import { locale } from '../../shared/format/numbers.js';
import { listFiscalYears } from '../../shared/format/periods.js';

export type DateFormat = 'ISO' | 'MDY' | 'DMY';

/** How the dates of a column are written, and how many cells show it. */
export interface DateReading {
  /** Null if the cells allow both orders of day and month. */
  readonly format: DateFormat | null;
  readonly shownBy: number;
}

const written = /^(\d{1,2})[/.-](\d{1,2})[/.-](?:\d{4}|\d{2})(?:\D|$)/;

/** A number above 12 is a day, which shows its place. */
export function readDates(cells: readonly string[]): DateReading {
  const places = cells.flatMap((cell) => {
    const match = written.exec(cell.trim());
    return match === null ? [] : [[Number(match[1]), Number(match[2])] as const];
  });
  if (places.length === 0) return { format: 'ISO', shownBy: cells.length };
  const dayFirst = places.filter(([first]) => first > 12).length;
  const monthFirst = places.filter(([, second]) => second > 12).length;
  if (dayFirst > monthFirst) return { format: 'DMY', shownBy: dayFirst };
  if (monthFirst > 0) return { format: 'MDY', shownBy: monthFirst };
  return { format: null, shownBy: 0 };
}

/** The names of the months in English and in the language of the reader, in small letters. */
const months = ['en', locale].map((language) =>
  Array.from({ length: 12 }, (_, month) =>
    new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' }).format(Date.UTC(2026, month)).toLowerCase(),
  ),
);

/** The month of a name or its beginning, such as Sept, or of a number; null if there is none. */
function readMonth(text: string): number | null {
  const month = /^\d{1,2}$/.test(text)
    ? Number(text)
    : Math.max(...months.map((names) => names.findIndex((name) => text.length >= 3 && name.startsWith(text)))) + 1;
  return month >= 1 && month <= 12 ? month : null;
}

/** A year of two digits after what can be no day: FY26, Q3-26, Sep-26. A spreadsheet writes months like the last one. */
const shortYear = /^(fy|[qh][1-4]|[1-4][qh])[\s'’/-]*(\d{2})$|^(\p{L}{3,9})\s?['’/-]\s?(\d{2})$/u;

/** The quarter or half-year of q1, 1q or h2. */
function readPart(text: string): string | null {
  const [, kind, number, first, last] = /^([qh])\s?([1-4])$|^([1-4])([qh])$/.exec(text) ?? [];
  return number === undefined && first === undefined ? null : `${(kind ?? last)?.toUpperCase()}${number ?? first}`;
}

/**
 * The period that a text names, such as 2017-Q1, Q1 2017, Jan 2017, Jan-17, 2017-01 or 2017, or of a fiscal year, such as
 * FY2026-Q1, Q1 FY2026 or FY2026, which is 2026 in a workspace without fiscal years; null if none.
 */
export function readPeriod(text: string): string | null {
  const plain = text.trim().toLowerCase().replace(shortYear, '$1$3 20$2$4');
  const year = /(?<!\d)(?:19|20)\d{2}(?!\d)/.exec(plain)?.[0];
  if (year === undefined) return null;
  const words = plain
    .replace(year, ' ')
    .replace(/[^\p{L}0-9]+/gu, ' ')
    .trim();
  const rest = words.replace(/^fy (?=.)|(?<=.) fy$/, '');
  const fiscal = rest === words ? '' : 'FY';
  const part = readPart(rest);
  if (part !== null) return part === 'H3' || part === 'H4' ? null : `${fiscal}${year}-${part}`;
  const fiscalMonth = /^p(0[1-9]|1[0-2])$/.exec(rest)?.[1];
  if (fiscal !== '') return fiscalMonth === undefined ? null : `FY${year}-P${fiscalMonth}`;
  const month = readMonth(rest);
  if (month !== null) return `${year}-${String(month).padStart(2, '0')}`;
  if (rest === 'fy') return listFiscalYears().length > 0 ? `FY${year}` : year;
  return rest === '' ? year : null;
}
