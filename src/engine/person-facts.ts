import { type Day } from '../kernel/day.js';
import { type FieldValue, isAbsent } from './field-value.js';
import { foldedSlug } from './folded-slug.js';

/** What keys of rate tables read of a person. */
export interface PersonFacts {
  readonly hireDate: Day | null;
  /** The values of the dated fields by their slugs; one without a day holds from the beginning. */
  readonly fields: Readonly<
    Record<string, readonly { readonly from?: Day | null | undefined; readonly value: FieldValue }[]>
  >;
}

const personPrefix = 'rep.';

/** The complete months of employment, which every person with a hire date has. */
export const tenure = 'tenure_months';

/** The name of a field of people in a key, in small letters. */
export function nameInPerson(field: string): string {
  return foldedSlug(field.slice(personPrefix.length));
}

/** Whether the field of a key is one of people, in any case. */
export function isPersonField(field: string): boolean {
  return foldedSlug(field.slice(0, personPrefix.length)) === personPrefix;
}

export function readPerson({ hireDate, fields }: PersonFacts, field: string, day: Day): FieldValue | undefined {
  const name = nameInPerson(field);
  if (name === tenure) return hireDate === null || day < hireDate ? undefined : countMonths(hireDate, day);
  const slug = Object.keys(fields).find((key) => foldedSlug(key) === name);
  const values = slug === undefined ? [] : (fields[slug] ?? []);
  const known = values.filter(({ from, value }) => (from ?? day) <= day && !isAbsent(value));
  return known.toSorted((a, b) => ((a.from ?? '') < (b.from ?? '') ? 1 : -1))[0]?.value;
}

/** The complete months between two days; where a month is shorter, one is complete on its last day. */
function countMonths(from: Day, to: Day): number {
  const [fromYear = 0, fromMonth = 0, fromDay = 0] = from.split('-').map(Number);
  const [toYear = 0, toMonth = 0, toDay = 0] = to.split('-').map(Number);
  const lastDay = new Date(Date.UTC(toYear, toMonth, 0)).getUTCDate();
  const months = (toYear - fromYear) * 12 + toMonth - fromMonth;
  return toDay < Math.min(fromDay, lastDay) ? months - 1 : months;
}
