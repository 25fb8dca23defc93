import { type Answer } from '../../api/client.js';
import { type Rule } from './draft.js';
import { dealCount, fieldWords, isFormula } from './words.js';

export type Field = Answer<'listFields'>[number];
type FieldType = Field['type'];

/** The two fields that every plan reads have a short name beside the standard one. */
const shortNames: Readonly<Record<string, { readonly slug: string; readonly label: string }>> = {
  dealAmount: { slug: 'amount', label: 'Amount' },
  dealStage: { slug: 'stage', label: 'Stage' },
};

const standardLabels: Readonly<Record<string, string>> = {
  closeDate: 'Close date',
  dealName: 'Deal name',
  ownerId: 'Owner ID',
  currency: 'Currency',
  createdDate: 'Created date',
};

/** Names of standard values in plans, in the form of {@link bareName}. Each reads the same value as the standard one. */
const namesOfStandard: Readonly<Record<string, string>> = {
  amount: 'amount',
  value: 'amount',
  dealamount: 'amount',
  stage: 'stage',
  dealstage: 'stage',
  closedate: 'closeDate',
  name: 'dealName',
  dealname: 'dealName',
  ownerid: 'ownerId',
  currency: 'currency',
  createddate: 'createdDate',
};

function bareName(slug: string): string {
  return slug.replaceAll('_', '').toLowerCase();
}

/** One entry for the names of one value: plans read names without regard to case, and standard values by several. */
function toReadKey({ slug }: Field): string {
  const standard = namesOfStandard[bareName(slug)];
  return standard ?? slug.toLowerCase();
}

/**
 * Lists each field once, under the name that plans usually have for it. A field whose label another field has too shows
 * its slug.
 */
export function planFields(fields: readonly Field[]): readonly Field[] {
  const known = fields.map((field) => ({
    ...field,
    ...(shortNames[field.slug] ?? {}),
    ...(standardLabels[field.slug] === undefined ? {} : { label: standardLabels[field.slug] as string }),
  }));
  const slugByLabel = new Map<string, string>();
  const distinct = known.filter(
    (field, index) => known.findIndex((candidate) => toReadKey(candidate) === toReadKey(field)) === index,
  );
  return distinct.map((field) => {
    const name = field.label.toLowerCase();
    if (!slugByLabel.has(name)) slugByLabel.set(name, field.slug);
    return slugByLabel.get(name) === field.slug ? field : { ...field, label: `${field.label} (${field.slug})` };
  });
}

type Choices = readonly (readonly [value: string, label: string])[];

export function fieldChoices(
  fields: readonly Field[],
  current: string | undefined,
  isListed: (field: Field) => boolean = () => true,
): Choices {
  // A plan may name a field in another case, or a standard value by another name.
  const nameOf = (field: Field) =>
    current !== undefined && toReadKey(field) === toReadKey({ ...field, slug: current }) ? current : field.slug;
  const choices = fields
    .filter((field) => isListed(field) || nameOf(field) === current)
    .map((field) => [nameOf(field), field.label] as const);
  return withCurrent(choices, current, fieldWords);
}

/** Begins a formula, which the person completes. */
const newFormula = '= amount';

/** A formula in place of a field. */
export function withFormula(choices: Choices, current: string | undefined, first = newFormula): Choices {
  return current !== undefined && isFormula(current) ? choices : [...choices, [first, 'a formula …']];
}

/** Fields that can be multiplied and counted, and the number of deals. */
export function measureChoices(fields: readonly Field[], current: string | undefined): Choices {
  const named = fieldChoices(fields, current === dealCount ? undefined : current, isNumeric);
  return [...named, [dealCount, fieldWords(dealCount)]];
}

/** The choices with the present one, which may be unknown. A select without it would display its first choice. */
export function withCurrent(choices: Choices, current = '', wordsOf = (value: string) => value): Choices {
  const isKnown = current === '' || choices.some(([value]) => value === current);
  return isKnown ? choices : [[current, wordsOf(current)], ...choices];
}

/** Fields that can be multiplied and counted. */
export function isNumeric({ type }: Field): boolean {
  return type === 'number' || type === 'currency';
}

/** The first name of a score, until the person types another. */
export const newScore = 'score';

/** Whether a rule of periods measures what no deal has yet: a score that people enter. */
export function isNewScore({ measure, executionPhase, lines }: Rule, fields: readonly Field[]): boolean {
  if (executionPhase !== 'periodic' || lines !== undefined || measure === dealCount || isFormula(measure)) return false;
  return !fields.some((field) => toReadKey(field) === toReadKey({ ...field, slug: measure }));
}

/** The field of a score with this name: MBO points becomes mbo_points. */
export function scoreSlug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[\s:]+/g, '_')
    .replace(/^[_=]+/, '');
}

export const operatorsOf: Readonly<Record<FieldType, readonly string[]>> = {
  text: ['equals', 'not_equals', 'contains', 'not_contains', 'in', 'not_in', 'is_set', 'is_not_set'],
  select: ['equals', 'not_equals', 'in', 'not_in', 'contains', 'not_contains', 'is_set', 'is_not_set'],
  status: ['equals', 'not_equals', 'in', 'not_in', 'contains', 'not_contains', 'is_set', 'is_not_set'],
  number: ['gte', 'gt', 'lt', 'lte', 'between', 'equals', 'not_equals', 'is_set', 'is_not_set'],
  currency: ['gte', 'gt', 'lt', 'lte', 'between', 'equals', 'not_equals', 'is_set', 'is_not_set'],
  date: ['before', 'after', 'between', 'in_period', 'in_last_n_days', 'equals', 'is_set', 'is_not_set'],
  timestamp: ['before', 'after', 'between', 'in_period', 'in_last_n_days', 'is_set', 'is_not_set'],
  checkbox: ['is_true', 'is_false', 'is_set', 'is_not_set'],
};
