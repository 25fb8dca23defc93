import { type Person } from '../../api/person-list-queries.js';
import { type Edits, rowOf } from '../../components/grid-keys.js';
import { formatSpan } from '../../shared/format/dates.js';
import { formatCount } from '../../shared/format/numbers.js';
import { isFiscal, periodsOfYear, shortPeriod } from '../../shared/format/periods.js';
import { type WrongCell } from './quota-changes.js';
import { type PlanRule } from './rules.js';

/** A grid of this many people stays fluent. */
export const maxGridRows = 200;

/** The attainment periods of a year. */
export function periodsFor({ attainmentPeriod, calendar }: PlanRule, year: string): readonly string[] {
  const { months, quarters, halves, year: whole } = periodsOfYear(Number(year), calendar);
  return { monthly: months, quarterly: quarters, semi_annual: halves, annual: [whole] }[attainmentPeriod];
}

/** The heading of a period: that of a fiscal year has its days. */
export function headingOf(period: string): string {
  return isFiscal(period) ? `${shortPeriod(period)} · ${formatSpan(period)}` : shortPeriod(period);
}

export const noEdits: readonly Edits[] = [];

/** What was typed while the other edits were saved. */
export function without(edits: Edits, sent: Edits): readonly Edits[] {
  const rest = Object.entries(edits).filter(([key, text]) => sent[key] !== text);
  return rest.length === 0 ? noEdits : [Object.fromEntries(rest)];
}

/** The edits of the people who are listed. What is stored of others is not known, so their edits wait until they are listed. */
export function listedEdits(edits: Edits, people: readonly Pick<Person, 'id'>[]): Edits {
  const listed = new Set(people.map(({ id }) => id));
  return Object.fromEntries(Object.entries(edits).filter(([key]) => listed.has(rowOf(key))));
}

const maxNamed = 5;

/** The cells that are no numbers, or that lack a target, with person and period. */
export function describeWrong(wrong: readonly WrongCell[], people: readonly Person[]): string {
  const cells = wrong.slice(0, maxNamed).map(({ repId, period, text }) => {
    const name = people.find(({ id }) => id === repId)?.name ?? '';
    return `“${text}” of ${name} in ${shortPeriod(period)}`;
  });
  const rest = wrong.length - cells.length;
  const why = wrong.every(({ lacksTarget }) => lacksTarget === true) ? 'Set the target first' : 'Not a number';
  return `${why}: ${cells.join(', ')}${rest > 0 ? ` and ${formatCount(rest, 'other')}` : ''}.`;
}
