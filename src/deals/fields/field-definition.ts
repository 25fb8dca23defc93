import { z } from 'zod';
import { type FieldType, fieldTypes } from '../../engine/condition.js';
import { type StandardField, standardFields } from '../../engine/field-value.js';

export const fieldDefinition = z
  .object({
    slug: z.string().describe('Slug of the field: its name in plans'),
    label: z.string().describe('Name of the field for people'),
    type: z.enum(fieldTypes).describe('Type of the values; it is the fieldType of conditions'),
  })
  .describe('A deal field that plans may use');
export type FieldDefinition = z.infer<typeof fieldDefinition>;

export const fieldOption = z
  .object({
    label: z.string().describe('Name of the value for people'),
    value: z.string().describe('The value as deals have it'),
  })
  .describe('A value of a field');
export type FieldOption = z.infer<typeof fieldOption>;

const standardTypes: Readonly<Record<StandardField, FieldType>> = {
  dealAmount: 'currency',
  dealStage: 'status',
  closeDate: 'date',
  dealName: 'text',
  ownerId: 'text',
  currency: 'select',
  createdDate: 'date',
};

/** The standard values, which every plan may use by these names. */
export const standardDefinitions: readonly FieldDefinition[] = standardFields.map((slug) => ({
  slug,
  label: toLabel(slug),
  type: standardTypes[slug],
}));

export function hasOptions({ type }: FieldDefinition): boolean {
  return type === 'select' || type === 'status';
}

/** A readable label: `close_value` and `CloseValue__c` both become Close value. The words of a file stay as they are. */
export function toLabel(slug: string): string {
  if (/\s/.test(slug)) return slug;
  const words = splitWords(slug).join(' ');
  return words === '' ? slug : words.charAt(0).toUpperCase() + words.slice(1);
}

/** The words of a slug in lower case, without the prefixes and suffixes that CRMs add. */
export function splitWords(slug: string): string[] {
  return slug
    .replace(/__c$/i, '')
    .replace(/^hs_/i, '')
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

export const fieldDefinitionExample = { slug: 'close_value', label: 'Close value', type: 'currency' };
