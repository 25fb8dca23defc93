import { readWrittenNumber } from '#src/client.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { type DateFormat, readDates } from './dates.js';
import {
  bare,
  becomesField,
  type ImportContext,
  type ImportKind,
  keepColumn,
  newNameOf,
  periodPrefix,
  skipColumn,
} from './kind.js';
import { contentOf, type NumberFormat } from './number-format.js';

export interface Check {
  readonly tone: 'good' | 'info' | 'warning' | 'none';
  readonly words: string;
}

/** How the file writes its values. `dates` is null while it has to be chosen. */
export interface ShownFormats {
  readonly dates: DateFormat | null;
  readonly numbers: NumberFormat | null;
}

/** What the values of a column show about its target, in words. */
export function checkColumn(
  kind: ImportKind,
  target: string,
  cells: readonly string[],
  { people, plans }: ImportContext,
  { dates: dateFormat, numbers }: ShownFormats,
): Check {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  if (target === skipColumn)
    return {
      tone: 'none',
      words: `${formatNumber(cells.length - filled.length)} of ${formatNumber(cells.length)} empty`,
    };
  const share = (count: number, words: string): Check => ({
    tone: count === cells.length ? 'good' : count === 0 ? 'warning' : 'info',
    words: `${formatNumber(count)} of ${formatNumber(cells.length)} ${words}`,
  });
  if (target.startsWith(periodPrefix))
    return {
      tone: 'good',
      words: `${formatPeriod(target.slice(periodPrefix.length))}, ${formatCount(filled.length, 'target')}`,
    };
  if (target === keepColumn || newNameOf(target) !== null) {
    const content = contentOf(filled, numbers);
    if (content !== 'text') return { tone: 'good', words: formatCount(filled.length, content) };
  }
  const values = kind.targets.find(({ key }) => key === target)?.values ?? 'text';
  switch (values) {
    case 'id':
      return share(new Set(filled).size, 'unique');
    case 'number':
      return share(filled.filter((cell) => isNumber(cell, numbers)).length, 'are numbers');
    case 'date':
      return dateCheck(filled, dateFormat);
    case 'person':
    case 'owner': {
      const known = knownPeople(people);
      return share(filled.filter((cell) => known.has(cell.toLowerCase()) || known.has(bare(cell))).length, 'known');
    }
    case 'plan': {
      const names = new Set(plans.map(({ name }) => bare(name)));
      return share(filled.filter((cell) => names.has(bare(cell))).length, 'known');
    }
    default:
      return textCheck(target, filled, cells.length);
  }
}

function isNumber(cell: string, format: NumberFormat | null): boolean {
  return readWrittenNumber(cell, format) !== null;
}

function knownPeople(people: ImportContext['people']): ReadonlySet<string> {
  return new Set(
    people.flatMap(({ email, name, crmMemberId }) => [
      email,
      bare(name),
      ...(crmMemberId === null ? [] : [crmMemberId.toLowerCase()]),
    ]),
  );
}

function dateCheck(filled: readonly string[], chosen: DateFormat | null): Check {
  const { format, shownBy } = readDates(filled);
  if (format === 'ISO') return { tone: 'good', words: formatCount(filled.length, 'date') };
  if (chosen === null) return { tone: 'warning', words: 'Day or month first? Choose above' };
  if (format === null) return { tone: 'good', words: `${firstWords[chosen]} first` };
  const visible = `${firstWords[format]} first, shown by ${formatCount(shownBy, 'row')}`;
  return format === chosen ? { tone: 'info', words: visible } : { tone: 'warning', words: visible };
}

const firstWords = { MDY: 'Month', DMY: 'Day', ISO: 'Year' } as const;

function textCheck(target: string, filled: readonly string[], total: number): Check {
  const distinct = new Set(filled).size;
  if (filled.length === 0) return { tone: 'none', words: 'Empty' };
  if (distinct <= 12) return { tone: 'good', words: formatCount(distinct, 'value') };
  return {
    tone: filled.length === total || becomesField(target) ? 'good' : 'info',
    words: `${formatNumber(filled.length)} of ${formatNumber(total)}`,
  };
}
