import { type DayRange, daysOf, isIn, type PeriodKind, periodOf, plusDays, plusMonths } from './calendar.js';
import type { World } from './world.js';

/** Money model, section 4, "Fiscal calendars". */
export interface WorldFiscalYear {
  year: number;
  start: string;
  pattern: 'months' | '4-4-5' | '4-5-4' | '5-4-4';
  weeks: 52 | 53;
}

/** How many `P` each kind of period has, and the letter of its string. */
const PARTS: Record<PeriodKind, { letter: string; length: number }> = {
  monthly: { letter: 'P', length: 1 },
  quarterly: { letter: 'Q', length: 3 },
  semi_annual: { letter: 'H', length: 6 },
  annual: { letter: '', length: 12 },
};

const knownBoundaries = new WeakMap<WorldFiscalYear, string[]>();

function boundariesOf(year: WorldFiscalYear): string[] {
  const boundaries = knownBoundaries.get(year) ?? computeBoundaries(year);
  knownBoundaries.set(year, boundaries);
  return boundaries;
}

/** The first days of P01 to P12, and the day after P12. */
function computeBoundaries({ start, pattern, weeks }: WorldFiscalYear): string[] {
  if (pattern === 'months') return Array.from({ length: 13 }, (_, index) => plusMonths(start, index));
  const quarter = pattern.split('-').map(Number);
  const lengths = [...quarter, ...quarter, ...quarter, ...quarter];
  if (weeks === 53) lengths[11] = (lengths[11] ?? 0) + 1;
  const days = [start];
  for (const length of lengths) days.push(plusDays(days.at(-1) ?? start, length * 7));
  return days;
}

export function fiscalKindOf(period: string): PeriodKind | null {
  if (/^FY\d{4}-P(0[1-9]|1[0-2])$/.test(period)) return 'monthly';
  if (/^FY\d{4}-Q[1-4]$/.test(period)) return 'quarterly';
  if (/^FY\d{4}-H[12]$/.test(period)) return 'semi_annual';
  if (/^FY\d{4}$/.test(period)) return 'annual';
  return null;
}

function stringOf(year: number, kind: PeriodKind, index: number): string {
  if (kind === 'annual') return `FY${year}`;
  return `FY${year}-${PARTS[kind].letter}${kind === 'monthly' ? String(index).padStart(2, '0') : index}`;
}

/** The days of a period string of either calendar. Null: no such period. */
export function periodDays(world: Pick<World, 'fiscalYears'>, period: string): DayRange | null {
  const kind = fiscalKindOf(period);
  if (kind === null) return daysOf(period);
  const year = world.fiscalYears?.find((each) => each.year === Number(period.slice(2, 6)));
  if (year === undefined) return null;
  const index = kind === 'annual' ? 1 : Number(period.slice(8));
  const { length } = PARTS[kind];
  const boundaries = boundariesOf(year);
  return {
    first: boundaries[(index - 1) * length] as string,
    last: plusDays(boundaries[index * length] as string, -1),
  };
}

/** Every fiscal period of a kind, in order. */
export function fiscalPeriods(world: Pick<World, 'fiscalYears'>, kind: PeriodKind): string[] {
  const count = 12 / PARTS[kind].length;
  return (world.fiscalYears ?? []).flatMap(({ year }) =>
    Array.from({ length: count }, (_, index) => stringOf(year, kind, index + 1)),
  );
}

/** The period of the kind and calendar that contains the day. Null: outside of all fiscal years. */
export function periodIn(
  world: Pick<World, 'fiscalYears'>,
  calendar: 'calendar' | 'fiscal',
  kind: PeriodKind,
  day: string,
): string | null {
  if (calendar === 'calendar') return periodOf(kind, day);
  return fiscalPeriods(world, kind).find((period) => isIn(day, periodDays(world, period))) ?? null;
}

/** The parts that `whole_months` counts: the months of a period, or each `P` of a fiscal one. */
export function monthsOf(world: Pick<World, 'fiscalYears'>, period: string): DayRange[] {
  const whole = periodDays(world, period);
  if (whole === null) throw new Error(`not a period: ${period}`);
  const calendar = fiscalKindOf(period) === null ? 'calendar' : 'fiscal';
  const months: DayRange[] = [];
  for (let day = whole.first; day <= whole.last; ) {
    const month = periodIn(world, calendar, 'monthly', day);
    const days = month === null ? null : periodDays(world, month);
    if (days === null) throw new Error(`no month contains ${day}`);
    months.push(days);
    day = plusDays(days.last, 1);
  }
  return months;
}
