import { readNumber } from '../../shared/format/entered-numbers.js';
import { type DateFormat, readDates, readPeriod } from './dates.js';
import { bare, type ImportContext, type ImportKind, type Target } from './kind.js';
import { type SourceTable } from './table.js';

const sampleSize = 200;
const iso = /^(\d{4})-(\d{2})-(\d{2})(?:\D|$)/;
const slashed = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})(?:\D|$)/;
const address = /^\S+@\S+\.\S+$/;
const identifier = /^(?=.*\d)[\p{L}\p{N}][\p{L}\p{N}._/#-]{2,}$/u;

/** A column of the file whose name says nothing. */
interface Column {
  readonly index: number;
  /** The filled cells of the first rows. */
  readonly cells: readonly string[];
  readonly isFull: boolean;
}

type Test = (column: Column, context: ImportContext) => boolean;

function most(share: number, test: (cell: string) => boolean): Test {
  return ({ cells }) => cells.length > 0 && cells.filter(test).length >= cells.length * share;
}

const isDate = (cell: string) => iso.test(cell) || slashed.test(cell);

/** Scores, shares and counts of seats are numbers too, but no money. */
function isMoney(cell: string): boolean {
  const value = readNumber(cell);
  return value !== null && (Math.abs(value) >= 100 || /[.,]\d{2}$/.test(cell) || /\p{Sc}/u.test(cell));
}

function namesPeople(column: Column, { people }: ImportContext): boolean {
  const known = new Set(
    people.flatMap(({ email, name, crmMemberId }) => [
      email.toLowerCase(),
      bare(name),
      ...(crmMemberId === null ? [] : [crmMemberId.toLowerCase()]),
    ]),
  );
  return most(0.6, (cell) => known.has(cell.toLowerCase()) || known.has(bare(cell)))(column, {
    people,
  } as ImportContext);
}

function namesPlans(column: Column, context: ImportContext): boolean {
  const names = new Set(context.plans.map(({ name }) => bare(name)));
  return most(0.6, (cell) => names.has(bare(cell)))(column, context);
}

/** An id is in every row, and in none twice. */
function isId({ cells, isFull }: Column): boolean {
  return (
    isFull &&
    cells.length > 1 &&
    new Set(cells).size === cells.length &&
    cells.every((cell) => identifier.test(cell) && !isDate(cell))
  );
}

/** What the values of a target look like; null if values do not show it. */
function testOf({ key, values, isRequired }: Target): Test | null {
  if (key === 'email') return most(0.9, (cell) => address.test(cell));
  switch (values) {
    case 'person':
    case 'owner':
      return namesPeople;
    case 'plan':
      return namesPlans;
    case 'period':
      return most(0.9, (cell) => !isDate(cell) && readPeriod(cell) !== null);
    case 'date':
      return most(0.9, isDate);
    case 'number':
      return most(0.9, isMoney);
    default:
      return values === 'id' && isRequired === true ? isId : null;
  }
}

/** The most certain first: what they take is no candidate for the others. */
const order: readonly Target['values'][] = ['person', 'owner', 'plan', 'period', 'date', 'id', 'number'];

/**
 * Targets of columns whose names say nothing, guessed from their values: names and addresses of people, dates, ids that
 * are unique, money. `open` are the columns, `taken` the targets that other columns have.
 */
export function guessByValues(
  kind: ImportKind,
  { rows }: SourceTable,
  context: ImportContext,
  { open, taken }: { readonly open: readonly number[]; readonly taken: ReadonlySet<string> },
): ReadonlyMap<number, string> {
  const sample = rows.slice(0, sampleSize);
  const columns = open.map((index): Column => {
    const cells = sample.map((row) => (row[index] ?? '').trim()).filter((cell) => cell !== '');
    return { index, cells, isFull: cells.length === sample.length };
  });
  const found = new Map<number, string>();
  const isUsed = ({ values }: Target) =>
    kind.targets.some(
      (target) => target.values === values && values !== 'number' && values !== 'id' && taken.has(target.key),
    );
  const guessable = kind.targets.filter(({ isFoundByName = false }) => !isFoundByName);
  const wanted = order.flatMap((values) => guessable.filter((target) => target.values === values));
  const guessed = new Set<Target['values']>();
  for (const target of wanted) {
    const test = testOf(target);
    if (test === null || taken.has(target.key) || guessed.has(target.values) || isUsed(target)) continue;
    const candidates = columns.filter((column) => !found.has(column.index) && test(column, context));
    const chosen = target.values === 'date' ? latest(candidates) : candidates[0];
    if (chosen === undefined) continue;
    guessed.add(target.values);
    found.set(
      chosen.index,
      target.key === 'ownerId' && chosen.cells.every((cell) => address.test(cell)) ? 'ownerEmail' : target.key,
    );
  }
  return found;
}

/** Of several dates, a deal closes on the last one. */
function latest(candidates: readonly Column[]): Column | undefined {
  const sum = ({ cells }: Column) => {
    const { format } = readDates(cells);
    return cells.reduce((total, cell) => total + dayNumber(cell, format ?? 'MDY'), 0) / cells.length;
  };
  return [...candidates].sort((a, b) => sum(b) - sum(a))[0];
}

/** A number that is larger for a later day. */
function dayNumber(cell: string, format: DateFormat): number {
  const [, year = '', month = '', day = ''] = iso.exec(cell) ?? [];
  if (year !== '') return Number(`${year}${month}${day}`);
  const [, first = '0', second = '0', written = '0'] = slashed.exec(cell) ?? [];
  const [m, d] = format === 'DMY' ? [second, first] : [first, second];
  return Number(written.length === 2 ? `20${written}` : written) * 10_000 + Number(m) * 100 + Number(d);
}
