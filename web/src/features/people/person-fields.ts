import { queryOptions } from '@tanstack/react-query';
import { type Answer, api } from '../../api/client.js';
import { type Person } from '../../api/person-list-queries.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatNumber } from '../../shared/format/numbers.js';

/** A field of people that the workspace defines. */
export type PersonField = Answer<'listPersonFields'>['fields'][number];

export const personFieldsQuery = queryOptions({
  queryKey: ['person-fields'],
  queryFn: async ({ signal }) => (await api.listPersonFields({}, { signal })).fields,
});

export const typeNames: Readonly<Record<PersonField['type'], string>> = {
  text: 'Text',
  number: 'Number',
  date: 'Date',
  select: 'Choice',
};

/** The value of the person in words; null for none. */
export function fieldInWords(
  { slug, type }: PersonField,
  { fields = {} }: Partial<Pick<Person, 'fields'>>,
): string | null {
  const value = fields[slug];
  if (value === undefined) return null;
  if (typeof value === 'number') return formatNumber(value);
  return type === 'date' ? formatDay(value, 'year') : value;
}

/** Values of fields by slug, as in the address of the page: `region=DACH&level=2`. */
export function readFieldFilter(text: string | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(text ?? ''));
}

/** The filter with another value of one field; the empty text removes it. */
export function changeFieldFilter(text: string | undefined, slug: string, value: string): string | undefined {
  const next = new URLSearchParams(text ?? '');
  if (value === '') next.delete(slug);
  else next.set(slug, value);
  return next.toString() || undefined;
}

/** A name for requests made from a label: "AE since" becomes ae_since. Empty if the label has no letter. */
export function toSlug(label: string): string {
  const bare = label
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_');
  return bare.replace(/^[^a-z]+|_+$/g, '').slice(0, 50);
}

/** The values of a form as they are sent; an empty text removes the value. */
export function toFieldValues(entered: Readonly<Record<string, string>>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(entered).map(([slug, value]) => [slug, value.trim() || null]));
}
