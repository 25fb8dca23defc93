import type { RateKind, RateTableKey } from '#src/engine/rate-table.js';
import { type PersonField } from '../people/person-fields.js';
import { type Field } from '../plans/fields.js';
import { splitFields } from '../plans/line-fields.js';
import { fieldWords } from '../plans/words.js';
import { type Head } from './edited-table.js';

export const matchChoices: readonly (readonly [RateTableKey['match'], string])[] = [
  ['exact', 'is the same'],
  ['prefix', 'begins with it'],
  ['range', 'is in its range'],
];

export const kindChoices: readonly (readonly [RateKind, string])[] = [
  ['rate', 'a share, %'],
  ['amount', 'a fixed amount'],
  ['perUnit', 'an amount for each unit'],
];

export const noMatchChoices = [
  ['exception', 'pay nothing and are listed in the exceptions'],
  ['zero', 'pay nothing'],
] as const;

const peopleFields = ['rep.tenure_months', 'rep.title', 'rep.location', 'rep.team'];

/** What a row may be looked up by: fields of products, of people and of deals, and in a period the attainment of rules. */
export function keyFieldChoices(
  fields: readonly Field[],
  personFields: readonly PersonField[],
  ruleNames: readonly string[],
): readonly (readonly [slug: string, words: string])[] {
  const { ofDeals, ofLines } = splitFields(fields);
  const ofPeople = [...peopleFields, ...personFields.map(({ slug }) => `rep.${slug}`)];
  return [
    ...ofLines.map(({ slug, label }) => [slug, label] as const),
    ...ofPeople.map((slug) => [slug, fieldWords(slug)] as const),
    ...ofDeals.map(({ slug, label }) => [slug, `${label} of the deal`] as const),
    ['attainment', 'Attainment of the period'],
    ...[...new Set(ruleNames)].map((name) => [`attainment.${name}`, `Attainment of ${name}`] as const),
  ];
}

/** Why the keys and columns cannot be used; null if they can. */
export function headProblem({ keys, columns }: Head): string | null {
  const names = [keys, columns].map((all: readonly { readonly name: string }[]) => all.map(({ name }) => name.trim()));
  if (names.flat().includes('')) return 'Each key and column needs a name.';
  const isRepeated = names.some((own) => new Set(own).size < own.length);
  return isRepeated ? 'Two keys or two columns have the same name.' : null;
}
