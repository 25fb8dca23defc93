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

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The period that a text names, such as 2017-Q1, Q1 2017, Jan 2017, 2017-01, FY2017 or 2017; null if none. */
export function readPeriod(text: string): string | null {
  const plain = text.trim().toLowerCase();
  const year = /(?<!\d)(?:19|20)\d{2}(?!\d)/.exec(plain)?.[0];
  if (year === undefined) return null;
  const rest = plain
    .replace(year, ' ')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
  const part = /^([qh])\s?([1-4])$|^([1-4])([qh])$/.exec(rest);
  if (part !== null) {
    const [kind = '', number = ''] = part[1] === undefined ? [part[4], part[3]] : [part[1], part[2]];
    return kind === 'h' && Number(number) > 2 ? null : `${year}-${kind.toUpperCase()}${number}`;
  }
  const month = /^\d{1,2}$/.test(rest) ? Number(rest) : months.indexOf(rest.slice(0, 3)) + 1;
  if (/^(\d{1,2}|[a-z]{3,9})$/.test(rest) && month >= 1 && month <= 12)
    return `${year}-${String(month).padStart(2, '0')}`;
  return rest === '' || rest === 'fy' ? year : null;
}
