import { z } from 'zod';
import { addDays, type Day, type DayRange, earliestDay, hull, latestDay } from '../../kernel/day.js';
import { Failure, type Issue, rejectAny } from '../../kernel/failure.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { day } from '../../platform/operations/schemas.js';
import { type FieldValue, type PersonField, readFieldValue } from './person-field.js';
import { listPersonFields } from './person-field-views.js';

/** A value of a dated field; without a day it holds from the beginning. */
export interface DatedValue {
  readonly from?: Day | undefined;
  readonly value: FieldValue;
}

export const datedValues = z
  .array(
    z
      .strictObject({
        from: day.optional().describe('First day of the value, YYYY-MM-DD; absent: from the beginning'),
        value: z.union([z.string().max(1000), z.number()]).describe('The value, as the field defines it'),
      })
      .describe('A value'),
  )
  .max(200)
  .describe('The values in the order of their days; each holds until the next one');

/** Fields that every person has, and that become dated when a rate table first reads them. */
export const profileFields = ['title', 'team', 'location'] as const;
export type ProfileField = (typeof profileFields)[number];

export function isProfileField(slug: string): slug is ProfileField {
  return profileFields.some((field) => field === slug);
}

/** The dated field with the slug. Other fields have no days: a promotion would change last year. */
export async function findDatedField(tx: Transaction, slug: string): Promise<PersonField> {
  if (isProfileField(slug)) return { slug, label: slug, type: 'text' };
  const field = (await listPersonFields(tx)).find((one) => one.slug === slug && one.dated === true);
  if (field === undefined) throw fieldNotDated(slug);
  return field;
}

function fieldNotDated(slug: string): Failure {
  return new Failure(
    'field_not_dated',
    `${slug} is no dated field of people: only values with days keep what was paid before a change. Define it with dated: true (PUT /v1/person-fields).`,
    { slug },
  );
}

/** The values as they are stored, in the order of their days. */
export function readDatedValues(field: PersonField, requested: readonly DatedValue[]): DatedValue[] {
  const issues: Issue[] = [];
  const read = requested.map(({ from, value }, index): DatedValue => {
    const result = readFieldValue(field, value);
    if ('problem' in result) issues.push({ path: `values.${index}.value`, message: result.problem });
    if (requested.findIndex((other) => other.from === from) < index)
      issues.push({ path: `values.${index}.from`, message: 'is the day of an earlier value' });
    return { ...(from === undefined ? {} : { from }), value: 'value' in result ? result.value : value };
  });
  rejectAny(issues);
  return read.toSorted((a, b) => (startOf(a) < startOf(b) ? -1 : 1));
}

/** The days on which the two lists have different values; null if there is none. */
export function differingDays(before: readonly DatedValue[], after: readonly DatedValue[]): DayRange | null {
  const starts = [...new Set([...before, ...after].map(startOf))].sort();
  const ranges = starts.map((from, index): DayRange => {
    const next = starts[index + 1];
    return { from, to: next === undefined ? latestDay : addDays(next, -1) };
  });
  return ranges
    .filter(({ from }) => valueOn(before, from) !== valueOn(after, from))
    .reduce<DayRange | null>((all, days) => (all === null ? days : hull(all, days)), null);
}

/** The value that holds on the day. */
export function valueOn(values: readonly DatedValue[], on: Day): FieldValue | undefined {
  return values.filter((value) => startOf(value) <= on).at(-1)?.value;
}

function startOf({ from = earliestDay }: DatedValue): Day {
  return from;
}
