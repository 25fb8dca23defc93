import { isAnyValue, type RateTable, type RateTableRow } from '../../engine/rate-table.js';
import { addDays, allDays, type Day, type DayRange, earliestDay, hull, latestDay } from '../../kernel/day.js';
import { invalid } from '../../kernel/failure.js';
import { getOrInsert } from '../../kernel/get-or-insert.js';
import { type RowCounts } from './rate-table.js';

type Rows = RateTable['rows'];

/** The stored rows until the day before, and the new ones from the day on. */
export function replaceFrom(stored: RateTable, replacement: RateTable, from: Day): RateTable {
  for (const part of ['keys', 'columns'] as const)
    if (JSON.stringify(stored[part].map(inOrder)) !== JSON.stringify(replacement[part].map(inOrder)))
      throw invalid({ path: part, message: 'must be those of the stored table where from is given' });
  const last = addDays(from, -1);
  const unchanged = stored.rows
    .filter(({ effectiveStart }) => (effectiveStart ?? earliestDay) < from)
    .map((row) => ((row.effectiveEnd ?? latestDay) < from ? row : { ...row, effectiveEnd: last }));
  return { ...replacement, rows: [...unchanged, ...rowsSince(replacement.rows, from)] };
}

/** The rows, none of which begins before the day. */
export function rowsSince(rows: Rows, from: Day): Rows {
  return rows.map((row, index) => {
    if ((row.effectiveEnd ?? latestDay) < from)
      throw invalid({ path: `rows.${index}.effectiveEnd`, message: 'must not be before from' });
    return (row.effectiveStart ?? earliestDay) < from ? { ...row, effectiveStart: from } : row;
  });
}

/** The days on which the tables may say something else; null if there is none. */
export function differingDays(before: RateTable | null, after: RateTable | null): DayRange | null {
  if (before === null || after === null) return hullOf((before ?? after)?.rows ?? []);
  if (headOf(before) !== headOf(after)) return allDays;
  const changes = new Map<string, Map<Day, number>>();
  for (const [rows, sign] of [
    [before.rows, 1],
    [after.rows, -1],
  ] as const)
    for (const row of rows) {
      const steps = getOrInsert(changes, contentOf(row), () => new Map());
      const { from, to } = daysOf(row);
      steps.set(from, (steps.get(from) ?? 0) + sign);
      if (to < latestDay) steps.set(addDays(to, 1), (steps.get(addDays(to, 1)) ?? 0) - sign);
    }
  return [...changes.values()].flatMap(unequalDays).reduce<DayRange | null>(joined, null);
}

/** What a change does to rows. */
export function countRows(before: Rows, after: Rows): RowCounts {
  const outcomes = outcomesOfRows(before, after);
  const added = outcomes.filter((outcome) => outcome === 'created').length;
  const remaining = after.length - added;
  const changed = outcomes.filter((outcome) => outcome === 'changed').length;
  return { added, changed, ended: before.length - remaining };
}

/** What became of each row of a changed table. A row is identified by its keys and its first day. */
export function outcomesOfRows(before: Rows, after: Rows): ('created' | 'changed' | 'unchanged')[] {
  const stored = new Map(before.map((row) => [identityOf(row), rowText(row)]));
  return after.map((row) => {
    const found = stored.get(identityOf(row));
    if (found === undefined) return 'created';
    return found === rowText(row) ? 'unchanged' : 'changed';
  });
}

/** The ranges in which the rows of one content hold in one of the tables only. */
function unequalDays(steps: ReadonlyMap<Day, number>): DayRange[] {
  const days = [...steps].sort(([a], [b]) => (a < b ? -1 : 1));
  const found: DayRange[] = [];
  let difference = 0;
  for (const [index, [from, step]] of days.entries()) {
    difference += step;
    const next = days[index + 1]?.[0];
    if (difference !== 0) found.push({ from, to: next === undefined ? latestDay : addDays(next, -1) });
  }
  return found;
}

function hullOf(rows: Rows): DayRange | null {
  return rows.map(daysOf).reduce<DayRange | null>(joined, null);
}

function joined(all: DayRange | null, days: DayRange): DayRange {
  return all === null ? days : hull(all, days);
}

function daysOf({ effectiveStart, effectiveEnd }: RateTableRow): DayRange {
  return { from: effectiveStart ?? earliestDay, to: effectiveEnd ?? latestDay };
}

function headOf({ keys, columns, noMatch, currency }: RateTable): string {
  return JSON.stringify([keys.map(inOrder), columns.map(inOrder), noMatch, currency ?? null]);
}

function contentOf({ keys, values }: RateTableRow): string {
  return JSON.stringify([withoutAny(keys), inOrder(values)]);
}

function identityOf({ keys, effectiveStart }: RateTableRow): string {
  return JSON.stringify([withoutAny(keys), effectiveStart ?? null]);
}

function rowText(row: RateTableRow): string {
  return JSON.stringify([contentOf(row), row.effectiveEnd ?? null]);
}

/** The cells that do not match everything: an absent cell means the same as `*`. */
function withoutAny(keys: RateTableRow['keys']): unknown {
  return inOrder(Object.fromEntries(Object.entries(keys).filter(([, cell]) => !isAnyValue(cell))));
}

/** Properties in the order of their names: the database stores them in another order than they were sent. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, part]) => [name, inOrder(part)]);
}
