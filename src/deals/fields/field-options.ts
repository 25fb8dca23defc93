import { type FieldMappingJson } from '../../access/workspaces/workspace-tables.js';
import { type StandardField, standardFields } from '../../engine/field-value.js';
import { findAlias } from '../../engine/slug.js';
import { standardNamedBy } from '../../engine/standard-slugs.js';
import { isStorable } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type CrmFieldDefinition, listCrmDefinitions } from './crm-field-views.js';
import { listStoredValues } from './deal-field-views.js';
import { type FieldOption, hasOptions } from './field-definition.js';
import { findNativeDefinition } from './field-definition-views.js';
import { findMapping } from './field-mapping-views.js';

type StandardChoice = 'dealStage' | 'currency';

/**
 * The options of the field that a plan reads under the slug: the workspace's measure of that name, the deals' own
 * field, its alias, or the standard value that the slug names. Null if it is not a select or status field.
 */
export async function findFieldOptions(tx: Transaction, slug: string): Promise<readonly FieldOption[] | null> {
  if (!isStorable(slug)) return null;
  const mapping = await findMapping(tx);
  const fromCrm = await listCrmDefinitions(tx);
  const measure = Object.hasOwn(mapping.measures, slug) ? mapping.measures[slug] : undefined;
  const listed = optionsInCrm(fromCrm, measure ?? slug);
  if (listed !== null) return listed;
  const standard = measure === undefined ? choiceNamedBy(slug, mapping) : undefined;
  if (standard !== undefined) {
    const inCrm = optionsInCrm(fromCrm, findNativeSlug(standard, mapping, fromCrm));
    const keys = [slug, findAlias(slug)].flatMap((key) => key ?? []);
    return inCrm ?? listStoredValues(tx, { keys, standard, folded: null });
  }
  const field = await findNativeDefinition(tx, measure ?? slug, fromCrm);
  if (field === null || !hasOptions(field)) return null;
  return listStoredValues(tx, { keys: [field.slug], standard: null, folded: null });
}

function optionsInCrm(fromCrm: readonly CrmFieldDefinition[], slug: string | undefined) {
  return fromCrm.find((definition) => definition.slug === slug && hasOptions(definition))?.options ?? null;
}

/** The CRM's slug of the standard value: as mapped, otherwise its only status field. */
function findNativeSlug(
  standard: StandardChoice,
  mapping: FieldMappingJson,
  fromCrm: readonly CrmFieldDefinition[],
): string | undefined {
  const mapped = mapping.standard[standard];
  if (mapped !== undefined || standard !== 'dealStage') return mapped;
  return fromCrm.find((definition) => definition.type === 'status')?.slug;
}

function choiceNamedBy(slug: string, { standard }: FieldMappingJson): StandardChoice | undefined {
  const name: StandardField | undefined =
    standardNamedBy(slug) ?? standardFields.find((candidate) => standard[candidate] === slug);
  return name === 'dealStage' || name === 'currency' ? name : undefined;
}
