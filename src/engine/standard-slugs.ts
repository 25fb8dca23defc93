import { type StandardField } from './field-value.js';

/** The usual slugs of a standard value, for workspaces that have not mapped it. */
export const usualSlugs: Readonly<Record<StandardField, readonly string[]>> = {
  dealAmount: ['amount', 'value'],
  dealStage: ['stage', 'dealstage'],
  closeDate: ['close_date', 'closedate', 'closeDate'],
  dealName: ['name', 'dealname'],
  ownerId: ['owner_id', 'ownerId', 'owner'],
  currency: ['currency'],
  createdDate: ['created_date', 'createdate', 'createdDate'],
};

const standardBySlug: ReadonlyMap<string, StandardField> = new Map<string, StandardField>([
  ['stage', 'dealStage'],
  ['dealstage', 'dealStage'],
  ['dealStage', 'dealStage'],
  ['amount', 'dealAmount'],
  ['value', 'dealAmount'],
  ['dealAmount', 'dealAmount'],
  ['close_date', 'closeDate'],
  ['closedate', 'closeDate'],
  ['closeDate', 'closeDate'],
  ['name', 'dealName'],
  ['dealname', 'dealName'],
  ['dealName', 'dealName'],
  ['owner_id', 'ownerId'],
  ['ownerId', 'ownerId'],
  ['currency', 'currency'],
  ['created_date', 'createdDate'],
  ['createdDate', 'createdDate'],
]);

/** The slugs that name standard values in every plan. */
export const standardSlugs: readonly string[] = [...standardBySlug.keys()];

/** The standard value that a slug names, if it names one: `amount` names dealAmount. */
export function standardNamedBy(slug: string): StandardField | undefined {
  return standardBySlug.get(slug);
}
