import { type Deal } from '../../api/queries.js';
import { type Field } from '../plans/fields.js';
import {
  type ChangedDeal,
  changedDeal,
  editedDeal,
  listFreeFields,
  listProblems,
  type StandardSlugs,
} from './edited-deal.js';

/** The values that many deals can get at once, besides their other fields. */
const commonValues = {
  repId: 'Person',
  stage: 'Stage',
  closeDate: 'Close date',
  amount: 'Amount',
  currency: 'Currency',
} as const;
type CommonValue = keyof typeof commonValues;

/** One value for many deals: a common value by its name, or the slug of another field. */
export interface BulkValue {
  readonly name: string;
  readonly text: string;
  /** Whether the deals lose the value: an empty text alone removes nothing. */
  readonly isRemoved?: boolean;
}

/** Only other fields can be removed. */
export function isCommonValue(name: string): name is CommonValue {
  return Object.hasOwn(commonValues, name);
}

/** What can be changed, with its words. */
export function bulkChoices(
  fields: readonly Field[],
  standard: StandardSlugs,
): readonly (readonly [name: string, label: string])[] {
  const others = listFreeFields(fields, {}, standard).filter(({ slug }) => !isCommonValue(slug));
  return [...Object.entries(commonValues), ...others.map(({ slug, label }) => [slug, label] as const)];
}

/** What is wrong with the value; null if it can be sent. */
export function bulkProblem({ name, text }: BulkValue): string | null {
  if (!isCommonValue(name) || text.trim() === '') return null;
  const empty = editedDeal(null, {});
  return listProblems(empty, { ...empty, [name]: text })[name as Exclude<CommonValue, 'repId'>] ?? null;
}

export function isCompleteValue(value: BulkValue): boolean {
  return value.name !== '' && bulkProblem(value) === null && (value.isRemoved === true || value.text.trim() !== '');
}

/** The rows of the deals that have another value. */
export function bulkRows(
  deals: readonly Deal[],
  { name, text }: BulkValue,
  standard: StandardSlugs,
  fields: readonly Field[],
): readonly ChangedDeal[] {
  return deals.flatMap((deal) => {
    const before = editedDeal(deal, standard);
    const now = isCommonValue(name)
      ? { ...before, [name]: text }
      : { ...before, others: { ...before.others, [name]: text } };
    return changedDeal(before, now, standard, fields) ?? [];
  });
}
